"""Tables of Arrow as columns, and the states of their lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.jobs.batches import Columns, Lists, Ragged
from keras_rankmetrics.jobs.items import check_lists, lists_of_items
from keras_rankmetrics.jobs.job import Job

# Ids as small integers: only which of them are equal matters.


def numbered(columns: Sequence[Any]) -> list[np.ndarray]:
    """The ids of several columns as int32, the same id as the same number.

    Integers that fit stay as they are. Others, and strings, are numbered among
    themselves: no number outlives the call. Negative integers stay negative.

    Args:
        columns: arrays of Arrow, all of integers or all of strings.
    """
    import pyarrow as pa

    together = pa.concat_arrays(_of_one_type(columns))
    if pa.types.is_integer(together.type):
        numbers = _integers(together)
    else:
        numbers = _places(together)
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers, ends[:-1])


def _of_one_type(columns: Sequence[Any]) -> list[Any]:
    """The columns in the widest of their types; what holds nothing, in that."""
    import pyarrow as pa

    kinds = {column.type for column in columns if len(column)}
    if len(kinds) < 2:
        wide = kinds.pop() if kinds else pa.int64()
    elif any(pa.types.is_integer(kind) for kind in kinds):
        wide = pa.uint64() if pa.uint64() in kinds else pa.int64()
    else:
        wide = pa.large_string()
    return [
        column.cast(wide) if len(column) else pa.array([], wide)
        for column in columns
    ]


def _integers(ids: Any) -> np.ndarray:
    values = ids.to_numpy()
    largest = int(values.max(initial=0))
    if largest <= np.iinfo(np.int32).max:
        return np.where(values < 0, -1, values).astype(np.int32)
    return np.where(values < 0, np.int32(-1), _places(ids))


def _places(ids: Any) -> np.ndarray:
    """The place of each id among the different ones."""
    indices: np.ndarray = ids.dictionary_encode().indices.to_numpy()
    return indices.astype(np.int32)


# Columns of Arrow: what rows hold, and of which type.


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """The values of a column of Arrow in one array, and how many a row has.

    A row that is null has none. A column that holds no lists has one value in
    each row.

    Args:
        array: a `pyarrow.Array`.
    """
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not is_list(array.type):
        there = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), there.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # `flatten` leaves out what lies behind a null and before a slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


def is_list(arrow_type: Any) -> bool:
    """Whether values of the type are lists."""
    from pyarrow import types

    return bool(
        types.is_list(arrow_type)
        or types.is_large_list(arrow_type)
        or types.is_fixed_size_list(arrow_type)
    )


def element(arrow_type: Any) -> Any:
    """The type of what lists hold, or the type itself."""
    return arrow_type.value_type if is_list(arrow_type) else arrow_type


def is_text(arrow_type: Any) -> bool:
    """Whether values of the type are strings."""
    from pyarrow import types

    return bool(
        types.is_string(arrow_type) or types.is_large_string(arrow_type)
    )


# From tables of Arrow to lists.


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
