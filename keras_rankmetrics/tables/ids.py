"""Ids of any type: as arrays, text, 64-bit keys, and small integers."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from keras_rankmetrics.engine.checks import MISSING
from keras_rankmetrics.engine.inputs.tensors import to_numpy

# Ids as arrays.

# The kinds of ids by the kinds of numpy's dtypes.
KINDS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}
EXACT = 2**53  # floats from here on have lost digits of integers
_NO_ID = frozenset((*MISSING, "NaN"))  # the last is of `Decimal`
_WHOLE = 'Convert the ids: `.astype("int64")`.'
_FRACTION = "Pass the column of ids, which have no fractions."
_ROUNDED = "Pass all ids as text, as they were before floats rounded them: "
_EXPECTED = "all be integers, all str or all bytes"
_ARROW_TEXTS = re.compile("(dictionary<values=)?(large_)?string(,.*)?")


def ids_of(ids: Any, argument: str) -> np.ndarray:
    """Return ids as an array; raise TypeError if they have several types.

    Args:
        ids: a column of ids.
        argument: the name of the argument, for errors.
    """
    if isinstance(ids, Set | Mapping):
        raise TypeError(
            f"The ids of {argument} should be in order. Received: "
            f"{type(ids).__name__}. Pass a list."
        )
    array = column_array(ids)
    if not array.size:
        return array.astype(np.int64).ravel()
    if array.dtype.kind not in KINDS:
        raise TypeError(refusal(array, argument))
    return array


def column_array(x: Any) -> np.ndarray:
    """Return a column as an array, with strings of a fixed width.

    Texts next to other types, and tuples, stay objects.
    """
    if not isinstance(x, list | tuple):
        # Only distinct texts become Python objects, in a tenth of the time.
        codes, distinct = _encoded(x)
        if set(map(type, distinct)) == {str}:
            missing = [None] if codes.min() < 0 else []
            return np.array(distinct + missing)[codes]
        array = to_numpy(x)
        if array.dtype.kind not in "OT":
            return array
        x = array.tolist()
    bases = str, bytes, tuple
    types = {
        next((base for base in bases if issubclass(kind, base)), kind)
        for kind in set(map(type, x))
    }
    if types & {list, np.ndarray}:
        raise ValueError(
            "A column should have one value in each row. Received: lists. "
            "Call `.explode(...)` on the table, or pass `{query: [item, ...]}`."
        )
    if types == {str}:  # numpy cuts the texts of an enum
        return np.array(list(map(str.__str__, x)))
    if tuple in types or (len(types) > 1 and types & {str, bytes}):
        return np.fromiter(x, object)  # numpy would convert integers
    if types == {bytes} and any(each.endswith(b"\0") for each in x):
        raise ValueError(
            "Ids should not end with a zero byte, which numpy drops. Received: "
            "bytes that do. Pass text: `id.hex()`."
        )
    array = np.array(x)
    if types == {int} and array.dtype.kind == "f" and min(x) >= 0:
        return np.array(x, np.uint64)  # below and above 2 ** 63
    return array


def _encoded(x: Any) -> tuple[np.ndarray, list[Any]]:
    """Return the codes of a column, -1 for a missing value, and their values.

    There are none for numbers, and if a library does not encode texts.
    """
    if hasattr(x, "factorize") and x.dtype.kind == "O":  # of pandas
        with contextlib.suppress(TypeError, NotImplementedError):  # lists
            codes, values = x.factorize()
            return codes, values.tolist()
    if hasattr(x, "replace_strict") and str(x.dtype) == "String":  # of polars
        texts = x.unique(maintain_order=True).to_list()
        return x.replace_strict(texts, range(len(texts))).to_numpy(), texts
    if hasattr(x, "dictionary_encode") and _ARROW_TEXTS.fullmatch(str(x.type)):
        encoded = x.dictionary_encode()
        if hasattr(encoded, "chunks"):
            encoded = encoded.unify_dictionaries().combine_chunks()
        codes = encoded.indices.fill_null(-1).to_numpy()
        return codes, encoded.dictionary.to_pylist()
    return np.zeros(0, np.int64), []


def are_known(ids: np.ndarray) -> bool:
    """Return True if no id is missing, or a float that is not exact."""
    if ids.dtype.kind == "O":
        return not _are_missing(ids).any()
    return ids.dtype.kind != "f" or bool(_are_exact(ids).all())


def _are_missing(ids: np.ndarray) -> np.ndarray:
    if ids.dtype.kind == "f":
        return np.isnan(ids)
    found = (
        not x if isinstance(x, str | bytes) else str(x) in _NO_ID
        for x in ids.tolist()
    )
    return np.fromiter(found, bool, len(ids))


def _are_exact(ids: np.ndarray) -> np.ndarray:
    """Return True for the floats that stand for one integer."""
    limit = 2.0 ** _digits(ids)
    exact: np.ndarray = (ids == np.floor(ids)) & (np.abs(ids) < limit)
    return exact


def _digits(floats: np.ndarray) -> int:
    return int(np.finfo(floats.dtype).nmant) + 1


def refusal(ids: np.ndarray, argument: str, expected: str = _EXPECTED) -> str:
    """Say which ids are expected, what was received, and what to do.

    Args:
        ids: a column with ids that are missing, or of a wrong type.
        argument: the name of the argument.
        expected: what the ids should be.
    """
    ids = ids.ravel()
    missing = _are_missing(ids)
    given = ids[~missing].tolist()
    types = set(map(type, given))
    received, remedies = [], []
    if missing.any():
        received.append(
            f"{missing.sum():,} of {len(ids):,} missing, the first in row "
            f"{missing.argmax():,}"
        )
        merged = "; if cells were merged, repeat their id: `x.ffill()`"
        remedies.append(
            f"Remove the rows without an id{merged * (not missing[0])}."
        )
    if types == {float}:
        floats = np.array(given, ids.dtype if ids.dtype.kind == "f" else None)
        inexact = floats[~_are_exact(floats)]
        given = inexact.tolist() or given
        if not len(inexact):
            remedies.append(_WHOLE)
        elif given[0] % 1:  # NaN for infinity
            remedies.append(_FRACTION)
        else:
            many = f"all integers up to 2 ** {_digits(floats)} alone."
            remedies.append(f"{_ROUNDED}{floats.dtype} has {many}")
    elif any(isinstance(x, tuple | list | np.ndarray) for x in given):
        remedies.append("Join the parts of each id into one text.")
    elif len(types) > 1 or not remedies:
        remedies.append("Pass all ids as text.")
    if given:
        names = " and ".join(sorted(kind.__name__ for kind in types))
        kind = names if ids.dtype == object else ids.dtype
        received.insert(0, f"{kind}, such as {given[0]!r}")
    return (
        f"The ids of {argument} should {expected}, none of them missing. "
        f"Received: {', and '.join(received)}. {' '.join(remedies)}"
    )


def text_order(ids: np.ndarray) -> np.ndarray:
    """Return integers in the order of ids, which are text in other tools."""
    texts = ids.astype(np.str_) if ids.dtype.kind in "iu" else ids
    return np.unique(texts, return_inverse=True)[1]


def are_same(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return True for equal ids; those of two types are not equal."""
    if KINDS[some.dtype.kind] != KINDS[others.dtype.kind]:
        return np.zeros(len(some), bool)
    same: np.ndarray = some == others
    return same


# 64-bit keys. Different ids have the same key with a probability of about
# 2 ** -64 for each pair, so callers check the result, or fall back on `exact`.

# An odd constant for each word of an id, and the finalizer of splitmix64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_BITS = 16  # of a hash table that fits in the cache


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


def joint(lists: np.ndarray, keys: np.ndarray, number: int) -> np.ndarray:
    """Return keys for pairs of a list and a key, in the order of the lists.

    Keys of one list are neighbours. A stable sort of rows that are in the order
    of their lists is then three times as fast, and so are searches for them.

    Args:
        lists: the numbers of the lists.
        keys: the keys.
        number: the number of lists, about: more of them share first bits.
    """
    lists = lists.astype(np.uint64)
    bits = np.uint64(number.bit_length())
    pairs = mixed(keys + (lists + np.uint64(1)) * _GOLDEN) >> bits
    return pairs | (lists << (np.uint64(64) - bits))


def first_equal(keys: np.ndarray) -> np.ndarray:
    """Return the index of the first of equal keys, `[keys]`.

    Each pass looks keys up in a hash table that keeps the first one of a slot.
    Other keys of that slot go to the next pass, with a larger table.
    """
    first = np.arange(len(keys))
    rest, bits = first.copy(), _BITS
    most = max(bits, len(keys).bit_length() + 2)
    while len(rest):
        slots = mixed(keys[rest] + np.uint64(bits)) >> np.uint64(64 - bits)
        table = np.empty(2**bits, np.int64)
        table[slots[::-1]] = rest[::-1]  # of several, the last one is kept
        found = table[slots]
        are_equal = keys[found] == keys[rest]
        first[rest[are_equal]] = found[are_equal]
        rest, bits = rest[~are_equal], min(bits + 2, most)
    return first


def pair_keys(queries: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return a key for each pair of the id of a query and that of an item."""
    return mixed(mixed(keys_of(queries)) + keys_of(items))


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
