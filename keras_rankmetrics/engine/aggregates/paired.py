"""Paired differences of systems on the same lists: sums, tests, and statistics.

A column of a table is a statistic of the values of lists. `means` is the usual
one; others are next to the metrics that they belong to.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.aggregates.distributions import (
    check_level,
    is_number,
    root,
    t_quantile,
    two_sided_p,
)
from keras_rankmetrics.engine.aggregates.estimate import Combined, Estimate
from keras_rankmetrics.engine.aggregates.mean import (
    SINGLE,
    Moments,
    WeightedMean,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# A smaller difference between two values is rounding.
ROUNDING = 1e-6
# The same for their variance, in sums of double precision.
_OF_VARIANCE = ROUNDING**2
# Fewer lists, or fewer that differ, do not say what they detect.
LEAST_LISTS, _LEAST_DIFFERENT = 50, 5
# With fewer lists of equal value, an interval without limits is too short.
LEAST_CARRIERS = 50
_MANY = 1e15
# Intervals of higher levels are lost in rounding; those of lower ones are never
# read.
_LEAST_ALPHA, _MOST_ALPHA = 1e-12, 0.99
(_MEAN,) = WeightedMean().shape
_LISTS_OF_PART = 2**14  # bounds the memory of the moments of lists


@dataclasses.dataclass(frozen=True)
class Paired:
    """The means of systems and of differences, with wins, losses and ties.

    A system or a difference has the sums of its mean, then Σ w d² over the
    lists with their own weight w, Σ d² over the others, and how many d are
    above 0, below 0, and 0.

    Attributes:
        rows: the number of systems and differences.
        mean: the aggregate of the values.
        names: the names of the sums in a row.
    """

    rows: int
    mean: WeightedMean = dataclasses.field(default_factory=WeightedMean)
    names: ClassVar[tuple[str, ...]] = (
        *WeightedMean.names,
        *("own_squared_values", "other_squared_values"),
        *("above", "below", "equal"),
    )

    @classmethod
    def of(cls, systems: int, mean: WeightedMean) -> Paired:
        """Return the sums of systems and of all others against the first.

        Differences of values in [0, 1] have gains and losses, too.
        """
        return cls(systems + (systems - 1) * (3 if mean.bounded else 1), mean)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums."""
        return (self.rows, len(self.names))

    def of_batch(self, x: PerList, xp: Any = ops) -> Tensor:
        """Return the sums of a batch, `[1, rows, 35]`.

        Args:
            x: the lists, with systems and differences in place of metrics.
            xp: the namespace of the arrays, `keras.ops` or `numpy`.
        """
        values, one = xp.where(x.valid, x.values, 0), xp.ones_like(x.values)
        own, squares = x.valid & x.has_own_weight, values * values
        equal = x.valid & (xp.abs(values) <= ROUNDING)
        further = [
            xp.where(own, x.weights, 0) * squares,
            xp.where(own, 0, squares),
            xp.where(values > ROUNDING, one, 0),
            xp.where(values < -ROUNDING, one, 0),
            xp.where(equal, one, 0),
        ]
        sums = xp.sum(xp.stack(further, axis=1), axis=-1)
        mean = self.mean.of_batch(x, xp)
        return xp.concatenate([mean, sums], axis=-1)[None]

    def result(self, sums: Tensor) -> Tensor:
        """Return the means; 0 without lists."""
        return self.mean.result(sums)


@dataclasses.dataclass(frozen=True)
class Difference:
    """The comparison of a system with the baseline, on the same lists.

    Attributes:
        system: the name of the system.
        baseline: the name of the baseline.
        estimate: the mean of value(system) - value(baseline), with its standard
            error and confidence interval. For values in [0, 1] it is that of
            gains minus losses, see `Combined`.
        t: the mean divided by its standard error.
        p: the two-sided p value of t, by Student's t with one degree of freedom
            less than there are rows.
        p_holm: p, corrected for the number of systems by Holm's method.
        alpha_holm: `alpha`, corrected in the same way: marks in tables are
            based on it.
        effect_size: the mean divided by the standard deviation of the
            differences, Cohen's d for pairs.
        wins: the number of lists on which the system is better.
        ties: the number of lists on which both are equal, up to rounding.
        losses: the number of lists on which the system is worse.
        bounded: True if the values of the systems are in [0, 1].

    >>> import keras_rankmetrics as krm
    >>> comparison = krm.Comparison(krm.NDCG(), ["old", "new"])
    >>> labels, old, new = [[1, 0], [0, 1]], [[2, 1], [2, 1]], [[2, 1], [1, 2]]
    >>> comparison.update_state(labels, {"old": old, "new": new})
    >>> [difference] = comparison.differences()
    >>> difference.system, difference.wins, difference.ties, difference.losses
    ('new', 1, 1, 0)

    Stability: stable.
    """

    system: str
    baseline: str
    estimate: Estimate
    t: float
    p: float
    p_holm: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    bounded: bool = False
    alpha_holm: float = math.nan

    @property
    def alpha(self) -> float:
        """The smallest 1 - level at which the interval excludes 0.

        It is the p value of the test that the interval stands for. Unlike p, it
        holds for rare differences and weights. 0 below 1e-12, and 1 above 0.99;
        NaN if there is no test. It is p if there is no interval: geometric
        means have a test of their logarithms.
        """
        has_interval = not math.isnan(self.interval()[0])
        is_tested = has_interval and not math.isnan(self.p)
        return _alpha(self.estimate) if is_tested else self.p

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the mean difference.

        Args:
            level: the probability, between 0 and 1.
        """
        return self.estimate.interval(level)

    def anytime_interval(
        self, level: float = 0.95, planned: int = 500
    ) -> tuple[float, float]:
        """Return an interval of the mean that may be read after every list.

        It is `estimate.anytime_interval`. Stop as soon as it excludes 0, from
        about 30 lists on.

        Args:
            level: the probability that all these intervals are right.
            planned: the number of lists at which the interval is narrowest
                compared to others.

        Raises:
            ValueError: if values have no known limits, as those of DCG.

        Stability: provisional.
        """
        return self.estimate.anytime_interval(level, planned)

    def with_test(
        self, estimate: Estimate, t: float, p: float, effect_size: float
    ) -> Difference:
        """Return the same outcomes of lists with another estimate and test."""
        return dataclasses.replace(
            self, estimate=estimate, t=t, p=p, p_holm=p, effect_size=effect_size
        )

    def with_value(self, value: float) -> Difference:
        """Return the same test for a value that has no standard error."""
        counts = self.estimate.lists, self.estimate.effective_lists
        estimate = Estimate(value, math.nan, *counts, self.estimate.rows)
        return dataclasses.replace(self, estimate=estimate)

    def detectable(self, level: float = 0.95, power: float = 0.8) -> float:
        """Return the smallest true difference that so many lists detect.

            (t_{(1 + level) / 2} + t_{power}) · error

        where the error is the distance of the farther end of the interval,
        divided by its t: the standard error, or somewhat more with few lists. A
        difference is detected if its interval excludes 0.

        Args:
            level: the level of the interval.
            power: the probability to detect the difference. Below 0.5, it
                counts as 0.5.

        Returns:
            The size of the difference. NaN for fewer than 50 lists, or if fewer
            than 5 differ, which do not say; and if it is more than values in
            [0, 1] can differ by.
        """
        rows, error = self.estimate.independent, self._error(level)
        few = self.wins + self.losses < _LEAST_DIFFERENT
        if rows < LEAST_LISTS or few or not error > 0.0:
            return math.nan
        found = _quantiles(rows, level, power) * error
        return math.nan if self.bounded and found > 1.0 else found

    def _error(self, level: float) -> float:
        """Return the standard error for which a t interval is as long."""
        estimate = self.estimate
        if not estimate.standard_error > 0.0:
            return 0.0
        ends = estimate.interval(level)
        distance = max(abs(end - estimate.value) for end in ends)
        freedom = max(estimate.independent - 1.0, 1.0)
        return distance / t_quantile(0.5 + level / 2.0, freedom)

    def lists_needed(
        self, difference: float, level: float = 0.95, power: float = 0.8
    ) -> int:
        """Return the number of lists that detect a true difference.

        It is the smallest number of independent lists like these of which
        `detectable` is at most the difference: half the difference needs about
        four times as many lists. From fewer than 50 lists, it is rough: read
        "at least" so many.

        Args:
            difference: the size of the true difference, above 0.
            level: the level of the interval.
            power: the probability to detect the difference. Below 0.5, it
                counts as 0.5.

        Raises:
            ValueError: if the difference is not a positive number, or the lists
                do not differ among themselves.

        Example:
            >>> import keras_rankmetrics as krm
            >>> from keras_rankmetrics import Estimate
            >>> estimate = Estimate(0.01, 0.01, 100, 100.0, 100)
            >>> found = krm.Difference("new", "old", estimate, *[0.0] * 7)
            >>> found.lists_needed(0.02), found.lists_needed(0.01)
            (199, 787)
        """
        check_level("level", level, lowest=0.5)
        independent = self.estimate.independent
        deviation = self._error(level) * math.sqrt(independent)
        is_valid = is_number(difference) and 0.0 < difference < math.inf
        if not is_valid or not deviation > 0.0:
            raise ValueError(
                "`difference` should be a positive number, such as 0.01, and "
                "the lists should have different differences. Received: "
                f"{difference!r}, with the estimate {self.estimate}."
            )
        # A number from `detectable` is to give the same number of lists.
        ratio = difference / deviation * (1.0 + 1e-12)
        # With many degrees of freedom, t is smallest: at least so many lists.
        least = _quantiles(_MANY, level, power) / ratio
        rows = max(2, math.ceil(least**2))
        while _quantiles(rows, level, power) > ratio * math.sqrt(rows):
            rows += 1
        # Rows may be sessions, lists of a tail, or those with human labels.
        return math.ceil(rows * self.estimate.lists / independent)


@functools.lru_cache(maxsize=2**12)  # a table reads it several times
def _alpha(estimate: Estimate) -> float:
    """Return the smallest 1 - level at which the interval excludes 0."""
    if not estimate.value:
        return 1.0
    is_gain = estimate.value > 0.0

    def distance(log: float) -> float:
        """Return how far the interval at a level is beyond 0."""
        low, high = estimate.interval(1.0 - math.exp(log))
        return low if is_gain else -high

    least, most = math.log(_LEAST_ALPHA), math.log(_MOST_ALPHA)
    if not distance(most) > 0.0:
        return 1.0
    if distance(least) > 0.0:
        return 0.0
    return math.exp(root(distance, least, most))


def _quantiles(rows: float, level: float, power: float) -> float:
    """Return the detectable difference in units of the standard error."""
    check_level("level", level, lowest=0.5)
    check_level("power", power)
    freedom = rows - 1
    return t_quantile(0.5 + level / 2.0, freedom) + t_quantile(power, freedom)


def differences(
    sums: np.ndarray,
    systems: Sequence[str],
    baseline: str,
    *,
    bounded: bool = True,
    more_is_better: bool = True,
    rounding: float = SINGLE,
) -> list[Difference]:
    """Return a `Difference` for each system, from the sums of `Paired`.

    They are not corrected for their number.

    Args:
        sums: `[systems, sums]`, in float64; if bounded, `[3 · systems, sums]`
            of `with_parts`.
        systems: the names of the systems, without the baseline.
        baseline: the name of the baseline.
        bounded: True if values are in [0, 1].
        more_is_better: True if higher values are better.
        rounding: the relative error of the sums.
    """
    found, number = [], len(systems)
    made = [Estimate.of_sums(each, bounded, rounding) for each in sums]
    for place, system in enumerate(systems):
        estimate, each = made[place], sums[place]
        square, lists = _mean_square(each), estimate.lists
        deviation = math.nan
        if lists > 1:
            variance = max(square - estimate.value**2, 0.0)
            deviation = math.sqrt(variance * lists / (lists - 1))
        effect = ratio(estimate.value, deviation)
        if bounded:
            both = made[place + number], made[place + 2 * number]
            estimate = _combined(estimate, *both, square)
        t = ratio(estimate.value, estimate.standard_error)
        p = two_sided_p(t, estimate.rows - 1)
        higher, lower, ties = (round(float(x)) for x in each[-3:])
        wins, losses = (higher, lower) if more_is_better else (lower, higher)
        numbers = t, p, p, effect, wins, ties, losses, bounded
        found.append(Difference(system, baseline, estimate, *numbers))
    return found


def with_parts(x: PerList, xp: Any = ops) -> PerList:
    """Return the differences, then their gains, then their losses.

    The gains are the differences above 0, and the losses minus those below. The
    lists of a row count as gains if their sum is above 0, so that the mean of a
    row is in [0, 1], and no row has both.

    Args:
        x: the differences.
        xp: the namespace of the arrays, `keras.ops` or `numpy`.
    """
    d, *others = x[:4]
    is_gain = d > 0 if x.rows is None else _is_of_gain(x, xp)
    signed = [d, xp.where(is_gain, d, 0), xp.where(is_gain, 0, -d)]
    weights, own, valid = (xp.concatenate([array] * 3) for array in others)
    return PerList(xp.concatenate(signed), weights, own, valid, x.rows)


def _is_of_gain(x: PerList, xp: Any) -> Tensor:
    """Return True for lists of rows whose weighted sum is above 0.

    The lists of a row with and without their own weight are apart.
    """
    kinds, weights = (x.has_own_weight, ~x.has_own_weight), (x.weights, 1)
    found, leading = [], x.values.shape[:-1]
    for kind, weight in zip(kinds, weights, strict=True):
        terms = xp.where(kind & x.valid, x.values * weight, 0)
        rows = xp.reshape(terms, (*leading, *(x.rows or ())))
        is_above = xp.sum(rows, axis=-1, keepdims=True) > 0
        of_lists = xp.broadcast_to(is_above, xp.shape(rows))
        found.append(xp.reshape(of_lists, xp.shape(x.values)))
    return xp.where(x.has_own_weight, *found)


def with_holm(found: Sequence[Difference]) -> list[Difference]:
    """Return the differences, corrected for their number by Holm's method."""
    ps, alphas = [x.p for x in found], [x.alpha for x in found]
    return [
        dataclasses.replace(each, p_holm=p, alpha_holm=alpha)
        for each, p, alpha in zip(found, holm(ps), holm(alphas), strict=True)
    ]


def holm(p: Sequence[float]) -> list[float]:
    """Return p values corrected for their number; NaN stays and is not counted.

    Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    corrected = [math.nan] * len(p)
    valid = [place for place, x in enumerate(p) if not math.isnan(x)]
    largest = 0.0
    for rank, place in enumerate(sorted(valid, key=lambda place: p[place])):
        largest = max(largest, min(1.0, (len(valid) - rank) * p[place]))
        corrected[place] = largest
    return corrected


def _combined(
    whole: Estimate, gains: Estimate, losses: Estimate, square: float
) -> Combined:
    """Return an estimate of differences as gains minus losses.

    They are at most twice the size of a common difference, or 1: the lists that
    the sample lacks are taken to differ by as much.

    Args:
        whole: the mean of the differences.
        gains: the mean of those above 0.
        losses: minus the mean of those below 0.
        square: the mean of their squares.
    """
    size = gains.value + losses.value
    most = float(min(2.0 * square / size, 1.0)) if size > 0.0 else 1.0
    gains, losses = (dataclasses.replace(x, most=most) for x in (gains, losses))
    one, other = gains.standard_error, losses.standard_error
    excess = whole.standard_error**2 - one**2 - other**2
    found = excess / (2.0 * one * other) if one * other > 0.0 else 0.0
    return Combined(
        **{**vars(whole), "bounded": False},
        plus=gains,
        minus=losses,
        correlation=max(0.0, min(found, 1.0)),
    )


def _mean_square(sums: np.ndarray) -> float:
    """Return the weighted mean of the squared differences."""
    moments = Moments(sums)
    own, other = sums[_MEAN : _MEAN + 2]
    total = own + moments.mean_weight * other
    return float(total / moments.weight) if moments.weight > 0 else math.nan


def ratio(x: float, y: float) -> float:
    """Return x / y; 0 / 0 is 0, since then no list differs."""
    if y == 0.0:
        return math.copysign(math.inf, x) if x else 0.0
    return x / y


def carriers_of(values: np.ndarray, weights: np.ndarray | float = 1.0) -> float:
    """Return how many lists of equal value would carry a sum: (Σ |x|)² / Σ x².

    Infinite if all are 0.

    Args:
        values: the values of lists.
        weights: their weights; NaN counts as 1.
    """
    parts = np.abs(values) * np.nan_to_num(weights, nan=1.0)
    squares = np.sum(parts**2)
    return float(parts.sum() ** 2 / squares) if squares > 0.0 else math.inf


def few_carry(carriers: float, lists: float) -> bool:
    """Return True if a sum over so many lists has too few carriers."""
    return carriers < min(LEAST_CARRIERS, lists / 3.0)


# Statistics of tables: numpy arrays in float64 in place of tensors.


class Statistic(NamedTuple):
    """A statistic of the values of a metric, by default their mean.

    It is a column of a table of results.

    Attributes:
        name: the name of the metric.
        signature: the signature of the metric.
        more_is_better: True if higher values are better.
        bounded: True if values are in [0, 1].
        kind: `"mean"`, `"quantile"`, `"lower mean"`, `"judge-corrected mean"`,
            `"total"` or `"geometric mean"`.
        metrics: the positions of the metrics that it is computed from.
        option: the level of a quantile, the share of a lower mean, or the least
            value of a geometric mean.
    """

    name: str
    signature: str
    more_is_better: bool
    bounded: bool
    kind: str = "mean"
    metrics: tuple[int, ...] = (0,)
    option: float = 0.5


# The estimate of each system, the difference of each other system from the
# first, and sentences about differences without a test.
Findings = tuple[list[Estimate], list[Difference], list[str]]


def means(statistic: Statistic, names: Sequence[str], x: PerList) -> Findings:
    """Return the means of systems, with paired t tests against the first.

    Args:
        statistic: the statistic.
        names: the names of the systems.
        x: the values of the systems in place of those of metrics.
    """
    bounded, notes = statistic.bounded, []
    others = against_first(x)
    others = with_parts(others, np) if bounded else others
    of_systems, of_others = (_sums(y, bounded) for y in (x, others))
    found = differences(
        of_others,
        names[1:],
        names[0],
        bounded=bounded,
        more_is_better=statistic.more_is_better,
        rounding=_OF_VARIANCE,
    )
    for i, d in enumerate(found):
        valid = x.valid[0] & x.valid[i + 1]
        if _differ_by_constant(x.values[i + 1][valid], x.values[0][valid]):
            error = 0.0 if d.estimate.rows > 1 else math.nan
            same = dataclasses.replace(d.estimate, standard_error=error)
            found[i] = d.with_test(same, d.t, math.nan, ratio(same.value, 0.0))
            notes.append(
                f"{d.system}: {statistic.name} differs from that of "
                f"{d.baseline} by {d.estimate.value:.4g} on each of "
                f"{d.estimate.lists:,} lists. A t test needs differences that "
                "vary, so there is no test, and no mark."
            )
    estimates = [
        Estimate.of_sums(each, bounded, _OF_VARIANCE) for each in of_systems
    ]
    return estimates, found, notes


def untested(
    statistic: Statistic,
    estimates: list[Estimate],
    differences: Sequence[Difference],
    plural: str,
) -> Findings:
    """Return estimates that are not means, with differences without a test.

    Args:
        statistic: the statistic.
        estimates: those of the systems.
        differences: those of the means of the same values.
        plural: the name of the estimates.
    """
    first, *others = (each.value for each in estimates)
    found = []
    for d, other in zip(differences, others, strict=True):
        d = d.with_value(other - first)
        found.append(d.with_test(d.estimate, math.nan, math.nan, math.nan))
    note = (
        f"{statistic.name}: a paired t test compares means, so {plural} have "
        "no test, and no mark."
    )
    return estimates, found, [note] * bool(others)


def against_first(x: PerList) -> PerList:
    """Return the differences of the other systems from the first."""
    return x._replace(
        values=x.values[1:] - x.values[0],
        valid=x.valid[1:] & x.valid[0],
        weights=np.broadcast_to(x.weights[:1], x.weights[1:].shape),
        has_own_weight=np.broadcast_to(
            x.has_own_weight[:1], x.weights[1:].shape
        ),
    )


def _sums(x: PerList, bounded: bool) -> np.ndarray:
    """Return the sums of `Paired` over all lists, `[systems, 35]`."""
    aggregate = Paired(len(x.values), WeightedMean(bounded))
    _, per_row = x.rows or (0, 1)
    step = per_row * (_LISTS_OF_PART // per_row + 1)
    total = np.zeros(aggregate.shape)
    for begin in range(0, x.values.shape[1], step):
        arrays = [array[:, begin : begin + step] for array in x[:4]]
        rows = x.rows and (arrays[0].shape[1] // per_row, per_row)
        part = PerList(*arrays)._replace(rows=rows)
        with np.errstate(all="ignore"):  # infinite values have no mean
            total += aggregate.of_batch(part, np)[0]
    return total


def _differ_by_constant(one: np.ndarray, other: np.ndarray) -> bool:
    """Return True if all differences are equal up to rounding, and not 0."""
    if len(one) < 2:
        return False
    difference = one - other
    rounding = ROUNDING * np.max(np.abs([one, other]))
    spread = difference.max() - difference.min()
    return bool(spread <= rounding < np.abs(difference).min())
