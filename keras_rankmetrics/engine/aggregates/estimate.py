"""`Estimate`, a mean with its standard error, and Student's t distribution.

Neither numpy nor Keras has Student's t. It is computed on the host in float64.
"""

from __future__ import annotations

import dataclasses
import math
from statistics import NormalDist

import numpy as np

from keras_rankmetrics.engine.aggregates.mean import Moments


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
        """Return the estimate for sums of a `WeightedMean`, float64 `[38]`."""
        moments = Moments(sums, bounded)
        return cls(
            value=float(moments.mean),
            standard_error=float(moments.standard_error),
            lists=_rounded(moments.lists),
            effective_lists=float(np.float32(moments.effective_lists)),
            rows=_rounded(moments.rows),
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

    def __str__(self) -> str:
        number = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        margin = self.margin()
        if math.isnan(margin):
            return f"{self.value:.4f} ({number})"
        return f"{self.value:.4f} ± {margin:.4f} (95%, {number})"


def two_sided_p(t: float, freedom: float) -> float:
    """Return the two-sided p value of t under Student's distribution.

    Args:
        t: the statistic.
        freedom: the degrees of freedom; NaN is returned below 1.
    """
    if math.isnan(t) or freedom < 1:
        return math.nan
    if freedom > _LARGE:
        shrunk = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
        z = shrunk * math.sqrt(freedom * math.log1p(t * t / freedom))
        return math.erfc(z / math.sqrt(2.0))
    x = 1.0 / (1.0 + t * t / freedom)
    return _incomplete_beta(x, freedom / 2.0, 0.5)


def t_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's distribution for a probability >= 0.5.

    Newton's method on the logarithm of the upper tail starts at the quantile of
    the normal distribution, which is a lower bound.
    """
    t = NormalDist().inv_cdf(probability)
    if t <= 0.0:
        return 0.0
    target = math.log(2.0 * (1.0 - probability))
    for _ in range(100):
        tail = two_sided_p(t, freedom)
        slope = 2.0 * _density(t, freedom) / tail
        step = (math.log(tail) - target) / slope
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return t


# With more degrees of freedom, the normal distribution of a transformed t is
# exact in float64: Wallace, Annals of Mathematical Statistics 30 (1959).
_LARGE = 1e5


def _density(t: float, freedom: float) -> float:
    if freedom > _LARGE:
        return NormalDist().pdf(t)
    log_scale = math.lgamma((freedom + 1.0) / 2.0) - math.lgamma(freedom / 2.0)
    log_shape = -(freedom + 1.0) / 2.0 * math.log1p(t * t / freedom)
    return math.exp(log_scale + log_shape) / math.sqrt(freedom * math.pi)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b)."""
    if x in (0.0, 1.0):
        return x
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(1.0 - x, b, a)
    log_front = (
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log1p(-x)
    )
    return math.exp(log_front) / (a * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of I_x(a, b), by Lentz's method."""
    c, d, f = 1.0, 0.0, 1.0
    for i in range(1, 10_000):
        m = i // 2
        if i % 2:
            numerator = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            numerator = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1.0 / (1.0 + numerator * x * d)
        c = 1.0 + numerator * x / c
        f *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return f


def _rounded(count: np.ndarray) -> int:
    """Return the count as an integer; 0 for NaN."""
    return 0 if np.isnan(count) else round(float(count))
