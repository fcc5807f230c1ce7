"""Rankings: the only place that sorts, and the only one that knows ties."""

from keras_rankmetrics.ranking.items import Items
from keras_rankmetrics.ranking.ranking import Cutoff, Ranking
from keras_rankmetrics.ranking.scores import from_scores

__all__ = ["Cutoff", "Items", "Ranking", "from_scores"]
