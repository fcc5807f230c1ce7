"""Which sums are kept of the lists, and how they become numbers."""

from keras_rankmetrics.engine.aggregates import two_floats
from keras_rankmetrics.engine.aggregates.aggregate import Aggregate
from keras_rankmetrics.engine.aggregates.estimate import Estimate
from keras_rankmetrics.engine.aggregates.mean import WeightedMean
from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.engine.aggregates.state import State
from keras_rankmetrics.engine.aggregates.tally import Tally

__all__ = [
    "Aggregate",
    "Estimate",
    "PerList",
    "State",
    "Tally",
    "WeightedMean",
    "two_floats",
]
