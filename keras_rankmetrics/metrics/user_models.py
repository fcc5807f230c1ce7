"""Metrics with a model of where the user stops: ERR and RBP."""

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

__all__ = ["ERR", "GradedRankBiasedPrecision", "RankBiasedPrecision"]


def expected_reciprocal_rank(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """Return E[1 / rank where users stop], or that over its ideal value."""
    value = ranking.at_stop(reciprocal_discount, k)
    if not normalized:
        return value
    best = ranking.best_at_stop(reciprocal_discount, k)
    return ops.divide_no_nan(value, best)


@register
@declared
class ERR(AtK):
    """Expected reciprocal rank (ERR) at k: 1 / the rank where a user stops.

        ERR@k = Σ_{i=1..k} (1 / i) r_i Π_{j<i} (1 - r_j)
        r_i = (2^y_i - 1) / 2^max_grade

    A user looks at the items from the top and stops at rank i, whose item has
    the label y_i, with probability r_i. Items below good ones therefore matter
    little. `normalized=True` divides by the ERR@k of the ideal order; only then
    is the best value 1.

    A label above `max_grade` is an error, or makes the value NaN where the
    check is not possible. If relevant items have the label 1, as with
    `inputs="sparse"` and `"ids"`, set `max_grade=1`. Item weights only mask
    items. Over tied items the value is the exact mean, which is slow without k
    for long lists in which all items tie.

    Args:
        k: the number of ranks that count, or None for all.
        max_grade: the highest label of the scale, whether or not it occurs; 4
            in gdeval and the TREC web tracks.
        normalized: whether to divide by the value of the ideal order.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

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
    relevance = staticmethod(gains.stop_probability)

    max_grade: float = 4.0
    normalized: bool = False
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@functools.cache  # a ranking's memo is keyed by the identity of the discount
def reach_probability(p: float) -> RankDiscountFn:
    """Return the discount `p ** (rank - 1)`, how likely users reach a rank."""
    return lambda rank: ops.power(p, rank - 1.0)


def rank_biased_precision(
    ranking: Ranking, k: int | None, p: Annotated[float, Between(0, 1)] = 0.8
) -> Tensor:
    """Return (1 - p) Σ rel p^(rank - 1) over the ranks up to k."""
    reached = ranking.discount(reach_probability(p), k)
    return (1.0 - p) * ops.sum(ranking.total() * reached, axis=-1)


@register
@declared
class RankBiasedPrecision(Binary):
    """Rank-biased precision (RBP) at k.

        RBP@k = (1 - p) Σ_{i=1..k} rel_i · p^(i-1)

    where rel_i is 1 if the item at rank i is relevant, else 0. A user goes on
    to the next item with probability p; RBP is the expected number of relevant
    items seen over the expected number of items seen. An endless list of
    relevant items has the value 1, a list with R relevant items at most
    1 - p^R. Item weights only mask items.

    Args:
        k: the number of ranks that count, or None for all.
        p: the probability of going on to the next item, between 0 and 1.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

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
    """Return rank-biased precision of gains over max(1, the highest gain)."""
    found = rank_biased_precision(ranking, k, p)
    return found / ops.maximum(ranking.highest_gain(), 1.0)


@register
@declared
class GradedRankBiasedPrecision(AtK):
    """Rank-biased precision (RBP) at k for graded labels.

        GRBP@k = (1 - p) Σ_{i=1..k} g_i · p^(i-1),  g_i = y_i / max(1, y_max)

    where y_i is the label of the item at rank i and y_max is the largest label
    of the list, whether that item is retrieved or not. If all labels of a list
    are between 0 and 1, they are used as they are: as the probabilities that
    the items are relevant. For labels of 0 and 1 the value is that of
    `RankBiasedPrecision`. A list in which no label is above 0 is empty. Item
    weights only mask items.

    Args:
        k: the number of ranks that count, or None for all.
        p: the probability of going on to the next item, between 0 and 1.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

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
