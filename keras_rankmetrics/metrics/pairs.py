"""Pairs of items in the right order, and mean ranks."""

from __future__ import annotations

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics.bases import (
    Binary,
    BinaryOfWholeLists,
    OfWholeLists,
    register,
)
from keras_rankmetrics.types import EmptyPolicy, GainFn, Tensor

# How often the better of two items stands above the other.


def has_pairs(ranking: Ranking) -> Tensor:
    """Which lists have a relevant item and a retrieved one that is not."""
    return ranking.has_gain() & (ranking.others() > 0)


def auc(ranking: Ranking, k: int | None) -> Tensor:
    """1 - Σ min(others above, M) over the relevant items / (R M)."""
    relevant, others = ranking.overall(), ranking.others()
    most = None if k is None else ops.minimum(others, float(k))
    counted = others if most is None else most
    above = ranking.others_above(most) + ranking.missed() * counted
    return 1.0 - ops.divide_no_nan(above, relevant * counted)


@register
@declared
class AUC(Binary):
    """The area under the ROC curve of each list.

        AUC = (pairs in the right order) / (pairs)

    over all pairs of a relevant item and a retrieved one that is not relevant,
    with `inputs="ids"` a recommended one. A pair of equal scores counts half.
    Relevant items that are not retrieved stand below all others.

    With k it is the partial AUC of the first M = min(k, other items) others:

        AUC@k = (pairs with the first M others in the right order) / (R M)

    for R relevant items. A list without relevant items, or without others, has
    no value: it counts by `empty`, and not at all by default. The mean over
    lists is also known as gAUC: weighted by users as it is, by impressions or
    by clicks with these as `sample_weight`. Item weights mask items, and do
    nothing else to the value.

    Args:
        k: how many of the others count, or None for all.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import AUC
        >>> labels, scores = [[1, 0, 1, 0]], [[0.9, 0.8, 0.8, 0.6]]
        >>> float(AUC()(labels, scores))  # 2 pairs, and 1 + 1/2
        0.875
        >>> float(AUC(k=1)(labels, scores))  # the first other: 1 and 1/2
        0.75

    Hanley and McNeil, Radiology 143 (1982); Zhou et al., Deep Interest Network,
    KDD (2018).
    """

    short_name = "auc"
    measure = staticmethod(auc)
    has_value = staticmethod(has_pairs)
    needs_whole_lists = True

    empty: EmptyPolicy = "skip"


def adjusted_mean_rank_index(ranking: Ranking, k: int | None) -> Tensor:
    """1 - mean(others above) / (others / 2)."""
    return 2.0 * auc(ranking, k) - 1.0


@register
@declared
class AdjustedMeanRankIndex(BinaryOfWholeLists):
    """The mean rank on a scale where chance is 0, and the best is 1.

        AMRI = 1 - (MR - 1) / (E[MR] - 1)

    where MR is the mean rank of the relevant items, each ranked among the items
    that are not relevant (the *filtered* rank), and E[MR] that of a random
    order. For N of these items it is 1 + N/2, so that AMRI = 2 AUC - 1. The
    worst order has -1. A list without relevant items, or without others, has no
    value: it counts by `empty`, and not at all by default. Item weights mask
    items, and do nothing else to the value.

    Args:
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import AdjustedMeanRankIndex
        >>> metric = AdjustedMeanRankIndex(inputs="sparse")
        >>> float(metric([1], [[0.9, 0.7, 0.8, 0.6, 0.5]]))  # rank 3 of 5
        0.0

    Berrendorf et al., "On the Ambiguity of Rank-Based Evaluation of Entity
    Alignment or Link Prediction Methods" (2020).
    """

    short_name = "amri"
    measure = staticmethod(adjusted_mean_rank_index)
    has_value = staticmethod(has_pairs)
    aggregate = WeightedMean(bounded=False)

    empty: EmptyPolicy = "skip"


def ordered_pair_accuracy(ranking: Ranking, k: int | None) -> Tensor:
    """The part of the pairs of unlike labels that is in the right order."""
    pairs = ranking.pairs()
    return ops.divide_no_nan(pairs.right, pairs.every)


def has_unlike_labels(ranking: Ranking) -> Tensor:
    """Which lists have a pair of items of which one has a higher label."""
    return ranking.pairs().every > 0


@register
@declared
class OrderedPairAccuracy(OfWholeLists):
    """Ordered pair accuracy: AUC of grades.

        OPA = (pairs in the right order) / (pairs)

    over all pairs of items of a list of which one has a higher label, and the
    other one is retrieved. In the right order, the first stands above. A pair
    of equal scores counts half. An item that is not retrieved stands below all
    others; nothing is said of those with lower labels that are not retrieved
    either. For labels of 0 and 1 that is `AUC`. A list without such pairs has
    no value: it counts by `empty`, and not at all by default. Item weights mask
    items, and do nothing else to the value.

    With n items it takes as many steps as log2 n or less, by the number of
    different labels, each a sort: there is no array of all pairs.

    Args:
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import OrderedPairAccuracy
        >>> labels, scores = [[3, 1, 1, 0]], [[0.8, 0.9, 0.8, 0.1]]
        >>> value = OrderedPairAccuracy()(labels, scores)
        >>> round(float(value), 4)  # 3 + 1/2 of 5: 3 above 1 above 0
        0.7

    Agichtein et al., Improving Web Search Ranking by Incorporating User
    Behavior Information, SIGIR (2006); Pasumarthi et al., TF-Ranking, KDD
    (2019).
    """

    short_name = "opa"
    measure = staticmethod(ordered_pair_accuracy)
    relevance = staticmethod(linear_gain)
    has_value = staticmethod(has_unlike_labels)

    empty: EmptyPolicy = "skip"


# At which rank relevant items stand on average.


def mean_rank(ranking: Ranking, k: int | None) -> Tensor:
    """Σ g rank / Σ g, an item that is not retrieved behind all that are."""
    behind_all = ranking.missed() * (ranking.retrieved + 1.0)
    return ops.divide_no_nan(ranking.ranks() + behind_all, ranking.overall())


@register
@declared
class MeanRank(BinaryOfWholeLists):
    """Mean rank: at which rank the relevant items stand on average.

        MR = (Σ ranks of the relevant items) / (relevant items)

    Less is better; the best value of a list with R of them is (R + 1) / 2. A
    relevant item that is not retrieved has the rank behind the last item that
    is. A list without relevant items does not count by default. Item weights
    mask items, and do nothing else to the value.

    Args:
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`. Neither `empty="one"` nor `adjusted` has a
            meaning.

    Example:
        >>> from keras_rankmetrics import MeanRank
        >>> float(MeanRank()([[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]]))
        2.5

    Bordes et al., Translating Embeddings for Modeling Multi-relational Data,
    NIPS (2013).
    """

    short_name = "mean_rank"
    measure = staticmethod(mean_rank)
    has_upper_bound = False
    more_is_better = False
    aggregate = WeightedMean(bounded=False)

    empty: EmptyPolicy = "skip"


@register
@declared
class AverageRelevancePosition(OfWholeLists):
    """Average relevance position: the mean rank, weighted by what labels say.

        ARP = (Σ_i i · gain_fn(y_i)) / (Σ_i gain_fn(y_i))

    for the item at rank i with the label y_i. Less is better. An item that is
    not retrieved has the rank behind the last one that is. A list in which no
    item has a gain does not count by default. Item weights mask items, and do
    nothing else to the value.

    Args:
        gain_fn: what a label is worth, see `keras_rankmetrics.types.GainFn`.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`. Neither `empty="one"` nor `adjusted` has a
            meaning.

    Example:
        >>> from keras_rankmetrics import AverageRelevancePosition
        >>> metric = AverageRelevancePosition()
        >>> float(metric([[3, 0, 1]], [[0.9, 0.8, 0.7]]))  # (3 + 3) / 4
        1.5

    Zhu, Recall, Precision and Average Precision (2004); Pasumarthi et al.,
    TF-Ranking, KDD (2019).
    """

    short_name = "arp"
    measure = staticmethod(mean_rank)
    relevance = staticmethod(gains.gain)
    has_upper_bound = False
    more_is_better = False
    aggregate = WeightedMean(bounded=False)

    gain_fn: GainFn = linear_gain
    empty: EmptyPolicy = "skip"
