"""What users pass as the truth or as a system, as chunks of rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.ids import as_text
from keras_rankmetrics.comparing.rows import Rows

# A chunk of nested dicts has about so many rows.
_ROWS_OF_CHUNK = 2**20
_LETTERS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}


def is_by_ids(given: Any) -> bool:
    """Whether it names its queries and items."""
    return (
        isinstance(given, Rows | Iterator)
        or _is_nested(given)
        or _is_table(given)
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
    elif _is_nested(given):
        found = _of_dicts(given, argument)
    elif _is_table(given):
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
    """The queries of nested dicts, those without rows too; None of others."""
    if not _is_nested(given) or not given:
        return None
    return _ids(list(given), argument)


def _is_nested(given: Any) -> bool:
    return isinstance(given, Mapping) and all(
        isinstance(of_query, Mapping) for of_query in given.values()
    )


def _is_chunks(given: Any) -> bool:
    return isinstance(given, list | tuple) and any(
        isinstance(chunk, Rows) for chunk in given
    )


def _is_table(given: Any) -> bool:
    return {"query", "item"} <= set(_columns(given))


def _columns(given: Any) -> list[Any]:
    if isinstance(given, Mapping):
        return list(given)
    if hasattr(given, "column_names"):  # of Arrow
        return list(given.column_names)
    return list(getattr(given, "columns", ()))


def _of_table(table: Any, value: str, argument: str) -> Rows:
    columns = ["query", "item", value]
    missing = [name for name in columns if name not in _columns(table)]
    if missing:
        raise ValueError(
            f"{argument} should have the columns {columns}. Received: "
            f"{_columns(table)}. Rename them, or take those that are meant."
        )
    return Rows(*(_array(table[name]) for name in columns))


def _of_dicts(given: Mapping[Any, Any], argument: str) -> Iterator[Rows]:
    queries, rows = [], 0
    for query in given:
        queries.append(query)
        rows += len(given[query])
        if rows >= _ROWS_OF_CHUNK:
            yield _of_queries(given, queries)
            queries, rows = [], 0
    if queries:
        yield _of_queries(given, queries)


def _of_queries(given: Mapping[Any, Any], queries: list[Any]) -> Rows:
    dicts = [given[query] for query in queries]
    lengths = [len(of_query) for of_query in dicts]
    items = list(itertools.chain.from_iterable(dicts))
    values = itertools.chain.from_iterable(d.values() for d in dicts)
    return Rows(
        np.repeat(_array(queries), lengths),
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
    if len(set(shapes)) > 1 or query.ndim != 1:
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays "
            f"`[rows]`, all of one length. Received the shapes: {shapes}."
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
    """The rows, if their ids are of the kind of those of the truth."""
    for name in ("query", "item"):
        ids = getattr(truth, name), getattr(rows, name)
        kinds = [_LETTERS[x.dtype.kind] for x in ids if x.size]
        if len(set(kinds)) > 1:
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {kinds[0]} in the truth, {kinds[1]} in {argument}."
            )
    return rows


def check_same_form(by_ids: bool, systems: Mapping[str, Any]) -> None:
    """Raises where a system has another form than the truth."""
    for name, system in systems.items():
        if is_by_ids(system) != by_ids:
            forms = {
                True: "queries and items by id",
                False: "arrays, or what else metrics take",
            }
            raise ValueError(
                "The truth and all systems should be tables or dicts of "
                "queries and items, or all be arrays. Received: a truth of "
                f"{forms[by_ids]}, and the system {name!r} of "
                f"{forms[not by_ids]} ({type(system).__name__})."
            )


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
