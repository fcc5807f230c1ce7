"""Where the first relevant item stands: hit rate and reciprocal rank."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.metrics.bases import Binary, register
from keras_rankmetrics.types import (
    Tensor,
)


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
