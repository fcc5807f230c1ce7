"""Sums that keep what rounding would lose.

A float32 sum of ones stops at 2 ** 24. Here a sum is two floats, the rounded
sum and the error of the rounding, after Knuth's two-sum.
"""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.types import Tensor


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
    return ops.stack(_two_sum(rounded, sums[..., 1] + error), axis=-1)


def merge(sums: Tensor, others: Tensor) -> Tensor:
    """Adds up two sets of sums, each `[..., 2]`."""
    return add(add(sums, others[..., 1]), others[..., 0])


def rounded(sums: Tensor) -> Tensor:
    """The sums as single floats, `[...]`."""
    return sums[..., 0] + sums[..., 1]


def _two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """`a + b`, rounded, and what the rounding lost, exactly."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)
