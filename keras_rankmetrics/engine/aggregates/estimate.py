"""`Estimate`: a number, and how far it may be from the truth."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from keras_rankmetrics.engine.aggregates import student
from keras_rankmetrics.engine.aggregates.mean import Moments


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The mean over the lists that were seen, as an estimate of that of all.

    Attributes:
        value: the mean; 0 without lists.
        standard_error: of the value, NaN for fewer than two independent rows.
        lists: how many lists counted.
        effective_lists: how many lists of equal weight tell as much (Kish).
        rows: how many independent rows these are: lists, or with
            `[batch, time]` the rows of the batch.

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

    @classmethod
    def of_sums(cls, sums: np.ndarray, bounded: bool = True) -> Estimate:
        """What the sums of a `WeightedMean`, `[38]` in float64, say."""
        moments = Moments(sums, bounded)
        return cls(
            value=float(moments.mean),
            standard_error=float(moments.standard_error),
            lists=_rounded(moments.lists),
            effective_lists=float(np.float32(moments.effective_lists)),
            rows=_rounded(moments.rows),
        )

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The confidence interval: value ± t · standard error.

        t is the quantile of Student's distribution with `rows - 1` degrees of
        freedom. Where values lie close to 0 or 1 and lists are few, so does the
        mean, and the interval is too short and may go beyond them.
        """
        margin = self.margin(level)
        return self.value - margin, self.value + margin

    def margin(self, level: float = 0.95) -> float:
        """Half the length of the confidence interval."""
        is_number = isinstance(level, int | float | np.number)
        if not is_number or not 0.0 < level < 1.0:
            raise ValueError(
                "`level` should be a number between 0 and 1, such as 0.95. "
                f"Received: {level!r}."
            )
        if math.isnan(self.standard_error):
            return math.nan
        quantile = student.quantile(0.5 + level / 2.0, self.rows - 1)
        return quantile * self.standard_error

    def __str__(self) -> str:
        number = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        margin = self.margin()
        if math.isnan(margin):
            return f"{self.value:.4f} ({number})"
        return f"{self.value:.4f} ± {margin:.4f} (95%, {number})"


def _rounded(count: np.ndarray) -> int:
    """As an integer; 0 where it is not known."""
    return 0 if np.isnan(count) else round(float(count))
