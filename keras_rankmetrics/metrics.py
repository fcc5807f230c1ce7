"""The metrics. What they have in common is documented on `RankingMetric`."""

from __future__ import annotations

from typing import Any, Literal

import keras

from keras_rankmetrics import gains, measures
from keras_rankmetrics.gains import PACKAGE, exponential_gain, log2_discount
from keras_rankmetrics.metric import RankingMetric
from keras_rankmetrics.types import (
    EmptyPolicy,
    GainFn,
    InputForm,
    ListWeight,
    RankDiscountFn,
    TiePolicy,
)

_register = keras.saving.register_keras_serializable(package=PACKAGE)


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
    measure = staticmethod(measures.dcg)
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
    measure = staticmethod(measures.ndcg)

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


@_register
class PrecisionAtK(RankingMetric):
    """Precision at k: the part of the first k items that is relevant.

        P@k = (relevant items at ranks 1..k) / min(k, retrieved items)

    or, with `denominator="k"`, over k. It is 0 where nothing is retrieved.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import PrecisionAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> round(float(PrecisionAtK(k=5)(labels, scores)), 4)  # 2 of 3
        0.6667
        >>> round(float(PrecisionAtK(k=5, denominator="k")(labels, scores)), 4)
        0.4

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.
    """

    short_name = "precision"
    measure = staticmethod(measures.precision)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
        denominator: Literal["retrieved", "k"] = "retrieved",
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        _check_denominator(k, denominator)
        super().__init__(
            k,
            shuffle_ties=shuffle_ties,
            seed=seed,
            ties=ties,
            relevance_threshold=relevance_threshold,
            denominator=denominator,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


@_register
class RecallAtK(RankingMetric):
    """Recall at k: the part of the relevant items that is among the first k.

        R@k = (relevant items at ranks 1..k) / (relevant items)

    or, with `denominator="min"`, over min(k, relevant items), so that 1 can be
    reached. Relevant items that are not retrieved count in the denominator.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` or `"min"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import RecallAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> float(RecallAtK(k=1)(labels, scores))
        0.5
        >>> float(RecallAtK(k=1, denominator="min")(labels, scores))
        1.0

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.
    """

    short_name = "recall"
    measure = staticmethod(measures.recall)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
        denominator: Literal["relevant", "min"] = "relevant",
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
            relevance_threshold=relevance_threshold,
            denominator=denominator,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


@_register
class F1AtK(RankingMetric):
    """F1 at k: the harmonic mean of precision and recall at k.

        F1@k = 2 P@k R@k / (P@k + R@k)
             = 2 (relevant items at ranks 1..k) / (D + relevant items)

    where D is what precision divides by. Item weights mask items, and do
    nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import F1AtK
        >>> metric = F1AtK(k=2)
        >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))  # 2 / (2 + 2)
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.
    """

    short_name = "f1"
    measure = staticmethod(measures.f1)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
        denominator: Literal["retrieved", "k"] = "retrieved",
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        _check_denominator(k, denominator)
        super().__init__(
            k,
            shuffle_ties=shuffle_ties,
            seed=seed,
            ties=ties,
            relevance_threshold=relevance_threshold,
            denominator=denominator,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


@_register
class HitRateAtK(RankingMetric):
    """Hit rate at k: whether there is a relevant item among the first k.

        HR@k = 1 if an item at ranks 1..k is relevant, else 0

    Item weights mask items, and do nothing else to the value. Also known as
    success at k.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import HitRateAtK
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(HitRateAtK(k=2)(labels, scores))
        0.5

    Deshpande and Karypis, ACM TOIS 22 (2004).
    """

    short_name = "hit_rate"
    measure = staticmethod(measures.hit_rate)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
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
            relevance_threshold=relevance_threshold,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


@_register
class MeanAveragePrecision(RankingMetric):
    """Mean average precision at k.

        AP@k = (Σ_{i=1..k} rel_i · P@i) / (relevant items)

    where rel_i is 1 if the item at rank i is relevant, else 0, and P@i the part
    of the first i items that is relevant. With `denominator="min"` the sum is
    over min(k, relevant items), with `"hits"` over the relevant items at ranks
    1..k (0 where there are none).

    Under item weights each term is multiplied by the weight of its item, P@i is
    not, and the sum is divided also by the mean weight of the relevant items.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` (TREC), `"min"` or `"hits"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecision
        >>> labels, scores = [[0, 1, 1, 1]], [[0.9, 0.8, 0.7, 0.6]]
        >>> for denominator in ("relevant", "min", "hits"):
        ...     metric = MeanAveragePrecision(k=2, denominator=denominator)
        ...     print(denominator, round(float(metric(labels, scores)), 4))
        relevant 0.1667
        min 0.25
        hits 0.5

    Buckley and Voorhees, SIGIR (2000).
    """

    short_name = "map"
    measure = staticmethod(measures.average_precision)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
        denominator: Literal["relevant", "min", "hits"] = "relevant",
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
            relevance_threshold=relevance_threshold,
            denominator=denominator,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


@_register
class MeanReciprocalRank(RankingMetric):
    """Mean reciprocal rank at k.

        RR@k = 1 / (the rank of the first relevant item), 0 beyond rank k

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import MeanReciprocalRank
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(MeanReciprocalRank(k=2)(labels, scores))  # 1/2 and 0
        0.25

    Voorhees, TREC-8 (1999).
    """

    short_name = "mrr"
    measure = staticmethod(measures.reciprocal_rank)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        relevance_threshold: float = 1.0,
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
            relevance_threshold=relevance_threshold,
            empty=empty,
            list_weight=list_weight,
            inputs=inputs,
            name=name,
            dtype=dtype,
        )


def _check_denominator(k: int | None, denominator: str) -> None:
    if k is None and denominator == "k":
        raise ValueError(
            '`denominator="k"` needs a `k`. Received: `k` = None. Give a `k`, '
            'or use `denominator="retrieved"`.'
        )
