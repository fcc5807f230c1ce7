"""The one value of a dtype that has a meaning here."""

from __future__ import annotations

from keras import backend

from keras_rankmetrics.types import Tensor


def lowest(x: Tensor) -> float | int:
    """The score of an item that is not retrieved: below every other one.

    It is -inf, or for integers the smallest one.
    """
    dtype = backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    return -(2 ** (int(dtype.removeprefix("int")) - 1))
