"""Metrics of a Spark DataFrame: only states leave the workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras

from keras_rankmetrics.adapters.schema import check_schema
from keras_rankmetrics.adapters.worker import on_worker, sum_of
from keras_rankmetrics.jobs.arguments import (
    LISTS_PER_UPDATE,
    Metrics,
    job_of,
    with_states,
)
from keras_rankmetrics.jobs.batches import Columns

_SCHEMA = "states array<binary>"


def evaluate(
    df: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    sample_weight: str | None = None,
    group: str | Mapping[str, str] | None = None,
    query: str | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    exclude: str | None = None,
    num_relevant: str | None = None,
) -> Metrics:
    """The metrics of all lists that a DataFrame holds.

    Each task reads its partition, and returns the states of the metrics. A
    second stage adds them up, and the driver adds up what that leaves, row by
    row: most often one. No list is shuffled or collected, unless `query`
    asks for it.

    A row is a list, with its items in arrays of any lengths. A null in place of
    an array is an empty one; within an array it is an error. With `query`, a
    row is an item: rows of the same value are a list, wherever they lie. They
    are shuffled once, sorted within partitions, and read many lists at a time.
    The memory of a task is that of a batch of Arrow, and of the longest list.

    Args:
        df: a `pyspark.sql.DataFrame`.
        metrics: a metric, a `MetricCollection`, a `Sliced` metric, a
            `Comparison`, or a list of them. They are not updated.
        y_true: the column of labels, or with `inputs="ids"` of the ids of
            relevant items, or of one such id. Ids are integers or strings. With
            `inputs="sparse"`, of their indices, or of one.
        y_pred: the column of scores, or of the recommended ids, best first. For
            a `Comparison`, a dict with the column of each system. With
            `inputs="sparse"` the scores are those of all items, as many in
            each list.
        sample_weight: the column of the weight of each list; with `query`, of
            each item.
        group: the column of the groups of `Sliced` metrics, their names or
            numbers; or a dict of columns by the names of the metrics.
        query: the column of what the rows of a list have in common.
        backend: of Keras on the workers; that of the driver by default. A
            process has one backend: a worker that has imported Keras on another
            one is an error.
        lists_per_update: how many lists a metric sees at once.
        exclude: the column of arrays of what is not to be ranked in a list:
            ids, or indices of items.
        num_relevant: the column of how many relevant items each list has,
            where its labels hold only some.

    Returns:
        Copies of the metrics, which have seen these lists and no others:
        `result()`, `print` and all else work as ever.

    Raises:
        ValueError: if a column is missing, or the arguments do not fit the
            metrics.
        TypeError: if a column has another type than it should.
        pyspark.errors.PythonException: if a worker finds values that it cannot
            take. What they are stands in its text.
    """
    from pyspark import cloudpickle
    from pyspark.sql.pandas.types import to_arrow_schema

    job = job_of(
        metrics,
        y_true,
        y_pred,
        sample_weight,
        group,
        query,
        lists_per_update,
        exclude,
        num_relevant,
    )
    check_schema(job.columns, to_arrow_schema(df.schema))
    backend = backend or keras.config.backend()
    pickled = cloudpickle.dumps(job)
    states = _by_query(df, job.columns).mapInArrow(
        on_worker("tables_to_states", pickled, backend), _SCHEMA
    )
    # As many tasks as the size of the states asks for: most often one.
    merged = states.hint("rebalance").mapInArrow(
        on_worker("states_to_state", b"", backend), _SCHEMA
    )
    rows = ([bytes(s) for s in row.states] for row in merged.toLocalIterator())
    return with_states(metrics, sum_of(rows))


def _by_query(df: Any, columns: Columns) -> Any:
    """The columns, those of a list together where a row is an item."""
    df = df.select(*columns.names)
    if columns.query is None:
        return df
    return df.repartition(columns.query).sortWithinPartitions(columns.query)
