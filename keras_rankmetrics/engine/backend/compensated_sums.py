"""Sums that keep what rounding would lose, in two floats."""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import length_at_most
from keras_rankmetrics.types import Tensor

# Sums that keep what rounding would lose.
#
# A float32 sum of ones stops at 2 ** 24. Here a sum is two floats, the
# rounded sum and the error of the rounding, after Knuth's two-sum.


def add(sums: Tensor, terms: Tensor) -> Tensor:
    """Adds a term to each sum.

    Args:
        sums: `[..., 2]`, the rounded sums beside their errors.
        terms: `[...]`, of any float dtype.

    Returns:
        The new sums, `[..., 2]`.
    """
    terms = ops.cast(terms, sums.dtype)
    rounded, error = _two_sum(sums[..., 0], terms)
    return ops.stack(_of_larger(rounded, sums[..., 1] + error), axis=-1)


def merged(sums: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Two sets of sums as one, each `[..., 2]`."""
    rounded, error = _two_sum(sums[..., 0], others[..., 0])
    errors = sums[..., 1] + others[..., 1]
    return np.stack(_of_larger(rounded, errors + error), axis=-1)


def rounded(sums: Tensor) -> Tensor:
    """The sums as single floats, `[...]`."""
    return ops.sum(sums, axis=-1)


def _two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """`a + b`, rounded, and what the rounding lost, exactly."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _of_larger(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """The same where `a` is 0 or not smaller than `b`."""
    total = a + b
    return total, b - (total - a)


# Running sums of which each is as exact as a single sum.
#
# In float32 one number added after the other loses a rounding at each step,
# and a difference of two such sums is all rounding. So each sum is kept as
# two floats: one of whole units, which float32 adds without any rounding, and
# one of the small rest.

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
