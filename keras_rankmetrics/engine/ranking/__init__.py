"""Rankings: the only place that sorts, and the only one that knows ties."""

from keras_rankmetrics.engine.ranking.depth import ranks_that_count
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.order import Order
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.engine.ranking.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.shown import Shown
from keras_rankmetrics.engine.ranking.sources.counts import from_counts
from keras_rankmetrics.engine.ranking.sources.ids import from_ids
from keras_rankmetrics.engine.ranking.sources.places import from_places
from keras_rankmetrics.engine.ranking.sources.scores import from_scores
from keras_rankmetrics.engine.ranking.sources.targets import from_targets

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
