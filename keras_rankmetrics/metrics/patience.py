"""How much a user finds who may stop at each rank: rank-biased precision."""

from __future__ import annotations

import functools
from typing import Annotated

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import Binary, register
from keras_rankmetrics.types import Between, RankDiscountFn, Tensor


@functools.cache  # so that metrics of the same p share what a ranking remembers
def chance_to_come(p: float) -> RankDiscountFn:
    """`p ** (rank - 1)`, for users who go on with the chance p."""
    return lambda rank: ops.power(p, rank - 1.0)


def rank_biased_precision(
    ranking: Ranking, k: int | None, p: Annotated[float, Between(0, 1)] = 0.8
) -> Tensor:
    """(1 - p) Σ rel p^(rank - 1) over the ranks up to k."""
    reached = ranking.discount(chance_to_come(p), k)
    return (1.0 - p) * ops.sum(ranking.total() * reached, axis=-1)


@register
@declared
class RankBiasedPrecision(Binary):
    """Rank-biased precision at k.

        RBP@k = (1 - p) Σ_{i=1..k} rel_i · p^(i-1)

    It is what a user finds per item who goes on to the next one with the chance
    p. A list of endless relevant items has 1; one with R of them at best
    1 - p^R. Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        p: the chance to go on, between 0 and 1.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import RankBiasedPrecision
        >>> metric = RankBiasedPrecision(p=0.5)
        >>> float(metric([[1, 0, 1]], [[0.9, 0.8, 0.7]]))  # (1 + 1/4) / 2
        0.625

    Moffat and Zobel, ACM TOIS 27 (2008).
    """

    short_name = "rbp"
    measure = staticmethod(rank_biased_precision)

    p: float = 0.8
