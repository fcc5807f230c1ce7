"""Hits within rank `k`: precision, recall, F, fall-out, hit rate and MRR."""

from __future__ import annotations

from typing import Annotated, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.metrics.bases import Binary, BinaryOfWholeLists, register
from keras_rankmetrics.types import Between, EmptyPolicy, Tensor

# How many relevant items the first ranks hold: precision, recall and so on.


def precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """Hits / min(k, retrieved), or hits / k."""
    return ops.divide_no_nan(
        ranking.hits(k), precision_denominator(ranking, k, denominator)
    )


@register
@declared
class PrecisionAtK(Binary):
    """Precision at k: the part of the first k items that is relevant.

        P@k = (relevant items at ranks 1..k) / min(k, retrieved items)

    or, with `denominator="k"`, over k. It is 0 where nothing is retrieved.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

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
    measure = staticmethod(precision)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def recall(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Tensor:
    """Hits / relevant, or hits / min(k, relevant)."""
    return ops.divide_no_nan(
        ranking.hits(k), recall_denominator(ranking, k, denominator)
    )


@register
@declared
class RecallAtK(Binary):
    """Recall at k: the part of the relevant items that is among the first k.

        R@k = (relevant items at ranks 1..k) / (relevant items)

    or, with `denominator="min"`, over min(k, relevant items), so that 1 can be
    reached. Relevant items that are not retrieved count in the denominator.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` or `"min"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

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
    measure = staticmethod(recall)

    denominator: Literal["relevant", "min"] = "relevant"


def r_precision(ranking: Ranking, k: int | None) -> Tensor:
    """Hits within as many ranks as there are relevant items, over these."""
    relevant = ranking.overall()
    return ops.divide_no_nan(ranking.hits(relevant), relevant)


@register
@declared
class RPrecision(BinaryOfWholeLists):
    """R-precision: precision, and recall, at as many ranks as are relevant.

        R-precision = (relevant items at ranks 1..R) / R

    where R is the number of relevant items, retrieved or not. With a cutoff,
    over min(k, R), it is `RecallAtK(k, denominator="min")`. Item weights mask
    items, and do nothing else to the value.

    Args:
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import RPrecision
        >>> float(RPrecision()([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
        0.5

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.
    """

    short_name = "r_precision"
    measure = staticmethod(r_precision)


def has_others(ranking: Ranking) -> Tensor:
    """Which lists have a retrieved item that is not relevant."""
    return ranking.others() > 0


def fall_out(ranking: Ranking, k: int | None) -> Tensor:
    """(Retrieved within rank k - hits) / others."""
    return ops.divide_no_nan(
        ranking.retrieved - ranking.hits(k), ranking.others()
    )


@register
@declared
class FallOutAtK(Binary):
    """Fall-out at k: the part of the other items that is among the first k.

        fall-out@k = (other items at ranks 1..k) / (other items)

    where the others are those retrieved items that are not relevant. Less is
    better. A list without others has no value: it counts by `empty`, and not at
    all by default; one without relevant items has one. Item weights mask items,
    and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. Neither `adjusted` nor
            `empty="one"` has a meaning.

    Example:
        >>> from keras_rankmetrics import FallOutAtK
        >>> float(FallOutAtK(k=2)([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.
    """

    short_name = "fall_out"
    measure = staticmethod(fall_out)
    has_value = staticmethod(has_others)
    has_upper_bound = False
    more_is_better = False

    empty: EmptyPolicy = "skip"


def f_beta(
    ranking: Ranking,
    k: int | None,
    beta: Annotated[float, Between(0)] = 1.0,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """(1 + β²) hits / (the denominator of precision + β² relevant)."""
    of_recall = beta**2
    return ops.divide_no_nan(
        (1.0 + of_recall) * ranking.hits(k),
        precision_denominator(ranking, k, denominator)
        + of_recall * ranking.overall(),
    )


@register
@declared
class FBetaAtK(Binary):
    """F-beta at k: the mean of precision and recall, recall β² times as heavy.

        Fβ@k = (1 + β²) P@k R@k / (β² P@k + R@k)
             = (1 + β²) (relevant items at ranks 1..k) / (D + β² relevant items)

    where D is what precision divides by. Item weights mask items, and do
    nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        beta: above 0. With 2, recall tells more, with 0.5, precision.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import FBetaAtK
        >>> metric = FBetaAtK(k=1, beta=2.0)
        >>> value = metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 4)  # 5 / (1 + 4 * 2)
        0.5556

    van Rijsbergen, Information Retrieval (1979), chapter 7.
    """

    short_name = "f_beta"
    measure = staticmethod(f_beta)
    needs_k_under = ("denominator", "k")

    beta: float = 1.0
    denominator: Literal["retrieved", "k"] = "retrieved"


def f1(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """2 hits / (the denominator of precision + relevant)."""
    return f_beta(ranking, k, 1.0, denominator)


@register
@declared
class F1AtK(Binary):
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
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import F1AtK
        >>> metric = F1AtK(k=2)
        >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))  # 2 / (2 + 2)
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.
    """

    short_name = "f1"
    measure = staticmethod(f1)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def precision_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    """Return min(k, retrieved), or k, `[lists]`."""
    if denominator == "k" and k is not None:
        return ops.full_like(ranking.hits(k), float(k))
    return ranking.retrieved


def recall_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    """The relevant items, or as many of them as `k` ranks can hold."""
    relevant = ranking.overall()
    if denominator == "min" and k is not None:
        return ops.minimum(relevant, float(k))
    return relevant


# Where the first relevant item stands: hit rate and reciprocal rank.


def hit_rate(ranking: Ranking, k: int | None) -> Tensor:
    """1 if a relevant item is within rank k, else 0."""
    return ranking.at_first_hit(ops.ones_like, k)


@register
@declared
class HitRateAtK(Binary):
    """Hit rate at k: whether there is a relevant item among the first k.

        HR@k = 1 if an item at ranks 1..k is relevant, else 0

    Item weights mask items, and do nothing else to the value. Also known as
    success at k.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import HitRateAtK
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(HitRateAtK(k=2)(labels, scores))
        0.5

    Deshpande and Karypis, ACM TOIS 22 (2004).
    """

    short_name = "hit_rate"
    measure = staticmethod(hit_rate)


def reciprocal_rank(ranking: Ranking, k: int | None) -> Tensor:
    """1 / the first relevant rank within k, else 0."""
    return ranking.at_first_hit(reciprocal_discount, k)


@register
@declared
class MeanReciprocalRank(Binary):
    """Mean reciprocal rank at k.

        RR@k = 1 / (the rank of the first relevant item), 0 beyond rank k

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import MeanReciprocalRank
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(MeanReciprocalRank(k=2)(labels, scores))  # 1/2 and 0
        0.25

    Voorhees, TREC-8 (1999).
    """

    short_name = "mrr"
    measure = staticmethod(reciprocal_rank)
