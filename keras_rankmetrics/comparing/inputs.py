"""What users pass as the truth or as a system, as chunks of rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.keys import as_text
from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.engine.inputs.shapes import check_same

# The hint of errors about a truth that looks like systems, and the reverse.
SWAPPED = (
    "Are the arguments swapped? Their order is `compare(systems, truth, "
    "metrics)`."
)
# A chunk of nested dicts has about so many rows.
_ROWS_OF_CHUNK = 2**20
_LETTERS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}


def is_by_ids(given: Any) -> bool:
    """Return True for what has ids of queries and items."""
    return (
        isinstance(given, Rows | Iterator)
        or is_nested(given)
        or is_table(given)
        or _is_chunks(given)
    )


def chunks_of(given: Any, value: str, argument: str) -> Iterator[Rows]:
    """Its rows in chunks, checked.

    Args:
        given: what `is_by_ids`.
        value: the name of the column of values, `"label"` or `"score"`.
        argument: what it is called in errors.
    """
    if isinstance(given, Rows):
        found: Iterable[Any] = _parted(_checked(given, argument))
    elif is_nested(given):
        found = _of_dicts(given, value, argument)
    elif is_table(given):
        found = [_of_table(given, value, argument)]
    else:
        found = given
    for chunk in found:
        if not isinstance(chunk, Rows):
            raise TypeError(
                f"{argument} should hold chunks of the type `Rows`. Received: "
                f"{type(chunk).__name__} in it."
            )
        yield _checked(chunk, argument)


def queries_of(given: Any, argument: str) -> np.ndarray | None:
    """Return all queries of nested dicts; None for other forms."""
    if not is_nested(given) or not given:
        return None
    return _ids(list(given), argument)


def is_nested(given: Any) -> bool:
    """Return True for a dict of dicts or sets, one for each query."""
    return isinstance(given, Mapping) and all(
        isinstance(of_query, Mapping | Set) for of_query in given.values()
    )


def _is_chunks(given: Any) -> bool:
    return isinstance(given, list | tuple) and any(
        isinstance(chunk, Rows) for chunk in given
    )


def is_table(given: Any) -> bool:
    """Return True for a table with columns of queries and items."""
    return {"query", "item"} <= set(columns_of(given))


def columns_of(given: Any) -> list[Any]:
    """Return the names of the columns, none if it is no table."""
    if isinstance(given, Mapping):
        return list(given)
    if hasattr(given, "column_names"):  # of Arrow
        return list(given.column_names)
    return list(getattr(given, "columns", ()))


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
    rows = Rows(*map(_array, columns.values()))
    if len({column.size for column in rows}) > 1:
        lengths = zip(names, rows, strict=True)
        raise ValueError(
            f"The columns of {argument} should have one length. Received: "
            + ", ".join(f"{x.size} in `{name}`" for name, x in lengths)
            + "."
        )
    check_same("index", columns)
    return rows


def _of_dicts(
    given: Mapping[Any, Any], value: str, argument: str
) -> Iterator[Rows]:
    found: dict[Any, Mapping[Any, Any]] = {}
    rows = 0
    for query, of_query in given.items():
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


def _of_queries(given: Mapping[Any, Mapping[Any, Any]]) -> Rows:
    dicts = list(given.values())
    lengths = [len(of_query) for of_query in dicts]
    items = list(itertools.chain.from_iterable(dicts))
    values = itertools.chain.from_iterable(d.values() for d in dicts)
    return Rows(
        np.repeat(_array(list(given)), lengths),
        _array(items),
        np.array(list(values), dtype=np.float64),
    )


def _parted(rows: Rows) -> Iterator[Rows]:
    """Chunks of whole queries, if the rows of each stand together."""
    total = len(rows.query)
    starts = np.flatnonzero(rows.query[1:] != rows.query[:-1]) + 1
    if (
        total <= _ROWS_OF_CHUNK
        or len(np.unique(rows.query[starts])) < len(starts)
        or rows.query[0] in rows.query[starts]
    ):
        yield rows
        return
    wanted = np.arange(_ROWS_OF_CHUNK, total, _ROWS_OF_CHUNK)
    at = np.searchsorted(starts, wanted)
    cuts = np.unique(starts[at[at < len(starts)]])
    for begin, end in itertools.pairwise([0, *cuts.tolist(), total]):
        yield Rows(*(column[begin:end] for column in rows))


def _array(column: Any) -> np.ndarray:
    """As numpy holds it; strings in an array of a fixed width."""
    if isinstance(column, list | tuple):
        kinds = set(map(type, column))
        if len(kinds) > 1 and kinds & {str, bytes}:
            return np.array(column, object)  # numpy would make str of integers
    array = np.asarray(column)
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
    if array.dtype.kind not in _LETTERS and array.size:
        raise TypeError(
            f"The ids of {argument} should all be integers, all str or all "
            f"bytes, none of them missing. Received: {array.dtype}."
        )
    return array if array.size else array.astype(np.int64).ravel()


def of_same_kind(rows: Rows, truth: Rows, argument: str) -> Rows:
    """Return the rows, whose ids must have the type of those of the truth."""
    for name in ("query", "item"):
        ids = getattr(truth, name), getattr(rows, name)
        kinds = [_LETTERS[x.dtype.kind] for x in ids if x.size]
        if len(set(kinds)) > 1:
            first, second = (repr(x[0].item()) for x in ids)
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {kinds[0]} in the truth ({first}), {kinds[1]} in "
                f"{argument} ({second}). Convert one side."
            )
    return rows


def weights_of(given: Any, queries: np.ndarray) -> np.ndarray | None:
    """The weight of each query, `[lists]`, or None."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(given).__name__}."
        )
    ids = queries.tolist()
    missing = [query for query in ids if query not in given]
    if missing:
        raise ValueError(
            "`sample_weight` should have the weight of each query of the "
            f"truth. Received: none of the query "
            f"{as_text(missing[0])!r}."
        )
    weights = np.array([given[query] for query in ids], np.float32)
    [wrong] = np.nonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        query = ids[wrong[0]]
        raise ValueError(
            "The weights in `sample_weight` should be finite, and not "
            f"negative. Received: {given[query]!r} for the query "
            f"{as_text(query)!r}. Give the weight 0 to what should not count."
        )
    return weights
