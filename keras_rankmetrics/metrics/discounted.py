"""Metrics that discount items by rank: DCG, NDCG, ERR and RBP."""

from __future__ import annotations

import functools
from typing import ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import (
    probability,
    stop_probability,
)
from keras_rankmetrics.gains import (
    linear_gain,
    log2_discount,
    reciprocal_discount,
)
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.types import Labels, RankDiscountFn, Tensor, TensorFn

__all__ = [
    "DCG",
    "ERR",
    "NDCG",
    "GradedRankBiasedPrecision",
    "PFound",
    "RankBiasedPrecision",
]


def _discounted(
    ranking: Ranking, k: int | None, rank_discount_fn: RankDiscountFn
) -> Tensor:
    gains = ranking.weighted_total() * ranking.discount(rank_discount_fn, k)
    return ops.sum(gains, axis=-1)


def dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return Σ w g(y) d(rank) over the ranks up to k, over the mean weight."""
    return ops.divide_no_nan(
        _discounted(ranking, k, rank_discount_fn), ranking.mean_weight()
    )


def expected_dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return the expectation of `dcg` for probabilities."""
    gains = ranking.total() * ranking.discount(rank_discount_fn, k)
    return ops.sum(gains, axis=-1)


@bases.metric
class DCG(bases.Unbounded, bases.Graded):
    """Discounted cumulative gain at k.

    For a list whose item at rank i has the label y_i,

        DCG@k = Σ_{i=1..k} gain_fn(y_i) · rank_discount_fn(i)

    by default Σ (2^y_i - 1) / log2(i + 1). It is 0 for a list in which no item
    has a gain, and has no upper bound.

    With item weights, gains are multiplied by them, and the sum is divided by
    the mean weight of the gains, Σ w g / Σ g over the whole list.

    Args:
        k: the cutoff, or None for all ranks.
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import DCG
        >>> metric = DCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0 at rank 1, (2^1 - 1) / log2(3) at rank 2
        0.6309

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(dcg)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_dcg)

    labels: Labels = "grades"


Ideal = Literal["relevant", "retrieved", "uncut", "shown"]


def _ranks_of_ideal(
    ranking: Ranking, k: int | None, ideal: Ideal
) -> Tensor | int | None:
    if ideal == "shown":
        return ranking.retrieved
    return None if ideal == "uncut" else k


def ndcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
    ideal: Ideal = "relevant",
) -> Tensor:
    """Return the discounted gains over those of the ideal order."""
    is_of_all = ideal != "retrieved"
    best = ranking.best() if is_of_all else ranking.best_of_retrieved(k)
    ranks = _ranks_of_ideal(ranking, k, ideal)
    most = ranking.discounted(best, rank_discount_fn, ranks)
    value = ops.divide_no_nan(_discounted(ranking, k, rank_discount_fn), most)
    # If the discounts make the sum overflow, the quotient would be 0.
    return ops.where(most < float("inf"), value, float("nan"))


def expected_ndcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return the expectation of `ndcg` for probabilities."""
    return ranking.expected_sum_over_best(rank_discount_fn, k)


@bases.metric
class NDCG(bases.Graded):
    """Normalised discounted cumulative gain at k.

        NDCG@k = DCG@k / IDCG@k

    where IDCG@k is the DCG@k of the ideal order. Values are in [0, 1]; 1 means
    that the first k ranks hold the highest gains in decreasing order. A list in
    which no item has a gain is empty.

    With item weights, DCG and IDCG use the products of weights and gains, and
    the ideal order sorts by these products.

    Args:
        k: the cutoff, or None for all ranks.
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        ideal: the items of the ideal order: `"relevant"`, all valid items,
            retrieved or not; `"uncut"`, the same, but not cut off at k, so that
            1 takes all relevant items within rank k; `"shown"`, the first of
            them, as many as the ranking has within rank k; or `"retrieved"`,
            only those that the ranking has at its first k ranks. The last has
            no exact mean over the orders of tied items, so `ties` then defaults
            to `"stable"`.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import NDCG
        >>> metric = NDCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0.6309 / (7 + 0.6309)
        0.0827

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(ndcg)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_ndcg)
    strict_order_under: ClassVar[tuple[str, str]] = ("ideal", "retrieved")
    whole_lists_under: ClassVar[tuple[str, str]] = ("ideal", "uncut")

    ideal: Ideal = "relevant"
    labels: Labels = "grades"


def err(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """Return E[1 / rank where users stop], or that over its ideal value."""
    value = ranking.at_stop(reciprocal_discount, k)
    if not normalized:
        return value
    best = ranking.best_at_stop(reciprocal_discount, k)
    return ops.divide_no_nan(value, best)


@bases.metric
class ERR(bases.AtK):
    """Expected reciprocal rank (ERR) at k: 1 / the rank where a user stops.

        ERR@k = Σ_{i=1..k} (1 / i) r_i Π_{j<i} (1 - r_j)
        r_i = (2^y_i - 1) / 2^max_grade

    A user looks at the items from the top and stops at rank i, whose item has
    the label y_i, with probability r_i. Items below good ones therefore matter
    little. `normalized=True` divides by the ERR@k of the ideal order; only then
    is the best value 1.

    A label above `max_grade` is an error, or makes the value NaN where the
    check is not possible. If relevant items have the label 1, as with
    `inputs="sparse"` and ids without labels, set `max_grade=1`. Item weights
    only mask items. Over tied items the value is the exact mean, which is slow
    without k for long lists in which all items tie.

    Args:
        k: the cutoff, or None for all ranks.
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

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(err)
    relevance: ClassVar[TensorFn] = staticmethod(stop_probability)

    max_grade: float = 4.0
    normalized: bool = False


@functools.cache  # a ranking's memo is keyed by the identity of the discount
def reach_probability(p: float) -> RankDiscountFn:
    """Return the discount `p ** (rank - 1)`, how likely users reach a rank."""
    return lambda rank: ops.power(p, rank - 1.0)


def pfound(
    ranking: Ranking, k: int | None, decay: bases.Probability = 0.85
) -> Tensor:
    """Return Σ decay^(rank - 1) y Π (1 - y above) over the ranks up to k."""
    return ranking.at_stop(reach_probability(decay), k)


@bases.metric
class PFound(bases.AtK):
    """The probability that a user finds what they look for (pFound) at k.

        pFound@k = Σ_{i=1..k} decay^(i-1) y_i Π_{j<i} (1 - y_j)

    where y_i, the label of the item at rank i, is the probability that the item
    satisfies the user. A user looks at the items from the top, stops at one
    that satisfies, and otherwise goes on with the probability `decay`. For
    labels of 0 and 1 it is decay^(i-1) for the first relevant item, at rank i.
    A label above 1 is an error, or makes the value NaN where the check is not
    possible. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        decay: the probability of going on, between 0 and 1.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import PFound
        >>> value = PFound()([[0.0, 0.5, 1.0]], [[0.9, 0.8, 0.7]])
        >>> round(float(value), 5)  # 0.85 · 0.5 + 0.85² · 0.5
        0.78625

    Gulin, Karpovich, Raskovalov and Segalovich, Yandex at ROMIP'2009; CatBoost,
    PFound.

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(pfound)
    relevance: ClassVar[TensorFn] = staticmethod(probability)

    decay: float = 0.85


def rbp(ranking: Ranking, k: int | None, p: bases.Probability = 0.8) -> Tensor:
    """Return (1 - p) Σ rel p^(rank - 1) over the ranks up to k."""
    reached = ranking.discount(reach_probability(p), k)
    return (1.0 - p) * ops.sum(ranking.total() * reached, axis=-1)


@bases.metric
class RankBiasedPrecision(bases.Binary):
    """Rank-biased precision (RBP) at k.

        RBP@k = (1 - p) Σ_{i=1..k} rel_i · p^(i-1)

    where rel_i is 1 if the item at rank i is relevant, else 0. A user goes on
    to the next item with probability p; RBP is the expected number of relevant
    items seen over the expected number of items seen. An endless list of
    relevant items has the value 1, a list with R relevant items at most
    1 - p^R. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
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

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(rbp)

    p: float = 0.8


def graded_rbp(
    ranking: Ranking, k: int | None, p: bases.Probability = 0.8
) -> Tensor:
    """Return rank-biased precision of gains over max(1, the highest gain)."""
    found = rbp(ranking, k, p)
    return found / ops.maximum(ranking.highest_gain(), 1.0)


@bases.metric
class GradedRankBiasedPrecision(bases.AtK):
    """Rank-biased precision (RBP) at k for graded labels.

        GRBP@k = (1 - p) Σ_{i=1..k} g_i · p^(i-1),  g_i = y_i / max(1, y_max)

    where y_i is the label of the item at rank i and y_max is the largest label
    of the list, whether that item is retrieved or not. If all labels of a list
    are between 0 and 1, they are used as they are: as the probabilities that
    the items are relevant. For labels of 0 and 1 the value is that of
    `RankBiasedPrecision`. A list in which no label is above 0 is empty. Item
    weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        p: the probability of going on to the next item, between 0 and 1.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import GradedRankBiasedPrecision
        >>> metric = GradedRankBiasedPrecision(p=0.5)
        >>> float(metric([[2, 0, 1]], [[0.9, 0.8, 0.7]]))  # (1 + (1/2) / 4) / 2
        0.5625

    Moffat and Zobel, ACM TOIS 27 (2008); trec_eval 10.0, m_rbp.c.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(graded_rbp)
    relevance: ClassVar[TensorFn] = staticmethod(linear_gain)

    p: float = 0.8
