"""Ids of any type: as text, as keys to join by, and as small integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.tables.columns import as_column

# Ids as reports and errors show them.


def as_text(id_: Any) -> Any:
    r"""Return bytes as str, so that JSON can contain them.

    Different ids stay different: a byte that is not UTF-8 becomes `\xff`, and
    the backslashes of an id that contains these letters are doubled.
    """
    if not isinstance(id_, bytes):
        return id_
    text = id_.decode(errors="backslashreplace")
    if "\\x" not in text:
        return text
    return id_.replace(b"\\", b"\\\\").decode(errors="backslashreplace")


# 64-bit keys. Different ids have the same key with a probability of about
# 2 ** -64 for each pair, so callers check the result, or fall back on `exact`.

# An odd constant for each word of an id, and the finalizer of splitmix64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def keys_of(ids: np.ndarray) -> np.ndarray:
    """Return a uint64 key for each id.

    Equal ids have equal keys, whatever the width of the strings in an array.
    """
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64, copy=False).view(np.uint64)
    if ids.dtype.kind == "S":
        return _keys_of_bytes(_as_matrix(ids, np.uint8), start=0)
    letters = _as_matrix(ids, np.uint32)
    keys = _keys_of_bytes(letters.astype(np.uint8), start=0)
    if letters.size and letters.max() > 255:
        for place in (1, 2):
            higher = (letters >> np.uint32(8 * place)).astype(np.uint8)
            keys += _keys_of_bytes(higher, start=place << 32)
    return keys


def mixed(x: np.ndarray) -> np.ndarray:
    """Return keys in which every bit depends on all bits of `x`; 0 stays 0."""
    x = x ^ (x >> np.uint64(30))
    x *= _FIRST
    x ^= x >> np.uint64(27)
    x *= _SECOND
    x ^= x >> np.uint64(31)
    return x


def joint(codes: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return keys for pairs of a small integer and a key."""
    return mixed(keys + (codes.astype(np.uint64) + np.uint64(1)) * _GOLDEN)


def exact(lists: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return keys that are equal only if the pairs are. This takes longer."""
    _, codes = np.unique(items, return_inverse=True)
    return codes + lists * len(items)


def twins(
    order: np.ndarray, ordered: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of neighbours with the same key.

    Args:
        order: the indices that sort the keys.
        ordered: the keys in that order.
    """
    [again] = np.nonzero(ordered[1:] == ordered[:-1])
    return order[again], order[again + 1]


def _as_matrix(ids: np.ndarray, unit: type[np.generic]) -> np.ndarray:
    """Return the letters `[ids, width]`, with 0 after the end of an id."""
    size = np.dtype(unit).itemsize
    width = ids.dtype.itemsize // size
    if ids.dtype.byteorder == ">":
        ids = ids.astype(ids.dtype.newbyteorder("="))
    return np.ascontiguousarray(ids).view(unit).reshape(len(ids), width)


def _keys_of_bytes(letters: np.ndarray, start: int) -> np.ndarray:
    rows, width = letters.shape
    words = -(-width // 8)
    padded = np.zeros((rows, words * 8), np.uint8)
    padded[:, :width] = letters
    keys = np.zeros(rows, np.uint64)
    for place, word in enumerate(padded.view(np.uint64).T):
        odd = (2 * (start + place) + 1) * int(_GOLDEN) % 2**64
        keys += mixed(word * np.uint64(odd))
    return keys


# Arrow ids as int32.


def arrow_ids_as_int32(columns: Sequence[Any]) -> list[np.ndarray]:
    """Return Arrow ids as int32, with the same number for equal ids.

    Integers that fit stay as they are. Other integers, and strings, are
    numbered within this call. Negative integers become -1.

    Args:
        columns: Arrow arrays, all of integers or all of strings.
    """
    import pyarrow as pa

    together = pa.concat_arrays(_of_one_type(columns))
    if pa.types.is_integer(together.type):
        values = together.to_numpy()
        fits = values.max(initial=0) <= np.iinfo(np.int32).max
        codes = values if fits else _codes(together)
        numbers = np.where(values < 0, -1, codes).astype(np.int32)
    else:
        numbers = _codes(together)
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers, ends[:-1])


def _of_one_type(columns: Sequence[Any]) -> list[Any]:
    """Return the columns in their widest type; empty ones take any type."""
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


def _codes(ids: Any) -> np.ndarray:
    """Return the index of each id among the distinct ids."""
    indices: np.ndarray = ids.dictionary_encode().indices.to_numpy()
    return indices.astype(np.int32)


# Ids of queries in a column of any library, as integers.

_EXPECTED = "`query` should hold the query id of each row"


def query_numbers(query: Any) -> np.ndarray:
    """Return numbers `[rows]` that are equal for rows of the same query.

    Raises:
        ValueError: if an id is missing, or neither an integer nor a string.
        TypeError: if the ids have several types.
    """
    if hasattr(query, "factorize"):  # the pandas method is faster
        return _factorized(query)
    ids = as_column("query", query)
    if isinstance(query, list | tuple) and ids.dtype.kind in "US":
        # numpy has converted all other objects in the list to strings.
        ids = as_column("query", np.array(query, object))
    kind = ids.dtype.kind
    if kind == "f":
        _check_whole(ids)
        return ids
    if kind in "OUST":
        return _by_first_use(ids)
    _check_type(kind, ids.dtype)
    return ids


def _factorized(query: Any) -> np.ndarray:
    _check_type(getattr(query.dtype, "kind", "O"), query.dtype)
    codes, distinct = query.factorize()
    ids = np.asarray(distinct)
    if ids.dtype.kind == "f":
        _check_whole(ids)
    if ids.dtype.kind == "O":
        _check_one_type(ids.tolist())
    _check_none_missing(codes < 0)
    found: np.ndarray = codes
    return found


def _by_first_use(ids: np.ndarray) -> np.ndarray:
    """Return numbers in the order in which the ids first occur."""
    values = ids.tolist()
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError as error:
        raise TypeError(
            f"{_EXPECTED}: integers or strings. Received: objects of the type "
            f"{type(values[0]).__name__}. If several columns identify a query, "
            "combine them into one."
        ) from error
    _check_one_type(distinct)
    numbers = {id_: number for number, id_ in enumerate(distinct)}
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def _check_type(kind: str, dtype: Any) -> None:
    if kind in "bcmMV":
        raise ValueError(
            f"{_EXPECTED}: integers or strings. Received: values of the type "
            f"{dtype}."
        )


def _check_whole(ids: np.ndarray) -> None:
    """Raise ValueError if floats are not exact whole numbers."""
    _check_none_missing(np.isnan(ids))
    wrong = (ids != np.floor(ids)) | np.isinf(ids)
    if wrong.any():
        raise ValueError(
            f"{_EXPECTED}: integers or strings. Received: {ids.dtype}, and "
            f"{ids[wrong][0]} among them."
        )
    limit = 2.0 ** (np.finfo(ids.dtype).nmant + 1)
    large = np.abs(ids) >= limit
    if large.any():
        raise ValueError(
            f"{_EXPECTED}. Received: {ids.dtype}, and {ids[large][0]:.0f} "
            f"among them. From {limit:.0f} on, this type rounds several "
            "integers to one number, so that queries would be merged. Pass the "
            "ids as integers or strings."
        )


def _check_one_type(distinct: Sequence[Any]) -> None:
    for place, id_ in enumerate(distinct):
        if _is_missing(id_):
            raise ValueError(
                f"{_EXPECTED}, and none may be missing. Received: {id_!r}, "
                f"as number {place} of the distinct ids. Leave out rows "
                "without a query, or give each an id of its own."
            )
    kinds = {"int" if _is_integer(x) else type(x).__name__ for x in distinct}
    if len(kinds) > 1:
        raise TypeError(
            f"{_EXPECTED}, all of one type. Received: {sorted(kinds)}. The "
            "integer 1 and the string '1' would be two queries."
        )


def _is_missing(x: Any) -> bool:
    # Comparing the missing value of pandas does not return a bool.
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def _is_integer(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _check_none_missing(missing: np.ndarray) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        raise ValueError(
            f"{_EXPECTED}, and none may be missing. Received: {len(rows)} "
            f"missing among {len(missing)} rows, the first in row {rows[0]}. "
            "Leave out rows without a query, or give each an id of its own."
        )
