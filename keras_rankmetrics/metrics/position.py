"""At which rank relevant items stand on average."""

from __future__ import annotations

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics.bases import (
    BinaryOfWholeLists,
    OfWholeLists,
    register,
)
from keras_rankmetrics.types import EmptyPolicy, GainFn, Tensor


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
