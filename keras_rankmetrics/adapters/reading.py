"""From tables of Arrow to lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from keras_rankmetrics.adapters.arrow import flattened
from keras_rankmetrics.adapters.ids import numbered
from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.jobs.chunks import Lists
from keras_rankmetrics.jobs.columns import Columns
from keras_rankmetrics.jobs.items import check_lists, lists_of_items
from keras_rankmetrics.jobs.job import Job
from keras_rankmetrics.jobs.ragged import Ragged


def states_of_tables(job: Job, tables: Iterable[Any]) -> list[State] | None:
    """The states of a job's metrics after all tables; None without lists."""
    return job.states(lists_in(tables, job.columns))


def lists_in(tables: Iterable[Any], columns: Columns) -> Iterator[Lists]:
    """What the tables hold, by the names of the columns.

    Groups that are strings stay strings.

    Args:
        tables: `pyarrow.Table` objects. Where rows are items, those of a list
            follow each other, from one table to the next, too.
        columns: which are read.
    """
    if columns.query is None:
        read = (_of_rows(table, columns) for table in tables)
    else:
        whole = _whole_lists(tables, columns.query)
        read = (_of_items(table, columns) for table in whole)
    for lists in read:
        if len(lists[columns.y_true].lengths):
            check_lists(lists, columns)
            yield lists


def _of_rows(table: Any, columns: Columns) -> Lists:
    """Each row is a list."""
    flat = {name: flattened(_array(table, name)) for name in columns.names}
    numbers = {}
    if columns.ids:
        values = numbered([_whole(flat[name][0], name) for name in columns.ids])
        numbers = dict(zip(columns.ids, values, strict=True))
    return {
        name: Ragged(
            numbers[name] if name in numbers else _numpy(values, name), lengths
        )
        for name, (values, lengths) in flat.items()
    }


def _of_items(table: Any, columns: Columns) -> Lists:
    """Each row is an item of the list that the query names."""
    starts = _starts(table, str(columns.query))
    values = {
        name: _numpy(_array(table, name), name)
        for name in columns.names
        if name != columns.query
    }
    return lists_of_items(values, starts, columns)


def _whole_lists(tables: Iterable[Any], query: str) -> Iterator[Any]:
    """The same rows, parted where lists begin."""
    import pyarrow as pa

    held = None
    for table in tables:
        if table.num_rows == 0:
            continue
        rows = table if held is None else pa.concat_tables([held, table])
        last = int(_starts(rows, query)[-1])
        if last:
            yield rows.slice(0, last)
        held = rows.slice(last)
    if held is not None:
        yield held


def _starts(table: Any, query: str) -> np.ndarray:
    """The first row of each list."""
    import pyarrow.compute as pc

    queries = _whole(_array(table, query), query)
    differ = pc.not_equal(queries[1:], queries[:-1])
    changes = np.flatnonzero(differ.to_numpy(zero_copy_only=False))
    return np.concatenate([[0], changes + 1])


def _array(table: Any, name: str) -> Any:
    """A column in one piece."""
    import pyarrow as pa

    column = table.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column


def _whole(array: Any, name: str) -> Any:
    """The array, which must hold no null."""
    if array.null_count:
        raise ValueError(
            f"The column {name!r} should hold no null. Received: "
            f"{array.null_count} of them among {len(array)} values. A whole "
            "array may be null: it is an empty one."
        )
    return array


def _numpy(array: Any, name: str) -> np.ndarray:
    values: np.ndarray = _whole(array, name).to_numpy(zero_copy_only=False)
    return values.astype(np.float32) if values.dtype == np.float16 else values
