"""Metrics of a Ray Dataset, whose workers return only states."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from keras_rankmetrics.adapters.log_job import JobOptions, dataset_of, job_of
from keras_rankmetrics.tables.jobs import LISTS_PER_UPDATE, Job
from keras_rankmetrics.tables.members import Metrics

_REMEDIES = {
    "builtins.str": "For a path, pass `ray.data.read_parquet(path)`.",
    "pandas.": "Pass `ray.data.from_pandas(dataset)`, or call "
    "`keras_rankmetrics.evaluate`, which takes frames of pandas.",
    "pyarrow.": "Pass `ray.data.from_arrow(dataset)`.",
    "pyspark.sql.": "Pass `ray.data.from_spark(dataset)`, or call "
    "`keras_rankmetrics.adapters.spark.evaluate`.",
    "ray.data.": "Pass the Dataset that it was made of.",
    "": "Pass a Dataset of Ray, such as `ray.data.from_items(rows)`.",
}


def evaluate(
    dataset: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    query: str | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    **options: Unpack[JobOptions],
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
        sample_weight: the column of the weight of each list, its weight in the
            mean of metrics passed by name; with `query`, of each item, and of
            the query if its rows have one weight, as in `evaluate_rows`.
        group: the column of the groups of `Sliced` metrics.
        query: the column of queries, if each row is an item.
        backend: the Keras backend that workers must have; by default as for
            Spark.
        lists_per_update: the number of lists in one call of `update_state`.
        exclude: the column of the items that are not ranked.
        num_relevant: the column of the number of relevant items of each list.
        order: with `query`, the column whose values order the rows of a list.
        convention: the name of a tool, whose metrics and rules are used.

    Returns:
        Copies of the metrics, updated on these lists alone.

    Stability: provisional.
    """
    from keras_rankmetrics.adapters import worker

    dataset = _dataset(dataset)
    own = metrics, y_true, y_pred, query, lists_per_update
    job = job_of(evaluate, "Ray", own, options, backend)
    if query is not None and not dataset.take(1):  # Ray cannot group no rows
        return job.with_sums(None)
    states = _mapped(dataset, job, backend, "table_to_states", job)
    packed = (row["states"] for row in states.iter_rows())
    sums = worker.sum_of(packed)
    job.say(sums)
    return job.with_sums(sums)


def per_query(
    dataset: Any,
    metrics: Any,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    query: str | None = None,
    keep: Sequence[str] = (),
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    **options: Unpack[JobOptions],
) -> Any:
    """Compute the value of each list, as a Dataset that stays distributed.

    The arguments are those of `keras_rankmetrics.adapters.spark.per_query`.

    Args:
        dataset: a `ray.data.Dataset`. With `query`, it must have rows.
        metrics: as for `evaluate`, but not `Sliced`. They are not updated.
        y_true: as for `evaluate`.
        y_pred: as for `evaluate`.
        query: the column of queries, if each row is an item.
        keep: if each row is a list, the columns to copy next to its values.
        backend: as for `evaluate`.
        lists_per_update: as for `evaluate`.
        **options: `sample_weight`, `exclude`, `num_relevant`, `order` and
            `convention`, as for `evaluate`.

    Returns:
        A Dataset of the column `query`, or those to `keep`, and a column for
        each metric, by name; for a `Comparison` one for each system. NaN for an
        excluded list. Its rows are not in the order of `dataset`.

    Stability: provisional.
    """
    from keras_rankmetrics.adapters import arrow

    dataset = _dataset(dataset)
    own = metrics, y_true, y_pred, query, lists_per_update
    job = job_of(per_query, "Ray", own, options, backend)
    keys = arrow.kept_columns(job, keep)
    return _mapped(dataset, job, backend, "table_to_values", (job, keys))


def _dataset(x: Any) -> Any:
    """Return the Dataset; raise TypeError for others."""
    from ray.data import Dataset

    return dataset_of("dataset", x, Dataset, "ray.data.Dataset", _REMEDIES)


def _mapped(
    dataset: Any, job: Job, backend: str | None, task: str, work: Any
) -> Any:
    """Return the results of a task of the worker on whole lists.

    Args:
        dataset: the rows, each of which is a list or an item.
        job: the job.
        backend: the Keras backend that workers need, or None.
        task: the name of the function of the worker.
        work: what the function needs.
    """
    from ray import cloudpickle

    from keras_rankmetrics.adapters import worker

    on_worker = functools.partial(worker.on_worker, job=job, backend=backend)
    run = on_worker(task, pickled=cloudpickle.dumps(work))
    tables = {"batch_format": "pyarrow", "batch_size": None}
    if job.query is None:
        return dataset.map_batches(run, **tables)
    in_buckets = on_worker("in_buckets", pickled=cloudpickle.dumps(job))
    return (
        dataset.map_batches(in_buckets, **tables)
        .groupby(worker.BUCKET, num_partitions=worker.BUCKETS)
        .map_groups(run, batch_format="pyarrow")
    )
