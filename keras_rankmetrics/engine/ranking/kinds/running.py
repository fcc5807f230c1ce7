"""Running sums of which each is as exact as a single sum.

In float32 one number added after the other loses a rounding at each step, and a
difference of two such sums is all rounding. So each sum is kept as two floats:
one of whole units, which float32 adds without any rounding, and one of the
small rest.
"""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.backend.known import length_at_most
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# All numbers together come to at most this many units, so that every partial
# sum of whole units stays below 2 ** 24, where float32 is exact.
_UNITS = 2.0**22

# So many numbers are too few for their roundings to add up.
_FEW = 32


def running_sums(x: Tensor) -> Tensor:
    """The sum of the first 1, 2, 3, ... numbers of each row, `[..., n]`."""
    if length_at_most(x) <= _FEW:
        return ops.cumsum(x, axis=-1)
    whole, rest = in_two_floats(x)
    return whole + rest


def in_two_floats(x: Tensor) -> tuple[Tensor, Tensor]:
    """The same, each as the two floats that it is the sum of."""
    unit = _power_of_two_above(ops.sum(ops.abs(x), -1, keepdims=True)) / _UNITS
    units = x / unit
    whole = ops.round(units)
    return (
        unit * ops.cumsum(whole, axis=-1),
        unit * ops.cumsum(units - whole, axis=-1),
    )


def _power_of_two_above(x: Tensor) -> Tensor:
    # A power of two divides and multiplies without rounding. `ops.exp2` of an
    # integer is not always one.
    powers = ops.convert_to_tensor(2.0 ** np.arange(-100, 128), dtype=x.dtype)
    powers = ops.where(powers >= x, powers, float("inf"))
    return ops.min(powers, axis=-1, keepdims=True)
