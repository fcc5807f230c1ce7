"""The differences of systems on the same lists, as sums and as numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.engine.aggregates import estimate
from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.aggregates.estimate import Estimate
from keras_rankmetrics.engine.aggregates.mean import Moments, WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# Values that differ by less are the same, but for rounding.
_ROUNDING = 1e-6
(_MEAN,) = WeightedMean().shape


@dataclasses.dataclass(frozen=True)
class Paired:
    """The means of systems and of differences, and how many are not 0.

    The sums of each are those of the mean, then Σ w d² of the lists with a
    weight w of their own, Σ d² of the others, and how many d are above 0, below
    0, and 0.

    Attributes:
        rows: how many systems and differences there are.
        mean: of the values.
    """

    rows: int
    mean: WeightedMean = dataclasses.field(default_factory=WeightedMean)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the sums."""
        return (self.rows, _MEAN + 5)

    def of_batch(self, x: PerList) -> Tensor:
        """`[1, rows, 43]`, what the batch adds.

        Args:
            x: with the systems and differences in place of metrics.
        """
        mean = self.mean.of_batch(x)
        dtype = x.values.dtype
        values = ops.where(x.counts, x.values, 0)
        own = x.counts & x.has_own_weight
        squares = values * values
        further = [
            ops.where(own, x.weights, 0) * squares,
            ops.where(own, 0, squares),
            ops.cast(values > _ROUNDING, dtype),
            ops.cast(values < -_ROUNDING, dtype),
            ops.cast(x.counts & (ops.abs(values) <= _ROUNDING), dtype),
        ]
        sums = ops.sum(ops.stack(further, axis=1), axis=-1)
        return ops.concatenate([mean, sums], axis=-1)[None]

    def result(self, sums: Tensor) -> Tensor:
        """The means; 0 without lists."""
        return self.mean.result(sums[..., :_MEAN])


@dataclasses.dataclass(frozen=True)
class Difference:
    """How a system compares to the baseline, on the same lists.

    Attributes:
        system: its name.
        baseline: the name of what it is compared to.
        estimate: of the mean of value(system) - value(baseline), with its
            standard error and confidence interval.
        t: the mean over its standard error.
        p: the chance of so large a t, of either sign, or a larger one, where
            there is no difference; by Student's t with as many degrees of
            freedom as there are rows, less one.
        p_holm: the same, corrected for the number of systems after Holm.
        effect_size: the mean over the standard deviation of the differences,
            Cohen's d for pairs.
        wins: on how many lists the system is better.
        ties: on how many there is no difference, but for rounding.
        losses: on how many it is worse.

    >>> import keras_rankmetrics as krm
    >>> comparison = krm.Comparison(krm.NDCG(), ["old", "new"])
    >>> labels, old, new = [[1, 0], [0, 1]], [[2, 1], [2, 1]], [[2, 1], [1, 2]]
    >>> comparison.update_state(labels, {"old": old, "new": new})
    >>> [difference] = comparison.differences()
    >>> difference.system, difference.wins, difference.ties, difference.losses
    ('new', 1, 1, 0)
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


def differences(
    sums: np.ndarray,
    systems: Sequence[str],
    baseline: str,
    *,
    bounded: bool = True,
    more_is_better: bool = True,
) -> list[Difference]:
    """What the sums of `Paired` say.

    Args:
        sums: `[systems, sums]`, in float64.
        systems: the names of those that are compared.
        baseline: the name of what they are compared to.
        bounded: whether values lie in [0, 1].
        more_is_better: whether a higher value is a better one.
    """
    estimates = [estimate_of(each, bounded) for each in sums]
    t = [_ratio(e.value, e.standard_error) for e in estimates]
    p = [
        estimate.two_sided_p(x, e.rows - 1)
        for x, e in zip(t, estimates, strict=True)
    ]
    found = []
    for place, p_holm in enumerate(holm(p)):
        difference, each = estimates[place], sums[place]
        higher, lower, ties = (round(float(x)) for x in each[-3:])
        better, worse = (higher, lower) if more_is_better else (lower, higher)
        found.append(
            Difference(
                system=systems[place],
                baseline=baseline,
                estimate=difference,
                t=t[place],
                p=p[place],
                p_holm=p_holm,
                effect_size=_ratio(difference.value, _deviation(each, bounded)),
                wins=better,
                ties=ties,
                losses=worse,
            )
        )
    return found


def estimate_of(sums: np.ndarray, bounded: bool) -> Estimate:
    """The mean of a system or of differences, with its error."""
    return Estimate.of_sums(sums[:_MEAN], bounded)


def holm(p: Sequence[float]) -> list[float]:
    """Chances, corrected for how many they are.

    Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    corrected = [math.nan] * len(p)
    known = [place for place, x in enumerate(p) if not math.isnan(x)]
    largest = 0.0
    for rank, place in enumerate(sorted(known, key=lambda place: p[place])):
        largest = max(largest, min(1.0, (len(known) - rank) * p[place]))
        corrected[place] = largest
    return corrected


def _deviation(sums: np.ndarray, bounded: bool) -> float:
    """The standard deviation of the differences, by the weights."""
    moments = Moments(sums[:_MEAN], bounded)
    lists = float(moments.lists)
    if lists < 2:
        return math.nan
    own, other = sums[_MEAN : _MEAN + 2]
    squares = (own + moments.mean_weight * other) / moments.weight
    variance = max(float(squares - moments.mean**2), 0.0)
    return math.sqrt(variance * lists / (lists - 1))


def _ratio(x: float, y: float) -> float:
    """The quotient; 0 / 0 is 0, where nothing differs."""
    if y == 0.0:
        return math.copysign(math.inf, x) if x else 0.0
    return x / y
