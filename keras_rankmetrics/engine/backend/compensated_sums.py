"""Sums of two floats each, which keep the digits that rounding loses."""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import length_at_most
from keras_rankmetrics.types import Tensor

# Totals of a state. A float32 sum of ones stops at 2 ** 24. Here a sum is two
# floats: the rounded sum and the rounding error, by Knuth's two-sum.


def add(sums: Tensor, terms: Tensor) -> Tensor:
    """Add a term to each sum.

    Args:
        sums: `[..., 2]`, the rounded sums and their errors.
        terms: `[...]`, of any float dtype.

    Returns:
        The new sums, `[..., 2]`.
    """
    terms = ops.cast(terms, sums.dtype)
    rounded, error = _two_sum(sums[..., 0], terms)
    return ops.stack(_fast_two_sum(rounded, sums[..., 1] + error), axis=-1)


def merged(sums: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the sum of two sets of sums, all `[..., 2]`."""
    rounded, error = _two_sum(sums[..., 0], others[..., 0])
    errors = sums[..., 1] + others[..., 1]
    return np.stack(_fast_two_sum(rounded, errors + error), axis=-1)


def rounded(sums: Tensor) -> Tensor:
    """Return the sums as single floats, `[...]`."""
    return ops.sum(sums, axis=-1)


def _two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rounded sum `a + b` and its exact rounding error."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _fast_two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return what `_two_sum` does, if `a` is 0 or `|a| >= |b|`."""
    total = a + b
    return total, b - (total - a)


# Running sums. Adding one float32 after the other loses a rounding at each
# step, and a difference of two such sums may consist of rounding errors. So
# each sum is kept as two floats: one of whole units, which float32 adds
# exactly, and one of the small rest.

# All values together make at most this many units, so that every partial sum
# of whole units stays below 2 ** 24, where float32 is exact.
_UNITS = 2.0**22

# Up to this length, the rounding errors of a plain sum do not matter.
_FEW = 32


def running_sums(x: Tensor) -> Tensor:
    """Return the sums of the first 1, 2, 3, ... values of a row, `[..., n]`."""
    if length_at_most(x) <= _FEW:
        return ops.cumsum(x, axis=-1)
    whole, rest = in_two_floats(x)
    return whole + rest


def in_two_floats(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the running sums, each as two floats that add up to it."""
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
