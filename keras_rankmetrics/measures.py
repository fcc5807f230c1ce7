"""The measures: pure functions of a ranking, each one formula.

Each takes a `Ranking`, the cutoff `k` (None: all ranks) and its options by
name, and returns one value per list. What a label is worth, and in which order
tied items stand, is the ranking's business.
"""

from __future__ import annotations

from typing import Literal

from keras import ops

from keras_rankmetrics.gains import log2_discount, reciprocal_discount
from keras_rankmetrics.ranking import Ranking
from keras_rankmetrics.types import RankDiscountFn, Tensor


def dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Σ w g(y) d(rank) over the ranks up to k, over the mean weight."""
    return ops.divide_no_nan(
        _discounted(ranking, k, rank_discount_fn), ranking.mean_weight()
    )


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


def precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """Hits / min(k, retrieved), or hits / k."""
    return ops.divide_no_nan(
        ranking.hits(k), _precision_denominator(ranking, k, denominator)
    )


def recall(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Tensor:
    """Hits / relevant, or hits / min(k, relevant)."""
    return ops.divide_no_nan(
        ranking.hits(k), _recall_denominator(ranking, k, denominator)
    )


def f1(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """2 hits / (the denominator of precision + relevant)."""
    return ops.divide_no_nan(
        2.0 * ranking.hits(k),
        _precision_denominator(ranking, k, denominator) + ranking.overall(),
    )


def hit_rate(ranking: Ranking, k: int | None) -> Tensor:
    """1 if a relevant item is within rank k, else 0."""
    return ranking.at_first_hit(ops.ones_like, k)


def reciprocal_rank(ranking: Ranking, k: int | None) -> Tensor:
    """1 / the first relevant rank within k, else 0."""
    return ranking.at_first_hit(reciprocal_discount, k)


def average_precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
) -> Tensor:
    """Σ w precision(rank) over the relevant ranks up to k, over D mean w."""
    if denominator == "hits":
        return ops.divide_no_nan(
            ranking.precision_per_hit(k), ranking.mean_weight()
        )
    relevant = _recall_denominator(ranking, k, denominator)
    precisions = ranking.weighted_total() * ranking.precision(k)
    return ops.divide_no_nan(
        ops.sum(precisions, axis=-1), relevant * ranking.mean_weight()
    )


def _discounted(
    ranking: Ranking, k: int | None, rank_discount_fn: RankDiscountFn
) -> Tensor:
    gains = ranking.weighted_total() * ranking.mean(rank_discount_fn, k)
    return ops.sum(gains, axis=-1)


def _precision_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    if denominator == "k" and k is not None:
        return ops.full_like(ranking.hits(k), float(k))
    return ranking.retrieved


def _recall_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    relevant = ranking.overall()
    if denominator == "min" and k is not None:
        return ops.minimum(relevant, float(k))
    return relevant
