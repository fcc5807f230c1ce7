"""Metrics of a Ray Dataset, whose workers return only states."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Unpack

import keras

from keras_rankmetrics.tables.jobs import LISTS_PER_UPDATE, ColumnNames, Job
from keras_rankmetrics.tables.members import Metrics, with_states


def evaluate(
    dataset: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    query: str | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    **columns: Unpack[ColumnNames],
) -> Metrics:
    """Compute metrics over the lists of a dataset.

    A row is a list. Each block is reduced to one row with the states of the
    metrics. The driver adds these up as they arrive.

    With `query`, a row is an item: the rows of a query are a list, wherever
    they are. Ray shuffles them once into 64 groups of whole queries, and a task
    needs the memory of one group.

    The arguments are those of `keras_rankmetrics.adapters.spark.evaluate`.

    Args:
        dataset: a `ray.data.Dataset`.
        metrics: a metric, a `MetricCollection`, a `Sliced` metric, a
            `Comparison`, names such as `"NDCG(inputs=ids)@10"`, or a list of
            these. They are not updated.
        y_true: the column of labels, or of ids or indices of relevant items.
        y_pred: the column of scores, or of recommended ids, best first; or a
            dict with the column of each system.
        sample_weight: the column of the weight of each list; with `query`, of
            each item.
        group: the column of the groups of `Sliced` metrics.
        query: the column of queries, if each row is an item.
        backend: the Keras backend of the workers; that of the driver by
            default.
        lists_per_update: the number of lists in one call of `update_state`.
        exclude: the column of the items that are not ranked.
        num_relevant: the column of the number of relevant items of each list.

    Returns:
        Copies of the metrics, updated on these lists alone.

    Stability: provisional.
    """
    from ray import cloudpickle

    from keras_rankmetrics.adapters import worker

    job = Job(metrics, y_true, y_pred, query, lists_per_update, **columns)
    if query is not None and not dataset.take(1):  # Ray cannot group no rows
        return with_states(job.metrics, None)
    on_workers = functools.partial(
        worker.on_worker,
        pickled=cloudpickle.dumps(job),
        backend=backend or keras.config.backend(),
    )
    to_states = on_workers("table_to_states")
    tables = {"batch_format": "pyarrow", "batch_size": None}
    if query is None:
        states = dataset.map_batches(to_states, **tables)
    else:
        states = (
            dataset.map_batches(on_workers("in_buckets"), **tables)
            .groupby(worker.BUCKET, num_partitions=worker.BUCKETS)
            .map_groups(to_states, batch_format="pyarrow")
        )
    packed = (row["states"] for row in states.iter_rows())
    return with_states(job.metrics, worker.sum_of(packed))
