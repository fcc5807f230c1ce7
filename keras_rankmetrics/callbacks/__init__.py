"""Keras callbacks that compute ranking metrics."""

from keras_rankmetrics.callbacks.by_catalogue import EvaluateCatalogue
from keras_rankmetrics.callbacks.by_query import EvaluateByQuery
from keras_rankmetrics.callbacks.deciding import StopWhenDecided

__all__ = ["EvaluateByQuery", "EvaluateCatalogue", "StopWhenDecided"]
