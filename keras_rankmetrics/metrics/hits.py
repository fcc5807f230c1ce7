"""Metrics of the relevant items among the first k: precision, recall, MRR."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.metrics.bases import (
    Binary,
    BinaryWholeList,
    Denominator,
    metric,
)
from keras_rankmetrics.types import (
    Between,
    EmptyPolicy,
    Labels,
    ListWeight,
    Tensor,
    TensorFn,
)

__all__ = [
    "AllHitAtK",
    "F1AtK",
    "FBetaAtK",
    "FallOutAtK",
    "HitRateAtK",
    "MeanReciprocalRank",
    "PrecisionAtK",
    "RPrecision",
    "RecallAtK",
    "ReciprocalRankOfAll",
    "RejectionRate",
]


def precision(
    ranking: Ranking, k: int | None, denominator: Denominator = "retrieved"
) -> Tensor:
    """Return hits / min(k, retrieved), or hits / k."""
    total = precision_denominator(ranking, k, denominator)
    return ops.divide_no_nan(ranking.hits(k), total)


@metric
class PrecisionAtK(Binary):
    """Precision at k: the share of the first k items that are relevant.

        P@k = (relevant items at ranks 1..k) / min(k, retrieved items)

    With `denominator="k"` the count is divided by k instead. The value is 0 if
    nothing is retrieved. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: the denominator: `"retrieved"`, the smaller of k and the
            number of retrieved items, or `"k"`, which requires k.
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import PrecisionAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> round(float(PrecisionAtK(k=5)(labels, scores)), 4)  # 2 of 3
        0.6667
        >>> round(float(PrecisionAtK(k=5, denominator="k")(labels, scores)), 4)
        0.4

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(precision)
    expected_measure: ClassVar[TensorFn] = staticmethod(precision)

    denominator: Literal["retrieved", "k"] = "retrieved"
    labels: Labels = "grades"


def recall(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Tensor:
    """Return hits / relevant, or hits / min(k, relevant)."""
    total = recall_denominator(ranking, k, denominator)
    return ops.divide_no_nan(ranking.hits(k), total)


def expected_recall(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Tensor:
    """Return the expectation of `recall` for probabilities."""
    if denominator == "min" and k is not None:
        return ranking.expected_sum_over_best(ops.ones_like, k)
    return ranking.expected_recall(k)


@metric
class RecallAtK(Binary):
    """Recall at k: the share of the relevant items that are among the first k.

        R@k = (relevant items at ranks 1..k) / (relevant items)

    With `denominator="min"` the count is divided by min(k, relevant items), so
    that the best possible value is 1. Relevant items that are not retrieved
    count in the denominator. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: `"relevant"` or `"min"`.
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import RecallAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> float(RecallAtK(k=1)(labels, scores))
        0.5
        >>> float(RecallAtK(k=1, denominator="min")(labels, scores))
        1.0

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(recall)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_recall)

    denominator: Literal["relevant", "min"] = "relevant"
    labels: Labels = "grades"


def r_precision(ranking: Ranking, k: int | None) -> Tensor:
    """Return hits at ranks 1..R over R, the number of relevant items."""
    relevant = ranking.overall()
    return ops.divide_no_nan(ranking.hits(relevant), relevant)


def expected_r_precision(ranking: Ranking, k: int | None) -> Tensor:
    """Return the expectation of `r_precision` for probabilities."""
    return ranking.expected_r_precision()


@metric
class RPrecision(BinaryWholeList):
    """R-precision: precision at rank R, for a list with R relevant items.

        R-precision = (relevant items at ranks 1..R) / R

    where R counts the relevant items, retrieved or not. At rank R, precision
    and recall are equal. For a cutoff, with min(k, R) as the denominator, use
    `RecallAtK(k, denominator="min")`. Item weights only mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import RPrecision
        >>> float(RPrecision()([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
        0.5

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(r_precision)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_r_precision)

    labels: Labels = "grades"


def has_others(ranking: Ranking) -> Tensor:
    """Return True for lists that retrieve an item that is not relevant."""
    return ranking.others() > 0


def fall_out(ranking: Ranking, k: int | None) -> Tensor:
    """Return (retrieved within rank k - hits) / others."""
    found = ranking.retrieved - ranking.hits(k)
    return ops.divide_no_nan(found, ranking.others())


@metric
class FallOutAtK(Binary):
    """Fall-out at k: the share of non-relevant items among the first k.

        fall-out@k = (non-relevant items at ranks 1..k) / (non-relevant items)

    where the denominator counts retrieved items only. Lower is better. A list
    that retrieves no non-relevant item is excluded by default (see `empty`);
    one without relevant items is not. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `adjusted`
            and `empty="one"` are not available.

    Example:
        >>> from keras_rankmetrics import FallOutAtK
        >>> float(FallOutAtK(k=2)([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(fall_out)
    has_value: ClassVar[TensorFn] = staticmethod(has_others)
    more_is_better = False

    empty: EmptyPolicy = "skip"


def f_beta(
    ranking: Ranking,
    k: int | None,
    beta: Annotated[float, Between(0)] = 1.0,
    denominator: Denominator = "retrieved",
) -> Tensor:
    """Return (1 + β²) hits / (the denominator of precision + β² relevant)."""
    of_recall = beta**2
    hits, relevant = ranking.hits(k), ranking.overall()
    total = precision_denominator(ranking, k, denominator)
    total = total + of_recall * relevant
    return ops.divide_no_nan((1.0 + of_recall) * hits, total)


@metric
class FBetaAtK(Binary):
    """F-beta at k: the weighted harmonic mean of precision and recall.

        Fβ@k = (1 + β²) P@k R@k / (β² P@k + R@k)
             = (1 + β²) (relevant items at ranks 1..k) / (D + β² relevant items)

    where recall is weighted β² times as much as precision, and D is the
    denominator of precision. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        beta: β, above 0. Values above 1 favour recall, values below 1
            precision.
        denominator: the denominator of precision: `"retrieved"`, the smaller of
            k and the number of retrieved items, or `"k"`, which requires k.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import FBetaAtK
        >>> metric = FBetaAtK(k=1, beta=2.0)
        >>> value = metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 4)  # 5 / (1 + 4 * 2)
        0.5556

    van Rijsbergen, Information Retrieval (1979), chapter 7.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(f_beta)

    beta: float = 1.0
    denominator: Literal["retrieved", "k"] = "retrieved"


def f1(
    ranking: Ranking, k: int | None, denominator: Denominator = "retrieved"
) -> Tensor:
    """Return 2 hits / (the denominator of precision + relevant)."""
    return f_beta(ranking, k, 1.0, denominator)


@metric
class F1AtK(Binary):
    """F1 at k: the harmonic mean of precision and recall at k.

        F1@k = 2 P@k R@k / (P@k + R@k)
             = 2 (relevant items at ranks 1..k) / (D + relevant items)

    where D is the denominator of precision. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: the denominator of precision: `"retrieved"`, the smaller of
            k and the number of retrieved items, or `"k"`, which requires k.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import F1AtK
        >>> metric = F1AtK(k=2)
        >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))  # 2 / (2 + 2)
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(f1)

    denominator: Literal["retrieved", "k"] = "retrieved"


def hit_rate(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 if a relevant item is within rank k, else 0."""
    return ranking.at_first_hit(ops.ones_like, k)


def expected_hit_rate(ranking: Ranking, k: int | None) -> Tensor:
    """Return the expectation of `hit_rate` for probabilities."""
    return ranking.at_stop(ops.ones_like, k)


@metric
class HitRateAtK(Binary):
    """Hit rate at k: the share of lists with a relevant item among the first k.

        HR@k = 1 if an item at ranks 1..k is relevant, else 0

    Also known as success at k. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import HitRateAtK
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(HitRateAtK(k=2)(labels, scores))
        0.5

    Deshpande and Karypis, ACM TOIS 22 (2004).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(hit_rate)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_hit_rate)

    labels: Labels = "grades"


def mrr(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 / the first relevant rank within k, or 0 without one."""
    return ranking.at_first_hit(reciprocal_discount, k)


def expected_mrr(ranking: Ranking, k: int | None) -> Tensor:
    """Return the expectation of `mrr` for probabilities."""
    return ranking.at_stop(reciprocal_discount, k)


@metric
class MeanReciprocalRank(Binary):
    """Mean reciprocal rank (MRR) at k.

        RR@k = 1 / (rank of the first relevant item), or 0 if that is beyond k

    Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import MeanReciprocalRank
        >>> labels, scores = [[0, 1, 0], [0, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(MeanReciprocalRank(k=2)(labels, scores))  # 1/2 and 0
        0.25

    Voorhees, TREC-8 (1999).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(mrr)
    expected_measure: ClassVar[TensorFn] = staticmethod(expected_mrr)

    labels: Labels = "grades"


def all_hit(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 if all relevant items are within rank k, else 0."""
    return ranking.all_within(k)


@metric
class AllHitAtK(Binary):
    """All-hit rate at k: the share of lists with all relevant items up to k.

        AllHit@k = 1 if all relevant items are at ranks 1..k, else 0

    Also known as recall of all or perfect recall: a question that needs several
    documents can be answered then. With ties it is the probability of this in
    a random order of tied items. A list with more than k relevant items has 0.
    Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import AllHitAtK
        >>> labels, scores = [[1, 1, 0], [1, 0, 1]], [[0.9, 0.8, 0.7]] * 2
        >>> float(AllHitAtK(k=2)(labels, scores))
        0.5

    Yang et al., HotpotQA, EMNLP (2018), whose paragraphs are all needed.

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(all_hit)
    needs_whole_lists = True


def reciprocal_rank_of_all(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "hits"] = "relevant",
) -> Tensor:
    """Return Σ 1 / rank over the relevant items within rank k, over D."""
    if denominator == "hits":
        return ranking.reciprocal_rank_per_hit(k)
    reciprocals = ranking.total() * ranking.discount(reciprocal_discount, k)
    total = ops.sum(reciprocals, axis=-1)
    return ops.divide_no_nan(total, ranking.overall())


@metric
class ReciprocalRankOfAll(Binary):
    """Mean reciprocal rank of all relevant items, within rank k.

        RR-all@k = (1 / R) Σ_{i=1..k} rel_i / i

    where R counts the relevant items, retrieved or not. With
    `denominator="hits"` the sum is divided by the number of relevant items at
    ranks 1..k instead, so that missing one may raise the value; it is 0 if
    there are none. Unlike `MeanReciprocalRank` it looks at each relevant item,
    so that it reaches 1 only for lists with one. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: `"relevant"`, as in the code of MIND, or `"hits"`, as in
            the granular MRR of LlamaIndex.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import ReciprocalRankOfAll
        >>> labels, scores = [[0, 1, 0, 1]], [[0.9, 0.8, 0.7, 0.6]]
        >>> float(ReciprocalRankOfAll()(labels, scores))  # (1/2 + 1/4) / 2
        0.375
        >>> metric = ReciprocalRankOfAll(k=2, denominator="hits")
        >>> float(metric(labels, scores))  # of the one that is found
        0.5

    Wu et al., MIND: A Large-scale Dataset for News Recommendation, ACL (2020).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(reciprocal_rank_of_all)

    denominator: Literal["relevant", "hits"] = "relevant"


def has_no_gain(ranking: Ranking) -> Tensor:
    """Return True for lists without a relevant item."""
    return ops.logical_not(ranking.has_gain())


def rejection_rate(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 for lists that retrieve nothing, else 0."""
    return ops.cast(ranking.retrieved == 0, ranking.items.labels.dtype)


@metric
class RejectionRate(BinaryWholeList):
    """Rejection rate: how often nothing is retrieved if nothing is relevant.

        rejection = 1 if no item is retrieved, else 0

    over the lists without a relevant item, such as questions without an answer.
    Lists with one are excluded by default (see `empty`), which other metrics
    look at. An item with the score `-inf` is not retrieved; in `evaluate`,
    `worst_score` leaves out items below a score. Item weights only mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`. `adjusted` is not available, and `inputs` is
            `"scores"`.

    Example:
        >>> import numpy as np
        >>> from keras_rankmetrics import RejectionRate
        >>> labels = [[0, 0], [0, 0], [1, 0]]
        >>> scores = [[-np.inf, -np.inf], [0.9, 0.1], [0.8, 0.3]]
        >>> float(RejectionRate()(labels, scores))
        0.5

    Chen et al., Benchmarking Large Language Models in Retrieval-Augmented
    Generation, AAAI (2024), negative rejection.

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(rejection_rate)
    has_value: ClassVar[TensorFn] = staticmethod(has_no_gain)
    needs_labels: ClassVar[str] = "labels, since a list without ids is padding"

    empty: EmptyPolicy = "skip"
    list_weight: ListWeight = "mean"


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
    """Return the number of relevant items, or at most k, `[lists]`."""
    relevant = ranking.overall()
    if denominator == "min" and k is not None:
        return ops.minimum(relevant, float(k))
    return relevant
