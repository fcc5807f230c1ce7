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


class Corrected(NamedTuple):
    """A corrected mean, its variance, and the weight λ of the judge."""

    weight: Any
    value: Any
    variance: Any


def sums_of(y: Any, has_y: Any, f: Any, has_f: Any, xp: Any = np) -> Any:
    """Return the sums of lists with labels of one or both kinds, `[..., 12]`.

    For lists with both kinds: their number, Σ y, Σ f, Σ y², Σ y f and Σ f². For
    lists with the judge's labels alone: their number, Σ f and Σ f². For lists
    with human labels alone: their number, Σ y and Σ y².

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
        sums: the twelve sums that `sums_of` returns, numbers or tensors.
        weight: λ from 0 to 1. By default the one with the smallest variance,
            cov(y, f) / ((1 + n / N) var f).
        xp: the namespace of the sums, `numpy` or `keras.ops`.
    """
    n, y, f, yy, yf, ff, others, g, gg, alone, h, hh = sums
    human = n + alone

    def over(x: Any, y: Any) -> Any:
        return x / xp.where(y == 0, 1.0, y)

    def spread(count: Any, x: Any, xx: Any) -> Any:
        """Return the sum of squared deviations, despite rounding not < 0."""
        return xp.maximum(xx - over(x * x, count), 0.0)

    of_judge = spread(n + others, f + g, ff + gg)
    cov = over(yf - over(y * f, n), n)
    if weight is None:
        var = over(of_judge, n + others - 1.0)
        best = over(cov, (1.0 + over(n, others)) * var)
        weight = xp.clip(best, 0.0, 1.0)
    # A judge that gives all lists the same value adds no information. A judge
    # without further lists adds none either.
    is_noise = of_judge <= _ROUNDING * (ff + gg)
    weight = xp.where((others > 0) & ~is_noise, weight, 0.0)
    share = weight * over(n, human)
    value = over(y - weight * f + h, human) + share * over(g, others)
    squares = yy - 2.0 * weight * yf + weight**2 * ff
    residuals = spread(n, y - weight * f, squares) + spread(alone, h, hh)
    of_others = over(spread(others, g, gg), others**2)
    variance = over(residuals, human**2) + share**2 * of_others
    return Corrected(weight, value, variance)


@dataclasses.dataclass(frozen=True)
class JudgeCorrectedMean:
    """The aggregate of `JudgeCorrected`.

    Attributes:
        shape: the shape of the sums of one metric.
    """

    shape: tuple[int, ...] = (12,)

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
        value = corrected(ops.unstack(sums, 12, axis=-1), xp=ops).value
        return ops.where(sums[..., 0] >= LEAST_LISTS, value, float("nan"))


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
        """Return the estimate for the sums of `sums_of`, float64 `[12]`.

        Args:
            sums: the sums.
            weight: as for `corrected`.

        Raises:
            ValueError: for fewer than ten lists with both kinds of labels.
        """
        both, judge_only, human_only = (round(x) for x in sums[[0, 6, 9]])
        if both < LEAST_LISTS:
            raise ValueError(
                "A mean corrected for the judge needs at least "
                f"{LEAST_LISTS} lists with labels by humans and by the judge. "
                f"Received: {both}. Let humans label more lists, drawn at "
                "random from those that the judge labelled."
            )
        found, by_humans = corrected(sums, weight), corrected(sums, 0.0)
        rows = both + human_only
        gain = by_humans.variance / found.variance if found.variance > 0 else 1
        return cls(
            value=float(found.value),
            standard_error=math.sqrt(found.variance),
            lists=rows + judge_only,
            effective_lists=float(rows * gain),
            rows=rows,
            weight=float(found.weight),
            both=both,
            judge_only=judge_only,
            human_only=human_only,
            judge_mean=float((sums[2] + sums[7]) / (both + judge_only)),
            human_mean=float(by_humans.value),
        )

    def __str__(self) -> str:
        judged = f"{self.both + self.judge_only:,} with labels of the judge"
        human = f"{self.rows:,} with human labels"
        return f"{super().__str__()}, {human} and {judged}"
