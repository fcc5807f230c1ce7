"""Columns of any library as one-dimensional numpy arrays."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.engine.inputs.tensors import to_numpy


def as_column(name: str, x: Any) -> np.ndarray:
    """Return a column as an array `[rows]`.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is different.
    """
    if isinstance(x, Mapping):
        raise ValueError(
            f"`{name}` should be a column, with one value for each row. "
            f"Received: a dict with the keys {sorted(map(str, x))}."
        )
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(
            f"`{name}` should be a column without a mask. Received: a masked "
            "array that hides values. Leave these rows out."
        )
    array = to_numpy(x)
    if isinstance(x, list | tuple) and array.dtype.kind in "US":
        # numpy has converted all other objects in the list to strings.
        array = np.array(x, object)
    shape = array.shape
    if len(shape) == 2 and shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` should have one value for each row, in the shape [rows] "
            f"or [rows, 1]. Received: the shape {shape}, of the type "
            f"{type(x).__name__}."
        )
    return array


def as_numbers(name: str, x: Any) -> np.ndarray:
    """Return a column of numbers as an array `[rows]`, NaN for missing ones.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is different, or a value is not a number.
    """
    array = as_column(name, x)
    kind = array.dtype.kind
    if kind == "O":
        array, kind = _floats(name, array), "f"
    if kind not in "biuf" and array.dtype.name != "bfloat16":
        raise ValueError(
            f"`{name}` should hold numbers. Received: values of the type "
            f"{array.dtype}."
        )
    if kind == "b":  # bool has no value for padding
        return array.astype(np.int8)
    if array.dtype.itemsize < 4 and kind not in "iu":
        return array.astype(np.float32)
    return array


def check_same_rows(columns: Mapping[str, Any]) -> None:
    """Raise ValueError if the lengths or the pandas indices differ.

    Args:
        columns: the columns by the names of the arguments.
    """
    lengths = {name: len(as_column(name, x)) for name, x in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "All columns should have one value for each row. Received: "
            + ", ".join(f"{n} in `{name}`" for name, n in lengths.items())
            + "."
        )
    if not max(lengths.values()):
        raise ValueError("There should be rows. Received: empty columns.")
    check_aligned_axis("index", columns)


def _floats(name: str, array: np.ndarray) -> np.ndarray:
    # numpy would convert text such as "1" too.
    wrong = next((x for x in array if isinstance(x, str | bytes)), None)
    if wrong is None:
        with contextlib.suppress(TypeError, ValueError):
            return array.astype(np.float64)
        wrong = array[0]
    raise ValueError(
        f"`{name}` should hold numbers. Received: objects such as {wrong!r}. "
        "Convert them, for example by `float`."
    )


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
    kind = ids.dtype.kind
    if kind == "f":
        check_whole(ids)
        return ids
    if kind in "OUST":
        return _by_first_use(ids)
    _check_type(kind, ids.dtype)
    return ids


def _factorized(query: Any) -> np.ndarray:
    _check_type(getattr(query.dtype, "kind", "O"), query.dtype)
    codes, distinct = query.factorize()
    check_none_missing(codes < 0)
    ids = np.asarray(distinct)
    if ids.dtype.kind == "f":
        check_whole(ids)
    if ids.dtype.kind == "O":
        _check_one_type(ids.tolist())
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
    if any(map(_is_missing, distinct)):
        check_none_missing(np.array(list(map(_is_missing, values))))
    _check_one_type(distinct)
    numbers = {id_: number for number, id_ in enumerate(distinct)}
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def _check_type(kind: str, dtype: Any) -> None:
    if kind in "bcmMV":
        raise ValueError(
            f"{_EXPECTED}: integers or strings. Received: values of the type "
            f"{dtype}."
        )


def check_whole(ids: np.ndarray) -> None:
    """Raise ValueError if floats are not exact whole numbers."""
    check_none_missing(np.isnan(ids))
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
    names = {type(x).__name__ for x in distinct}
    kinds = {"int" if re.match("u?int", name) else name for name in names}
    if len(kinds) > 1:
        raise TypeError(
            f"{_EXPECTED}, all of one type. Received: {sorted(kinds)}. The "
            "integer 1 and the string '1' would be two queries."
        )


def _is_missing(x: Any) -> bool:
    # Comparing the missing value of pandas does not return a bool.
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def check_none_missing(missing: np.ndarray) -> None:
    """Raise ValueError with the number of missing ids, if there are any."""
    if missing.any():
        rows = np.flatnonzero(missing)
        raise ValueError(
            f"{_EXPECTED}, and none may be missing. Received: {len(rows)} "
            f"missing among {len(missing)} rows, the first in row {rows[0]}. "
            "Leave out rows without a query, or give each an id of its own."
        )
