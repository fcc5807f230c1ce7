"""How much gain the first ranks hold: DCG and NDCG."""

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


def dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Σ w g(y) d(rank) over the ranks up to k, over the mean weight."""
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

    Under item weights, gains are multiplied by them, and the sum is divided by
    the mean weight of the gains, Σ w g / Σ g over the whole list.

    Args:
        k: how many ranks count, or None for all.
        gain_fn: what a label is worth, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: what a rank counts for, see
            `keras_rankmetrics.types.RankDiscountFn`.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

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
    """The discounted gains over those of the best order."""
    best = {
        "relevant": ranking.best,
        "retrieved": lambda: ranking.best_of_retrieved(k),
    }
    most = ranking.discounted(best[ideal](), rank_discount_fn, k)
    value = ops.divide_no_nan(_discounted(ranking, k, rank_discount_fn), most)
    # Of discounts that make the sum overflow, the value would be 0.
    return ops.where(most < float("inf"), value, float("nan"))


@register
@declared
class NDCG(Graded):
    """Normalised discounted cumulative gain at k.

        NDCG@k = DCG@k / IDCG@k

    where IDCG@k is the DCG@k of the best order. It lies in [0, 1], and is 1
    where the first k ranks hold the highest gains in their order. A list in
    which no item has a gain is empty.

    Under item weights, DCG and IDCG are those of weights times gains, and the
    best order is by this product.

    Args:
        k: how many ranks count, or None for all.
        gain_fn: what a label is worth, see `keras_rankmetrics.types.GainFn`.
        rank_discount_fn: what a rank counts for, see
            `keras_rankmetrics.types.RankDiscountFn`.
        ideal: what the best order is of: `"relevant"`, all valid items,
            retrieved or not; or `"retrieved"`, those that the ranking has at
            its first k ranks. The latter has no exact mean over tied orders:
            there, `ties` defaults to `"stable"`.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

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
