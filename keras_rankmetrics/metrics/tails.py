"""Metrics of the worst users: quantiles, and the mean of the lowest values.

Values are in [0, 1]. The weights and the weighted values are added up in bins,
and a statistic takes all lists of a bin at their mean value. A quantile is then
off by less than the width of a bin, and the lower mean by far less. In a table
of systems, both are computed from the values of the lists themselves.

The functions above the aggregates read sorted values with their weights: bins,
or single lists.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList
from keras_rankmetrics.engine.aggregates.distributions import (
    beta_quantile,
    check_level,
    incomplete_beta,
    two_sided_p,
)
from keras_rankmetrics.engine.aggregates.mean import over
from keras_rankmetrics.engine.aggregates.paired import (
    Findings,
    Statistic,
    means,
    untested,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.metrics.multi_value import (
    MultiValueMetric,
    OneValueMetric,
)
from keras_rankmetrics.types import Tensor

__all__ = ["LowerMean", "Quantiles"]


@register
class Quantiles(MultiValueMetric):
    """Quantiles of a metric over lists, such as the worst tenth of the users.

    The quantile at a level p is the smallest value v for which at least the
    share p of the lists, by weight, have a value of at most v. Results are
    named after the metric and the percentage: `"ndcg@10/p10"`,
    `"ndcg@10/p50"`. They are 0 without lists, and NaN if a value is.

    The state adds up the lists in 4,093 bins of [0, 1], 64 KiB. A quantile is
    the mean of its bin, so it is off by less than 1/4,093, and exact where all
    values of the bin are equal. If lower is better, low quantiles are those of
    the best lists.

    Args:
        metric: the metric, with values in [0, 1]. It is not updated itself.
        levels: the levels, each between 0 and 1.
        name: the prefix of the result names; by default the metric's name.

    Example:
        >>> from keras_rankmetrics import MeanReciprocalRank, Quantiles
        >>> quantiles = Quantiles(MeanReciprocalRank(), [0.1, 0.5])
        >>> labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
        >>> quantiles.update_state(labels, scores)
        >>> {name: float(value) for name, value in quantiles.result().items()}
        {'mrr/p10': 0.5, 'mrr/p50': 1.0}

    Hyndman and Fan, The American Statistician 50 (1996), definition 1.

    Stability: stable.
    """

    _parameters = ("levels",)
    _statistic_kind = "quantile"

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        levels: Sequence[float],
        name: str | None = None,
    ) -> None:
        _check_bounded(metric)
        self.levels: tuple[float, ...] = _checked_levels(levels)
        super().__init__(
            metric, metric.definition, BinnedQuantiles(self.levels), name
        )

    @property
    def signature(self) -> str:
        """The signature of the metric, with the levels."""
        levels = ",".join(map(str, self.levels))
        return f"{super().signature}|quantiles:{levels}"

    @property
    def results(self) -> list[str]:
        """The names of the quantiles."""
        return list(self._statistics())

    def _statistics(self) -> dict[str, float]:
        """Return the level of each quantile, by its name."""
        return {f"{self.name}/p{_percent(p)}": p for p in self.levels}

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return the confidence interval of each quantile, by name.

        The ends are values of lists, found by their rank. For independent lists
        of equal weight, each interval contains the quantile of the population
        with at least the given probability. With weights or dependent lists,
        the effective number of lists takes the place of their number.

        Args:
            level: the probability, between 0 and 1.
        """
        found = Distribution.of_sums(self._sums_on_host())
        lists = float(found.effective_lists)
        pair = found.values, found.weights
        return {
            name: quantile_interval(*pair, each, lists, level)
            for name, each in self._statistics().items()
        }

    def table(self, level: float = 0.95) -> str:
        """Return the quantiles as a table, with confidence intervals."""
        intervals = self.intervals(level)
        rows = [
            (name, f"{float(value):.4f}", "[{:.4f}, {:.4f}]".format(*interval))
            for (name, value), interval in zip(
                self.result().items(), intervals.values(), strict=True
            )
        ]
        return as_table(("", "value", f"{_percent(level)}%"), rows)


@register
class LowerMean(OneValueMetric):
    """The mean of the lowest values of a metric: how the worst users fare.

    It is the mean over the share of the lists, by weight, with the lowest
    values; a list that the share cuts counts in part. It is also known as the
    conditional value at risk. The result is named after the metric and the
    percentage, `"ndcg@10/lowest10"`. It is 0 without lists, and NaN if a value
    is.

    The state adds up the lists in 4,093 bins of [0, 1], 64 KiB. Only a bin that
    the share cuts is taken at its mean. If lower is better, the lowest values
    are the best ones.

    Args:
        metric: the metric, with values in [0, 1]. It is not updated itself.
        share: the share of the lists, between 0 and 1.
        name: the name; by default that of the metric and `/lowest10`.

    Example:
        >>> from keras_rankmetrics import LowerMean, MeanReciprocalRank
        >>> lowest = LowerMean(MeanReciprocalRank(), share=0.5)
        >>> labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
        >>> lowest.update_state(labels, scores)
        >>> lowest.name, round(float(lowest.result()), 4)
        ('mrr/lowest50', 0.6667)

    Rockafellar and Uryasev, Journal of Risk 2 (2000).

    Stability: stable.
    """

    _parameters = ("share",)
    _statistic_kind = "lower mean"

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        share: float = 0.1,
        name: str | None = None,
    ) -> None:
        _check_bounded(metric)
        check_level("share", share, example=0.1)
        self.share: float = float(share)
        name = name or f"{metric.name}/lowest{_percent(self.share)}"
        super().__init__(
            metric, metric.definition, BinnedLowerMean(self.share), name
        )

    @property
    def signature(self) -> str:
        """The signature of the metric, with the share."""
        return f"{super().signature}|lowest:{self.share}"

    def _statistics(self) -> dict[str, float]:
        """Return the share, by the name of the metric."""
        return {self.name: self.share}

    def estimate(self) -> Estimate:
        """Return the result with its standard error.

        `rows` is the number of independent lists in the tail, on which the
        interval rests: one degree of freedom less than these.
        """
        found = Distribution.of_sums(self._sums_on_host())
        sample = found.values, found.weights, self.share
        lists, effective = float(found.lists), float(found.effective_lists)
        lost = math.isnan(lists)
        return LowerMeanEstimate(
            value=float(lower_mean(*sample)),
            standard_error=float(lower_mean_error(*sample, effective)),
            lists=0 if lost else round(lists),
            effective_lists=effective,
            rows=0 if lost else rows_in_tail(effective, self.share),
            bounded=True,
            sample=sample,
        )

    def standard_error(self) -> float:
        """Return the standard error of the result; NaN below two lists.

        For n lists with values v and the quantile q at the share it is

            √(var(u) / (n - 1)),   u = q - max(q - v, 0) / share
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the lower mean.

        It is that of a mean, for the number of lists in the tail. It also
        contains the lower means of the shares in which the tail of the
        population may be in the sample, since their values may differ much: if
        a tenth of all lists has the value 0, a sample may have fewer. With 20
        lists in the tail, a 95% interval holds in at least 91% of simulated
        samples. With fewer, the lists that it needs may be missing.

        Args:
            level: the probability that it contains that of the population.
        """
        return self.estimate().interval(level)


def _percent(share: float) -> str:
    return f"{100 * share:.10g}"


def _checked_levels(levels: Any) -> tuple[float, ...]:
    found = list(levels) if isinstance(levels, list | tuple) else []
    are_levels = all(
        isinstance(x, int | float | np.number) and 0.0 < x < 1.0 for x in found
    )
    if not found or not are_levels or len(set(found)) < len(found):
        raise ValueError(
            "`levels` should be a list of different numbers between 0 and 1, "
            f"such as [0.1, 0.5]. Received: {levels!r}."
        )
    return tuple(map(float, found))


def _check_bounded(metric: Any) -> None:
    check_mean(metric)
    if not metric.aggregate.bounded or metric.definition.adjusted is not None:
        raise ValueError(
            "`metric` should have values in [0, 1], as NDCG has. Received: "
            f"{metric!r}. Use a metric that divides by the best value, without "
            "`adjusted`; of your own, one without `has_upper_bound = False`."
        )


# Statistics of sorted values.

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
    return over(xp.sum(taken * values, axis=-1), room, xp)


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
    mean = over(xp.sum(weights * terms, axis=-1), total, xp)
    squares = weights * (terms - mean[..., None]) ** 2
    variance = over(xp.sum(squares, axis=-1), total, xp)
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
    check_level("level", confidence)
    if math.isnan(effective_lists) or effective_lists < 1:
        return math.nan, math.nan
    lists = math.floor(effective_lists + 1e-3)
    outside = (1.0 - confidence) / 2.0

    def not_below(rank: int) -> float:
        """Return minus the probability of a rank, which rises with it."""
        return -incomplete_beta(level, rank, lists - rank + 1)

    def at(rank: int) -> float:
        return float(quantile(values, weights, (rank - 0.5) / lists))

    ranks = range(1, lists + 1)
    low = bisect.bisect_right(ranks, outside - 1.0, key=not_below)
    high = bisect.bisect_left(ranks, -outside, key=not_below) + 1
    return at(low) if low > 0 else 0.0, at(high) if high <= lists else 1.0


# The sums.

# A sum is kept as two floats of four bytes. A state of 64 KiB has this many.
_NUMBERS = 64 * 1024 // 8

# What is kept besides the bins: of the lists with their own weight, their
# number and the sum of squared weights; of the others, their number and the sum
# of their values; and the number of independent rows.
_SCALARS = 5

BINS = (_NUMBERS - _SCALARS) // 2


class Distribution(NamedTuple):
    """The values of lists in bins, sorted, and how many lists there are.

    Attributes:
        values: `[..., bins]`, the mean values; 0 in an empty bin.
        weights: `[..., bins]`.
        lists: `[...]`, the number of valid lists.
        effective_lists: `[...]`, (Σ w)² / Σ w², and at most the number of rows.
    """

    values: Any
    weights: Any
    lists: Any
    effective_lists: Any

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

        own_weight = xp.sum(weights, axis=-1)
        mean = xp.where(own > 0, over(own_weight, own, xp), 1.0)
        # Rounding may move a mean of ones to the bin below 1, or beyond.
        place = xp.floor(over(other_value, other, xp) * BINS * (1 + 1e-6))
        place = xp.minimum(place, BINS - 1.0)[..., None]
        bins = xp.arange(BINS, dtype=place.dtype)
        here = xp.where(bins == place, mean[..., None], 0.0)
        weights = weights + here * other[..., None]
        totals = totals + here * other_value[..., None]
        weight, squares = own_weight + mean * other, squares + mean**2 * other
        kish = over(weight**2, squares, xp)
        lists, effective = own + other, xp.minimum(kish, rows)
        return cls(over(totals, weights, xp), weights, lists, effective)


@dataclasses.dataclass(frozen=True)
class Binned:
    """The weights and values of lists in bins of [0, 1], 64 KiB of sums.

    Subclasses add the `result`. Values out of range by rounding are in the
    first or the last bin.
    """

    shape: ClassVar[tuple[int, ...]] = (2 * BINS + _SCALARS,)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 8191]`.

        They are NaN for a metric if the value of a valid list is.
        """
        dtype, metrics = x.values.dtype, x.values.shape[0]
        lost = ops.any(x.valid & ops.isnan(x.values), axis=-1)
        own = x.valid & x.has_own_weight
        other = ops.cast(x.valid & ~x.has_own_weight, dtype)
        weights = ops.where(own, x.weights, 0)
        values = ops.where(x.valid & ~ops.isnan(x.values), x.values, 0)
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
        rows = ops.cast(x.valid, dtype)
        if x.rows is not None:
            rows = ops.max(ops.reshape(rows, (metrics, *x.rows)), axis=-1)
        own = ops.cast(own, dtype)
        scalars = [own, weights * weights, other, other * values, rows]
        totals = ops.stack([ops.sum(each, axis=-1) for each in scalars], -1)
        sums = ops.concatenate([binned[..., 0], binned[..., 1], totals], -1)
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
        values, weights, _, lists = Distribution.of_sums(sums, ops)
        return lower_mean_error(values, weights, self.share, lists, ops)


# The statistics of tables.


def lower_means(
    statistic: Statistic, names: Sequence[str], x: PerList
) -> Findings:
    """Return the lower means: the means of linearised values.

    Their t tests are paired, like those of the values themselves.

    Args:
        statistic: the statistic.
        names: the names of the systems.
        x: the values of the systems, in numpy.
    """
    share, linear = statistic.option, np.full(x.values.shape, np.nan)
    for place in range(len(names)):
        values, weights = sample_of(x, place)
        if len(values):
            cut = quantile(values, weights, share)
            # The same as `linearised`, in the order of the lists.
            linear[place] = cut - np.maximum(cut - x.values[place], 0.0) / share
    # Linearised values may be below 0.
    by_t = statistic._replace(bounded=False)
    _, differences, notes = means(statistic, names, x)
    in_tail = x._replace(values=linear)
    estimates, of_tails, _ = means(by_t, names, in_tail)
    for i, (own, d) in enumerate(zip(differences, of_tails, strict=True)):
        estimate = _in_tail(d.estimate, share)
        p = math.nan if math.isnan(d.p) else two_sided_p(d.t, estimate.rows - 1)
        test = d.t, p, d.effect_size
        if not estimate.standard_error and own.estimate.standard_error:
            estimate = dataclasses.replace(estimate, standard_error=math.nan)
            test = math.nan, math.nan, math.nan
            notes.append(
                f"{d.system}: the values that {statistic.name} is the mean of "
                "do not vary, so that its difference from that of "
                f"{d.baseline} has no test, and no mark. Use a larger share, "
                "or more lists if these are few."
            )
        differences[i] = own.with_test(estimate, *test)
    found: list[Estimate] = []
    for place, each in enumerate(estimates):
        known = {**vars(_in_tail(each, share)), "bounded": statistic.bounded}
        sample = *sample_of(x, place), share
        found.append(LowerMeanEstimate(**known, sample=sample))
    return found, differences, notes


def sample_of(x: PerList, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the valid values of a system, ascending, and their weights."""
    valid = x.valid[place]
    values, weights = x.values[place][valid], x.weights[place][valid]
    own = weights[~np.isnan(weights)]
    mean = own.mean() if own.size else 1.0
    order = np.argsort(values, kind="stable")
    return values[order], np.nan_to_num(weights, nan=mean)[order]


def _in_tail(estimate: Estimate, share: float) -> Estimate:
    """Return the estimate with the number of lists in the tail as its rows."""
    if math.isnan(estimate.effective_lists):
        return estimate
    rows = rows_in_tail(estimate.independent, share)
    of_tail = {"rows": rows, "effective_rows": rows, "deviation": 0.0}
    return EstimateInTail(**{**vars(estimate), **of_tail, "skewness": math.nan})


class EstimateInTail(Estimate):
    """An estimate from the lists of the tail, its rows."""

    @property
    def over(self) -> str:
        """The number of lists, and of those in the tail, in words."""
        if not self.rows:
            return f"{self.lists:,} lists"
        return f"{self.lists:,} lists, {self.rows:,} of them in the tail"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TailEstimate(Estimate):
    """An estimate that is no plain mean of the values of lists.

    Attributes:
        sample: the values of the lists, ascending, their weights, and the level
            of the quantile or the share of the lower mean.
    """

    sample: tuple[np.ndarray, np.ndarray, float] = dataclasses.field(
        repr=False, compare=False
    )

    @property
    def limits(self) -> None:
        """None: there is a confidence sequence for plain means alone."""


class LowerMeanEstimate(EstimateInTail, TailEstimate):
    """A mean of the lowest values of lists."""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval, see `LowerMean.confidence_interval`."""
        low, high = super().interval(level)
        if math.isnan(low):
            return low, high
        values, weights, share = self.sample
        tail = share * self.effective_lists
        rest, outside = self.effective_lists - tail, (1.0 - level) / 2.0
        shares = (
            beta_quantile(outside, tail, rest + 1.0),
            beta_quantile(1.0 - outside, tail + 1.0, rest),
        )
        others = [float(lower_mean(values, weights, x)) for x in shares]
        return min(low, others[0]), max(high, others[1])


class QuantileEstimate(TailEstimate):
    """A quantile of the values of lists. It has no standard error."""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval between two order statistics."""
        if not self.rows or math.isnan(self.value):
            return math.nan, math.nan
        return quantile_interval(*self.sample, self.independent, level)


def quantiles(
    statistic: Statistic, names: Sequence[str], x: PerList
) -> Findings:
    """Return the quantiles, whose differences have no test.

    Arguments are as for `lower_means`.
    """
    of_systems, differences, _ = means(statistic, names, x)
    estimates: list[Estimate] = []
    for place, mean in enumerate(of_systems):
        values, weights = sample_of(x, place)
        found = (
            quantile(values, weights, statistic.option) if len(values) else 0.0
        )
        # A value that is NaN has no place among the others.
        found = float(found) + 0.0 * mean.value
        of_mean = {**vars(mean), "value": found, "standard_error": math.nan}
        sample = values, weights, statistic.option
        estimates.append(QuantileEstimate(**of_mean, sample=sample))
    return untested(statistic, estimates, differences, "quantiles")
