"""Sorting and top-k, each in the fastest way of its backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import backend, ops

from keras_rankmetrics.engine.backend.operations import in_64_bits
from keras_rankmetrics.engine.backend.operations import ops as stable_ops
from keras_rankmetrics.engine.backend.tracing import concrete, is_on_host
from keras_rankmetrics.types import Tensor

# On a CPU, numpy sorts many times faster than torch, which compares values one
# by one. To get indices too, numpy sorts 64-bit keys: the bits of a float,
# mapped to integers of the same order, above its index. numpy uses one thread
# and memory for all keys, so torch selects from long rows if it has many
# threads or most is discarded.

_HALF = 32  # bits, of a key of 64
_SHORT, _LONG = 32, 512
_MANY_THREADS = 5
_KEPT = 8  # at least one value in so many

# The longest rows that numpy sorts faster than it partitions them.
_SORTED_WHOLE, _SORTED_WHOLE_OF_64_BITS = 256, 64


def top_k(rows: Tensor, k: int | Tensor) -> tuple[Tensor, Tensor]:
    """Return the highest `k` values of each row, best first, and their indices.

    Args:
        rows: `[rows, values]`, without NaN.
        k: at most the length of a row.
    """
    if keras.config.backend() == "jax" and _is_for_integers(rows, k):
        from keras_rankmetrics.engine.backend import jax_sorting

        values, places = jax_sorting.best_first(rows, k)
        return values, places
    if keras.config.backend() != "torch":
        values, places = stable_ops.top_k(rows, k)
        return values, places
    import torch

    width, keys = rows.shape[-1], None
    is_for_numpy = width <= _LONG or _keeps_many(rows, k)
    if rows.dtype == torch.float32 and is_for_numpy:
        keys = _in_numpy(_keys_of, rows)
    if keys is None:
        values, places = torch.topk(rows, k)
        return values, places
    best = torch.from_numpy(_largest(keys, k)).flip(-1)
    places = width - 1 - (best & (2**_HALF - 1))
    return torch.gather(rows, -1, places), places


def highest(rows: Tensor, k: int | Tensor) -> Tensor:
    """Return the highest `k` values of each row, best first.

    Args:
        rows: `[rows, values]`.
        k: at most the length of a row.
    """
    if keras.config.backend() == "numpy":
        return _largest(np.array(rows), k)[:, ::-1]
    if keras.config.backend() == "jax" and _is_for_integers(rows, k):
        from keras_rankmetrics.engine.backend import jax_sorting

        return jax_sorting.values_best_first(rows, k)
    if keras.config.backend() != "torch":
        return ops.top_k(rows, k)[0]
    import torch

    values = None
    if rows.shape[-1] <= _LONG or _keeps_many(rows, k):
        values = _in_numpy(torch.clone, rows)
    if values is None:
        return torch.topk(rows, k)[0]
    return torch.from_numpy(_largest(values, k)).flip(-1)


def _largest(rows: np.ndarray, k: int) -> np.ndarray:
    """Return the largest `k` values of each row, ascending; reorder `rows`."""
    width = rows.shape[-1]
    is_wide = rows.itemsize == 8
    whole = _SORTED_WHOLE_OF_64_BITS if is_wide else _SORTED_WHOLE
    if 0 < 2 * k < width and width > whole:
        rows.partition(width - k, axis=-1)
        rows = rows[:, width - k :]
    rows.sort(axis=-1)
    return rows[:, rows.shape[-1] - k :]


def _keys_of(rows: Any) -> Any:
    """Return int64 keys in the order of the floats; of ties, the first wins."""
    import torch

    bits = rows.contiguous().view(torch.int32)
    # Larger negative floats have smaller bits.
    in_order = bits ^ ((bits >> (_HALF - 1)) & (2 ** (_HALF - 1) - 1))
    width = rows.shape[-1]
    places = torch.arange(width - 1, -1, -1, device=rows.device)
    return (in_order.to(torch.int64) << _HALF) | places


def _keeps_many(rows: Any, k: int) -> bool:
    """Return True if numpy selects from long rows faster than torch."""
    import torch

    threads = min(torch.get_num_threads(), rows.shape[0])
    return k * _KEPT >= rows.shape[-1] and threads < _MANY_THREADS


def _in_numpy(copied: Callable[[Any], Any], rows: Any) -> Any:
    """Return the memory of a new tensor as an array, None if not on the CPU.

    Args:
        copied: returns a new tensor. Once numpy has seen a tensor, torch no
            longer reports whether the user shares its memory with numpy.
        rows: the tensor to copy.
    """
    if not is_on_host(rows):
        return None
    try:
        return copied(rows).numpy()
    except (RuntimeError, TypeError):  # as in `torch.vmap`
        return None


def _is_for_integers(rows: Any, k: int) -> bool:
    """Return True for float32 that jax sorts faster as integers.

    Short rows are as fast as they are, and quicker to trace.
    """
    is_float32 = backend.standardize_dtype(rows.dtype) == "float32"
    return is_float32 and _SHORT < rows.shape[-1] <= 2 * k


# Sorted values together with their indices, from one sort. `ops.argsort`
# returns no values. XLA on a CPU sorts pairs five times slower than values, and
# numpy sorts values many times faster than torch. So a value and its index are
# packed into one key where they fit, and only keys are sorted.


def in_order(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Sort each row so that equal values are adjacent, in their input order.

    Args:
        rows: int32 or int64 `[rows, values]`, not empty.

    Returns:
        The values of each row, ascending or descending, and their indices.
    """
    if keras.config.backend() == "torch":
        return _in_order_on_torch(rows)
    if keras.config.backend() == "numpy":
        places = stable_ops.argsort(rows, axis=-1)
        return ops.take_along_axis(rows, places, axis=-1), places
    if backend.standardize_dtype(rows.dtype) != "int32":
        values, places = ops.top_k(rows, ops.shape(rows)[-1])
        return values, places
    with in_64_bits():
        places = ops.arange(ops.shape(rows)[-1], dtype="int64")
        keys = ops.left_shift(ops.cast(rows, "int64"), _HALF)
        keys = ops.sort(ops.bitwise_or(keys, places), axis=-1)
        values = ops.cast(ops.right_shift(keys, _HALF), "int32")
        places = ops.cast(ops.bitwise_and(keys, 2**_HALF - 1), "int32")
    return values, places


def in_place(x: Tensor, places: Tensor) -> Tensor:
    """Undo a sort: move sorted values to the indices of `in_order`.

    Args:
        x: int8 `[rows, values]`.
        places: the indices, of the same shape.
    """
    if keras.config.backend() == "torch":
        return x.new_empty(x.shape).scatter_(-1, places.long(), x)
    # TensorFlow sums no small integers on a GPU; jax moves floats slower.
    if keras.config.backend() == "tensorflow":
        x = ops.cast(x, "float32")
    rows, width = ops.shape(x)
    first = width * ops.arange(rows, dtype="int32")[:, None]
    moved = ops.segment_sum(
        ops.reshape(x, (-1,)),
        ops.reshape(ops.cast(places, "int32") + first, (-1,)),
        num_segments=rows * width,
    )
    return ops.cast(ops.reshape(moved, (rows, width)), "int8")


def _in_order_on_torch(rows: Any) -> tuple[Any, Any]:
    """Sort by numpy in place if the keys fit, else by torch."""
    import torch

    bits = (rows.shape[-1] - 1).bit_length()
    if rows.device.type == "cpu":
        lowest, highest = torch.aminmax(rows)
        largest = torch.maximum(highest, -1 - lowest)
        for dtype, room in ((torch.int32, 31), (torch.int64, 63)):
            if concrete(largest < 2 ** (room - bits)):
                places = torch.arange(
                    rows.shape[-1], dtype=dtype, device=rows.device
                )
                keys = (rows.to(dtype) << bits) | places
                keys.numpy().sort(axis=-1)
                return keys >> bits, keys & (2**bits - 1)
    values, places = torch.sort(rows, dim=-1, stable=True)
    return values, places


def lowest(x: Tensor) -> float | np.integer:
    """Return -inf, or the smallest integer of an integer dtype.

    It is the score of an item that is not retrieved.
    """
    dtype = keras.backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    # Keras before 3.15 converts a Python int to int32 on torch.
    return np.dtype(dtype).type(np.iinfo(dtype).min)
