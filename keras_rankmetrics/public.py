"""The public names besides the metrics that are imported with the package."""

# Explains how to install a backend, so it comes before all that needs Keras.
from keras_rankmetrics.engine.backend import missing  # noqa: F401

# isort: split
from keras_rankmetrics.engine.aggregates import (
    Aggregate,
    Estimate,
    PerList,
    State,
)
from keras_rankmetrics.engine.aggregates.paired import Difference
from keras_rankmetrics.engine.inputs.padding import pad_to
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.gains import (
    exponential_gain,
    inverse_square_discount,
    linear_gain,
    log2_discount,
    natural_log_discount,
    original_discount,
    reciprocal_discount,
)
from keras_rankmetrics.types import UNJUDGED, GainFn, RankDiscountFn

__all__ = [
    "UNJUDGED",
    "Aggregate",
    "Difference",
    "Estimate",
    "GainFn",
    "MetricCollection",
    "PerList",
    "RankDiscountFn",
    "Ranking",
    "RankingMetric",
    "Shown",
    "State",
    "exponential_gain",
    "inverse_square_discount",
    "linear_gain",
    "log2_discount",
    "natural_log_discount",
    "original_discount",
    "pad_to",
    "reciprocal_discount",
]
