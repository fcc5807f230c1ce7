"""`Estimate`, a mean with its standard error and confidence interval.

`Combined` is the difference of two means, such as gains minus losses.
"""

from __future__ import annotations

import dataclasses
import math
from statistics import NormalDist

import numpy as np

from keras_rankmetrics.engine.aggregates.distributions import (
    beta_quantile,
    check_level,
    sequence,
    t_quantile,
)
from keras_rankmetrics.engine.aggregates.mean import SINGLE, Moments

_MANY = 1e5
_ROUNDING = 1e-6  # of the effective lists, in single precision
_TENTH = 0.1


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The mean over a sample of lists, with its standard error.

    Attributes:
        value: the mean; 0 without lists, but NaN in tables of `evaluate`.
        standard_error: the standard error of the value; NaN for fewer than two
            independent rows.
        lists: the number of valid lists.
        effective_lists: the number of equally weighted lists with as much
            information, (Σ w)² / Σ w² (Kish).
        rows: the number of independent rows: lists, or with `[batch, time]` the
            rows of the batch.
        bounded: True if the values of the lists are in [0, 1].
        deviation: the standard deviation of the means of rows, by the weight of
            a row; 0 if it is lost in rounding, and NaN if the sums lack it.
        most: the highest value, if they are bounded.
        effective_rows: the number of rows of equal weight with as much
            information, (Σ s)² / Σ s² for the weights s of rows; by default the
            smaller one of `rows` and `effective_lists`.
        skewness: the skewness of the rows; NaN if it is unknown.
        borrowed: the number of lists that have the mean weight of the others in
            place of their own, by `list_weight="relevance"`.

    >>> import keras_rankmetrics as krm
    >>> metric = krm.HitRateAtK(k=1)
    >>> metric.update_state([[1, 0], [1, 0], [0, 1]], [[2, 1]] * 3)
    >>> estimate = metric.estimate()
    >>> round(estimate.value, 4), round(estimate.standard_error, 4)
    (0.6667, 0.3333)

    Stability: stable.
    """

    value: float
    standard_error: float
    lists: int
    effective_lists: float
    rows: int
    bounded: bool = False
    deviation: float = 0.0
    most: float = 1.0
    effective_rows: float = math.nan
    skewness: float = math.nan
    borrowed: int = dataclasses.field(default=0, repr=False)

    @classmethod
    def of_sums(
        cls, sums: np.ndarray, bounded: bool = True, rounding: float = SINGLE
    ) -> Estimate:
        """Return the estimate for sums of a `WeightedMean`, float64 `[30]`.

        Further sums may follow them. `rounding` is the relative error of the
        sums, by default that of single precision.
        """
        moments = Moments(sums, bounded, rounding=rounding)
        return Estimate(
            value=float(moments.mean),
            standard_error=float(moments.standard_error),
            lists=_rounded(moments.of_lists.lists),
            effective_lists=float(np.float32(moments.effective_lists)),
            rows=_rounded(moments.rows),
            bounded=bounded,
            deviation=moments.known_deviation if bounded else 0.0,
            effective_rows=float(np.float32(moments.effective_rows)),
            skewness=moments.skewness if bounded else math.nan,
            borrowed=_rounded(moments.others),
        )

    @property
    def independent(self) -> float:
        """The number of independent lists of equal weight: effective rows."""
        if math.isnan(self.effective_rows):
            return min(self.rows, self.effective_lists)
        return self.effective_rows

    def times(self, more: float) -> Estimate:
        """Return the estimate for `more` times as many lists like these.

        Args:
            more: the factor, at least 1.
        """
        shrink = (self.rows - 1.0) / max(self.rows * more - 1.0, 1.0)
        counts = "lists", "effective_lists", "rows", "effective_rows"
        changed = {name: getattr(self, name) * more for name in counts}
        changed["standard_error"] = self.standard_error * math.sqrt(shrink)
        return dataclasses.replace(self, **changed)

    @property
    def is_weighted(self) -> bool:
        """True if the rows have unequal weights or numbers of lists."""
        return self.rows > self.independent * (1.0 + _ROUNDING) > 0.0

    @property
    def limits(self) -> tuple[float, float] | None:
        """The lowest and the highest value of a list; None if unknown."""
        return (0.0, 1.0) if self.bounded else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the mean.

        Values in [0, 1] have the exact interval of a share of hits
        (Clopper-Pearson), for as many lists as a coin would need for this
        standard error. With m the value, n the effective rows, σ the
        `deviation`, and t and z the quantiles of Student's distribution with n
        - 1 degrees of freedom and of the normal distribution,

            SE = max(standard error, σ / √n)
            k = m (1 - m) / SE² · (z / t)²
            low = B⁻¹(α / 2; k m, k (1 - m) + 1)
            high = B⁻¹(1 - α / 2; k m + 1, k (1 - m))

        where B⁻¹ is the quantile of the beta distribution, and α = 1 - level.
        If the values do not vary, n takes the place of m (1 - m) / SE².

        This has the skewness of hits. Where the values have another skewness γ,
        the interval is extended to that of a coin whose tosses have the mean,
        deviation and skewness of the rows. With N = n (rows - 1) / rows, its
        share p of heads, which are worth a more than tails, and the ends are

            p = (1 - γ / √(γ² + 4)) / 2,  a = SE √(N / (p (1 - p)))
            low = m - a (p - B⁻¹(α / 2; N' p, N' (1 - p) + 1))
            high = m + a (B⁻¹(1 - α / 2; N' p + 1, N' (1 - p)) - p)

        where N' = N (z / t)². The interval stays in [0, 1], and is not
        symmetric close to 0 and 1. Other values have value ± t · standard
        error.

        The interval is too short if a few lists with high values, most of which
        the sample lacks, carry the mean, as a reciprocal rank of 1 to 1,000;
        and below 50 lists if values are skewed.

        Args:
            level: the probability, between 0 and 1.

        Returns:
            The ends of the interval; NaN for fewer than two rows, or if the
            value or the number of effective lists is NaN.

        Example:
            >>> import keras_rankmetrics as krm
            >>> metric = krm.HitRateAtK(k=1)
            >>> metric.update_state([[1, 0]] * 20, [[2, 1]] * 20)
            >>> low, high = metric.estimate().interval()
            >>> round(low, 4), high
            (0.8103, 1.0)

        Korn and Graubard, Survey Methodology 24 (1998).
        """
        check_level("level", level)
        numbers = self.value + self.effective_lists + self.deviation
        if self.rows < 2 or math.isnan(numbers) or not self.independent > 0.0:
            return math.nan, math.nan
        rows = self.independent
        t = t_quantile(0.5 + level / 2.0, max(rows - 1.0, 1.0))
        if not self.bounded:
            margin = t * self.standard_error
            return self.value - margin, self.value + margin
        z = NormalDist().inv_cdf(0.5 + level / 2.0)
        mean, most = min(max(self.value, 0.0), self.most), self.most
        share, factor = mean / most, (z / t) ** 2
        # NaN, for a variance that is lost in rounding, is no larger than 0.
        error = max(self.deviation / math.sqrt(rows), self.standard_error)
        if not error > 0.0 or share in (0.0, 1.0):
            return _of_coin(share, rows * factor, 0.0, most, level)
        coins = [(share, mean * (most - mean) / error**2 * factor, 0.0, most)]
        if not math.isnan(self.skewness):
            heads = self._heads
            tosses = rows * (self.rows - 1.0) / self.rows
            worth = error * math.sqrt(tosses / (heads * (1.0 - heads)))
            coins += [(heads, tosses * factor, mean - worth * heads, worth)]
        lows, highs = zip(*(_of_coin(*x, level) for x in coins), strict=True)
        return max(min(lows), 0.0), min(max(highs), most)

    @property
    def _heads(self) -> float:
        """The share of heads of a coin with the skewness of the rows."""
        return 0.5 - 0.5 * self.skewness / math.hypot(self.skewness, 2.0)

    def guarded(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval for a verdict: longer if lists have weights.

        A few lists that lose say little about the weights of others that lose.
        With k such lists, the length is multiplied by

            1 + √((rows / effective rows - 1) / (1 + k))

        Args:
            level: the probability, between 0 and 1.
        """
        low, high = self.interval(level)
        is_known = not (math.isnan(self.skewness) and self.standard_error > 0.0)
        if not self.bounded or not is_known or not self.is_weighted:
            return low, high
        spread, rare = self.rows / self.independent - 1.0, 0.0
        if self.standard_error > 0.0:
            rare = self.independent * min(self._heads, 1.0 - self._heads)
        longer = 1.0 + math.sqrt(spread / (1.0 + rare))
        low, high = (
            self.value + longer * (x - self.value) for x in (low, high)
        )
        return max(low, 0.0), min(high, self.most)

    def margin(self, level: float = 0.95) -> float:
        """Return half the length of the confidence interval."""
        low, high = self.interval(level)
        return (high - low) / 2.0

    def anytime_interval(
        self, level: float = 0.95, planned: int = 500
    ) -> tuple[float, float]:
        """Return an interval that may be read after every list.

        The intervals of all times together contain the true mean with the given
        probability, so you may stop as soon as one is decisive. An ordinary
        `interval` does not allow that: read after each of 3,000 lists, it is
        wrong at some time in about half of all runs.

        With the deviation σ = standard error · √t of t rows and α = 1 - level,
        it is the asymptotic confidence sequence

            value ± σ √(2 (t ρ² + 1) / (t² ρ²) · ln(√(t ρ² + 1) / α)),
            ρ² = (-2 ln α + ln(-2 ln α + 1)) / planned

        σ² also has -ln(α) / t · d², since the first lists may all lack a rare
        value; d is the distance from the farther limit of the values, which are
        in [0, 1], or their differences in [-1, 1]. The interval stays within
        the limits. Start to look at about 30 lists: the guarantee is
        asymptotic.

        Args:
            level: the probability, between 0 and 1.
            planned: the number of lists at which the interval is narrowest
                compared to others. It need not be the number in the end.

        Returns:
            The ends of the interval; NaN for fewer than two rows.

        Raises:
            ValueError: if the values of lists have no known limits, or the
                value is no mean over them.

        Example:
            >>> import keras_rankmetrics as krm
            >>> metric = krm.HitRateAtK(k=1)
            >>> metric.update_state([[1, 0], [0, 1]] * 50, [[2, 1]] * 100)
            >>> low, high = metric.estimate().anytime_interval()
            >>> round(low, 4), round(high, 4)
            (0.3285, 0.6715)

        Waudby-Smith et al., arXiv 2103.06476.

        Stability: provisional.
        """
        if self.limits is None:
            raise ValueError(
                "`anytime_interval` needs a plain mean of values with known "
                "limits, such as [0, 1] for NDCG, since the first lists may "
                f"lack rare values. Received: {self}. Use a fixed interval, "
                "once, at the end."
            )
        mean, error = self.value, self.standard_error
        rows, limits = self.independent, self.limits
        return sequence(mean, error, rows, level, planned, limits)

    def as_text(self, digits: int = 4) -> str:
        """Return the value with so many decimals."""
        return f"{self.value:.{digits}f}"

    @property
    def over(self) -> str:
        """The number of lists, and of rows that hold several, in words."""
        lists = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        if not 1 < self.rows < self.lists:
            return lists
        found = f"{lists} in {self.rows:,} rows"
        if not round(self.independent) < self.rows:
            return found
        return f"{found}, which count as {self.independent:,.0f}"

    def __str__(self) -> str:
        spread = spread_as_text(self.value, *self.interval())
        over = self.over
        if self.borrowed:
            over += f", {self.borrowed:,} with the mean weight of the others"
        if not spread:
            return f"{self.as_text()} ({over})"
        return f"{self.as_text()} {spread} (95%, {over})"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Combined(Estimate):
    """The difference of two means, such as gains minus losses.

    Rare gains or losses make a t interval too short: without one in the sample,
    its length is 0. The interval of a mean in [0, 1] holds there. So the
    distances of its ends from the means, a and b, are combined like standard
    errors (Zou and Donner, Statistics in Medicine 27, 2008):

        value ± √(a² + b² + 2 ρ a b)

    Attributes:
        plus: the first mean.
        minus: the mean that is subtracted.
        correlation: ρ, that of the first mean and minus the second.
        limits: the lowest and the highest value of a list.
    """

    plus: Estimate = dataclasses.field(repr=False)
    minus: Estimate = dataclasses.field(repr=False)
    correlation: float
    limits: tuple[float, float] | None = (-1.0, 1.0)

    def times(self, more: float) -> Estimate:
        """Return the estimate for `more` times as many lists like these.

        Args:
            more: the factor, at least 1.
        """
        plus, minus = self.plus.times(more), self.minus.times(more)
        return Combined(
            **{**vars(super().times(more)), "plus": plus, "minus": minus}
        )

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference, within the limits.

        Args:
            level: the probability, between 0 and 1.
        """
        return self._ends(self.plus.interval(level), self.minus.interval(level))

    def guarded(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval for a verdict, from those of the two means.

        Args:
            level: the probability, between 0 and 1.
        """
        return self._ends(self.plus.guarded(level), self.minus.guarded(level))

    def _ends(
        self, plus: tuple[float, float], minus: tuple[float, float]
    ) -> tuple[float, float]:
        """Return the interval for those of the two means."""
        squares = []
        for one, other in zip(plus, minus[::-1], strict=True):
            a, b = one - self.plus.value, self.minus.value - other
            squares.append(a * a + b * b + 2.0 * self.correlation * a * b)
        low, high = (math.sqrt(max(x, 0.0)) for x in squares)
        least, most = self.limits or (-math.inf, math.inf)
        return max(self.value - low, least), min(self.value + high, most)


def _of_coin(
    heads: float, tosses: float, tails: float, worth: float, level: float
) -> tuple[float, float]:
    """Return the interval of the mean of tosses of a coin (Clopper-Pearson).

    Args:
        heads: the share of heads.
        tosses: the number of tosses.
        tails: the value of tails.
        worth: how much more heads are worth.
        level: the level of the interval.
    """
    outside, misses = (1.0 - level) / 2.0, tosses * (1.0 - heads)
    hits = tosses * heads
    # With so many heads and tails, it is that of a normal distribution.
    if hits * (1.0 - heads) > _MANY:
        z = NormalDist().inv_cdf(0.5 + level / 2.0)
        margin = z * math.sqrt(heads * (1.0 - heads) / tosses)
        ends = heads - margin, heads + margin
    else:
        ends = (
            beta_quantile(outside, hits, misses + 1.0) if hits else 0.0,
            beta_quantile(1.0 - outside, hits + 1.0, misses) if misses else 1.0,
        )
    low, high = (tails + worth * end for end in ends)
    return low, high


def spread_as_text(
    value: float, low: float, high: float, digits: int = 4
) -> str:
    """Return an interval as it is printed after its value.

    This is `± 0.0171` if the ends are equally far from the value, up to a tenth
    of the margin, and otherwise `[0.8103, 1.0000]`. It is empty for NaN, and
    for values without limits that do not vary, which say nothing of others.
    """
    margin = (high - low) / 2.0
    if not margin > 0.0:
        return ""
    if is_symmetric(value, low, high):
        return f"± {margin:.{digits}f}"
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def is_symmetric(value: float, low: float, high: float) -> bool:
    """Return True if an interval is printed as ±; NaN counts as symmetric."""
    return not abs(low + high - 2.0 * value) > _TENTH * (high - low) / 2.0


def _rounded(count: np.ndarray) -> int:
    """Return the count as an integer; 0 for NaN."""
    return 0 if np.isnan(count) else round(float(count))
