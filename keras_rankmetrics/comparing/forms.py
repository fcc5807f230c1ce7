"""The truth and the systems that users pass: checked, and as chunks of rows."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import Rows, split

# The number of rows of a chunk, up to the end of a query.
_ROWS_OF_CHUNK = 2**20
_LARGEST = np.finfo(np.float32).max
_KINDS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}
_SWAPPED = (
    "Are the arguments swapped? Their order is `compare(systems, truth, "
    "metrics)`."
)
_FORMS = (
    "Pass {query: {item: label}} and {query: {item: score}}, `Rows`, or tables "
    "with the columns `query`, `item`, and `label` or `score`. Relevant items "
    "may be sets, {query: {item, item}}. Ranked items without scores need "
    "scores: {query: {item: -rank for rank, item in enumerate(items)}}."
)

# The form of inputs.


def is_by_ids(x: Any) -> bool:
    """Return True for inputs with ids of queries and items, not arrays."""
    if isinstance(x, list | tuple) and not isinstance(x, Rows):
        return any(isinstance(chunk, Rows) for chunk in x)
    return isinstance(x, Rows | Iterator) or _is_nested(x) or _is_table(x)


def check_form(systems: Any, truth: Any) -> None:
    """Raise ValueError if arguments are swapped, or some lack ids.

    `systems` must be a dict of systems by name. The truth and all systems must
    have ids, or none of them.
    """
    if _is_systems(truth):
        raise ValueError(
            "`truth` should hold a label for each query and item. Received: "
            f"{_described(truth)}. {_SWAPPED}"
        )
    by_ids = is_by_ids(truth)
    if not isinstance(systems, Mapping) or (by_ids and _is_one(systems)):
        raise ValueError(
            "`systems` should be a dict of systems by name. Received: "
            f"{_described(systems)}. Give each system a name, even a single "
            f'one: {{"name": run}}. {_SWAPPED}'
        )
    for name, system in systems.items():
        if is_by_ids(system) == by_ids:
            continue
        received = f"ids in the truth, and {_described(system)} as the system"
        if not by_ids:
            received = (
                f"{_described(truth)} as the truth, and ids in the system"
            )
        raise ValueError(
            "The truth and all systems should name queries and items by id, or "
            f"all be arrays. Received: {received} {name!r}. {_FORMS}"
        )


def _is_systems(x: Any) -> bool:
    """Return True for a dict of runs or judgements by name."""
    if not isinstance(x, Mapping) or _is_one(x):
        return False
    return any(map(_is_one, itertools.islice(x.values(), 1)))


def _is_one(x: Any) -> bool:
    """Return True for labels or scores of items, False for a dict of those."""
    if not isinstance(x, Mapping):
        return is_by_ids(x)
    dicts = (each for each in x.values() if isinstance(each, Mapping | Set))
    first: Any = next(filter(None, dicts), None)
    if first is None:
        return _is_table(x) and not is_by_ids(x["query"])
    if isinstance(first, Set):
        return True
    value = next(iter(first.values()))
    return isinstance(value, int | float) or getattr(value, "ndim", None) == 0


def _is_nested(x: Any) -> bool:
    """Return True for a dict of dicts or sets, one for each query."""
    return isinstance(x, Mapping) and all(
        isinstance(of_query, Mapping | Set) for of_query in x.values()
    )


def _is_table(x: Any) -> bool:
    """Return True for a table with columns of queries and items."""
    return {"query", "item"} <= set(_columns(x))


def _columns(x: Any) -> list[Any]:
    """Return the names of the columns of a table; none for other objects."""
    if isinstance(x, Mapping):
        return list(x)
    if hasattr(x, "column_names"):  # an Arrow table
        return list(x.column_names)
    return list(getattr(x, "columns", ()))


def _described(x: Any) -> str:
    if not isinstance(x, Mapping):
        columns = _columns(x)
        of = f" with the columns {columns}" if columns else ""
        return f"an object of the type {type(x).__name__}{of}"
    keys = [repr(as_text(key)) for key in itertools.islice(x, 3)]
    keys += ["..."] * (len(x) > len(keys))
    of = type(next(iter(x.values()), None)).__name__
    return f"a dict of {of}s with the keys {', '.join(keys)}"


# Inputs as chunks of rows.


def chunks_of(x: Any, value: str, argument: str) -> Iterator[Rows]:
    """Yield the rows of an input in chunks, checked.

    Args:
        x: an input for which `is_by_ids` is True.
        value: the name of the column of values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
    """
    found: Iterable[Any] = x
    if isinstance(x, Rows):
        found = [x]
    elif _is_nested(x):
        found = _of_dicts(x, value, argument)
    elif _is_table(x):
        found = [_of_table(x, value, argument)]
    for chunk in found:
        if not isinstance(chunk, Rows):
            raise TypeError(
                f"{argument} should hold chunks of the type `Rows`. Received: "
                f"{type(chunk).__name__} in it."
            )
        yield from split(_checked(chunk, argument), _ROWS_OF_CHUNK)


def queries_of(x: Any, argument: str) -> np.ndarray | None:
    """Return all queries of nested dicts; None for other forms."""
    return _ids(list(x), argument) if _is_nested(x) and x else None


def _of_table(table: Any, value: str, argument: str) -> Rows:
    names = ["query", "item", value]
    received = _columns(table)
    if value not in received:
        other = "label" if value == "score" else "score"
        hint = f" {_SWAPPED}" if other in received else ""
        raise ValueError(
            f"{argument} should have the columns {names}. Received: "
            f"{received}. Rename the columns, or select the right ones.{hint}"
        )
    columns = {name: table[name] for name in names}
    check_same("index", columns)
    return Rows(*columns.values())


def _of_dicts(
    nested: Mapping[Any, Any], value: str, argument: str
) -> Iterator[Rows]:
    sets = [query for query, x in nested.items() if isinstance(x, Set)]
    if sets and value == "score":
        raise TypeError(
            f"{argument} should have a score for each item, as in {{query: "
            "{item: score}}. Received: a set of items for the query "
            f"{as_text(sets[0])!r}. Only `truth` may have sets."
        )
    rows = np.cumsum(list(map(len, nested.values())))
    chunks = zip(rows // _ROWS_OF_CHUNK, nested, nested.values(), strict=True)
    for _, chunk in itertools.groupby(chunks, operator.itemgetter(0)):
        _, queries, found = zip(*chunk, strict=True)
        dicts = [
            dict.fromkeys(x, 1) if isinstance(x, Set) else x for x in found
        ]
        values = itertools.chain.from_iterable(x.values() for x in dicts)
        yield Rows(
            np.repeat(_array(queries), list(map(len, dicts))),
            _array(list(itertools.chain.from_iterable(dicts))),
            np.fromiter(values, np.float64),
        )


def _checked(rows: Rows, argument: str) -> Rows:
    query, item = (_ids(ids, argument) for ids in rows[:2])
    value = _array(rows.value)
    if value.dtype.kind not in "fiub":
        raise TypeError(
            f"The values of {argument} should be numbers. Received: "
            f"{value.dtype}."
        )
    shapes = query.shape, item.shape, value.shape
    if value.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays of "
            f"one dimension and one length. Received: {shapes[0]} in the "
            f"queries, {shapes[1]} in the items and {shapes[2]} in the values."
        )
    [wrong] = np.nonzero(np.isnan(value))
    if len(wrong):
        raise ValueError(
            f"The values of {argument} should be numbers. Received: NaN for "
            f"the item {as_text(item[wrong[0]].item())!r} of the query "
            f"{as_text(query[wrong[0]].item())!r}."
        )
    single = np.promote_types(value.dtype, np.float32)
    return Rows(query, item, value.astype(single, copy=False))


def _ids(ids: Any, argument: str) -> np.ndarray:
    array = _array(ids)
    if array.dtype.kind not in _KINDS and array.size:
        raise TypeError(
            f"The ids of {argument} should all be integers, all str or all "
            f"bytes, none of them missing. Received: {array.dtype}."
        )
    return array if array.size else array.astype(np.int64).ravel()


def _array(column: Any) -> np.ndarray:
    """Return a column as an array, with strings of a fixed width."""
    if not isinstance(column, list | tuple):
        array = to_numpy(column)
        if array.dtype.kind not in "OT":
            return array
        column = array.tolist()
    kinds = set(map(type, column))
    if len(kinds) > 1 and kinds & {str, bytes}:
        return np.array(column, object)  # numpy would convert integers
    return np.array(column)


def check_kinds(
    rows: Rows, queries: np.ndarray, items: np.ndarray, argument: str
) -> None:
    """Raise TypeError if the truth has ids of another kind than the rows.

    Args:
        rows: rows of a system.
        queries: the queries of the truth.
        items: the items of the truth.
        argument: the name of the system, for errors.
    """
    columns = ("query", queries, rows.query), ("item", items, rows.item)
    for name, ours, theirs in columns:
        kinds = [_KINDS[x.dtype.kind] for x in (ours, theirs)]
        if ours.size and kinds[0] != kinds[1]:
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {kinds[0]} in the truth ({ours[0].item()!r}), "
                f"{kinds[1]} in {argument} ({theirs[0].item()!r}). Convert one "
                "side."
            )


def weights_of(sample_weight: Any, queries: np.ndarray) -> np.ndarray | None:
    """Return the weights of the queries, `[lists]`, or None."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(sample_weight).__name__}."
        )
    weights = np.zeros(len(queries), np.float32)
    for place, query in enumerate(queries.tolist()):
        weight: Any = sample_weight.get(query)
        is_number = isinstance(weight, int | float | np.number)
        if not is_number or not 0.0 <= weight <= _LARGEST:
            raise ValueError(
                "`sample_weight` should have a finite weight for each query of "
                f"the truth, not negative. Received: {weight!r} for the query "
                f"{as_text(query)!r}. A query of weight 0 does not count."
            )
        weights[place] = weight
    return weights
