"""How many relevant items lists show that nobody else would have shown."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import register
from keras_rankmetrics.metrics.bases_of_items import AboutRelevantItems
from keras_rankmetrics.types import OfItems, Tensor


def popularity_ranks(popularity: np.ndarray) -> np.ndarray:
    """1 for the most popular items, and n + 1 for those of no popularity."""
    _, rank = np.unique(-popularity, return_inverse=True)
    return np.where(popularity > 0, rank + 1, len(popularity) + 1)


def serendipity(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[Any, OfItems("how popular items are", low=0)] = None,
) -> Tensor:
    """The mean of rel max(popularity rank - rank, 0) / n over the ranks."""
    popular = derived(popularity_ranks, popularity)

    def of(items: Shown) -> Tensor:
        # As many of its ranks count, and are before that of its popularity.
        room = items.at(popular) - items.start
        ranks = ops.minimum(items.ranks, ops.maximum(room - 1.0, 0.0))
        total = ranks * (room - (ranks + 1.0) / 2.0) / items.size
        return ops.sum(items.gains() * total, axis=-1)

    shown = ranking.number_shown(k) * float(len(popular))
    return ops.divide_no_nan(ranking.shown(of, k), shown)


@register
@declared
class Serendipity(AboutRelevantItems):
    """Serendipity at k: relevant items that are not the popular ones.

        serendipity@k = (Σ_{i=1..m} max(p(i) - p(q_i), 0) · rel_i) / m,
        p(rank) = (n + 1 - rank) / n

    for the m items within rank k, and the n items of the catalogue. q_i is the
    rank of the item at rank i by its popularity, where all that are as popular
    have the same one, and the next less popular ones the next: so p(q_i) is how
    likely anybody is to be shown it. For items of no popularity it is 0. A list
    that shows no item does not count by default, and one without relevant items
    has 0.

    Args:
        k: how many ranks count, or None for all.
        popularity: `[items]`, how often each item was chosen. The number of an
            item is its place among the scores, or its id.
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import Serendipity
        >>> metric = Serendipity(1, popularity=[9, 3, 3, 0], inputs="ids")
        >>> float(metric([[1], [0]], [[1], [0]]))  # 4/4 - 3/4, and 0
        0.125

    After "Recommender Systems: It's Not All About the Accuracy" (Lab41, 2016),
    as RecTools has it.
    """

    short_name = "serendipity"
    measure = staticmethod(serendipity)
    of_catalogue = "popularity"

    popularity: Any = None
