"""Keras callbacks that compute ranking metrics."""

from keras_rankmetrics.callbacks.by_catalogue import EvaluateCatalogue
from keras_rankmetrics.callbacks.by_query import EvaluateByQuery

__all__ = ["EvaluateByQuery", "EvaluateCatalogue"]
