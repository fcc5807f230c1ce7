"""Metrics of a Spark DataFrame, whose workers return only states."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from keras_rankmetrics.adapters.log_job import JobOptions, dataset_of, job_of
from keras_rankmetrics.tables.jobs import LISTS_PER_UPDATE, Job
from keras_rankmetrics.tables.members import (
    Metrics,
    value_names,
)

_SCHEMA = "states binary"
_REMEDIES = {
    "builtins.str": "For the name of a table, pass `spark.table(name)`; for a "
    "path, `spark.read.parquet(path)`.",
    "pandas.": "Pass `spark.createDataFrame(df)`, or call "
    "`keras_rankmetrics.evaluate`, which takes frames of pandas.",
    "pyspark.pandas.": "Pass `df.to_spark()`.",
    "pyspark.sql.": "Pass the DataFrame that it was made of.",
    "": "Pass a DataFrame of Spark, such as `spark.createDataFrame(rows)`.",
}


def evaluate(
    df: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    query: str | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    **options: Unpack[JobOptions],
) -> Metrics:
    """Compute metrics over the lists of a DataFrame.

    Each task reads its partition and returns the states of the metrics. A
    second stage adds them up, and the driver adds up the remaining rows, most
    often one. Lists are neither shuffled nor collected, except with `query`.

    A row is a list, with its items in arrays of any lengths. A null in place of
    an array is an empty array; a null within an array is an error. With
    `query`, a row is an item: the rows of a query are a list, wherever they
    are. Spark groups them, with one shuffle. A task needs the memory of one
    Arrow batch and of the longest list.

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
        sample_weight: the column of the weight of each list, its weight in the
            mean of metrics passed by name; with `query`, of each item, and of
            the query if its rows have one weight, as in `evaluate_rows`.
        group: the column of the groups of `Sliced` metrics, their names or
            numbers; or a dict of columns by the names of the metrics.
        query: the column of queries, if each row is an item.
        backend: the Keras backend that workers must have. A process has one
            backend: a worker that has already imported Keras with another
            raises an error. By default workers that have not imported it take
            numpy; or the backend of the driver, if a metric has functions of
            your own or `dtype="float64"`, or the worker has no JAX, which the
            numpy backend of Keras imports.
        lists_per_update: the number of lists in one call of `update_state`.
        exclude: the column of arrays of the items that are not ranked: ids, or
            indices of items.
        num_relevant: the column of the number of relevant items of each list,
            if the labels contain only some of them.
        order: with `query`, the column whose values order the rows of a list,
            ascending, such as a position, a time or an id. Metrics of
            `ties="stable"` need it, since rows are in no order after a shuffle.
            With a convention that orders tied items by their ids, the column of
            these ids.
        convention: the name of a tool, such as `"trec_eval"`. Metrics passed by
            name are then those of the tool, and rows are read by its rules.

    Returns:
        Copies of the metrics, updated on these lists alone. `result()`,
        `print(metric)` and all other methods work as usual. Names become a
        `MetricCollection`.

    Raises:
        ValueError: if a column is missing, the arguments do not fit the
            metrics, or rows cannot be what they should be.
        TypeError: if `df` is no DataFrame, or a column has the wrong type.
        pyspark.errors.PythonException: if a worker finds invalid values, which
            the message names.

    Stability: provisional.
    """
    from pyspark import cloudpickle

    from keras_rankmetrics.adapters import worker

    df = _frame(df)
    own = metrics, y_true, y_pred, query, lists_per_update
    job = job_of(evaluate, "Spark", own, options, backend)
    lists, names = _lists(df, job)
    on_worker = functools.partial(
        worker.on_worker,
        job=job,
        backend=backend,
        pickled=cloudpickle.dumps((job, names)),
    )
    states = lists.mapInArrow(on_worker("tables_to_states"), _SCHEMA)
    # Spark picks the number of tasks by the size of the states: usually one.
    merged = states.hint("rebalance").mapInArrow(
        on_worker("states_to_state"), _SCHEMA
    )
    packed = (bytes(row.states) for row in merged.toLocalIterator())
    sums = worker.sum_of(packed)
    job.say(sums)
    return job.with_sums(sums)


def per_query(
    df: Any,
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
    """Compute the value of each list, as a DataFrame that stays distributed.

    Nothing is computed before Spark needs the result, and nothing is collected.
    So there are no warnings as by `evaluate`; rows that cannot be what they
    should be are errors.

    Args:
        df: a `pyspark.sql.DataFrame`.
        metrics: as for `evaluate`, but not `Sliced`: groups do not change the
            value of a list. They are not updated.
        y_true: as for `evaluate`.
        y_pred: as for `evaluate`.
        query: the column of queries, if each row is an item. The result has a
            row for each query.
        keep: if each row is a list, the columns to copy next to its values,
            such as its id.
        backend: as for `evaluate`.
        lists_per_update: as for `evaluate`.
        **options: `sample_weight`, `exclude`, `num_relevant`, `order` and
            `convention`, as for `evaluate`.

    Returns:
        A DataFrame of the column `query`, or those to `keep`, and a double
        column for each metric, by name; for a `Comparison` one for each
        system, such as `"ndcg@10/old"`. NaN for an excluded list. Its rows are
        not in the order of `df`.

    Raises:
        ValueError: if a column is missing, the arguments do not fit the
            metrics, or a metric has no values of lists.
        TypeError: if `df` is no DataFrame, or a column has the wrong type.

    Stability: provisional.
    """
    from pyspark import cloudpickle
    from pyspark.sql import types

    from keras_rankmetrics.adapters import arrow, worker

    df = _frame(df)
    own = metrics, y_true, y_pred, query, lists_per_update
    job = job_of(per_query, "Spark", own, options, backend)
    keys = arrow.kept_columns(job, keep)
    lists, names = _lists(df, job, keep)
    pickled = cloudpickle.dumps((job, names, keys))
    to_values = worker.on_worker("tables_to_values", job, backend, pickled)
    values = (
        types.StructField(x, types.DoubleType())
        for x in value_names(job.members)
    )
    schema = types.StructType([*(df.schema[key] for key in keys), *values])
    return lists.mapInArrow(to_values, schema)


def _frame(df: Any) -> Any:
    """Return the DataFrame; raise an error for others, and for a stream."""
    from pyspark.sql import DataFrame

    name = "pyspark.sql.DataFrame"
    df = dataset_of("df", df, DataFrame, name, _REMEDIES)
    if df.isStreaming:
        raise ValueError(
            "`df` should be a DataFrame whose rows end. Received: a stream. "
            "Evaluate each of its batches in `foreachBatch`, and add up the "
            "states: `metric.state`."
        )
    return df


def _lists(
    df: Any, job: Job, keep: Sequence[str] = ()
) -> tuple[Any, list[str]]:
    """Return a frame in which each row is a list or a query, as for a worker.

    Its columns have numbers as names, since `mapInArrow` takes no quotes, and
    Spark reads a dot in a name as a field.

    Args:
        df: a `pyspark.sql.DataFrame`.
        job: the job.
        keep: further columns.

    Returns:
        The frame, and the names of its columns.
    """
    from pyspark.sql import functions as sql

    from keras_rankmetrics.adapters import arrow

    arrow.check_column_names(job, df.columns, keep)
    names = list(dict.fromkeys([*job.names, *keep]))
    quoted = ("`" + name.replace("`", "``") + "`" for name in names)
    df = df.select(*quoted).toDF(*map(str, range(len(names))))
    no_rows = df.limit(0).toArrow().rename_columns(names)
    arrow.check_schema(job, no_rows.schema)
    if job.query is None:
        return df, names
    # Lists are faster to send than their items, and need no sort.
    by = str(names.index(job.query))
    items = [sql.collect_list(x).alias(x) for x in df.columns if x != by]
    lists = df.groupBy(by).agg(*items, sql.count("*").alias(arrow.ROWS))
    return lists.select(*df.columns, arrow.ROWS), [*names, arrow.ROWS]
