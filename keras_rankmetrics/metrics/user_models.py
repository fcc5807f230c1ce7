"""Metrics with a model of when the user stops: ERR and RBP."""

from __future__ import annotations

import functools
from typing import Annotated, Literal

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.metrics.bases import AtK, Binary, register
from keras_rankmetrics.types import Between, RankDiscountFn, Tensor

# How soon users stop who look at one item after the other: ERR.


def expected_reciprocal_rank(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """1 / rank where users stop, maybe over that of the best order."""
    value = ranking.at_stop(reciprocal_discount, k)
    if not normalized:
        return value
    best = ranking.best_at_stop(reciprocal_discount, k)
    return ops.divide_no_nan(value, best)


@register
@declared
class ERR(AtK):
    """Expected reciprocal rank at k: 1 / the rank where a user stops.

        ERR@k = Σ_{i=1..k} (1 / i) r_i Π_{j<i} (1 - r_j)
        r_i = (2^y_i - 1) / 2^max_grade

    A user looks at one item after the other, and stops at that of rank i, with
    the label y_i, with the chance r_i. So what stands below good items tells
    little. `normalized=True` divides by the ERR@k of the best order: only then
    can 1 be reached.

    A label above `max_grade` is an error, and NaN where that is not seen in
    time. Where relevant items have the label 1, as with `inputs="sparse"` and
    `"ids"`, `max_grade=1` fits. Item weights mask items, and do nothing else to
    the value. Over tied items it is the exact mean; in lists of many items, all
    of which tie, that takes long without k.

    Args:
        k: how many ranks count, or None for all.
        max_grade: the highest label that there can be, whether or not a list
            holds it; 4 as in gdeval and TREC's web tracks.
        normalized: whether to divide by the best order.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import ERR
        >>> labels, scores = [[0, 1, 2, 1, 0]], [[5, 4, 3, 2, 1]]
        >>> round(float(ERR()(labels, scores)), 6)
        0.101746
        >>> round(float(ERR(k=2)(labels, scores)), 6)  # (1/16) / 2
        0.03125

    Chapelle et al., Expected Reciprocal Rank for Graded Relevance, CIKM (2009).
    """

    short_name = "err"
    measure = staticmethod(expected_reciprocal_rank)
    relevance = staticmethod(gains.chance_to_stop)

    max_grade: float = 4.0
    normalized: bool = False
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


# How much a user finds who may stop at each rank: rank-biased precision.


@functools.cache  # so that metrics of the same p share what a ranking remembers
def chance_to_come(p: float) -> RankDiscountFn:
    """`p ** (rank - 1)`, for users who go on with the chance p."""
    return lambda rank: ops.power(p, rank - 1.0)


def rank_biased_precision(
    ranking: Ranking, k: int | None, p: Annotated[float, Between(0, 1)] = 0.8
) -> Tensor:
    """(1 - p) Σ rel p^(rank - 1) over the ranks up to k."""
    reached = ranking.discount(chance_to_come(p), k)
    return (1.0 - p) * ops.sum(ranking.total() * reached, axis=-1)


@register
@declared
class RankBiasedPrecision(Binary):
    """Rank-biased precision at k.

        RBP@k = (1 - p) Σ_{i=1..k} rel_i · p^(i-1)

    It is what a user finds per item who goes on to the next one with the chance
    p. A list of endless relevant items has 1; one with R of them at best
    1 - p^R. Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        p: the chance to go on, between 0 and 1.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import RankBiasedPrecision
        >>> metric = RankBiasedPrecision(p=0.5)
        >>> float(metric([[1, 0, 1]], [[0.9, 0.8, 0.7]]))  # (1 + 1/4) / 2
        0.625

    Moffat and Zobel, ACM TOIS 27 (2008).
    """

    short_name = "rbp"
    measure = staticmethod(rank_biased_precision)

    p: float = 0.8


def graded_rank_biased_precision(
    ranking: Ranking, k: int | None, p: Annotated[float, Between(0, 1)] = 0.8
) -> Tensor:
    """Return rank-biased precision with each gain over max(1, the highest)."""
    found = rank_biased_precision(ranking, k, p)
    return found / ops.maximum(ranking.highest_gain(), 1.0)


@register
@declared
class GradedRankBiasedPrecision(AtK):
    """Rank-biased precision at k for graded labels.

        GRBP@k = (1 - p) Σ_{i=1..k} g_i · p^(i-1),  g_i = y_i / max(1, y_max)

    where y_i is the label of the item at rank i and y_max is the largest label
    of the list, whether that item is retrieved or not. Labels of a list whose
    labels are all between 0 and 1 are used as they are: they are the
    probabilities that the items are relevant. With labels of 0 and 1 the value
    is that of `RankBiasedPrecision`. A list in which no label is above 0 is
    empty. Item weights only mask items.

    Args:
        k: how many ranks count, or None for all.
        p: the probability of going on to the next item, between 0 and 1.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import GradedRankBiasedPrecision
        >>> metric = GradedRankBiasedPrecision(p=0.5)
        >>> float(metric([[2, 0, 1]], [[0.9, 0.8, 0.7]]))  # (1 + (1/2) / 4) / 2
        0.5625

    Moffat and Zobel, ACM TOIS 27 (2008); trec_eval 10.0, m_rbp.c.
    """

    short_name = "graded_rbp"
    measure = staticmethod(graded_rank_biased_precision)
    relevance = staticmethod(gains.linear_gain)

    p: float = 0.8
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None
