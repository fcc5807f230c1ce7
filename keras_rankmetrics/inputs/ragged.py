"""Lists of unequal lengths, made rectangular with padding behind."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.types import Tensor


def is_ragged(x: Any) -> bool:
    """Whether it is a `tf.RaggedTensor`, or python lists of unequal lengths."""
    if type(x).__name__ == "RaggedTensor":
        return True
    if not isinstance(x, list | tuple):
        return False
    try:
        np.asarray(x)
    except (TypeError, ValueError, RuntimeError):
        return _is_uneven(x)
    return False


def made_dense(x: Any, padding: float) -> tuple[Any, Any]:
    """`x` with its lists filled up, and which places it holds itself: bool."""
    if type(x).__name__ == "RaggedTensor":
        held = x.with_flat_values(ops.ones_like(x.flat_values, dtype="bool"))
        return x.to_tensor(ops.cast(padding, x.dtype)), held.to_tensor(False)
    leaves = list(_leaves(x))
    values = _values([leaf for _, leaf in leaves])
    dense = np.full(_shape(x), padding, values.dtype)
    held = np.zeros(dense.shape, bool)
    for (place, _), value in zip(leaves, values, strict=True):
        if len(place) != dense.ndim:
            raise ValueError("Some lists hold numbers, and others lists.")
        dense[place], held[place] = value, True
    return dense, held


def _values(leaves: list[Any]) -> np.ndarray:
    """In the dtype that Keras would give a list of them."""
    values = np.asarray(leaves)
    if values.dtype.kind == "f" and any(type(x) is float for x in leaves):
        return values.astype(keras.config.floatx())
    return values


def widened(x: Tensor, like: Tensor, value: float) -> Tensor:
    """`x` padded to the shape of `like`, where that is larger."""
    if len(x.shape) != len(like.shape):
        return x
    sizes = zip(ops.shape(x), ops.shape(like), strict=True)
    missing = [[0, _difference(large, small)] for small, large in sizes]
    return ops.pad(x, missing, constant_values=value)


def _difference(large: Any, small: Any) -> Any:
    if isinstance(large, int) and isinstance(small, int):
        return max(large - small, 0)
    return ops.maximum(large - small, 0)


def _is_nested(x: Any) -> bool:
    return isinstance(x, list | tuple) or len(getattr(x, "shape", ())) > 0


def _is_uneven(x: Any) -> bool:
    if not isinstance(x, list | tuple):
        return False
    shapes = {_shape(part) for part in x}
    return len(shapes) > 1 or any(map(_is_uneven, x))


def _shape(x: Any) -> tuple[int, ...]:
    """The smallest shape that all the lists fit into."""
    if not _is_nested(x):
        return ()
    parts = [_shape(part) for part in x]
    longest = itertools.zip_longest(*parts, fillvalue=0)
    return (len(parts), *(max(sizes) for sizes in longest))


def _leaves(x: Any, *place: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The numbers that the lists hold, each with its place."""
    if not _is_nested(x):
        yield place, x
        return
    # Out of any gradient.
    parts = x if isinstance(x, list | tuple) else ops.convert_to_numpy(x)
    for index, part in enumerate(parts):
        yield from _leaves(part, *place, index)
