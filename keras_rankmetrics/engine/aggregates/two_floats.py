"""Sums that keep what rounding would lose.

A float32 sum of ones stops at 2 ** 24. Here a sum is two floats, the rounded
sum and the error of the rounding, after Knuth's two-sum.
"""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
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
