"""Ragged and foreign input as dense tensors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.types import Tensor

# What other libraries hold numbers in, as what Keras converts.


def as_array_or_lists(x: Any) -> Any:
    """An array in place of what numpy can read, lists in place of objects.

    What numpy cannot read, and tensors of the backend, stay as they are. So
    does all that holds no numbers; whoever converts it raises.

    Raises:
        TypeError: if it is a masked array that hides something.
    """
    if hides(x) or (isinstance(x, list | tuple) and any(map(hides, x))):
        raise TypeError("The mask of a masked array is not read.")
    if (
        isinstance(x, list | tuple | keras.KerasTensor)
        or ops.is_tensor(x)
        or not hasattr(x, "__array__")
    ):
        return x
    if hasattr(x, "detach"):  # a tensor of torch, maybe with a gradient
        x = x.detach().cpu()
    array = np.asarray(x)
    if array.dtype.kind == "O":
        return array.tolist()
    return native(array)


def native(array: np.ndarray) -> np.ndarray:
    """In a dtype that all backends have, if there is one that holds it."""
    if array.dtype == "uint64" and np.all(array < 2**63):
        return array.astype("int64")  # torch has no operations of uint64
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def hides(x: Any) -> bool:
    """Whether it is a masked array of numpy that hides a number."""
    return isinstance(x, np.ma.MaskedArray) and bool(np.ma.is_masked(x))


# Lists of unequal lengths, made rectangular with padding behind.

DEEPEST = 16  # lists nested deeper than that may hold themselves


def is_ragged(x: Any) -> bool:
    """Whether it is a `tf.RaggedTensor`, or python lists of unequal lengths."""
    if type(x).__name__ == "RaggedTensor":
        return True
    if not isinstance(x, list | tuple):
        return False
    first, depth = x, 0
    while isinstance(first, list | tuple) and len(first) > 0:
        _check_depth(depth)
        first, depth = first[0], depth + 1
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
    *levels, leaves = _levels(x)
    values = _values(leaves, padding)
    held = np.ones(values.shape, bool)
    for lists in reversed(levels):
        lengths = np.fromiter(map(len, lists), int, len(lists))
        values = _filled_up(values, lengths, padding)
        held = _filled_up(held, lengths, False)
    return values[0], held[0]


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


def _is_uneven(x: Any) -> bool:
    """Whether lists of the same depth have unequal lengths."""
    for parts in itertools.takewhile(_are_lists, _levels(x)):
        if len(set(map(len, parts))) > 1:
            return True
        if any(hasattr(part, "shape") for part in parts):
            # Tensors, which may have no value yet, but a shape.
            return len({tuple(np.shape(part)) for part in parts}) > 1
    return False


def _levels(x: Any) -> Iterator[Sequence[Any]]:
    """The lists of each depth, `x` itself first, and at last what they hold."""
    parts: Sequence[Any] = [x]
    for depth in itertools.count():
        yield parts
        if not _are_lists(parts):
            return
        _check_depth(depth)
        parts = list(itertools.chain.from_iterable(_opened(parts)))


def _check_depth(depth: int) -> None:
    if depth == DEEPEST:
        raise ValueError("Lists are nested too deep, or hold themselves.")


def _are_lists(parts: Sequence[Any]) -> bool:
    """Whether the parts, all of one depth, are lists rather than numbers."""
    if len(parts) > 0 and type(parts[0]) in (float, int):
        return False  # numpy raises if another one is a list
    kinds = set(map(type, parts))
    if kinds <= {list, tuple}:
        return len(parts) > 0
    if not any(_may_be_list(kind) for kind in kinds):
        return False
    nested = [
        isinstance(part, list | tuple) or len(getattr(part, "shape", ())) > 0
        for part in parts
    ]
    if any(nested) and not all(nested):
        raise ValueError("Some lists hold numbers, and others lists.")
    return all(nested)


def _may_be_list(kind: type) -> bool:
    return issubclass(kind, list | tuple) or (
        hasattr(kind, "shape") and not issubclass(kind, np.generic)
    )


def _opened(parts: Sequence[Any]) -> Sequence[Any]:
    """As what can be iterated over, out of any gradient."""
    if set(map(type, parts)) <= {list, tuple, np.ndarray}:
        return parts
    return [
        part if isinstance(part, list | tuple) else ops.convert_to_numpy(part)
        for part in parts
    ]


def _values(leaves: Sequence[Any], padding: float) -> np.ndarray:
    """In the dtype that Keras would give a list of them, which has padding."""
    values = native(np.asarray(leaves))
    if values.dtype == "float64" and float in map(type, leaves):
        return values.astype(keras.config.floatx())
    if values.dtype.kind in "bu" and padding < 0:
        return values.astype(np.promote_types(values.dtype, "int8"))
    return values


def _filled_up(x: np.ndarray, lengths: np.ndarray, padding: float) -> Any:
    """`[parts, ...]` as `[lists, longest, ...]`, of lists of these lengths."""
    places = np.arange(lengths.max(initial=0)) < lengths[:, None]
    dense = np.full((*places.shape, *x.shape[1:]), padding, x.dtype)
    dense[places] = x
    return dense
