"""Rankings: the only part of the engine that sorts and settles ties."""

from keras_rankmetrics.engine.ranking.exposure import Shown
from keras_rankmetrics.engine.ranking.from_ids import Ids
from keras_rankmetrics.engine.ranking.from_scores import Scored
from keras_rankmetrics.engine.ranking.from_targets import Counted, Targets
from keras_rankmetrics.engine.ranking.ranking import Content, Ranking
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.top import ranks_that_count

__all__ = [
    "Content",
    "Counted",
    "Ids",
    "Order",
    "Ranking",
    "Relevance",
    "Scored",
    "Shown",
    "Targets",
    "ranks_that_count",
]
