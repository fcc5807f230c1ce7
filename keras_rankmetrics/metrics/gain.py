"""How much gain the first ranks hold: DCG and NDCG."""

from __future__ import annotations

from typing import Any, Literal

import keras
from keras import ops

from keras_rankmetrics import gains
from keras_rankmetrics.engine.metric import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import exponential_gain, log2_discount
from keras_rankmetrics.types import (
    EmptyPolicy,
    GainFn,
    InputForm,
    ListWeight,
    RankDiscountFn,
    Tensor,
    TiePolicy,
)

_register = keras.saving.register_keras_serializable(package=gains.PACKAGE)


def dcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Σ w g(y) d(rank) over the ranks up to k, over the mean weight."""
    return ops.divide_no_nan(
        _discounted(ranking, k, rank_discount_fn), ranking.mean_weight()
    )


@_register
class DCG(RankingMetric):
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
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import DCG
        >>> metric = DCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0 at rank 1, (2^1 - 1) / log2(3) at rank 2
        0.6309

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).
    """

    short_name = "dcg"
    relevance = staticmethod(gains.gain)
    measure = staticmethod(dcg)
    has_upper_bound = False

    def __init__(
        self,
        k: int | None = None,
        gain_fn: GainFn = exponential_gain,
        rank_discount_fn: RankDiscountFn = log2_discount,
        *,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        ties: TiePolicy | None = None,
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            k,
            shuffle_ties=shuffle_ties,
            seed=seed,
            ties=ties,
            gain_fn=gain_fn,
            rank_discount_fn=rank_discount_fn,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
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


@_register
class NDCG(RankingMetric):
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
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import NDCG
        >>> metric = NDCG(k=2)
        >>> value = metric([[3.0, 0.0, 1.0]], [[0.3, 0.9, 0.6]])
        >>> round(float(value), 4)  # 0.6309 / (7 + 0.6309)
        0.0827

    Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML (2005).
    """

    short_name = "ndcg"
    relevance = staticmethod(gains.gain)
    measure = staticmethod(ndcg)

    def __init__(
        self,
        k: int | None = None,
        gain_fn: GainFn = exponential_gain,
        rank_discount_fn: RankDiscountFn = log2_discount,
        *,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        ties: TiePolicy | None = None,
        ideal: Literal["relevant", "retrieved"] = "relevant",
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        if ideal == "retrieved":
            if ties == "average":
                raise ValueError(
                    '`ideal="retrieved"` has no closed form under '
                    '`ties="average"`: which items the first k ranks hold '
                    "depends on the order. Use another `ties`."
                )
            if ties is None and shuffle_ties is None:
                ties = "stable"
        super().__init__(
            k,
            shuffle_ties=shuffle_ties,
            seed=seed,
            ties=ties,
            gain_fn=gain_fn,
            rank_discount_fn=rank_discount_fn,
            ideal=ideal,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


def _discounted(
    ranking: Ranking, k: int | None, rank_discount_fn: RankDiscountFn
) -> Tensor:
    gains = ranking.weighted_total() * ranking.discount(rank_discount_fn, k)
    return ops.sum(gains, axis=-1)
