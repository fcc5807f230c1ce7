"""`Estimate`, a mean with its standard error and confidence interval."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from keras_rankmetrics.engine.aggregates.anytime import sequence
from keras_rankmetrics.engine.aggregates.mean import Moments
from keras_rankmetrics.engine.aggregates.student_t import t_quantile


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
    """

    value: float
    standard_error: float
    lists: int
    effective_lists: float
    rows: int
    bounded: bool = False

    @classmethod
    def of_sums(cls, sums: np.ndarray, bounded: bool = True) -> Estimate:
        """Return the estimate for sums of a `WeightedMean`, float64 `[38]`."""
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
        """Return the confidence interval: value ± t · standard error.

        t is the quantile of Student's distribution with `rows - 1` degrees of
        freedom. With few lists and values close to 0 or 1, the interval is too
        short and may exceed these limits.
        """
        margin = self.margin(level)
        return self.value - margin, self.value + margin

    def margin(self, level: float = 0.95) -> float:
        """Return half the length of the confidence interval."""
        is_number = isinstance(level, int | float | np.number)
        if not is_number or not 0.0 < level < 1.0:
            raise ValueError(
                "`level` should be a number between 0 and 1, such as 0.95. "
                f"Received: {level!r}."
            )
        if math.isnan(self.standard_error):
            return math.nan
        quantile = t_quantile(0.5 + level / 2.0, self.rows - 1)
        return quantile * self.standard_error

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
        """
        limits = (0.0, 1.0) if self.bounded else None
        mean, error = self.value, self.standard_error
        return sequence(mean, error, self.rows, level, planned, limits)

    def __str__(self) -> str:
        number = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        margin = self.margin()
        if math.isnan(margin):
            return f"{self.value:.4f} ({number})"
        return f"{self.value:.4f} ± {margin:.4f} (95%, {number})"


def _rounded(count: np.ndarray) -> int:
    """Return the count as an integer; 0 for NaN."""
    return 0 if np.isnan(count) else round(float(count))
