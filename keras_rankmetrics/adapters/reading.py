"""Tables of Arrow as lists, and the states of metrics over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.tables.ids import arrow_ids_as_int32
from keras_rankmetrics.tables.lists import (
    Columns,
    check_lists,
    lists_of_items,
)
from keras_rankmetrics.tables.ragged import Lists, Ragged
from keras_rankmetrics.tables.runner import Job


def states_of_tables(job: Job, tables: Iterable[Any]) -> list[State] | None:
    """Return the states of a job after all tables; None without lists."""
    return job.states(lists_in(tables, job.columns))


def lists_in(tables: Iterable[Any], columns: Columns) -> Iterator[Lists]:
    """Yield the lists of each table, by the names of the columns.

    Args:
        tables: `pyarrow.Table` objects. If rows are items, the rows of a list
            must follow each other, and may continue in the next table.
        columns: the columns to read.
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
    """Return the lists of a table in which each row is a list."""
    flat = {name: flattened(_array(table, name)) for name in columns.names}
    numbers = {}
    if columns.ids:
        ids = [_without_nulls(flat[name][0], name) for name in columns.ids]
        values = arrow_ids_as_int32(ids)
        numbers = dict(zip(columns.ids, values, strict=True))
    return {
        name: Ragged(
            numbers[name] if name in numbers else _numpy(values, name), lengths
        )
        for name, (values, lengths) in flat.items()
    }


def _of_items(table: Any, columns: Columns) -> Lists:
    """Return the lists of a table in which each row is an item."""
    starts = _starts(table, str(columns.query))
    values = {
        name: _numpy(_array(table, name), name)
        for name in columns.names
        if name != columns.query
    }
    return lists_of_items(values, starts, columns)


def _whole_lists(tables: Iterable[Any], query: str) -> Iterator[Any]:
    """Yield the same rows in tables that contain whole lists."""
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
    """Return the first row of each list."""
    import pyarrow.compute as pc

    # Ids of Arrow may be strings, which numpy would copy one by one.
    queries = _without_nulls(_array(table, query), query)
    differ = pc.not_equal(queries[1:], queries[:-1])
    changes = np.flatnonzero(differ.to_numpy(zero_copy_only=False))
    return np.concatenate([[0], changes + 1])


# Columns and types of Arrow.


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """Return the values of a column in one array, and their number by row.

    A null has no values. A column of single values has one in each row.

    Args:
        array: a `pyarrow.Array`.
    """
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not is_list(array.type):
        is_value = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), is_value.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # Unlike `values`, `flatten` leaves out values under nulls and before a
    # slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


def is_list(arrow_type: Any) -> bool:
    """Return True for types of lists."""
    from pyarrow import types

    return bool(
        types.is_list(arrow_type)
        or types.is_large_list(arrow_type)
        or types.is_fixed_size_list(arrow_type)
    )


def element(arrow_type: Any) -> Any:
    """Return the type of the elements of lists, or the type itself."""
    return arrow_type.value_type if is_list(arrow_type) else arrow_type


def is_text(arrow_type: Any) -> bool:
    """Return True for types of strings."""
    from pyarrow import types

    return bool(
        types.is_string(arrow_type) or types.is_large_string(arrow_type)
    )


def _array(table: Any, name: str) -> Any:
    """Return a column as one array."""
    import pyarrow as pa

    column = table.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column


def _without_nulls(array: Any, name: str) -> Any:
    """Return the array, or raise ValueError if it contains nulls."""
    if array.null_count:
        raise ValueError(
            f"The column {name!r} should hold no null. Received: "
            f"{array.null_count} of them among {len(array)} values. Only a "
            "whole array may be null, which means an empty one."
        )
    return array


def _numpy(array: Any, name: str) -> np.ndarray:
    values: np.ndarray = _without_nulls(array, name).to_numpy(
        zero_copy_only=False
    )
    return values.astype(np.float32) if values.dtype == np.float16 else values
