"""The truth and the systems that users pass, as chunks of rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.tables.flat_columns import to_numpy
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import Rows, split

# The hint in errors about a truth that looks like systems, and the reverse.
SWAPPED = (
    "Are the arguments swapped? Their order is `compare(systems, truth, "
    "metrics)`."
)
# The number of rows of a chunk, up to the end of a query.
_ROWS_OF_CHUNK = 2**20
_KINDS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}


def is_by_ids(x: Any) -> bool:
    """Return True for inputs with ids of queries and items, not arrays."""
    return (
        isinstance(x, Rows | Iterator)
        or is_nested(x)
        or is_table(x)
        or _is_chunks(x)
    )


def chunks_of(x: Any, value: str, argument: str) -> Iterator[Rows]:
    """Yield the rows of an input in chunks, checked.

    Args:
        x: an input for which `is_by_ids` is True.
        value: the name of the column of values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
    """
    if isinstance(x, Rows):
        found: Iterable[Any] = split(_checked(x, argument), _ROWS_OF_CHUNK)
    elif is_nested(x):
        found = _of_dicts(x, value, argument)
    elif is_table(x):
        found = [_of_table(x, value, argument)]
    else:
        found = x
    for chunk in found:
        if not isinstance(chunk, Rows):
            raise TypeError(
                f"{argument} should hold chunks of the type `Rows`. Received: "
                f"{type(chunk).__name__} in it."
            )
        yield _checked(chunk, argument)


def queries_of(x: Any, argument: str) -> np.ndarray | None:
    """Return all queries of nested dicts; None for other forms."""
    if not is_nested(x) or not x:
        return None
    return _ids(list(x), argument)


def is_nested(x: Any) -> bool:
    """Return True for a dict of dicts or sets, one for each query."""
    return isinstance(x, Mapping) and all(
        isinstance(of_query, Mapping | Set) for of_query in x.values()
    )


def _is_chunks(x: Any) -> bool:
    return isinstance(x, list | tuple) and any(
        isinstance(chunk, Rows) for chunk in x
    )


def is_table(x: Any) -> bool:
    """Return True for a table with columns of queries and items."""
    return {"query", "item"} <= set(columns_of(x))


def columns_of(x: Any) -> list[Any]:
    """Return the names of the columns of a table; none for other objects."""
    if isinstance(x, Mapping):
        return list(x)
    if hasattr(x, "column_names"):  # an Arrow table
        return list(x.column_names)
    return list(getattr(x, "columns", ()))


def _of_table(table: Any, value: str, argument: str) -> Rows:
    names = ["query", "item", value]
    received = columns_of(table)
    if not set(names) <= set(received):
        other = "score" if value == "label" else "label"
        hint = "Rename the columns, or select the right ones."
        if value not in received and other in received:
            hint = SWAPPED
        raise ValueError(
            f"{argument} should have the columns {names}. Received: "
            f"{received}. {hint}"
        )
    columns = {name: table[name] for name in names}
    rows = _checked(Rows(*columns.values()), argument)
    check_same("index", columns)
    return rows


def _of_dicts(
    nested: Mapping[Any, Any], value: str, argument: str
) -> Iterator[Rows]:
    found: dict[Any, Mapping[Any, Any]] = {}
    rows = 0
    for query, of_query in nested.items():
        if isinstance(of_query, Set):
            if value == "score":
                raise TypeError(
                    f"{argument} should have a score for each item, as in "
                    "{query: {item: score}}. Received: a set of items for the "
                    f"query {as_text(query)!r}. Only `truth` may have sets."
                )
            of_query = dict.fromkeys(of_query, 1)
        found[query] = of_query
        rows += len(of_query)
        if rows >= _ROWS_OF_CHUNK:
            yield _of_queries(found)
            found, rows = {}, 0
    if found:
        yield _of_queries(found)


def _of_queries(nested: Mapping[Any, Mapping[Any, Any]]) -> Rows:
    dicts = list(nested.values())
    lengths = [len(of_query) for of_query in dicts]
    items = list(itertools.chain.from_iterable(dicts))
    values = itertools.chain.from_iterable(d.values() for d in dicts)
    return Rows(
        np.repeat(_array(list(nested)), lengths),
        _array(items),
        np.array(list(values), dtype=np.float64),
    )


def _array(column: Any) -> np.ndarray:
    """Return a column as an array, with strings of a fixed width."""
    if isinstance(column, list | tuple):
        kinds = set(map(type, column))
        if len(kinds) > 1 and kinds & {str, bytes}:
            return np.array(column, object)  # numpy would convert integers
    array = to_numpy(column)
    if array.dtype.kind in "OT":
        values = array.tolist()
        kinds = {type(value) for value in values}
        if kinds in ({str}, {bytes}, {int}):
            array = np.array(values)
    return array


def _checked(rows: Rows, argument: str) -> Rows:
    query, item = (_ids(ids, argument) for ids in rows[:2])
    value = _array(rows.value)
    if value.dtype.kind not in "fiub":
        raise TypeError(
            f"The values of {argument} should be numbers. Received: "
            f"{value.dtype}."
        )
    shapes = [query.shape, item.shape, value.shape]
    if any(len(shape) != 1 for shape in shapes):
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays of "
            f"one dimension. Received the shapes: {shapes}."
        )
    if len(set(shapes)) > 1:
        raise ValueError(
            f"The queries, items and values of {argument} should have one "
            f"length. Received: {len(query)} queries, {len(item)} items and "
            f"{len(value)} values."
        )
    value = value.astype(_float(value.dtype), copy=False)
    [wrong] = np.nonzero(np.isnan(value))
    if len(wrong):
        at = wrong[0]
        raise ValueError(
            f"The values of {argument} should be numbers. Received: NaN for "
            f"the item {as_text(item[at].item())!r} of the query "
            f"{as_text(query[at].item())!r}."
        )
    return Rows(query, item, value)


def _float(dtype: np.dtype) -> type[np.generic]:
    return np.float32 if dtype.itemsize < 4 or dtype == "f4" else np.float64


def _ids(ids: Any, argument: str) -> np.ndarray:
    array = _array(ids)
    if array.dtype.kind not in _KINDS and array.size:
        raise TypeError(
            f"The ids of {argument} should all be integers, all str or all "
            f"bytes, none of them missing. Received: {array.dtype}."
        )
    return array if array.size else array.astype(np.int64).ravel()


def of_same_kind(rows: Rows, truth: Rows, argument: str) -> Rows:
    """Return the rows, or raise TypeError if the truth has other ids."""
    for name in ("query", "item"):
        ids = getattr(truth, name), getattr(rows, name)
        kinds = [_KINDS[x.dtype.kind] for x in ids if x.size]
        if len(set(kinds)) > 1:
            first, second = (repr(x[0].item()) for x in ids)
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {kinds[0]} in the truth ({first}), {kinds[1]} in "
                f"{argument} ({second}). Convert one side."
            )
    return rows


def weights_of(sample_weight: Any, queries: np.ndarray) -> np.ndarray | None:
    """Return the weights of the queries, `[lists]`, or None."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(sample_weight).__name__}."
        )
    ids = queries.tolist()
    missing = [query for query in ids if query not in sample_weight]
    if missing:
        raise ValueError(
            "`sample_weight` should have the weight of each query of the "
            f"truth. Received: no weight for the query "
            f"{as_text(missing[0])!r}."
        )
    weights = np.array([sample_weight[query] for query in ids], np.float32)
    [wrong] = np.nonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        query = ids[wrong[0]]
        raise ValueError(
            "The weights in `sample_weight` should be finite, and not "
            f"negative. Received: {sample_weight[query]!r} for the query "
            f"{as_text(query)!r}. A query of weight 0 does not count."
        )
    return weights
