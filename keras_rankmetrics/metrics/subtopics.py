"""Metrics of queries with several intents or subtopics."""

from __future__ import annotations

from typing import Annotated, Literal

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import log2_discount, reciprocal_discount
from keras_rankmetrics.metrics.average_precision import average_precision
from keras_rankmetrics.metrics.bases import Novel, OfSubtopics, register
from keras_rankmetrics.metrics.found import hit_rate, precision
from keras_rankmetrics.metrics.user_models import chance_to_come
from keras_rankmetrics.types import Between, RankDiscountFn, Tensor

# Metrics of relevance, averaged over the subtopics of a list.


def precision_ia(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """The mean over subtopics of hits / min(k, retrieved), or hits / k."""
    subtopics = ranking.by_subtopic()
    found = precision(subtopics.rows, k, denominator)
    return subtopics.mean(found)


@register
@declared
class PrecisionIA(OfSubtopics):
    """Intent-aware precision at k: the mean precision over the subtopics.

        P-IA@k = mean over subtopics t of
                 (items at ranks 1..k relevant to t) / min(k, retrieved items)

    or, with `denominator="k"`, over k. Item weights mask items, and do nothing
    else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import PrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(PrecisionIA(k=2)(labels, [[3.0, 2.0, 1.0]]))  # (2/2 + 0) / 2
        0.5

    Agrawal et al., Diversifying Search Results, WSDM (2009).
    """

    short_name = "precision_ia"
    measure = staticmethod(precision_ia)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def average_precision_ia(ranking: Ranking, k: int | None) -> Tensor:
    """The mean of average precision over the subtopics."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(average_precision(subtopics.rows, k))


@register
@declared
class MeanAveragePrecisionIA(OfSubtopics):
    """Intent-aware average precision: its mean over the subtopics.

        AP-IA@k = mean over subtopics t of AP@k, with what is relevant to t

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = MeanAveragePrecisionIA()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # (1 + 1/3) / 2
        0.6667

    Agrawal et al., Diversifying Search Results, WSDM (2009).
    """

    short_name = "map_ia"
    measure = staticmethod(average_precision_ia)


def subtopic_recall(ranking: Ranking, k: int | None) -> Tensor:
    """The part of the subtopics of which the first k ranks hold an item."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(hit_rate(subtopics.rows, k))


@register
@declared
class SubtopicRecall(OfSubtopics):
    """Subtopic recall at k: the part of the subtopics that is covered.

        S-recall@k = (subtopics with a relevant item at ranks 1..k) / subtopics

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import SubtopicRecall
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(SubtopicRecall(k=2)(labels, [[3.0, 2.0, 1.0]]))
        0.5

    Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR (2003).
    """

    short_name = "subtopic_recall"
    measure = staticmethod(subtopic_recall)


# How much of all subtopics the first ranks hold, and little of it twice.
#
# A *subtopic* is one of the things that a query may mean, or that a user may
# be after. `y_true` holds a label for each item and subtopic, `[..., items,
# subtopics]`. An item exists if any of its labels is 0 or more; if none is,
# and any is `UNJUDGED`, nobody has judged it. A subtopic without relevant
# items does not count.


def alpha_dcg(
    ranking: Ranking,
    k: int | None,
    alpha: float = 0.5,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Σ d(rank) Σ_t rel_t (1 - α)^(relevant to t above)."""
    subtopics = ranking.by_subtopic()
    return subtopics.total(subtopics.rows.at_stop(rank_discount_fn, k)) / alpha


@register
@declared
class AlphaDCG(Novel):
    """α-DCG at k: gain that shrinks with each item on the same subtopic.

        α-DCG@k = Σ_{i=1..k} rank_discount_fn(i) Σ_t rel_it (1 - α)^c_it

    where item i is relevant to the subtopic t or not, and c_it of the items
    above it are. It is 0 for a list in which no item is relevant, and has no
    upper bound. Item weights mask items, and do nothing else to the value.

    `y_true` holds a label for each item and subtopic,
    `[..., items, subtopics]`, below 0 for padding.

    Args:
        k: how many ranks count, or None for all.
        alpha: the chance that a relevant item says all of a subtopic, between 0
            and 1.
        rank_discount_fn: what a rank counts for, see
            `keras_rankmetrics.types.RankDiscountFn`.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. Neither `adjusted` nor
            other `inputs` than `"scores"` have a meaning.

    Example:
        >>> from keras_rankmetrics import AlphaDCG
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]  # 3 items, 2 subtopics
        >>> value = AlphaDCG()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 1 + 0.5 / log2(3) + 1 / log2(4)
        1.8155

    Clarke et al., Novelty and Diversity in Information Retrieval Evaluation,
    SIGIR (2008).
    """

    short_name = "alpha_dcg"
    measure = staticmethod(alpha_dcg)
    has_upper_bound = False
    aggregate = WeightedMean(bounded=False)

    rank_discount_fn: RankDiscountFn = log2_discount


def alpha_ndcg(
    ranking: Ranking,
    k: int | None,
    alpha: float = 0.5,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """The α-DCG over that of the greedy order."""
    best = ranking.by_subtopic().best_at_stop(rank_discount_fn, k) / alpha
    found = alpha_dcg(ranking, k, alpha, rank_discount_fn)
    return ops.divide_no_nan(found, best)


@register
@declared
class AlphaNDCG(Novel):
    """α-NDCG at k: α-DCG over that of the best order.

        α-NDCG@k = α-DCG@k / (α-DCG@k of the greedy order of all items)

    The best order is costly to find. As everywhere, it is replaced by the
    greedy one, which has at each rank the item that adds most, and of several
    the first of the input; another order may be a little better, and so a value
    a little above 1. A list in which no item is relevant is empty. Item weights
    mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        alpha: the chance that a relevant item says all of a subtopic, between 0
            and 1.
        rank_discount_fn: what a rank counts for, see
            `keras_rankmetrics.types.RankDiscountFn`.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import AlphaNDCG
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = AlphaNDCG()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 1.8155 / (1 + 1 / log2(3) + 0.5 / 2)
        0.9652

    Clarke et al., Novelty and Diversity in Information Retrieval Evaluation,
    SIGIR (2008).
    """

    short_name = "alpha_ndcg"
    measure = staticmethod(alpha_ndcg)

    rank_discount_fn: RankDiscountFn = log2_discount


def err_ia(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """The mean over subtopics of 1 / the rank where users stop."""
    subtopics = ranking.by_subtopic()
    stopped = subtopics.rows.at_stop(reciprocal_discount, k)
    if not normalized:
        return subtopics.mean(stopped)
    best = subtopics.best_at_stop(reciprocal_discount, k)
    return ops.divide_no_nan(subtopics.total(stopped), best)


@register
@declared
class ERRIA(Novel):
    """Intent-aware expected reciprocal rank at k.

        ERR-IA@k = mean over subtopics t of
                   Σ_{i=1..k} (1 / i) α rel_it (1 - α)^c_it

    A user is after one of the subtopics, each as likely, and stops at an item
    that is relevant to it with the chance α; c_it of the items above item i
    are relevant to it too. `normalized=True` divides by the value of the greedy
    order, as `AlphaNDCG` does. Item weights mask items, and do nothing else to
    the value.

    ndeval divides its ERR-IA@k by what a list has whose items are relevant to
    all subtopics: Σ_{i=1..k} α (1 - α)^(i-1) / i, the same for all lists.

    Args:
        k: how many ranks count, or None for all.
        alpha: the chance to stop at a relevant item, between 0 and 1.
        normalized: whether to divide by the greedy order.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import ERRIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = ERRIA()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # (1/2 + 1/4 / 2 + 1/2 / 3) / 2
        0.3958

    Chapelle et al., Intent-based Diversification of Web Search Results,
    Information Retrieval 14 (2011).
    """

    short_name = "err_ia"
    measure = staticmethod(err_ia)

    normalized: bool = False


def nrbp(
    ranking: Ranking,
    k: int | None,
    alpha: float = 0.5,
    p: Annotated[float, Between(0, 1)] = 0.5,
) -> Tensor:
    """(1 - (1 - α) p) times the mean over subtopics of Σ p^(rank - 1) novel."""
    subtopics = ranking.by_subtopic()
    reached = subtopics.rows.at_stop(chance_to_come(p), k)
    return (1.0 - (1.0 - alpha) * p) / alpha * subtopics.mean(reached)


@register
@declared
class NRBP(Novel):
    """Novelty- and rank-biased precision.

        NRBP@k = (1 - (1 - α) p) · mean over subtopics t of
                 Σ_{i=1..k} p^(i-1) rel_it (1 - α)^c_it

    where c_it of the items above item i are relevant to the subtopic t too. A
    user goes on to the next item with the chance p. An endless list of items
    that are relevant to all subtopics has 1. Item weights mask items, and do
    nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        alpha: the chance that a relevant item says all of a subtopic, between 0
            and 1.
        p: the chance to go on, between 0 and 1.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import NRBP
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = NRBP()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # 0.75 * (1 + 0.5 * 0.5 + 0.25) / 2
        0.5625

    Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and
    Underspecified Queries, ICTIR (2009).
    """

    short_name = "nrbp"
    measure = staticmethod(nrbp)

    p: float = 0.5
