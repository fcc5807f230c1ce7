"""Metrics of the worst users: quantiles, and the mean of the lowest values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, tails
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.metrics.multi_value import MultiValueMetric
from keras_rankmetrics.types import Tensor

__all__ = ["LowerMean", "Quantiles"]


@register
class Quantiles(MultiValueMetric):
    """Quantiles of a metric over lists, such as the worst tenth of the users.

    The quantile at a level p is the smallest value v for which at least the
    share p of the lists, by weight, have a value of at most v. Results are
    named after the metric and the percentage: `"ndcg@10/p10"`,
    `"ndcg@10/p50"`. They are 0 without lists, and NaN if a value is.

    The state adds up the lists in 4,093 bins of [0, 1], 64 KiB. A quantile is
    the mean of its bin, so it is off by less than 1/4,093, and exact where all
    values of the bin are equal. If lower is better, low quantiles are those of
    the best lists.

    Args:
        metric: the metric, with values in [0, 1]. It is not updated itself.
        levels: the levels, each between 0 and 1.
        name: the prefix of the result names; by default the metric's name.

    Example:
        >>> from keras_rankmetrics import MeanReciprocalRank, Quantiles
        >>> quantiles = Quantiles(MeanReciprocalRank(), [0.1, 0.5])
        >>> labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
        >>> quantiles.update_state(labels, scores)
        >>> {name: float(value) for name, value in quantiles.result().items()}
        {'mrr/p10': 0.5, 'mrr/p50': 1.0}

    Hyndman and Fan, The American Statistician 50 (1996), definition 1.
    """

    _parameters = ("levels",)

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        levels: Sequence[float],
        name: str | None = None,
    ) -> None:
        _check_bounded(metric)
        self.levels = _checked_levels(levels)
        super().__init__(
            metric, metric.definition, tails.BinnedQuantiles(self.levels), name
        )

    @property
    def signature(self) -> str:
        """The signature of the metric, with the levels."""
        levels = ",".join(map(str, self.levels))
        return f"{super().signature}|quantiles:{levels}"

    @property
    def results(self) -> list[str]:
        """The names of the quantiles."""
        return [f"{self.name}/p{_percent(level)}" for level in self.levels]

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return the confidence interval of each quantile, by name.

        The ends are values of lists, found by their rank. For independent lists
        of equal weight, each interval contains the quantile of the population
        with at least the given probability. With weights or dependent lists,
        the effective number of lists takes the place of their number.

        Args:
            level: the probability, between 0 and 1.
        """
        found = tails.Distribution.of_sums(self._sums_on_host())
        lists = float(found.effective_lists)
        pair = found.values, found.weights
        return {
            name: tails.quantile_interval(*pair, each, lists, level)
            for name, each in zip(self.results, self.levels, strict=True)
        }

    def table(self, level: float = 0.95) -> str:
        """Return the quantiles as a table, with confidence intervals."""
        intervals = self.intervals(level)
        rows = [
            (name, f"{float(value):.4f}", "[{:.4f}, {:.4f}]".format(*interval))
            for (name, value), interval in zip(
                self.result().items(), intervals.values(), strict=True
            )
        ]
        return as_table(("", "value", f"{_percent(level)}%"), rows)


@register
class LowerMean(MultiValueMetric):
    """The mean of the lowest values of a metric: how the worst users fare.

    It is the mean over the share of the lists, by weight, with the lowest
    values; a list that the share cuts counts in part. It is also known as the
    conditional value at risk. The result is named after the metric and the
    percentage, `"ndcg@10/lowest10"`. It is 0 without lists, and NaN if a value
    is.

    The state adds up the lists in 4,093 bins of [0, 1], 64 KiB. Only a bin that
    the share cuts is taken at its mean. If lower is better, the lowest values
    are the best ones.

    Args:
        metric: the metric, with values in [0, 1]. It is not updated itself.
        share: the share of the lists, between 0 and 1.
        name: the name; by default that of the metric and `/lowest10`.

    Example:
        >>> from keras_rankmetrics import LowerMean, MeanReciprocalRank
        >>> lowest = LowerMean(MeanReciprocalRank(), share=0.5)
        >>> labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
        >>> lowest.update_state(labels, scores)
        >>> lowest.name, round(float(lowest.result()), 4)
        ('mrr/lowest50', 0.6667)

    Rockafellar and Uryasev, Journal of Risk 2 (2000).
    """

    _parameters = ("share",)

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        share: float = 0.1,
        name: str | None = None,
    ) -> None:
        _check_bounded(metric)
        if not _is_share(share):
            raise ValueError(
                "`share` should be a number between 0 and 1, such as 0.1. "
                f"Received: {share!r}."
            )
        self.share = float(share)
        name = name or f"{metric.name}/lowest{_percent(self.share)}"
        aggregate = tails.BinnedLowerMean(self.share)
        super().__init__(metric, metric.definition, aggregate, name)
        self._direction = metric._direction

    @property
    def signature(self) -> str:
        """The signature of the metric, with the share."""
        return f"{super().signature}|lowest:{self.share}"

    def named(self, result: Tensor) -> Any:
        """Return the result of the metric, a number."""
        return result

    def estimate(self) -> Estimate:
        """Return the result with its standard error.

        `rows` is the number of independent lists in the tail, on which the
        interval rests: one degree of freedom less than these.
        """
        found = tails.Distribution.of_sums(self._sums_on_host())
        arguments = found.values, found.weights, self.share
        lists, effective = float(found.lists), float(found.effective_lists)
        lost = math.isnan(lists)
        return Estimate(
            value=float(tails.lower_mean(*arguments)),
            standard_error=float(tails.lower_mean_error(*arguments, effective)),
            lists=0 if lost else round(lists),
            effective_lists=effective,
            rows=0 if lost else tails.rows_in_tail(effective, self.share),
            bounded=True,
        )

    def estimates(self) -> dict[str, Estimate]:
        """Return the estimate by name."""
        return {self.name: self.estimate()}

    def standard_error(self) -> float:
        """Return the standard error of the result; NaN below two lists.

        For n lists with values v and the quantile q at the share it is

            √(var(u) / (n - 1)),   u = q - max(q - v, 0) / share
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the lower mean.

        It is `Estimate.interval`, for the number of lists in the tail. With 5
        of 50 lists in the tail, a 95% interval holds in 91 to 96% of samples.

        Args:
            level: the probability that it contains that of the population.
        """
        return self.estimate().interval(level)

    def __str__(self) -> str:
        """Return the estimate, or the repr while the values are traced."""
        if not self._is_concrete():
            return repr(self)
        return f"{self.name} = {self.estimate()}"


def _percent(share: float) -> str:
    return f"{100 * share:.10g}"


def _is_share(x: Any) -> bool:
    is_number = isinstance(x, int | float | np.number)
    return is_number and 0.0 < float(x) < 1.0


def _checked_levels(levels: Any) -> tuple[float, ...]:
    found = list(levels) if isinstance(levels, list | tuple) else []
    are_levels = bool(found) and all(map(_is_share, found))
    if not are_levels or len(set(found)) < len(found):
        raise ValueError(
            "`levels` should be a list of different numbers between 0 and 1, "
            f"such as [0.1, 0.5]. Received: {levels!r}."
        )
    return tuple(map(float, found))


def _check_bounded(metric: Any) -> None:
    check_mean(metric)
    if not metric.aggregate.bounded or metric.definition.adjusted is not None:
        raise ValueError(
            "`metric` should have values in [0, 1], as NDCG has. Received: "
            f"{metric!r}. Use a metric that divides by the best value, and "
            "without `adjusted`."
        )
