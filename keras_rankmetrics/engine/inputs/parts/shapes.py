"""Shapes, as far as they are known."""

from __future__ import annotations

from typing import TypeAlias

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

Shape: TypeAlias = tuple[int | None, ...]


def squeezed(x: Tensor, rank: int) -> Tensor:
    """`x`, without a last dimension of 1 if it has one more than `rank`."""
    if len(x.shape) == rank + 1 and x.shape[-1] == 1:
        return ops.squeeze(x, -1)
    return x


def compatible(shape: Shape, other: Shape) -> bool:
    """Whether two shapes can be the same, as far as they are known."""
    return len(shape) == len(other) and all(
        a is None or b is None or a == b
        for a, b in zip(shape, other, strict=True)
    )
