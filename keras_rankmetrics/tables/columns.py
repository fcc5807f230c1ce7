"""Columns of rows, as libraries hold them, read as arrays of one dimension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.inputs.shapes import check_same

Arrays = dict[str, np.ndarray]


def as_column(name: str, x: Any) -> np.ndarray:
    """One value for each row, `[rows]`.

    Args:
        name: of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy reads.

    Raises:
        ValueError: if it has another shape.
    """
    if isinstance(x, Mapping):
        raise ValueError(
            f"`{name}` should be a column, with one value for each row. "
            f"Received: a dict with the keys {sorted(map(str, x))}."
        )
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(
            f"`{name}` should be a column. Received: a masked array that hides "
            "values, and its mask is not read. Leave these rows out."
        )
    if ops.is_tensor(x):
        array = ops.convert_to_numpy(x)
    elif hasattr(x, "detach"):  # of torch, on another backend
        array = x.detach().cpu().numpy()
    else:
        array = np.asarray(x)
    shape = array.shape
    if len(shape) == 2 and shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` should have one value for each row, in the shape [rows] "
            f"or [rows, 1]. Received: the shape {shape}."
        )
    return array


def as_numbers(name: str, x: Any) -> np.ndarray:
    """As `as_column`, of numbers; what is missing is NaN.

    Raises:
        ValueError: if it does not hold numbers.
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
    if kind == "b":  # which has no place for padding
        return array.astype(np.int8)
    if array.dtype.itemsize < 4 and kind not in "iu":
        return array.astype(np.float32)
    return array


def check_belong_together(given: Mapping[str, Any]) -> None:
    """Raise ValueError if lengths differ, or the indices of pandas do.

    Args:
        given: the columns by the names of the arguments.
    """
    lengths = {name: len(as_column(name, x)) for name, x in given.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "All columns should have one value for each row. Received: "
            + ", ".join(f"{n} in `{name}`" for name, n in lengths.items())
            + "."
        )
    if not max(lengths.values()):
        raise ValueError("There should be rows. Received: empty columns.")
    check_same("index", given)


def _floats(name: str, array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` should hold numbers. Received: objects, as {array[0]!r}."
        ) from error
