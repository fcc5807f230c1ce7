"""Quantiles and lower means of the values of lists, from additive sums.

Values are in [0, 1]. The weights and the weighted values are added up in bins,
and a statistic takes all lists of a bin at their mean value. A quantile is then
off by less than the width of a bin, and the lower mean by far less.

The functions above the aggregates read sorted values with their weights: bins,
or single lists.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import distributions
from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# The relative rounding of cumulative weights in single precision.
_ROUNDING = 1e-6


def quantile(values: Any, weights: Any, level: float, xp: Any = np) -> Any:
    """Return the smallest value v with F(v) >= level, `[...]`; 0 without any.

    F is the weighted distribution function of the values.

    Args:
        values: `[..., n]`, in ascending order where weights are above 0.
        weights: `[..., n]`, their weights.
        level: between 0 and 1.
        xp: the namespace of the arrays, `numpy` or `keras.ops`.
    """
    total = xp.sum(weights, axis=-1)
    target = (level * (1.0 - _ROUNDING)) * total[..., None]
    reached = (xp.cumsum(weights, axis=-1) >= target) & (weights > 0)
    least = xp.min(xp.where(reached, values, float("inf")), axis=-1)
    return xp.where(total > 0, least, 0.0 * total)


def lower_mean(values: Any, weights: Any, share: float, xp: Any = np) -> Any:
    """Return the mean of the lowest values, a share of the total weight.

    The value that the share cuts counts in part. The result is `[...]`, 0
    without values. Arguments are as for `quantile`.
    """
    room = share * xp.sum(weights, axis=-1)
    below = xp.cumsum(weights, axis=-1) - weights
    taken = xp.minimum(xp.maximum(room[..., None] - below, 0.0), weights)
    # Empty bins have the value 0, but NaN times 0 is NaN.
    total = xp.sum(taken * values, axis=-1)
    return total / xp.where(room == 0, 1.0, room)


def linearised(values: Any, weights: Any, share: float, xp: Any = np) -> Any:
    """Return what each value adds to the lower mean, to first order.

    It is u = q - max(q - v, 0) / share, where q is the quantile at the share.
    The weighted mean of u is the lower mean, and the error of that mean is the
    error of the lower mean: Rockafellar and Uryasev, Journal of Risk 2 (2000).
    Arguments are as for `quantile`; the result is `[..., n]`.
    """
    limit = quantile(values, weights, share, xp)[..., None]
    return limit - xp.maximum(limit - values, 0.0) / share


def lower_mean_error(
    values: Any, weights: Any, share: float, effective_lists: Any, xp: Any = np
) -> Any:
    """Return the standard error of the lower mean; NaN below two lists.

    It is √(var(u) / (n - 1)) for u of `linearised` and n effective lists.
    """
    terms = linearised(values, weights, share, xp)
    total = xp.sum(weights, axis=-1)
    total = xp.where(total == 0, 1.0, total)
    mean = xp.sum(weights * terms, axis=-1) / total
    squares = weights * (terms - mean[..., None]) ** 2
    variance = xp.sum(squares, axis=-1) / total
    enough = effective_lists > 1
    freedom = xp.where(enough, effective_lists - 1.0, 1.0)
    error = xp.sqrt(variance / freedom)
    return xp.where(enough, error, float("nan"))


def rows_in_tail(effective_lists: float, share: float) -> int:
    """Return the number of lists on which a lower mean rests.

    It is at least 2, if there are as many lists.
    """
    return max(math.ceil(share * effective_lists), int(min(2, effective_lists)))


def quantile_interval(
    values: Any,
    weights: Any,
    level: float,
    effective_lists: float,
    confidence: float,
) -> tuple[float, float]:
    """Return the confidence interval of a quantile, by order statistics.

    The r-th lowest of n independent lists is below the quantile with the
    probability I_level(r, n - r + 1). The interval is from the highest r for
    which this is at least 1 - α / 2 to the lowest for which it is at most
    α / 2. An end is 0 or 1, the limits of all values, if there is no such list.

    Args:
        values: float64 `[n]`, as for `quantile`.
        weights: `[n]`.
        level: that of the quantile.
        effective_lists: the number of equally weighted independent lists with
            as much information; its fraction is dropped.
        confidence: the probability that the interval contains the quantile.

    David and Nagaraja, Order Statistics (2003), section 7.1; with weights,
    Woodruff, Journal of the American Statistical Association 47 (1952).
    """
    distributions.check_level("level", confidence)
    if math.isnan(effective_lists) or effective_lists < 1:
        return math.nan, math.nan
    lists = math.floor(effective_lists + 1e-3)
    outside = (1.0 - confidence) / 2.0
    # The numbers of ranks that are certainly below, and not certainly above.
    low = _ranks_below(lists, level, 1.0 - outside)
    high = _ranks_below(lists, level, outside, strict=True) + 1

    def at(rank: int) -> float:
        return float(quantile(values, weights, (rank - 0.5) / lists))

    return at(low) if low > 0 else 0.0, at(high) if high <= lists else 1.0


def _ranks_below(
    lists: int, level: float, probability: float, strict: bool = False
) -> int:
    """Return how many ranks have at least this probability to be below."""
    least, most = 0, lists
    while least < most:
        rank = (least + most + 1) // 2
        found = distributions.incomplete_beta(level, rank, lists - rank + 1)
        if found > probability or (found == probability and not strict):
            least = rank
        else:
            most = rank - 1
    return least


# A sum is kept as two floats of four bytes. A state of 64 KiB has this many.
_NUMBERS = 64 * 1024 // 8

# What is kept besides the bins: of the lists with their own weight, their
# number and the sum of squared weights; of the others, their number and the sum
# of their values; and the number of independent rows.
_SCALARS = 5

BINS = (_NUMBERS - _SCALARS) // 2


@dataclasses.dataclass(frozen=True)
class Distribution:
    """The values of lists in bins, sorted, and how many lists there are.

    Attributes:
        values: `[..., bins]`, the mean values; 0 in an empty bin.
        weights: `[..., bins]`.
        lists: `[...]`, the number of valid lists.
        effective_lists: `[...]`, (Σ w)² / Σ w², and at most the number of rows.
        rows: `[...]`, the number of independent rows with a valid list.
    """

    values: Any
    weights: Any
    lists: Any
    effective_lists: Any
    rows: Any

    @classmethod
    def of_sums(cls, sums: Any, xp: Any = np) -> Distribution:
        """Return the distribution for sums `[..., 8191]` of a `Binned`.

        The lists without a weight of their own have the mean weight of the
        others and, since they have the value of `empty`, their mean value.
        """
        weights, totals = sums[..., :BINS], sums[..., BINS : 2 * BINS]
        own, squares, other, other_value, rows = (
            sums[..., 2 * BINS + i] for i in range(_SCALARS)
        )

        def divided(x: Any, y: Any) -> Any:
            return x / xp.where(y == 0, 1.0, y)

        own_weight = xp.sum(weights, axis=-1)
        mean = xp.where(own > 0, divided(own_weight, own), 1.0)
        # Rounding may move a mean of ones to the bin below 1, or beyond.
        place = xp.floor(divided(other_value, other) * BINS * (1 + 1e-6))
        place = xp.minimum(place, BINS - 1.0)[..., None]
        bins = xp.arange(BINS, dtype=place.dtype)
        here = xp.where(bins == place, mean[..., None], 0.0)
        weights = weights + here * other[..., None]
        totals = totals + here * other_value[..., None]
        weight, squares = own_weight + mean * other, squares + mean**2 * other
        kish = divided(weight**2, squares)
        return cls(
            divided(totals, weights),
            weights,
            own + other,
            xp.minimum(kish, rows),
            rows,
        )


@dataclasses.dataclass(frozen=True)
class Binned:
    """The weights and values of lists in bins of [0, 1], 64 KiB of sums.

    Subclasses add the `result`. Values out of range by rounding are in the
    first or the last bin.
    """

    shape = (2 * BINS + _SCALARS,)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 8191]`.

        They are NaN for a metric if the value of a valid list is.
        """
        dtype, metrics = x.values.dtype, x.values.shape[0]
        lost = ops.any(x.counts & ops.isnan(x.values), axis=-1)
        own = x.counts & x.has_own_weight
        other = ops.cast(x.counts & ~x.has_own_weight, dtype)
        weights = ops.where(own, x.weights, 0)
        values = ops.where(x.counts & ~ops.isnan(x.values), x.values, 0)
        values = ops.clip(values, 0.0, 1.0)
        place = ops.cast(ops.floor(values * BINS), "int32")
        place = ops.minimum(place, BINS - 1)
        first = ops.expand_dims(ops.arange(metrics, dtype="int32") * BINS, -1)
        pairs = ops.stack([weights, weights * values], axis=-1)
        binned = ops.segment_sum(
            ops.reshape(pairs, (-1, 2)),
            ops.reshape(place + first, (-1,)),
            num_segments=metrics * BINS,
        )
        binned = ops.reshape(binned, (metrics, BINS, 2))
        rows = ops.cast(x.counts, dtype)
        if x.rows is not None:
            rows = ops.max(ops.reshape(rows, (metrics, *x.rows)), axis=-1)
        scalars = [
            ops.cast(own, dtype),
            weights * weights,
            other,
            other * values,
            rows,
        ]
        sums = ops.concatenate(
            [
                binned[..., 0],
                binned[..., 1],
                ops.stack([ops.sum(each, axis=-1) for each in scalars], -1),
            ],
            axis=-1,
        )
        return ops.where(ops.expand_dims(lost, -1), float("nan"), sums)


@dataclasses.dataclass(frozen=True)
class BinnedQuantiles(Binned):
    """The quantiles of the values of lists.

    Attributes:
        levels: the levels of the quantiles.
    """

    levels: tuple[float, ...]

    def result(self, sums: Tensor) -> Tensor:
        """Return the quantiles, `[..., levels]`; 0 without lists."""
        found = Distribution.of_sums(sums, ops)
        pair = found.values, found.weights
        return ops.stack([quantile(*pair, p, ops) for p in self.levels], -1)


@dataclasses.dataclass(frozen=True)
class BinnedLowerMean(Binned):
    """The mean of the lowest values of lists.

    Attributes:
        share: the share of the total weight that they have.
    """

    share: float

    def result(self, sums: Tensor) -> Tensor:
        """Return the lower means, `[...]`; 0 without lists."""
        found = Distribution.of_sums(sums, ops)
        return lower_mean(found.values, found.weights, self.share, ops)

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the lower means, `[...]`."""
        found = Distribution.of_sums(sums, ops)
        return lower_mean_error(
            found.values,
            found.weights,
            self.share,
            found.effective_lists,
            ops,
        )
