"""Means from few human labels and many labels of a judge, from additive sums.

Prediction-powered inference with a tuned weight (PPI++): the mean by the judge
over all lists, corrected by what humans say about a random sample of them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.aggregates.estimate import Estimate
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# The variances are those of large samples.
LEAST_LISTS = 10

# A variance below this share of the mean square may be nothing but rounding.
_ROUNDING = 2e-7


class JudgeSums(NamedTuple):
    """Sums over lists, with the values y by human labels and f by the judge's.

    The first six are over the lists with both kinds of labels, the next three
    over those with the judge's alone, and the last three over those with human
    labels alone.
    """

    both: Any
    y: Any
    f: Any
    yy: Any
    yf: Any
    ff: Any
    judge_only: Any
    judge_f: Any
    judge_ff: Any
    human_only: Any
    human_y: Any
    human_yy: Any


class Corrected(NamedTuple):
    """A corrected mean, its variance, and the weight λ of the judge."""

    weight: Any
    value: Any
    variance: Any


def sums_of(y: Any, has_y: Any, f: Any, has_f: Any, xp: Any = np) -> Any:
    """Return the `JudgeSums` of lists, `[..., 12]`.

    Args:
        y: `[..., lists]`, the values by human labels.
        has_y: bool, True for lists with human labels. Other values are ignored.
        f: as `y`, by the labels of the judge.
        has_f: as `has_y`.
        xp: the namespace of the arrays, `numpy` or `keras.ops`.
    """
    y, f = xp.where(has_y, y, 0), xp.where(has_f, f, 0)
    one = xp.ones_like(y)
    parts = [
        *((has_y & has_f, x) for x in (one, y, f, y * y, y * f, f * f)),
        *((has_f & ~has_y, x) for x in (one, f, f * f)),
        *((has_y & ~has_f, x) for x in (one, y, y * y)),
    ]
    sums = [xp.sum(xp.where(kind, x, 0), axis=-1) for kind, x in parts]
    return xp.stack(sums, axis=-1)


def corrected(
    sums: Any, weight: float | None = None, xp: Any = np
) -> Corrected:
    """Return the corrected mean for sums of any number of lists.

    With n lists of both kinds, N with the judge's labels alone and m with human
    labels alone,

        value = (Σ_n (y - λ f) + Σ_m y) / (n + m) + λ n / (n + m) · mean_N f

    Args:
        sums: the twelve `JudgeSums`, numbers or tensors.
        weight: λ from 0 to 1. By default the one with the smallest variance,
            cov(y, f) / ((1 + n / N) var f).
        xp: the namespace of the sums, `numpy` or `keras.ops`.
    """
    s = JudgeSums(*sums)
    n, others, human = s.both, s.judge_only, s.both + s.human_only

    def over(x: Any, y: Any) -> Any:
        return x / xp.where(y == 0, 1.0, y)

    def squares(count: Any, x: Any, y: Any, xy: Any) -> Any:
        """Return the sum of the products of deviations from the means."""
        return xy - over(x * y, count)

    total, total_f, total_ff = n + others, s.f + s.judge_f, s.ff + s.judge_ff
    spread = squares(total, total_f, total_f, total_ff)
    var_f = over(spread, total - 1.0)
    of_both = over(squares(n, s.y, s.f, s.yf), n)
    if weight is None:
        best = over(of_both, (1.0 + over(n, others)) * var_f)
        weight = xp.clip(best, 0.0, 1.0)
    # Without lists for the judge alone, or where it gives all lists the same
    # value, its labels say nothing.
    says_something = (others > 0) & ~(spread <= _ROUNDING * total_ff)
    weight = xp.where(says_something, weight, 0.0)
    mean_f = over(s.judge_f, others)
    value = over(s.y - weight * s.f + s.human_y, human)
    value = value + weight * over(n, human) * mean_f
    residuals = (
        squares(n, s.y, s.y, s.yy)
        - 2.0 * weight * squares(n, s.y, s.f, s.yf)
        + weight**2 * squares(n, s.f, s.f, s.ff)
    )
    by_humans = squares(s.human_only, s.human_y, s.human_y, s.human_yy)
    var_others = squares(others, s.judge_f, s.judge_f, s.judge_ff)
    # Rounding could make these negative.
    variance = over(
        xp.maximum(residuals, 0.0) + xp.maximum(by_humans, 0.0), human**2
    ) + (weight * over(n, human)) ** 2 * over(
        xp.maximum(var_others, 0.0), others**2
    )
    return Corrected(weight, value, variance)


@dataclasses.dataclass(frozen=True)
class JudgeCorrectedMean:
    """The aggregate of `JudgeCorrected`.

    Attributes:
        shape: the shape of the sums of one metric.
    """

    shape: tuple[int, ...] = (len(JudgeSums._fields),)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[1, 12]`.

        Args:
            x: the values by human labels, and by those of the judge, `[2,
                lists]`.
        """
        (y, f), (has_y, has_f) = ops.unstack(x.values), ops.unstack(x.counts)
        return sums_of(y, has_y, f, has_f, ops)[None]

    def result(self, sums: Tensor) -> Tensor:
        """Return the corrected mean; NaN for fewer than ten lists with both."""
        found = JudgeSums(*ops.unstack(sums, self.shape[0], axis=-1))
        is_enough = found.both >= LEAST_LISTS
        value = corrected(found, xp=ops).value
        return ops.where(is_enough, value, float("nan"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class JudgeCorrectedEstimate(Estimate):
    """A mean from few human labels and many labels of a judge.

    The interval is value ± t · standard error, with one degree of freedom less
    than there are lists with human labels, whose number is `rows`. The
    `effective_lists` are the lists with human labels that would be as precise
    without the judge.

    Attributes:
        weight: λ, the weight of the judge, from 0 to 1. At 0 its labels do not
            help, and the value is the mean over the lists with human labels.
        both: the number of lists with both kinds of labels.
        judge_only: the number of lists with the judge's labels alone.
        human_only: the number of lists with human labels alone.
        judge_mean: the mean by the judge, over all lists that it labelled.
        human_mean: the mean by humans, over all lists that they labelled.

    >>> import numpy as np
    >>> from keras_rankmetrics.engine.aggregates import judge_corrected
    >>> judge = np.tile([0.0, 0.5, 0.5, 1.0], 10)
    >>> human = np.tile([0.0, 0.0, 1.0, 1.0], 10)
    >>> has_human, yes = np.arange(40) < 12, np.full(40, True)
    >>> sums = judge_corrected.sums_of(human, has_human, judge, yes)
    >>> estimate = judge_corrected.JudgeCorrectedEstimate.of_sums(sums)
    >>> round(estimate.weight, 4), round(estimate.standard_error, 4)
    (0.6825, 0.1164)
    """

    weight: float
    both: int
    judge_only: int
    human_only: int
    judge_mean: float
    human_mean: float

    @classmethod
    def of_sums(  # type: ignore[override]
        cls, sums: np.ndarray, *, weight: float | None = None
    ) -> JudgeCorrectedEstimate:
        """Return the estimate for `JudgeSums`, float64 `[12]`.

        Args:
            sums: the sums.
            weight: as for `corrected`.

        Raises:
            ValueError: for fewer than ten lists with both kinds of labels.
        """
        s = JudgeSums(*map(float, sums))
        if not s.both >= LEAST_LISTS:
            raise ValueError(
                "A mean corrected for the judge needs at least "
                f"{LEAST_LISTS} lists with labels by humans and by the judge. "
                f"Received: {s.both:g}. Let humans label more lists, drawn at "
                "random from those that the judge labelled."
            )
        found = corrected(s, weight)
        human = s.both + s.human_only
        without_judge = corrected(s, 0.0)
        gain = 1.0
        if found.variance > 0.0:
            gain = without_judge.variance / found.variance
        return cls(
            value=float(found.value),
            standard_error=math.sqrt(found.variance),
            lists=round(human + s.judge_only),
            effective_lists=float(human * gain),
            rows=round(human),
            weight=float(found.weight),
            both=round(s.both),
            judge_only=round(s.judge_only),
            human_only=round(s.human_only),
            judge_mean=(s.f + s.judge_f) / (s.both + s.judge_only),
            human_mean=float(without_judge.value),
        )

    def __str__(self) -> str:
        judged = self.both + self.judge_only
        return (
            f"{super().__str__()}, {self.rows:,} with human labels and "
            f"{judged:,} with labels of the judge"
        )
