"""Metrics of early recognition in long lists: BEDROC, the enrichment factor.

Of a library of molecules, a small share is tested, so that only relevant items
among the first per cent count. Both depend on the length of the list: the items
that are retrieved, and relevant ones that are not.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import BinaryWholeList, Unbounded, metric
from keras_rankmetrics.metrics.hits import has_others
from keras_rankmetrics.types import Between, EmptyPolicy, Tensor, TensorFn

__all__ = ["BEDROC", "EnrichmentFactor"]

_ROUNDING = 1e-6  # of a share of the list, in single precision


def has_both(ranking: Ranking) -> Tensor:
    """Return True for lists with relevant items, and with others."""
    return ranking.has_gain() & has_others(ranking)


def bedroc(
    ranking: Ranking,
    k: int | None,
    alpha: Annotated[float, Between(0.1)] = 20.0,
) -> Tensor:
    """Return RIE, scaled so that the best order has 1 and the worst has 0."""
    relevant = ranking.overall()
    items = ranking.retrieved + ranking.missed()
    rate, others = alpha / ops.maximum(items, 1.0), items - relevant
    found = ranking.exponential(rate, others)
    sums = ops.expm1(-rate * relevant) * ops.expm1(-rate * others)
    return ops.divide_no_nan(found, sums / -ops.expm1(-rate))


@metric
class BEDROC(BinaryWholeList):
    """BEDROC: how early relevant items are, weighted exponentially.

        BEDROC = (S - S_min) / (S_max - S_min),  S = Σ_i rel_i exp(-α i / N)

    where N is the number of items, and S_max and S_min are the sums of the best
    and the worst order. With α = 20, the first 8% of the list make up 80% of
    the weight. Relevant items that are not retrieved come last. A list without
    relevant or without other items has no value, and is excluded by default
    (see `empty`). Item weights only mask items.

    Args:
        alpha: the weight of early ranks, above 0.1.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import BEDROC
        >>> labels, scores = [[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]
        >>> round(float(BEDROC()(labels, scores)), 3)
        0.993

    Truchon and Bayly, Evaluating Virtual Screening Methods: Good and Bad
    Metrics for the Early Recognition Problem, J. Chem. Inf. Model. 47 (2007).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(bedroc)
    has_value: ClassVar[TensorFn] = staticmethod(has_both)

    alpha: float = 20.0
    empty: EmptyPolicy = "skip"


def enrichment_factor(
    ranking: Ranking,
    k: int | None,
    fraction: Annotated[float, Between(0, 1)] = 0.01,
) -> Tensor:
    """Return (hits among the first n / n) / (relevant items / items)."""
    items = ranking.retrieved + ranking.missed()
    first = ops.ceil(fraction * (1.0 - _ROUNDING) * items)
    found = ops.divide_no_nan(ranking.hits(first), first)
    return ops.divide_no_nan(found * items, ranking.overall())


@metric
class EnrichmentFactor(Unbounded, BinaryWholeList):
    """Enrichment factor: how many times as many hits as in a random order.

        EF = (relevant items at ranks 1..n / n) / (R / N),  n = ⌈fraction · N⌉

    where R of the N items are relevant. It is at most 1 / fraction. A list
    without relevant items is empty. Item weights only mask items.

    Args:
        fraction: the share of the list that is looked at, above 0 and below 1.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`. `adjusted` is not available.

    Example:
        >>> from keras_rankmetrics import EnrichmentFactor
        >>> labels, scores = [[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]
        >>> float(EnrichmentFactor(fraction=0.25)(labels, scores))  # 1 / (2/4)
        2.0

    Truchon and Bayly, Evaluating Virtual Screening Methods: Good and Bad
    Metrics for the Early Recognition Problem, J. Chem. Inf. Model. 47 (2007).

    Stability: provisional.
    """

    short_name: ClassVar[str] = "ef"
    measure: ClassVar[TensorFn] = staticmethod(enrichment_factor)

    fraction: float = 0.01
