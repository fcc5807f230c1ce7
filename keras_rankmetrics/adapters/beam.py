"""Metrics of a Beam pipeline, as a `CombineFn`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.internal import pickler

import keras_rankmetrics as krm
from keras_rankmetrics.adapters import worker
from keras_rankmetrics.tables import jobs
from keras_rankmetrics.tables.job_columns import Columns

ROWS = 1000
"""The number of rows in one call of `update_state`."""


class _Seen(NamedTuple):
    """Rows that no metric has seen yet, and the states after all others."""

    rows: list[Any]
    states: list[krm.State] | None


class Evaluate(beam.CombineFn):
    """A `CombineFn` of metrics over rows, each of which is a list.

    Rows are dicts with the same keys. Up to 1000 rows are collected before the
    metrics see them together. Workers combine the states of the metrics.

        rows | beam.CombineGlobally(Evaluate(metrics, "relevant", "shown"))

    `beam.CombinePerKey` returns metrics for each key. On a worker, Keras takes
    its backend from the environment variable KERAS_BACKEND.

    With `query`, an element is the list of the rows of one query, in any order,
    and each row is an item. `EvaluateItems` makes such lists of single rows.

    The arguments are those of `keras_rankmetrics.adapters.spark.evaluate`, with
    keys of the rows in place of columns.

    Args:
        metrics: a metric, a `MetricCollection`, a `Sliced` metric, a
            `Comparison`, names such as `"NDCG(inputs=ids)@10"`, or a list of
            these. They are not updated.
        y_true: the key of labels, or of ids or indices of relevant items.
        y_pred: the key of scores, or of recommended ids, best first; or a dict
            with the key of each system.
        sample_weight: the key of the weight of each list; with `query`, of each
            item.
        group: the key of the groups of `Sliced` metrics.
        query: the key of queries, if each row is an item.
        exclude: the key of the items that are not ranked.
        num_relevant: the key of the number of relevant items of each list.
    """

    def __init__(
        self,
        metrics: Any,
        y_true: str,
        y_pred: str | Mapping[str, str],
        *,
        sample_weight: str | None = None,
        group: str | Mapping[str, str] | None = None,
        query: str | None = None,
        exclude: str | None = None,
        num_relevant: str | None = None,
    ) -> None:
        columns = Columns(
            y_true, y_pred, sample_weight, group, query, exclude, num_relevant
        )
        self._pickled = pickler.dumps(jobs.job_of(metrics, columns, ROWS))

    def create_accumulator(self) -> Any:
        """Return an accumulator without rows."""
        return _Seen([], None)

    def add_input(self, mutable_accumulator: Any, element: Any) -> Any:
        """Return the accumulator with one more row."""
        rows, states = mutable_accumulator
        rows.append(element)
        seen = _Seen(rows, states)
        return seen if len(rows) < ROWS else self.compact(seen)

    def merge_accumulators(self, accumulators: Iterable[Any]) -> Any:
        """Return one accumulator with the rows of all."""
        states = (self.compact(each).states for each in accumulators)
        return _Seen([], functools.reduce(jobs.merged, states, None))

    def compact(self, accumulator: Any) -> Any:
        """Return an accumulator whose states contain all its rows."""
        rows, states = accumulator
        if not rows:
            return accumulator
        job = _unpickled(self._pickled)
        if job.columns.query is not None:
            rows = [row for of_query in rows for row in of_query]
        table = _table(rows, job.columns)
        worker.check_schema(job.columns, table.schema)
        return _Seen(
            [], jobs.merged(states, worker.states_of_tables(job, [table]))
        )

    def extract_output(self, accumulator: Any) -> Any:
        """Return copies of the metrics, updated on these lists alone."""
        metrics = _unpickled(self._pickled).metrics
        return jobs.with_states(metrics, self.compact(accumulator).states)


class EvaluateItems(beam.PTransform):
    """A `PTransform` of metrics over rows, each of which is an item.

        rows | EvaluateItems(metrics, "label", "score", query="query")

    The rows of a query are a list, wherever they are. Beam groups them by query
    first. The result is a collection with the metrics as its only element.

    Args:
        metrics: as for `Evaluate`.
        y_true: the key of labels.
        y_pred: the key of scores, or a dict with the key of each system.
        query: the key of queries.
        sample_weight: the key of the weight of each item.
        group: the key of the groups of `Sliced` metrics.
    """

    def __init__(
        self,
        metrics: Any,
        y_true: str,
        y_pred: str | Mapping[str, str],
        *,
        query: str,
        sample_weight: str | None = None,
        group: str | Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._query = query
        self._combine = Evaluate(
            metrics,
            y_true,
            y_pred,
            sample_weight=sample_weight,
            group=group,
            query=query,
        )

    def expand(self, input_or_inputs: Any) -> Any:
        """Return the metrics of the rows, as a collection of one element."""
        return (
            input_or_inputs
            | beam.GroupBy(functools.partial(_query_of, key=self._query))
            | beam.Values()
            | beam.Map(list)
            | beam.CombineGlobally(self._combine)
        )


def _table(rows: list[Any], columns: Columns) -> Any:
    """Return the values of rows as an Arrow table.

    Raises:
        ValueError: if a row lacks a key.
        TypeError: if the values of a key have several types.
    """
    import pyarrow as pa

    for row in rows:
        worker.check_names(columns, row)
    arrays = {}
    for argument, name in columns.by_argument():
        values, is_query = [row[name] for row in rows], argument == "query"
        try:
            # NaN in place of a query is a missing one, as in pandas.
            arrays[name] = pa.array(values, from_pandas=is_query)
        except pa.ArrowException as error:
            lists = (x if isinstance(x, list | tuple) else [x] for x in values)
            kinds = {type(x).__name__ for row in lists for x in row}
            raise TypeError(
                f"The values of {name!r} should have the same type in all "
                f"rows. Received: {sorted(kinds)}. Convert them to one."
            ) from error
    return pa.table(arrays)


def _query_of(row: Any, key: str) -> Any:
    if key not in row:
        raise worker.no_column("query", key, row)
    return row[key]


@functools.lru_cache(maxsize=8)
def _unpickled(pickled: bytes) -> Any:
    return pickler.loads(pickled)
