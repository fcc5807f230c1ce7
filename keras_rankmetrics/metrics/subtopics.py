"""Metrics for queries with several intents or subtopics."""

from __future__ import annotations

from typing import ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import log2_discount, reciprocal_discount
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.metrics.average_precision import average_precision
from keras_rankmetrics.metrics.discounted import reach_probability
from keras_rankmetrics.metrics.hits import hit_rate, precision
from keras_rankmetrics.types import RankDiscountFn, Tensor, TensorFn

__all__ = [
    "ERRIA",
    "NRBP",
    "AlphaDCG",
    "AlphaNDCG",
    "MeanAveragePrecisionIA",
    "PrecisionIA",
    "SubtopicRecall",
]

# Means of relevance metrics over subtopics.


def precision_ia(
    ranking: Ranking,
    k: int | None,
    denominator: bases.Denominator = "retrieved",
) -> Tensor:
    """Return the mean over subtopics of hits / min(k, retrieved), or / k."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(precision(subtopics.rows, k, denominator))


@bases.metric
class PrecisionIA(bases.SubtopicMetric):
    """Intent-aware precision at k: the mean precision over subtopics.

        P-IA@k = mean over subtopics t of
                 (items at ranks 1..k relevant to t) / min(k, retrieved items)

    With `denominator="k"` the count is divided by k instead. Item weights only
    mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: the denominator of precision: `"retrieved"`, the smaller of
            k and the number of retrieved items, or `"k"`, which requires k.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import PrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(PrecisionIA(k=2)(labels, [[3.0, 2.0, 1.0]]))  # (2/2 + 0) / 2
        0.5

    Agrawal et al., Diversifying Search Results, WSDM (2009).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(precision_ia)

    denominator: Literal["retrieved", "k"] = "retrieved"


def map_ia(ranking: Ranking, k: int | None) -> Tensor:
    """Return the mean of average precision over subtopics."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(average_precision(subtopics.rows, k))


@bases.metric
class MeanAveragePrecisionIA(bases.SubtopicMetric):
    """Intent-aware average precision at k: its mean over subtopics.

        AP-IA@k = mean over subtopics t of AP@k with the items relevant to t

    Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = MeanAveragePrecisionIA()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # (1 + 1/3) / 2
        0.6667

    Agrawal et al., Diversifying Search Results, WSDM (2009).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(map_ia)


def subtopic_recall(ranking: Ranking, k: int | None) -> Tensor:
    """Return the share of subtopics with a relevant item within rank k."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(hit_rate(subtopics.rows, k))


@bases.metric
class SubtopicRecall(bases.SubtopicMetric):
    """Subtopic recall at k: the share of subtopics that are covered.

        S-recall@k = (subtopics with a relevant item at ranks 1..k) / subtopics

    Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import SubtopicRecall
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(SubtopicRecall(k=2)(labels, [[3.0, 2.0, 1.0]]))
        0.5

    Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR (2003).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(subtopic_recall)


# Metrics that reward covering many subtopics, and discount redundancy.
#
# A *subtopic* is one of the things a query may mean, or a user may look for.
# `y_true` holds a label for each item and subtopic, `[..., items, subtopics]`.
# An item exists if any of its labels is 0 or more. If none is, but one is
# `UNJUDGED`, the item is unjudged. Subtopics without relevant items are
# excluded.


def alpha_dcg(
    ranking: Ranking,
    k: int | None,
    alpha: float = 0.5,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return Σ d(rank) Σ_t rel_t (1 - α)^(number relevant to t above)."""
    subtopics = ranking.by_subtopic()
    return subtopics.total(subtopics.rows.at_stop(rank_discount_fn, k)) / alpha


@bases.metric
class AlphaDCG(bases.Unbounded, bases.NoveltyAware):
    """α-DCG at k: gain that shrinks with each item on the same subtopic.

        α-DCG@k = Σ_{i=1..k} rank_discount_fn(i) Σ_t rel_it (1 - α)^c_it

    where rel_it is 1 if the item at rank i is relevant to subtopic t, else 0,
    and c_it is the number of items above it that are relevant to t. It is 0 for
    a list in which no item is relevant, and has no upper bound. Item weights
    only mask items.

    `y_true` holds a label for each item and subtopic,
    `[..., items, subtopics]`, below 0 for padding.

    Args:
        k: the cutoff, or None for all ranks.
        alpha: the probability that a relevant item covers all of a subtopic,
            between 0 and 1.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `adjusted`
            is not available, and `inputs` is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import AlphaDCG
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]  # 3 items, 2 subtopics
        >>> value = AlphaDCG()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 1 + 0.5 / log2(3) + 1 / log2(4)
        1.8155

    Clarke et al., Novelty and Diversity in Information Retrieval Evaluation,
    SIGIR (2008).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(alpha_dcg)

    rank_discount_fn: RankDiscountFn = log2_discount


def alpha_ndcg(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return α-DCG over that of the greedy order."""
    return _over_best(ranking, rank_discount_fn, k)


def _over_best(
    ranking: Ranking, discount: RankDiscountFn, k: int | None
) -> Tensor:
    """Return the total of `at_stop` over that of the greedy order."""
    subtopics = ranking.by_subtopic()
    stopped = subtopics.total(subtopics.rows.at_stop(discount, k))
    return ops.divide_no_nan(stopped, subtopics.best_at_stop(discount, k))


@bases.metric
class AlphaNDCG(bases.NoveltyAware):
    """α-NDCG at k: α-DCG over that of the ideal order.

        α-NDCG@k = α-DCG@k / (α-DCG@k of the greedy order of all items)

    The ideal order is expensive to find. As is usual, the greedy order replaces
    it: at each rank it takes the item that adds most, and among equals the
    first of the input. Another order may be slightly better, so a value can be
    slightly above 1. A list in which no item is relevant is empty. Item weights
    only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        alpha: the probability that a relevant item covers all of a subtopic,
            between 0 and 1.
        rank_discount_fn: the discount of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import AlphaNDCG
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = AlphaNDCG()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 1.8155 / (1 + 1 / log2(3) + 0.5 / 2)
        0.9652

    Clarke et al., Novelty and Diversity in Information Retrieval Evaluation,
    SIGIR (2008).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(alpha_ndcg)

    rank_discount_fn: RankDiscountFn = log2_discount


def err_ia(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """Return the mean over subtopics of 1 / the rank where users stop."""
    if normalized:
        return _over_best(ranking, reciprocal_discount, k)
    subtopics = ranking.by_subtopic()
    return subtopics.mean(subtopics.rows.at_stop(reciprocal_discount, k))


@bases.metric
class ERRIA(bases.NoveltyAware):
    """Intent-aware expected reciprocal rank (ERR-IA) at k.

        ERR-IA@k = mean over subtopics t of
                   Σ_{i=1..k} (1 / i) α rel_it (1 - α)^c_it

    A user looks for one of the subtopics, each with equal probability, and
    stops at an item relevant to it with probability α. rel_it is 1 if the item
    at rank i is relevant to subtopic t, else 0, and c_it is the number of items
    above it that are relevant to t. `normalized=True` divides by the value of
    the greedy order, like `AlphaNDCG`. Item weights only mask items.

    ndeval divides its ERR-IA@k by the value of a list whose items are all
    relevant to all subtopics, Σ_{i=1..k} α (1 - α)^(i-1) / i, which is the same
    for all lists.

    Args:
        k: the cutoff, or None for all ranks.
        alpha: the probability of stopping at a relevant item, between 0 and 1.
        normalized: whether to divide by the value of the greedy order.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import ERRIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = ERRIA()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # (1/2 + 1/4 / 2 + 1/2 / 3) / 2
        0.3958

    Chapelle et al., Intent-based Diversification of Web Search Results,
    Information Retrieval 14 (2011).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(err_ia)

    normalized: bool = False


def nrbp(
    ranking: Ranking,
    k: int | None,
    alpha: float = 0.5,
    p: bases.Probability = 0.5,
    normalized: Literal[False, True] = False,
) -> Tensor:
    """Return (1 - (1 - α) p) mean over subtopics of Σ p^(rank - 1) novelty."""
    if normalized:
        return _over_best(ranking, reach_probability(p), k)
    subtopics = ranking.by_subtopic()
    reached = subtopics.rows.at_stop(reach_probability(p), k)
    return (1.0 - (1.0 - alpha) * p) / alpha * subtopics.mean(reached)


@bases.metric
class NRBP(bases.NoveltyAware):
    """Novelty- and rank-biased precision (NRBP) at k.

        NRBP@k = (1 - (1 - α) p) · mean over subtopics t of
                 Σ_{i=1..k} p^(i-1) rel_it (1 - α)^c_it

    where rel_it is 1 if the item at rank i is relevant to subtopic t, else 0,
    and c_it is the number of items above it that are relevant to t. A user goes
    on to the next item with probability p. An endless list of items that are
    relevant to all subtopics has the value 1. `normalized=True` divides by the
    value of the greedy order, like `AlphaNDCG`. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        alpha: the probability that a relevant item covers all of a subtopic,
            between 0 and 1.
        p: the probability of going on to the next item, between 0 and 1.
        normalized: whether to divide by the value of the greedy order.
        relevance_threshold: the lowest label of an item relevant to a subtopic.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import NRBP
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = NRBP()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 0.75 * (1 + 0.5 * 0.5 + 0.25) / 2
        0.5625

    Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and
    Underspecified Queries, ICTIR (2009).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(nrbp)

    p: float = 0.5
    normalized: bool = False
