"""`Estimate`, a mean with its standard error and confidence interval."""

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
from keras_rankmetrics.engine.aggregates.mean import Moments

_MANY = 1e5
_TENTH = 0.1


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The mean over a sample of lists, with its standard error.

    Attributes:
        value: the mean; 0 without lists.
        standard_error: the standard error of the value; NaN for fewer than two
            independent rows.
        lists: the number of valid lists.
        effective_lists: the number of equally weighted lists with as much
            information, (Σ w)² / Σ w² (Kish).
        rows: the number of independent rows: lists, or with `[batch, time]` the
            rows of the batch.
        bounded: True if the values of the lists are in [0, 1].

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

    @classmethod
    def of_sums(cls, sums: np.ndarray, bounded: bool = True) -> Estimate:
        """Return the estimate for sums of a `WeightedMean`, float64 `[38]`.

        Further sums may follow them.
        """
        moments = Moments(sums, bounded)
        return cls(
            value=float(moments.mean),
            standard_error=float(moments.standard_error),
            lists=_rounded(moments.lists),
            effective_lists=float(np.float32(moments.effective_lists)),
            rows=_rounded(moments.rows),
            bounded=bounded,
        )

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the mean.

        Values in [0, 1] have the exact interval of a share of hits
        (Clopper-Pearson), for as many lists as a coin would need for this
        standard error. With m the value, t the quantile of Student's
        distribution with `rows - 1` degrees of freedom, and z that of the
        normal distribution,

            k = m (1 - m) / standard error² · (z / t)²
            low = B⁻¹(α / 2; k m, k (1 - m) + 1)
            high = B⁻¹(1 - α / 2; k m + 1, k (1 - m))

        where B⁻¹ is the quantile of the beta distribution and α = 1 - level. It
        stays in [0, 1], is not symmetric close to 0 and 1, and holds for 20
        lists. If the values do not vary, the number of lists takes the place of
        m (1 - m) / standard error². Other values have value ± t · standard
        error.

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
        if self.rows < 2 or math.isnan(self.value + self.effective_lists):
            return math.nan, math.nan
        t = t_quantile(0.5 + level / 2.0, self.rows - 1)
        # NaN, for a variance that is lost in rounding, is no larger than 0.
        known = self.standard_error > 0.0
        mean = min(max(self.value, 0.0), 1.0)
        hits = min(self.rows, self.effective_lists)
        if known and self.bounded and 0.0 < mean < 1.0:
            hits = mean * (1.0 - mean) / self.standard_error**2
        # With so many hits and misses, both intervals are the same.
        if not self.bounded or hits * mean * (1.0 - mean) > _MANY:
            margin = t * self.standard_error
            return self.value - margin, self.value + margin
        z = NormalDist().inv_cdf(0.5 + level / 2.0)
        hits, misses = (hits * x * (z / t) ** 2 for x in (mean, 1.0 - mean))
        tail = (1.0 - level) / 2.0
        return (
            beta_quantile(tail, hits, misses + 1.0) if hits else 0.0,
            beta_quantile(1.0 - tail, hits + 1.0, misses) if misses else 1.0,
        )

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

        For values in [0, 1], σ² also has -ln(α) / t · max(value, 1 - value)²,
        since the first lists may all lack a rare value, and the interval stays
        in [0, 1]. Start to look at about 30 lists: the guarantee is asymptotic.

        Args:
            level: the probability, between 0 and 1.
            planned: the number of lists at which the interval is narrowest
                compared to others. It need not be the number in the end.

        Returns:
            The ends of the interval; NaN for fewer than two rows. They are
            infinite if all values are equal, and not known to be in [0, 1].

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
        limits = (0.0, 1.0) if self.bounded else None
        mean, error = self.value, self.standard_error
        return sequence(mean, error, self.rows, level, planned, limits)

    def __str__(self) -> str:
        number = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        spread = spread_as_text(self.value, *self.interval())
        if not spread:
            return f"{self.value:.4f} ({number})"
        return f"{self.value:.4f} {spread} (95%, {number})"


def spread_as_text(
    value: float, low: float, high: float, digits: int = 4
) -> str:
    """Return an interval as it is printed after its value.

    This is `± 0.0171` if the ends are equally far from the value, up to a tenth
    of the margin, and otherwise `[0.8103, 1.0000]`. It is empty for NaN.
    """
    margin = (high - low) / 2.0
    if math.isnan(margin):
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
