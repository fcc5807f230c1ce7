"""Metrics that are not means over lists: totals, and a geometric mean.

The value of a list is a plain number, like that of any other metric. Tables of
systems have the same totals and geometric means.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from keras_rankmetrics.engine.aggregates import (
    Estimate,
    PerList,
    WeightedMean,
)
from keras_rankmetrics.engine.aggregates.mean import Moments
from keras_rankmetrics.engine.aggregates.paired import (
    Findings,
    Statistic,
    means,
    untested,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import parameter
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.average_precision import average_precision
from keras_rankmetrics.metrics.bases import (
    Binary,
    BinaryWholeList,
    Unbounded,
    metric,
)
from keras_rankmetrics.metrics.tails import sample_of
from keras_rankmetrics.types import Between, ListWeight, Tensor, TensorFn

__all__ = ["Count", "GeometricMAP"]

_MEAN = WeightedMean(bounded=False)


def _moments(sums: Tensor) -> Moments:
    return Moments(ops.unstack(sums, *_MEAN.shape, axis=-1), False, ops)


@dataclasses.dataclass(frozen=True)
class Total:
    """The weighted sum of the values, from the sums of their mean."""

    bounded: ClassVar[bool] = False
    shape: ClassVar[tuple[int, ...]] = _MEAN.shape
    names: ClassVar[tuple[str, ...]] = _MEAN.names

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 24]`."""
        return _MEAN.of_batch(x)

    def result(self, sums: Tensor) -> Tensor:
        """Return the totals, `[...]`; 0 without lists."""
        return _moments(sums).total


def logs_of(values: Any, least: float, xp: Any = ops) -> Any:
    """Return the logarithms of values, of which lower ones count as `least`.

    NaN stays.
    """
    return xp.log(xp.where(values < least, least, values))


@dataclasses.dataclass(frozen=True)
class GeometricMean:
    """The weighted geometric mean, with its standard error.

    Attributes:
        least: the value that lower ones count as.
    """

    least: float
    bounded: ClassVar[bool] = False
    shape: ClassVar[tuple[int, ...]] = _MEAN.shape
    names: ClassVar[tuple[str, ...]] = _MEAN.names

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of the logarithms of a batch, `[metrics, 24]`."""
        return _MEAN.of_batch(x._replace(values=logs_of(x.values, self.least)))

    def result(self, sums: Tensor) -> Tensor:
        """Return the geometric means, `[...]`; 0 without lists."""
        found = _moments(sums)
        return ops.where(found.of_lists.lists == 0, 0.0, ops.exp(found.mean))

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the geometric means, `[...]`."""
        return self.result(sums) * _MEAN.errors(sums)


class _NoMean(RankingMetric, abstract=True):
    """Traits of metrics whose result is not a mean over lists."""

    _statistic_kind: ClassVar[str]

    @property
    def signature(self) -> str:
        """Everything that the value depends on, in one line to cite."""
        # The class and its options determine the aggregate.
        return self.definition.signature

    def _statistics(self) -> dict[str, float]:
        """Return the option of the statistic, 0 without, by its name."""
        return {self.name: self.options.get("least", 0.0)}


class _Summed(_NoMean, abstract=True):
    aggregate: Any = Total()


def number_of(
    ranking: Ranking,
    k: int | None,
    of: Literal["lists", "retrieved", "relevant", "hits"] = "lists",
) -> Tensor:
    """Return 1, or the number of items of this kind, `[lists]`."""
    return {
        "lists": lambda: ops.ones_like(ranking.retrieved),
        "retrieved": lambda: ranking.retrieved,
        "relevant": ranking.overall,
        "hits": ranking.hits,
    }[of]()


@metric
class Count(Unbounded, BinaryWholeList, _Summed):
    """The number of lists, or of items in them, added up over all lists.

    Unlike other metrics, it is a sum over lists, not a mean. Each list counts
    as often as its weight. Excluded lists do not count. There is no standard
    error. Item weights only mask items.

    The result is a float: integers above 2²⁴ are rounded. A `state` has all
    digits.

    Args:
        of: the kind of objects to count: `"lists"`; `"retrieved"`, the items
            that have a rank; `"relevant"`, the relevant items, retrieved or
            not; or `"hits"`, the relevant items that are retrieved. It ends the
            default name: `count@hits`.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `adjusted` and `empty="one"` are not available. No
            list is empty, and the order of the items does not matter.

    Example:
        >>> from keras_rankmetrics import Count
        >>> labels, scores = [[1, 0, 1], [0, 0, 1]], [[3, 2, 1]] * 2
        >>> for of in ("lists", "retrieved", "relevant"):
        ...     print(of, int(Count(of)(labels, scores)))
        lists 2
        retrieved 6
        relevant 3

    Buckley, trec_eval, as `num_q`, `num_ret`, `num_rel` and `num_rel_ret`.

    Stability: provisional.
    """

    short_name: ClassVar[str] = "count"
    option_in_name: ClassVar[str] = "of"
    measure: ClassVar[TensorFn] = staticmethod(number_of)
    _statistic_kind = "total"

    of: Literal["lists", "retrieved", "relevant", "hits"] = parameter(
        default="lists", kw_only=False
    )
    list_weight: ListWeight = "mean"

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Return True for all lists, bool `[lists]`."""
        return ops.ones_like(ranking.retrieved, dtype="bool")


def gmap(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
    least: Annotated[float, Between(0.0, 1.0)] = 0.00001,
) -> Tensor:
    """Return the average precision; the mean over lists uses `least`."""
    return average_precision(ranking, k, denominator)


@metric
class GeometricMAP(Binary, _NoMean):
    """Geometric mean average precision (GMAP) at k.

        GMAP@k = exp(Σ_lists ln(max(AP@k, least)) / lists)

    where AP@k is the value of `MeanAveragePrecision`, and of `per_list`. An
    improvement from 0.01 to 0.02 counts as much as one from 0.4 to 0.8, so it
    shows how the hardest lists fare. A list without hits counts as `least`, and
    that choice matters: if a tenth of the lists have no hits, a `least` that is
    ten times smaller lowers GMAP by a fifth.

    The mean is weighted by the weights of the lists. Its interval is that of
    the mean of the logarithms, and so is the test of `compare`.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: `"relevant"` (TREC), `"min"` or `"hits"`, as for
            `MeanAveragePrecision`.
        least: the value of lists below it, between 0 and 1.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import GeometricMAP
        >>> labels, scores = [[0, 1], [0, 0, 0, 1]], [[2, 1], [4, 3, 2, 1]]
        >>> round(float(GeometricMAP()(labels, scores)), 4)  # √(1/2 · 1/4)
        0.3536

    Robertson, On GMAP: and Other Transformations, CIKM (2006).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(gmap)
    _statistic_kind = "geometric mean"

    denominator: Literal["relevant", "min", "hits"] = "relevant"
    least: float = 0.00001

    @property
    def aggregate(self) -> GeometricMean:
        """The sums of the logarithms."""
        return GeometricMean(self.options["least"])

    def estimate(self) -> Estimate:
        """Return the result with its standard error and counts."""
        sums = self._sums_on_host()
        return geometric(Estimate.of_sums(sums, bounded=False))


# The statistics of tables.


class TotalEstimate(Estimate):
    """A total, which has no standard error."""

    def as_text(self, digits: int = 4) -> str:
        """Return the value, without decimals if it is an integer."""
        return super().as_text(0 if self.value % 1 == 0 else digits)


@dataclasses.dataclass(frozen=True, kw_only=True)
class GeometricEstimate(Estimate):
    """A geometric mean of values up to 1.

    Attributes:
        logs: the mean of the logarithms.
    """

    logs: Estimate = dataclasses.field(repr=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the mean of the logarithms, as values."""
        low, high = self.logs.interval(level)
        return math.exp(low), min(math.exp(high), 1.0)


def geometric(logs: Estimate) -> GeometricEstimate:
    """Return the geometric mean for the mean of logarithms; 0 without lists."""
    value = math.exp(logs.value) if logs.lists else 0.0
    error = value * logs.standard_error
    known = {**vars(logs), "value": value, "standard_error": error}
    return GeometricEstimate(**known, logs=logs)


def totals(statistic: Statistic, names: Sequence[str], x: PerList) -> Findings:
    """Return the totals, whose differences have no test.

    Args:
        statistic: the statistic.
        names: the names of the systems.
        x: the values of the systems, in numpy.
    """
    of_systems, differences, _ = means(statistic, names, x)
    estimates: list[Estimate] = []
    for place, mean in enumerate(of_systems):
        values, weights = sample_of(x, place)
        known = {"value": float(values @ weights), "standard_error": math.nan}
        estimates.append(TotalEstimate(**{**vars(mean), **known}))
    return untested(statistic, estimates, differences, "totals")


def geometric_means(
    statistic: Statistic, names: Sequence[str], x: PerList
) -> Findings:
    """Return the geometric means, with the paired t tests of the logarithms.

    Their differences have no standard errors. Arguments are as for `totals`.
    """
    by_logs = statistic._replace(name=f"ln {statistic.name}", bounded=False)
    logs = x._replace(values=logs_of(x.values, statistic.option, np))
    of_systems, differences, notes = means(by_logs, names, logs)
    found: list[Estimate] = [*map(geometric, of_systems)]
    for i, d in enumerate(differences):
        # Of the lists that both systems have, like the test.
        change = found[0].value * math.expm1(d.estimate.value)
        differences[i] = d.with_value(change)
    return found, differences, notes
