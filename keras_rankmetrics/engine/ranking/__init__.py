"""Rankings: the only place that sorts, and the only one that knows ties."""

from keras_rankmetrics.engine.ranking.cutoffs import ranks_that_count
from keras_rankmetrics.engine.ranking.exposure import Shown
from keras_rankmetrics.engine.ranking.from_ids import from_counts, from_ids
from keras_rankmetrics.engine.ranking.from_places import from_places
from keras_rankmetrics.engine.ranking.from_scores import from_scores
from keras_rankmetrics.engine.ranking.from_targets import from_targets
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.engine.ranking.ranking import Order, Ranking
from keras_rankmetrics.engine.ranking.relevance import Relevance

__all__ = [
    "Cutoff",
    "Items",
    "Order",
    "Ranking",
    "Relevance",
    "Shown",
    "from_counts",
    "from_ids",
    "from_places",
    "from_scores",
    "from_targets",
    "ranks_that_count",
]
