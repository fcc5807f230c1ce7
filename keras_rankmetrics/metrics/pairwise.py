"""Metrics of pairs of items, and of mean ranks."""

from __future__ import annotations

from typing import ClassVar

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import gain
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.types import EmptyPolicy, GainFn, Tensor, TensorFn

__all__ = [
    "AUC",
    "AdjustedMeanRankIndex",
    "AverageRelevancePosition",
    "MeanRank",
    "OrderedPairAccuracy",
]


def has_pairs(ranking: Ranking) -> Tensor:
    """Return True for lists with a relevant and a retrieved other item."""
    return ranking.has_gain() & (ranking.others() > 0)


def auc(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 - Σ min(others above, M) / (R M) over the relevant items."""
    relevant, others = ranking.overall(), ranking.others()
    most = None if k is None else ops.minimum(others, float(k))
    counted = others if most is None else most
    above = ranking.others_above(most) + ranking.missed() * counted
    return 1.0 - ops.divide_no_nan(above, relevant * counted)


@bases.metric
class AUC(bases.Binary):
    """Area under the ROC curve, per list.

        AUC = (pairs in the right order) / (pairs)

    over all pairs of a relevant item and a retrieved non-relevant item. A pair
    with equal scores counts one half. Relevant items that are not retrieved
    rank below all others.

    With k it is the partial AUC over the first M = min(k, N) of the N retrieved
    non-relevant items:

        AUC@k = (pairs with the first M of them in the right order) / (R M)

    for R relevant items. A list without a pair is excluded by default (see
    `empty`). The mean over lists is also known as gAUC: weighted by users with
    equal weights, and by impressions or clicks if you pass their number as
    `sample_weight`. Item weights only mask items.

    Args:
        k: the number of non-relevant items to consider, or None for all.
        relevance_threshold: the lowest label of a relevant item.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import AUC
        >>> labels, scores = [[1, 0, 1, 0]], [[0.9, 0.8, 0.8, 0.6]]
        >>> float(AUC()(labels, scores))  # 2 pairs, and 1 + 1/2
        0.875
        >>> float(AUC(k=1)(labels, scores))  # the first other: 1 and 1/2
        0.75

    Hanley and McNeil, Radiology 143 (1982); Zhou et al., Deep Interest Network,
    KDD (2018).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(auc)
    has_value: ClassVar[TensorFn] = staticmethod(has_pairs)
    needs_whole_lists = True

    empty: EmptyPolicy = "skip"


def amri(ranking: Ranking, k: int | None) -> Tensor:
    """Return 1 - mean(others above) / (others / 2)."""
    return 2.0 * auc(ranking, k) - 1.0


@bases.metric
class AdjustedMeanRankIndex(bases.Signed, bases.BinaryWholeList):
    """Adjusted mean rank index (AMRI): mean rank, with chance level at 0.

        AMRI = 1 - (MR - 1) / (E[MR] - 1)

    where MR is the mean *filtered* rank of the relevant items, each ranked
    among the non-relevant items only, and E[MR] = 1 + N/2 its expectation in a
    random order of N non-relevant items. The best order has 1, the worst -1,
    and AMRI = 2 AUC - 1. A list without relevant items, or without retrieved
    non-relevant ones, is excluded by default (see `empty`). Item weights only
    mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import AdjustedMeanRankIndex
        >>> metric = AdjustedMeanRankIndex(inputs="sparse")
        >>> float(metric([1], [[0.9, 0.7, 0.8, 0.6, 0.5]]))  # rank 3 of 5
        0.0

    Berrendorf et al., "On the Ambiguity of Rank-Based Evaluation of Entity
    Alignment or Link Prediction Methods" (2020).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(amri)
    has_value: ClassVar[TensorFn] = staticmethod(has_pairs)

    empty: EmptyPolicy = "skip"


def opa(ranking: Ranking, k: int | None) -> Tensor:
    """Return the share of pairs with different labels in the right order."""
    pairs = ranking.pairs()
    return ops.divide_no_nan(pairs.right, pairs.every)


def has_unlike_labels(ranking: Ranking) -> Tensor:
    """Return True for lists with two items of different labels."""
    return ranking.pairs().every > 0


@bases.metric
class OrderedPairAccuracy(bases.WholeList):
    """Ordered pair accuracy (OPA): AUC for graded labels.

        OPA = (pairs in the right order) / (pairs)

    over all pairs of items with different labels of which the one with the
    lower label is retrieved. A pair is in the right order if the item with the
    higher label ranks above the other; a pair with equal scores counts one
    half. An item that is not retrieved ranks below all retrieved ones. For
    labels of 0 and 1 the value is `AUC`. A list without such pairs is excluded
    by default (see `empty`). Item weights only mask items.

    For n items it takes at most log2 n steps, depending on the number of
    distinct labels. Each step is one sort; no array of all pairs is built.

    Args:
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import OrderedPairAccuracy
        >>> labels, scores = [[3, 1, 1, 0]], [[0.8, 0.9, 0.8, 0.1]]
        >>> value = OrderedPairAccuracy()(labels, scores)
        >>> round(float(value), 4)  # 3 + 1/2 of 5: 3 above 1 above 0
        0.7

    Agichtein et al., Improving Web Search Ranking by Incorporating User
    Behavior Information, SIGIR (2006); Pasumarthi et al., TF-Ranking, KDD
    (2019).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(opa)
    relevance: ClassVar[TensorFn] = staticmethod(linear_gain)
    has_value: ClassVar[TensorFn] = staticmethod(has_unlike_labels)

    empty: EmptyPolicy = "skip"


def mean_rank(ranking: Ranking, k: int | None) -> Tensor:
    """Return Σ g rank / Σ g; items not retrieved rank after all that are."""
    missed = ranking.missed() * (ranking.retrieved + 1.0)
    return ops.divide_no_nan(ranking.ranks() + missed, ranking.overall())


@bases.metric
class MeanRank(bases.Unbounded, bases.BinaryWholeList):
    """Mean rank of the relevant items.

        MR = (Σ ranks of the relevant items) / (relevant items)

    Lower is better; the best value of a list with R relevant items is
    (R + 1) / 2. A relevant item that is not retrieved has the rank after the
    last retrieved item. A list without relevant items is excluded by default
    (see `empty`). Item weights only mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import MeanRank
        >>> float(MeanRank()([[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]]))
        2.5

    Bordes et al., Translating Embeddings for Modeling Multi-relational Data,
    NIPS (2013).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(mean_rank)
    more_is_better = False

    empty: EmptyPolicy = "skip"


@bases.metric
class AverageRelevancePosition(bases.Unbounded, bases.WholeList):
    """Average relevance position (ARP): the mean rank, weighted by gain.

        ARP = (Σ_i i · gain_fn(y_i)) / (Σ_i gain_fn(y_i))

    for the item at rank i with the label y_i. Lower is better. An item that is
    not retrieved has the rank after the last retrieved item. A list in which no
    item has a gain is excluded by default (see `empty`). Item weights only mask
    items.

    Args:
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import AverageRelevancePosition
        >>> metric = AverageRelevancePosition()
        >>> float(metric([[3, 0, 1]], [[0.9, 0.8, 0.7]]))  # (3 + 3) / 4
        1.5

    Zhu, Recall, Precision and Average Precision (2004); Pasumarthi et al.,
    TF-Ranking, KDD (2019).

    Stability: stable.
    """

    short_name: ClassVar[str] = "arp"
    measure: ClassVar[TensorFn] = staticmethod(mean_rank)
    relevance: ClassVar[TensorFn] = staticmethod(gain)
    more_is_better = False

    gain_fn: GainFn = linear_gain
    empty: EmptyPolicy = "skip"
