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

from keras_rankmetrics.engine.aggregates import student_t
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


def quantile_interval(
    values: Any,
    weights: Any,
    level: float,
    effective_lists: float,
    confidence: float,
) -> tuple[float, float]:
    """Return the confidence interval of a quantile, by order statistics.

    Of n independent lists, the r-th lowest is below the quantile with the
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
        found = student_t._incomplete_beta(level, rank, lists - rank + 1)
        if found > probability or (found == probability and not strict):
            least = rank
        else:
            most = rank - 1
    return least
