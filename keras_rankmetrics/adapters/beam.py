"""Metrics of a Beam pipeline, as a `CombineFn`."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import apache_beam as beam
from apache_beam.internal import pickler

from keras_rankmetrics.adapters import arrow, worker
from keras_rankmetrics.adapters.log_job import JobOptions, LogJob, job_of
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import Sums, merged

ROWS = 1000
"""The number of rows in one call of `update_state`."""

# The rows that no metric has seen yet, and the sums after all others.
_Seen = tuple[list[Any], Sums | None]


class _Combine(beam.CombineFn):
    """A `CombineFn` of a job.

    Args:
        job: the job.
    """

    def __init__(self, job: LogJob) -> None:
        self._pickled = pickler.dumps(job)

    def create_accumulator(self) -> _Seen:
        """Return an accumulator without rows."""
        return [], None

    def add_input(self, mutable_accumulator: _Seen, element: Any) -> _Seen:
        """Return the accumulator with one more row."""
        rows, sums = mutable_accumulator
        rows.append(element)
        if len(rows) < ROWS:
            return rows, sums
        return self.compact((rows, sums))

    def merge_accumulators(self, accumulators: Iterable[_Seen]) -> _Seen:
        """Return one accumulator with the rows of all."""
        sums = (self.compact(each)[1] for each in accumulators)
        return [], functools.reduce(merged, sums, None)

    def compact(self, accumulator: _Seen) -> _Seen:
        """Return an accumulator whose sums contain all its rows."""
        rows, sums = accumulator
        if not rows:
            return accumulator
        job = _unpickled(self._pickled)
        tables = [_lists(rows, job)]
        return [], merged(sums, worker.sums_of_tables(job, tables))

    def extract_output(self, accumulator: _Seen) -> Any:
        """Return copies of the metrics, updated on these lists alone."""
        job = _unpickled(self._pickled)
        sums = self.compact(accumulator)[1]
        if job.query is not None:
            job.say(sums)
        elif sums is not None:  # maybe of one key, where odd lists are no sign
            job.refuse(sums.facts)
        return job.with_sums(sums)


class Evaluate(_Combine):
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
        sample_weight: the key of the weight of each list, its weight in the
            mean of metrics passed by name; with `query`, of each item, and of
            the query if its rows have one weight, as in `evaluate_rows`.
        group: the key of the groups of `Sliced` metrics.
        query: the key of queries, if each row is an item.
        exclude: the key of the items that are not ranked.
        num_relevant: the key of the number of relevant items of each list.
        order: with `query`, the key whose values order the rows of a list.
        convention: the name of a tool, whose metrics and rules are used.

    Stability: provisional.
    """

    def __init__(
        self,
        metrics: Any,
        y_true: str,
        y_pred: str | Mapping[str, str],
        *,
        query: str | None = None,
        **options: Unpack[JobOptions],
    ) -> None:
        own = metrics, y_true, y_pred, query, ROWS
        super().__init__(job_of(Evaluate, "Beam", own, options))


class _OfRows(beam.PTransform):
    """A transform of rows that refuses frames of pandas.

    Without a priority, pandas would apply `|` to the values of a frame.
    """

    __pandas_priority__ = 2**16

    def __ror__(self, left: Any, label: str | None = None) -> Any:
        """Apply the transform to a list of rows.

        Raises:
            TypeError: if these are a frame of pandas.
        """
        if hasattr(left, "iloc"):
            raise TypeError(
                "The rows should be a PCollection of dicts. Received: a "
                f"{type(left).__name__} of pandas. Pass "
                '`pipeline | beam.Create(frame.to_dict("records"))`, or call '
                "`keras_rankmetrics.evaluate`, which takes frames of pandas."
            )
        return super().__ror__(left, label)


class EvaluateItems(_OfRows):
    """A `PTransform` of metrics over rows, each of which is an item.

        rows | EvaluateItems(metrics, "label", "score", query="query")

    The rows of a query are a list, wherever they are. Beam groups them by query
    first. The result is a collection with the metrics as its only element.

    Args:
        metrics: as for `Evaluate`.
        y_true: the key of labels.
        y_pred: the key of scores, or a dict with the key of each system.
        query: the key of queries.
        sample_weight: the key of the weight of each item; of the query if the
            rows of each query have one weight.
        group: the key of the groups of `Sliced` metrics.
        num_relevant: the key of the number of relevant items of the query.
        order: the key whose values order the rows of a list.
        convention: the name of a tool, whose metrics and rules are used.

    Stability: provisional.
    """

    def __init__(
        self,
        metrics: Any,
        y_true: str,
        y_pred: str | Mapping[str, str],
        *,
        query: str,
        **options: Unpack[JobOptions],
    ) -> None:
        super().__init__()
        own = metrics, y_true, y_pred, query, ROWS
        self._query = query
        self._combine = _Combine(job_of(EvaluateItems, "Beam", own, options))

    def expand(self, input_or_inputs: Any) -> Any:
        """Return the metrics of the rows, as a collection of one element."""
        lists = _by_query(input_or_inputs, self._query)
        return lists | beam.CombineGlobally(self._combine)


class PerQuery(_OfRows):
    """A `PTransform` of the value of each list, as a collection of dicts.

        rows | PerQuery(metrics, "label", "score", query="query")

    A dict has the key `query`, or those to `keep`, and the name of each metric;
    for a `Comparison` one for each system. The value of an excluded list is
    NaN. The dicts are in any order.

    Args:
        metrics: as for `Evaluate`, but not `Sliced`.
        y_true: the key of labels, or of ids or indices of relevant items.
        y_pred: the key of scores, or of recommended ids, best first; or a dict
            with the key of each system.
        query: the key of queries, if each row is an item.
        keep: if each row is a list, the keys to copy next to its values.
        sample_weight: the key of the weight of each list; with `query`, of each
            item.
        exclude: the key of the items that are not ranked.
        num_relevant: the key of the number of relevant items of each list.
        order: with `query`, the key whose values order the rows of a list.
        convention: the name of a tool, whose metrics and rules are used.

    Stability: provisional.
    """

    def __init__(
        self,
        metrics: Any,
        y_true: str,
        y_pred: str | Mapping[str, str],
        *,
        query: str | None = None,
        keep: Sequence[str] = (),
        **options: Unpack[JobOptions],
    ) -> None:
        super().__init__()
        own = metrics, y_true, y_pred, query, ROWS
        job = job_of(PerQuery, "Beam", own, options)
        self._query = query
        self._pickled = pickler.dumps((job, arrow.kept_columns(job, keep)))

    def expand(self, input_or_inputs: Any) -> Any:
        """Return a dict for each list."""
        lists = input_or_inputs
        if self._query is not None:
            lists = _by_query(lists, self._query)
        batches = lists | beam.BatchElements(max_batch_size=ROWS)
        return batches | beam.FlatMap(_values, pickled=self._pickled)


def _values(lists: list[Any], pickled: bytes) -> list[dict[str, Any]]:
    """Return a dict of values for each list, or each query."""
    job, keys = _unpickled(pickled)
    table = _lists(lists, job, keys)
    values = worker.values_of_table(job, keys, table)
    return list(values.to_pylist())


def _by_query(rows: Any, query: str) -> Any:
    """Return a collection of the list of rows of each query."""
    return (
        rows
        | beam.GroupBy(functools.partial(_query_of, key=query))
        | beam.Values()
        | beam.Map(list)
    )


def _lists(rows: list[Any], job: Job, keys: Sequence[str] = ()) -> Any:
    """Return a table for the worker, in which each row is a list or a query.

    Args:
        rows: the rows, each of which is a list; or the rows of each query.
        job: the job.
        keys: the names of further columns.
    """
    if job.query is not None:
        for of_query in rows:
            if isinstance(of_query, Mapping):
                raise TypeError(
                    "With `query`, an element should be the list of the rows "
                    f"of a query. Received: {reprlib.repr(of_query)}. Pass "
                    "rows of items to `EvaluateItems`."
                )
        rows = [row for of_query in rows for row in of_query]
    return worker.lists_of(job, _table(rows, job, keys))


def _table(rows: list[Any], job: Job, keys: Sequence[str]) -> Any:
    """Return the values of rows as an Arrow table.

    Raises:
        ValueError: if a row lacks a key.
        TypeError: if a row is no dict, or the values of a key have several
            types.
    """
    import pyarrow as pa

    for row in map(_dict_of, rows):
        arrow.check_column_names(job, row, keys)
    arrays = {}
    for name in dict.fromkeys([*job.names, *keys]):
        values, is_query = [row[name] for row in rows], name == job.query
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


def _dict_of(row: Any) -> Mapping[str, Any]:
    """Return the row; raise TypeError if it is no dict."""
    if isinstance(row, Mapping):
        return row
    raise TypeError(
        f"A row should be a dict. Received: {reprlib.repr(row)}, of the type "
        f"{type(row).__name__}. Convert the rows first: `beam.Map(lambda row: "
        "row._asdict())` for named tuples, `row.as_dict()` for `beam.Row`."
    )


def _query_of(row: Any, key: str) -> Any:
    row = _dict_of(row)
    if key not in row:
        raise arrow.no_column("query", key, row)
    return row[key]


@functools.lru_cache(maxsize=8)
def _unpickled(pickled: bytes) -> Any:
    return pickler.loads(pickled)
