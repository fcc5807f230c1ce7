"""Frames of any library, and dicts and lists that look like their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.items_of_query import keys_of_items
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.tables.item_rows import candidates

# What returns a table in memory: of DuckDB, Ibis, PySpark and polars.
_COLLECT = ("fetchnumpy", "to_pyarrow", "toArrow", "toPandas", "collect")
HIGHEST_GRADE = 5  # of numbers that are labels, where they might be ids


def in_memory(x: Any, reading: Reading) -> Any:
    """Return a table whose columns can be read by name.

    The index of pandas becomes columns, unless the others are enough.
    """
    for method in _COLLECT:
        if hasattr(x, method) and not isinstance(x, Mapping):
            return getattr(x, method)()
    if hasattr(x, "reset_index") and not reading.is_table(columns_of(x)):
        has_names = x.index.nlevels > 1 or x.index.name is not None
        return x.reset_index() if has_names else x
    if isinstance(x, Mapping) and have_cells([*x.values()]):
        return {name: list(column.values()) for name, column in x.items()}
    return x


def columns_of(x: Any) -> list[Any]:
    """Return the names of the columns of a table; none for other objects."""
    if isinstance(x, Mapping):
        return list(x)
    if hasattr(x, "column_names"):  # of Arrow, or of Hugging Face
        return list(x.column_names)
    if hasattr(x, "collect_schema"):  # of polars, where `columns` would warn
        return list(x.collect_schema())
    names: Any = getattr(getattr(x, "dtype", None), "names", None)
    return list(names or getattr(x, "columns", ()))


def column(table: Any, name: Any) -> Any:
    """Return a column; the classes of Hugging Face by name, not by number."""
    names = getattr(getattr(table, "features", {}).get(name), "names", None)
    values = table[name]
    return [names[x] for x in values] if names else values


def have_cells(columns: Sequence[Any]) -> bool:
    """Return True for dicts with the same keys, and single values."""
    return all(
        isinstance(each, Mapping) and each.keys() == columns[0].keys()
        for each in columns
    ) and not any(
        np.ndim(cell) or isinstance(cell, Mapping | Set)
        for column in columns[:1]
        for cell in column.values()
    )


def is_like_frame(x: Mapping[Any, Any]) -> bool:
    """Return True for dicts by name that might be columns of a frame.

    Their columns are lists, one of them of floats, which are no ids; or dicts
    by the number of the row.
    """
    columns, rows = list(x.values()), []
    if len(x) > 2 and all(isinstance(name, str) for name in x):
        if all(isinstance(column, list) for column in columns):
            has_floats = any(isinstance(x[0], float) for x in columns if x)
            rows = list(zip(*columns, strict=False)) if has_floats else []
        elif have_cells(columns) and are_numbers(columns[0]):
            rows = list(zip(*(c.values() for c in columns), strict=True))
    return are_like_records([dict(zip(x, row, strict=True)) for row in rows])


def are_numbers(keys: Iterable[Any]) -> bool:
    """Return True for 0, 1, 2, ..., which JSON has as text."""
    return [str(key) for key in keys] == [
        str(number) for number, _ in enumerate(keys)
    ]


def fields(record: Any) -> list[Any]:
    """Return the names of the fields of a named tuple or a dict."""
    keys = list(record) if isinstance(record, Mapping) else ()
    return list(getattr(record, "_fields", keys))


def are_triples(x: Sequence[Any]) -> bool:
    """Return True for tuples of a query, an item and a number.

    Tuples of three grades may be the labels of a list.
    """
    some = x[:100]
    if not all(type(each) is tuple and len(each) == 3 for each in some):
        return False
    ids = [id_ for each in some for id_ in each[:2]]
    numbers = [each[2] for each in some]
    return (
        all(isinstance(id_, str | int) for id_ in ids)
        and all(isinstance(number, int | float) for number in numbers)
        and are_no_grades(ids)
    )


def are_pairs(x: Sequence[Any]) -> bool:
    """Return True for tuples of two ids."""
    some = x[:100]
    return len(some) > 1 and all(
        type(each) is tuple
        and len(each) == 2
        and all(isinstance(id_, str | int) for id_ in each)
        and isinstance(each[0], str) == isinstance(each[1], str)
        for each in some
    )


def are_no_grades(values: Iterable[Any]) -> bool:
    """Return True if texts or integers cannot all be grades."""
    return any(isinstance(x, str) or x > HIGHEST_GRADE for x in values)


def is_hit(fields: Sequence[Any], reading: Reading) -> bool:
    """Return True for the keys of a hit, which does not name its query."""
    chosen = reading.columns or {}
    has_value = any(candidates(x, fields, chosen) for x in ("score", "label"))
    return has_value and bool(keys_of_items(fields, reading))


def are_like_records(x: Sequence[Any]) -> bool:
    """Return True for dicts that might be rows, or the items of each query.

    They have the same keys, and columns without fractions, which could be ids.
    """
    some = x[:100]
    if len(some) < 2 or not all(isinstance(each, Mapping) for each in some):
        return False
    keys = list(some[0])
    if len(keys) < 3 or any(list(each) != keys for each in some):
        return False
    if not all(isinstance(key, str) for key in keys):  # these are items
        return False
    columns = zip(*(each.values() for each in some), strict=True)
    ids = [x for x in columns if all(isinstance(id_, str | int) for id_ in x)]
    return len(ids) > 1 and are_no_grades(itertools.chain(*ids))
