"""Sums of a function of the rank over ranges of ranks.

The sum over the ranks a + 1 to b is a difference of two cumulative sums. In
float32 such a difference cancels: over a thousand ranks it keeps three digits.
So the cumulative sum is kept as two floats: one of whole units, which float32
adds without any rounding, and one of the small rest.
"""

from __future__ import annotations

import numpy as np
from keras import ops

from keras_rankmetrics.types import Tensor

# All values together come to at most this many units, so that every partial
# sum of whole units stays below 2 ** 24, where float32 is exact.
_UNITS = 2.0**22


def sums_over_ranks(values: Tensor, start: Tensor, stop: Tensor) -> Tensor:
    """Sums `values[start:stop]` for every pair of `start` and `stop`.

    Args:
        values: `[ranks]`, the value of rank 1, 2, ...
        start: int32, of any shape. How many ranks lie above the range.
        stop: int32, of a shape that broadcasts. The last rank of the range;
            the sum is 0 where `stop <= start`.

    Returns:
        The sums, in the shape of `start` and `stop`.
    """
    unit = _power_of_two_above(ops.sum(ops.abs(values))) / _UNITS
    units = values / unit
    whole = ops.round(units)
    return unit * (
        _range_sums(whole, start, stop)
        + _range_sums(units - whole, start, stop)
    )


def _range_sums(values: Tensor, start: Tensor, stop: Tensor) -> Tensor:
    below = ops.pad(ops.cumsum(values), [[1, 0]])
    return ops.take(below, ops.maximum(stop, start)) - ops.take(below, start)


def _power_of_two_above(x: Tensor) -> Tensor:
    # A power of two divides and multiplies without rounding. `ops.exp2` of an
    # integer is not always one.
    powers = ops.convert_to_tensor(2.0 ** np.arange(-100, 128), dtype=x.dtype)
    return ops.min(ops.where(powers >= x, powers, float("inf")))
