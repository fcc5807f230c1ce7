"""The weighted mean over lists, as the sums that it is made of.

A list has a weight of its own, or takes the mean weight of those that do. The
two kinds are summed apart, so that this mean is over everything seen.
"""

from __future__ import annotations

from typing import NamedTuple

from keras import ops

from keras_rankmetrics.types import Tensor

# Of the lists with a weight of their own: their values times their weights,
# the weights, and how many they are. Of the others: their values, and how many.
SUMS = 5


class Evaluation(NamedTuple):
    """What metrics make of a batch, each `[metrics, lists]`."""

    values: Tensor
    weights: Tensor
    has_own_weight: Tensor  # bool
    counts: Tensor  # bool

    def per_list(self) -> Tensor:
        """The values, NaN for a list that does not count."""
        return ops.where(self.counts, self.values, float("nan"))

    def sums(self) -> Tensor:
        """`[metrics, SUMS]`, what the batch adds."""
        dtype = self.values.dtype
        own = self.counts & self.has_own_weight
        is_own = ops.cast(own, dtype)
        is_other = ops.cast(self.counts, dtype) - is_own
        # What does not count may be NaN.
        values = ops.where(self.counts, self.values, 0)
        weights = ops.where(own, self.weights, 0)
        terms = [
            values * weights,
            weights,
            is_own,
            values * is_other,
            is_other,
        ]
        return ops.sum(ops.stack(terms, axis=1), axis=-1)


def mean_of(sums: Tensor) -> Tensor:
    """The means, `[...]`, from their sums, `[..., SUMS]`; 0 without lists."""
    own_values, own_weights, own_lists, other_values, other_lists = ops.unstack(
        sums, SUMS, axis=-1
    )
    mean_weight = ops.where(
        own_lists > 0, ops.divide_no_nan(own_weights, own_lists), 1.0
    )
    return ops.divide_no_nan(
        own_values + mean_weight * other_values,
        own_weights + mean_weight * other_lists,
    )
