"""Rankings: the only package that sorts, and that settles ties."""

from keras_rankmetrics.engine.ranking.cutoffs import ranks_that_count
from keras_rankmetrics.engine.ranking.exposure import Shown
from keras_rankmetrics.engine.ranking.from_counts import Counted, Places
from keras_rankmetrics.engine.ranking.from_ids import Ids
from keras_rankmetrics.engine.ranking.from_scores import Scored
from keras_rankmetrics.engine.ranking.from_targets import Targets
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.ranking import (
    Content,
    Cutoff,
    Order,
    Ranking,
)
from keras_rankmetrics.engine.ranking.relevance import Relevance

__all__ = [
    "Content",
    "Counted",
    "Cutoff",
    "Ids",
    "Items",
    "Order",
    "Places",
    "Ranking",
    "Relevance",
    "Scored",
    "Shown",
    "Targets",
    "ranks_that_count",
]
