"""Discounted cumulative gain: DCG and NDCG."""

from __future__ import annotations

from typing import Literal

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import log2_discount
from keras_rankmetrics.metrics.bases import Graded, register
from keras_rankmetrics.types import (
    RankDiscountFn,
    Tensor,
)

__all__ = ["DCG", "NDCG"]


def dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return Σ w g(y) d(rank) over the ranks up to k, over the mean weight."""
    return ops.divide_no_nan(
        _discounted(ranking, k, rank_discount_fn), ranking.mean_weight()
    )


@register
@declared
class DCG(Graded):
    """Discounted cumulative gain at k.

    For a list whose item at rank i has the label y_i,

        DCG@k = Σ_{i=1..k} gain_fn(y_i) · rank_discount_fn(i)

    by default Σ (2^y_i - 1) / log2(i + 1). It is 0 for a list in which no item
    has a gain, and has no upper bound.

    With item weights, gains are multiplied by them, and the sum is divided by
    the mean weight of the gains, Σ w g / Σ g over the whole list.

    Args:
        k: the number of ranks that count, or None for all.
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import DCG
        >>> metric = DCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0 at rank 1, (2^1 - 1) / log2(3) at rank 2
        0.6309

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).
    """

    short_name = "dcg"
    measure = staticmethod(dcg)
    has_upper_bound = False
    aggregate = WeightedMean(bounded=False)


def ndcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
    ideal: Literal["relevant", "retrieved"] = "relevant",
) -> Tensor:
    """Return the discounted gains over those of the ideal order."""
    best = {
        "relevant": ranking.best,
        "retrieved": lambda: ranking.best_of_retrieved(k),
    }
    most = ranking.discounted(best[ideal](), rank_discount_fn, k)
    value = ops.divide_no_nan(_discounted(ranking, k, rank_discount_fn), most)
    # If the discounts make the sum overflow, the quotient would be 0.
    return ops.where(most < float("inf"), value, float("nan"))


@register
@declared
class NDCG(Graded):
    """Normalised discounted cumulative gain at k.

        NDCG@k = DCG@k / IDCG@k

    where IDCG@k is the DCG@k of the ideal order. Values are in [0, 1]; 1 means
    that the first k ranks hold the highest gains in decreasing order. A list in
    which no item has a gain is empty.

    With item weights, DCG and IDCG use the products of weights and gains, and
    the ideal order sorts by these products.

    Args:
        k: the number of ranks that count, or None for all.
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        ideal: the items of the ideal order: `"relevant"`, all valid items,
            retrieved or not; or `"retrieved"`, only those that the ranking has
            at its first k ranks. The latter has no exact mean over the orders
            of tied items, so `ties` then defaults to `"stable"`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import NDCG
        >>> metric = NDCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0.6309 / (7 + 0.6309)
        0.0827

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).
    """

    short_name = "ndcg"
    measure = staticmethod(ndcg)
    strict_order_under = ("ideal", "retrieved")

    ideal: Literal["relevant", "retrieved"] = "relevant"


def _discounted(
    ranking: Ranking, k: int | None, rank_discount_fn: RankDiscountFn
) -> Tensor:
    gains = ranking.weighted_total() * ranking.discount(rank_discount_fn, k)
    return ops.sum(gains, axis=-1)
