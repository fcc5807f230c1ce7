"""Additive sums over lists, and the results computed from them."""

from keras_rankmetrics.engine.aggregates.aggregate import (
    Aggregate,
    PerList,
    Tally,
)
from keras_rankmetrics.engine.aggregates.estimate import Estimate
from keras_rankmetrics.engine.aggregates.mean import WeightedMean
from keras_rankmetrics.engine.aggregates.state import State

__all__ = ["Aggregate", "Estimate", "PerList", "State", "Tally", "WeightedMean"]
