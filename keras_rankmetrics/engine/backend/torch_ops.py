"""Operations of torch under the names that Keras has for them.

An operation of Keras checks and converts its arguments each time, which takes
5 to 50 microseconds where torch takes 1 to 3. On batches of usual size that is
most of what a metric costs. What comes here has been checked and converted
already: the first argument is a tensor, or all that are stacked are.

A test holds each of these beside that of Keras. Those of two arguments and
`cumsum` keep 64 bits, of which Keras makes 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import torch

from keras_rankmetrics.types import Tensor

# As many bools as eight counts of at most 255 hold.
_MOST_LANES = 8 * 255

_PLAIN = (bool, int, float)

_DTYPES = {
    name: getattr(torch, name)
    for name in ("bool", "int32", "int64", "float32", "float64")
}


def convert_to_tensor(x: Any, dtype: Any = None) -> Tensor:
    """`keras.ops.convert_to_tensor`."""
    if isinstance(x, keras.Variable) and dtype is None:
        return x.value
    return keras.ops.convert_to_tensor(x, dtype=dtype)


def cast(x: Any, dtype: Any) -> Tensor:
    """`keras.ops.cast`."""
    dtype = _DTYPES.get(dtype, dtype)
    if isinstance(x, torch.Tensor) and isinstance(dtype, torch.dtype):
        return x if x.dtype == dtype else x.to(dtype)
    return keras.ops.cast(x, dtype)


def where(condition: Tensor, x1: Any, x2: Any) -> Tensor:
    """`keras.ops.where`, of a condition of bools."""
    return torch.where(condition, _operand(x1), _operand(x2))


def maximum(x1: Any, x2: Any) -> Tensor:
    """`keras.ops.maximum`, of tensors of the same dtype, or plain numbers."""
    if not isinstance(x1, torch.Tensor):
        return keras.ops.maximum(x1, x2)
    return (torch.clamp_min if type(x2) in _PLAIN else torch.maximum)(x1, x2)


def minimum(x1: Any, x2: Any) -> Tensor:
    """`keras.ops.minimum`, of tensors of the same dtype, or plain numbers."""
    if not isinstance(x1, torch.Tensor):
        return keras.ops.minimum(x1, x2)
    return (torch.clamp_max if type(x2) in _PLAIN else torch.minimum)(x1, x2)


def divide_no_nan(x1: Tensor, x2: Tensor) -> Tensor:
    """`keras.ops.divide_no_nan`, of floats."""
    return torch.where(x2 == 0, 0.0, x1 / x2)


def sum(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """`keras.ops.sum`, along one axis or all."""
    dtype = torch.int32 if x.dtype == torch.bool else x.dtype
    if axis is None:
        return torch.sum(x, dtype=dtype)
    if axis == -1 and _is_of_lanes(x):
        found = _true_in_lanes(x)
        return found[..., None] if keepdims else found
    return torch.sum(x, axis, keepdim=keepdims, dtype=dtype)


def any(x: Tensor, axis: int | None = None) -> Tensor:
    """`keras.ops.any`, along one axis or all."""
    return torch.any(x) if axis is None else torch.any(x, axis)


def all(x: Tensor, axis: int | None = None) -> Tensor:
    """`keras.ops.all`, along one axis or all."""
    return torch.all(x) if axis is None else torch.all(x, axis)


def max(
    x: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:
    """`keras.ops.max`, along one axis or all; from a number on, along one."""
    if initial is not None and axis is not None:
        # What Keras does asks for a number, which the symbolic pass has not.
        first = torch.full_like(torch.sum(x, axis, keepdim=True), initial)
        x = torch.cat([x, first.to(x.dtype)], axis)
    return torch.max(x) if axis is None else torch.amax(x, axis, keepdims)


def min(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """`keras.ops.min`, along one axis or all."""
    return torch.min(x) if axis is None else torch.amin(x, axis, keepdims)


def cumsum(x: Tensor, axis: int) -> Tensor:
    """`keras.ops.cumsum`, of numbers."""
    return torch.cumsum(x, axis, dtype=x.dtype)


def segment_sum(data: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """`keras.ops.segment_sum`, where each id is that of a segment."""
    sums = data.new_zeros((num_segments, *data.shape[1:]))
    return sums.index_add_(0, segment_ids.long(), data)


def stack(x: Sequence[Tensor], axis: int = 0) -> Tensor:
    """`keras.ops.stack`."""
    return torch.stack(list(x), axis)


def unstack(x: Tensor, num: int | None = None, axis: int = 0) -> list[Tensor]:
    """`keras.ops.unstack`."""
    return list(torch.unbind(x, axis))


def concatenate(xs: Sequence[Tensor], axis: int = 0) -> Tensor:
    """`keras.ops.concatenate`."""
    return torch.cat(list(xs), axis)


def expand_dims(x: Tensor, axis: int) -> Tensor:
    """`keras.ops.expand_dims`."""
    return torch.unsqueeze(x, axis)


def reshape(x: Tensor, newshape: Sequence[int]) -> Tensor:
    """`keras.ops.reshape`."""
    return torch.reshape(x, tuple(newshape))


def broadcast_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """`keras.ops.broadcast_to`."""
    return torch.broadcast_to(x, tuple(shape))


def shape(x: Tensor) -> tuple[int, ...]:
    """`keras.ops.shape`."""
    return tuple(x.shape)


def take_along_axis(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """`keras.ops.take_along_axis`, where no index is negative.

    Both have the same shape but for the axis.
    """
    return torch.gather(x, axis, indices.long())


def top_k(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """`keras.ops.top_k`."""
    return torch.topk(x, k)


def ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    """`keras.ops.ones_like`."""
    return torch.ones_like(x, dtype=_DTYPES.get(dtype, dtype))


def zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    """`keras.ops.zeros_like`."""
    return torch.zeros_like(x, dtype=_DTYPES.get(dtype, dtype))


def full_like(x: Tensor, fill_value: float, dtype: Any = None) -> Tensor:
    """`keras.ops.full_like`, of a plain number."""
    return torch.full_like(x, fill_value, dtype=_DTYPES.get(dtype, dtype))


def _is_of_lanes(x: Tensor) -> bool:
    """Whether bools are rows that `_true_in_lanes` adds up."""
    return (
        x.dtype == torch.bool
        and x.ndim > 1
        and x.shape[-1] > 0
        and x.shape[-1] % (8 if x.shape[-1] <= _MOST_LANES else _MOST_LANES)
        == 0
        and x.is_contiguous()
    )


def _true_in_lanes(x: Tensor) -> Tensor:
    """How many of each row are True, int32: five times as fast as the sum.

    Eight bools are the bytes of one integer. Each byte of a sum of integers
    counts what stood at its place, up to 255.
    """
    lanes = x.view(torch.int64)
    if x.shape[-1] > _MOST_LANES:
        lanes = lanes.unflatten(-1, (-1, _MOST_LANES // 8))
    sums = torch.sum(lanes, -1)
    if x.shape[-1] <= _MOST_LANES:
        sums = sums[..., None]
    return torch.sum(sums.view(torch.uint8), -1, dtype=torch.int32)


def _operand(x: Any) -> Any:
    plain = isinstance(x, torch.Tensor) or type(x) in _PLAIN
    return x if plain else keras.ops.convert_to_tensor(x)
