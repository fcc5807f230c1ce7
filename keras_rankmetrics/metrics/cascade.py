"""How soon users stop who look at one item after the other: ERR."""

from __future__ import annotations

from typing import Literal

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.metrics.bases import AtK, register
from keras_rankmetrics.types import Tensor


def expected_reciprocal_rank(
    ranking: Ranking, k: int | None, normalized: Literal[False, True] = False
) -> Tensor:
    """1 / rank where users stop, maybe over that of the best order."""
    value = ranking.at_stop(reciprocal_discount, k)
    if not normalized:
        return value
    best = ranking.best_at_stop(reciprocal_discount, k)
    return ops.divide_no_nan(value, best)


@register
@declared
class ERR(AtK):
    """Expected reciprocal rank at k: 1 / the rank where a user stops.

        ERR@k = Σ_{i=1..k} (1 / i) r_i Π_{j<i} (1 - r_j)
        r_i = (2^y_i - 1) / 2^max_grade

    A user looks at one item after the other, and stops at that of rank i, with
    the label y_i, with the chance r_i. So what stands below good items tells
    little. `normalized=True` divides by the ERR@k of the best order: only then
    can 1 be reached.

    A label above `max_grade` is an error, and NaN where that is not seen in
    time. Where relevant items have the label 1, as with `inputs="sparse"` and
    `"ids"`, `max_grade=1` fits. Item weights mask items, and do nothing else to
    the value. Over tied items it is the exact mean; in lists of many items, all
    of which tie, that takes long without k.

    Args:
        k: how many ranks count, or None for all.
        max_grade: the highest label that there can be, whether or not a list
            holds it; 4 as in gdeval and TREC's web tracks.
        normalized: whether to divide by the best order.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import ERR
        >>> labels, scores = [[0, 1, 2, 1, 0]], [[5, 4, 3, 2, 1]]
        >>> round(float(ERR()(labels, scores)), 6)
        0.101746
        >>> round(float(ERR(k=2)(labels, scores)), 6)  # (1/16) / 2
        0.03125

    Chapelle et al., Expected Reciprocal Rank for Graded Relevance, CIKM (2009).
    """

    short_name = "err"
    measure = staticmethod(expected_reciprocal_rank)
    relevance = staticmethod(gains.chance_to_stop)

    max_grade: float = 4.0
    normalized: bool = False
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None
