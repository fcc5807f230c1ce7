"""Metrics of a Spark DataFrame, whose workers return only states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import keras

from keras_rankmetrics.tables.jobs import LISTS_PER_UPDATE, ColumnNames, Job
from keras_rankmetrics.tables.members import Metrics, with_states

_SCHEMA = "states binary"


def evaluate(
    df: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    query: str | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    **columns: Unpack[ColumnNames],
) -> Metrics:
    """Compute metrics over the lists of a DataFrame.

    Each task reads its partition and returns the states of the metrics. A
    second stage adds them up, and the driver adds up the remaining rows, most
    often one. Lists are neither shuffled nor collected, except with `query`.

    A row is a list, with its items in arrays of any lengths. A null in place of
    an array is an empty array; a null within an array is an error. With
    `query`, a row is an item: the rows of a query are a list, wherever they
    are. They are shuffled once, sorted within partitions, and read many lists
    at a time. A task needs the memory of one Arrow batch and of the longest
    list.

    Args:
        df: a `pyspark.sql.DataFrame`.
        metrics: a metric, a `MetricCollection`, a `Sliced` metric, a
            `Comparison`, names such as `"NDCG(inputs=ids)@10"`, or a list of
            these. They are not updated.
        y_true: the column of labels. With `inputs="ids"`, the column of the ids
            of relevant items, or of one id for each list; ids are integers or
            strings. With `inputs="sparse"`, the column of their indices, or of
            one index.
        y_pred: the column of scores, or of recommended ids, best first. For a
            `Comparison`, a dict with the column of each system. With
            `inputs="sparse"`, each list has the scores of all items.
        sample_weight: the column of the weight of each list; with `query`, of
            each item.
        group: the column of the groups of `Sliced` metrics, their names or
            numbers; or a dict of columns by the names of the metrics.
        query: the column of queries, if each row is an item.
        backend: the Keras backend of the workers; that of the driver by
            default. A process has one backend: a worker that has already
            imported Keras with another backend raises an error.
        lists_per_update: the number of lists in one call of `update_state`.
        exclude: the column of arrays of the items that are not ranked: ids, or
            indices of items.
        num_relevant: the column of the number of relevant items of each list,
            if the labels contain only some of them.

    Returns:
        Copies of the metrics, updated on these lists alone. `result()`,
        `print(metric)` and all other methods work as usual. Names become a
        `MetricCollection`.

    Raises:
        ValueError: if a column is missing, or the arguments do not fit the
            metrics.
        TypeError: if a column has the wrong type.
        pyspark.errors.PythonException: if a worker finds invalid values, which
            the message names.

    Stability: provisional.
    """
    from pyspark import cloudpickle

    from keras_rankmetrics.adapters import worker

    job = Job(metrics, y_true, y_pred, query, lists_per_update, **columns)
    worker.check_column_names(job, df.columns)
    names = job.names
    # Spark reads a dot in a name as a field, and `mapInArrow` takes no quotes.
    quoted = ("`" + name.replace("`", "``") + "`" for name in names)
    df = df.select(*quoted).toDF(*map(str, range(len(names))))
    no_rows = df.limit(0).toArrow().rename_columns(names)
    worker.check_schema(job, no_rows.schema)
    backend = backend or keras.config.backend()
    pickled = cloudpickle.dumps(job)
    if query is not None:  # the rows of each query next to each other
        by = str(names.index(query))
        df = df.repartition(by).sortWithinPartitions(by)
    to_states = worker.on_worker("tables_to_states", pickled, backend)
    states = df.mapInArrow(to_states, _SCHEMA)
    # Spark picks the number of tasks by the size of the states: usually one.
    to_state = worker.on_worker("states_to_state", b"", backend)
    merged = states.hint("rebalance").mapInArrow(to_state, _SCHEMA)
    packed = (bytes(row.states) for row in merged.toLocalIterator())
    return with_states(job.metrics, worker.sum_of(packed))
