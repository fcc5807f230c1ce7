"""Operations of torch under their names in Keras.

An operation of Keras checks and converts its arguments each time, which takes
5 to 50 microseconds where torch takes 1 to 3. On batches of usual size that is
most of the cost of a metric. Arguments of these functions have been checked and
converted already: the first one is a tensor, or a sequence of tensors.

A test compares each of these with that of Keras. Binary operations and `cumsum`
keep 64 bits, which Keras reduces to 32.
"""

from __future__ import annotations

from typing import Any

import keras
import torch

from keras_rankmetrics.types import Tensor, TensorFn

# Eight one-byte counters, each up to 255, count at most this many bools.
_MOST_LANES = 8 * 255

_PLAIN = (bool, int, float)

_DTYPES = {
    name: getattr(torch, name)
    for name in ("bool", "int32", "int64", "float32", "float64")
}


# These take the same arguments as those of Keras.
broadcast_to: TensorFn = torch.broadcast_to
concatenate: TensorFn = torch.cat
expand_dims: TensorFn = torch.unsqueeze
reshape: TensorFn = torch.reshape
stack: TensorFn = torch.stack
top_k: TensorFn = torch.topk


def convert_to_tensor(x: Any, dtype: Any = None) -> Tensor:
    """Replace `keras.ops.convert_to_tensor`, faster for variables."""
    if isinstance(x, keras.Variable) and dtype is None:
        return x.value
    return keras.ops.convert_to_tensor(x, dtype=dtype)


def cast(x: Any, dtype: Any) -> Tensor:
    """Replace `keras.ops.cast`."""
    dtype = _DTYPES.get(dtype, dtype)
    if isinstance(x, torch.Tensor) and isinstance(dtype, torch.dtype):
        return x if x.dtype == dtype else x.to(dtype)
    return keras.ops.cast(x, dtype)


def where(condition: Tensor, x1: Any, x2: Any) -> Tensor:
    """Replace `keras.ops.where` for a bool condition."""
    return torch.where(condition, _operand(x1), _operand(x2))


def maximum(x1: Any, x2: Any) -> Tensor:
    """Replace `keras.ops.maximum` for equal dtypes or Python numbers."""
    if not isinstance(x1, torch.Tensor):
        return keras.ops.maximum(x1, x2)
    return (torch.clamp_min if type(x2) in _PLAIN else torch.maximum)(x1, x2)


def minimum(x1: Any, x2: Any) -> Tensor:
    """Replace `keras.ops.minimum` for equal dtypes or Python numbers."""
    if not isinstance(x1, torch.Tensor):
        return keras.ops.minimum(x1, x2)
    return (torch.clamp_max if type(x2) in _PLAIN else torch.minimum)(x1, x2)


def divide_no_nan(x1: Tensor, x2: Tensor) -> Tensor:
    """Replace `keras.ops.divide_no_nan` for floats."""
    return torch.where(x2 == 0, 0.0, x1 / x2)


def sum(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Replace `keras.ops.sum` along one axis or all."""
    dtype = torch.int32 if x.dtype == torch.bool else x.dtype
    if axis is None:
        return torch.sum(x, dtype=dtype)
    if axis == -1 and _fits_lanes(x):
        counts = _count_in_lanes(x)
        return counts[..., None] if keepdims else counts
    return torch.sum(x, axis, keepdim=keepdims, dtype=dtype)


def any(x: Tensor, axis: int | None = None) -> Tensor:
    """Replace `keras.ops.any` along one axis or all."""
    return torch.any(x) if axis is None else torch.any(x, axis)


def all(x: Tensor, axis: int | None = None) -> Tensor:
    """Replace `keras.ops.all` along one axis or all."""
    return torch.all(x) if axis is None else torch.all(x, axis)


def max(
    x: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Replace `keras.ops.max`; `initial` needs an `axis`."""
    if axis is None:
        return torch.max(x)
    if initial is None:
        return torch.amax(x, axis, keepdims)
    # Keras would read a value here, which symbolic tensors do not have.
    if x.shape[axis] == 0:
        first = torch.full_like(torch.sum(x, axis, keepdim=True), initial)
        return torch.amax(first.to(x.dtype), axis, keepdims)
    return torch.clamp_min(torch.amax(x, axis, keepdims), initial)


def min(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Replace `keras.ops.min` along one axis or all."""
    return torch.min(x) if axis is None else torch.amin(x, axis, keepdims)


def cumsum(x: Tensor, axis: int) -> Tensor:
    """Replace `keras.ops.cumsum` for numbers."""
    return torch.cumsum(x, axis, dtype=x.dtype)


def stop_gradient(x: Tensor) -> Tensor:
    """Replace `keras.ops.stop_gradient`."""
    return x.detach()


def segment_sum(data: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """Replace `keras.ops.segment_sum` for ids that are all valid."""
    sums = data.new_zeros((num_segments, *data.shape[1:]))
    return sums.index_add_(0, segment_ids.long(), data)


def unstack(x: Tensor, num: int | None = None, axis: int = 0) -> list[Tensor]:
    """Replace `keras.ops.unstack`."""
    return list(torch.unbind(x, axis))


def shape(x: Tensor) -> tuple[int, ...]:
    """Replace `keras.ops.shape`."""
    return tuple(x.shape)


def take_along_axis(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Replace `keras.ops.take_along_axis` for indices of 0 and above.

    Both arguments have the same shape except along the axis.
    """
    return torch.gather(x, axis, indices.long())


def ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    """Replace `keras.ops.ones_like`."""
    return torch.ones_like(x, dtype=_DTYPES.get(dtype, dtype))


def zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    """Replace `keras.ops.zeros_like`."""
    return torch.zeros_like(x, dtype=_DTYPES.get(dtype, dtype))


def full_like(x: Tensor, fill_value: float, dtype: Any = None) -> Tensor:
    """Replace `keras.ops.full_like` for a Python number."""
    return torch.full_like(x, fill_value, dtype=_DTYPES.get(dtype, dtype))


def _fits_lanes(x: Tensor) -> bool:
    """Return True for bools in rows that `_count_in_lanes` can sum."""
    return (
        x.dtype == torch.bool
        and x.ndim > 1
        and x.shape[-1] > 0
        and x.shape[-1] % (8 if x.shape[-1] <= _MOST_LANES else _MOST_LANES)
        == 0
        and x.is_contiguous()
    )


def _count_in_lanes(x: Tensor) -> Tensor:
    """Return the number of True in each row, int32, at five times the speed.

    Eight bools are the bytes of one 64-bit integer. Each byte of a sum of such
    integers counts the True at its position, up to 255.
    """
    lanes = x.view(torch.int64)
    if x.shape[-1] > _MOST_LANES:
        lanes = lanes.unflatten(-1, (-1, _MOST_LANES // 8))
    sums = torch.sum(lanes, -1)
    if x.shape[-1] <= _MOST_LANES:
        sums = sums[..., None]
    return torch.sum(sums.view(torch.uint8), -1, dtype=torch.int32)


def _operand(x: Any) -> Any:
    is_operand = isinstance(x, torch.Tensor) or type(x) in _PLAIN
    return x if is_operand else keras.ops.convert_to_tensor(x)
