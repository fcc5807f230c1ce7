"""Columns of any library as numpy arrays of one dimension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.inputs.shapes import check_same

Arrays = dict[str, np.ndarray]


def as_column(name: str, x: Any) -> np.ndarray:
    """Return a column as an array `[rows]`.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is another one.
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
    if ops.is_tensor(x):
        array = ops.convert_to_numpy(x)
    elif hasattr(x, "detach"):  # a tensor of torch, on another backend
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
    """Return a column of numbers as an array `[rows]`, NaN for missing ones.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is another one, or a value is no number.
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
    check_same("index", columns)


def _floats(name: str, array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` should hold numbers. Received: objects such as "
            f"{array[0]!r}."
        ) from error
