"""The precision at each relevant rank: average precision."""

from __future__ import annotations

from typing import Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import Binary, register
from keras_rankmetrics.metrics.found import recall_denominator
from keras_rankmetrics.types import (
    Tensor,
)


def average_precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
) -> Tensor:
    """Σ w precision(rank) over the relevant ranks up to k, over D mean w."""
    if denominator == "hits":
        return ops.divide_no_nan(
            ranking.precision_per_hit(k), ranking.mean_weight()
        )
    relevant = recall_denominator(ranking, k, denominator)
    precisions = ranking.weighted_total() * ranking.precision(k)
    return ops.divide_no_nan(
        ops.sum(precisions, axis=-1), relevant * ranking.mean_weight()
    )


@register
@declared
class MeanAveragePrecision(Binary):
    """Mean average precision at k.

        AP@k = (Σ_{i=1..k} rel_i · P@i) / (relevant items)

    where rel_i is 1 if the item at rank i is relevant, else 0, and P@i the part
    of the first i items that is relevant. With `denominator="min"` the sum is
    over min(k, relevant items), with `"hits"` over the relevant items at ranks
    1..k (0 where there are none).

    Under item weights each term is multiplied by the weight of its item, P@i is
    not, and the sum is divided also by the mean weight of the relevant items.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` (TREC), `"min"` or `"hits"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecision
        >>> labels, scores = [[0, 1, 1, 1]], [[0.9, 0.8, 0.7, 0.6]]
        >>> for denominator in ("relevant", "min", "hits"):
        ...     metric = MeanAveragePrecision(k=2, denominator=denominator)
        ...     print(denominator, round(float(metric(labels, scores)), 4))
        relevant 0.1667
        min 0.25
        hits 0.5

    Buckley and Voorhees, SIGIR (2000).
    """

    short_name = "map"
    measure = staticmethod(average_precision)

    denominator: Literal["relevant", "min", "hits"] = "relevant"
