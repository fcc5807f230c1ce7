"""Keras callbacks that compute ranking metrics.

batches --batches--> columns --rows--> numbers in the logs
"""

from keras_rankmetrics.callbacks.by_query import EvaluateByQuery

__all__ = ["EvaluateByQuery"]
