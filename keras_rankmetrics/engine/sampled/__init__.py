"""What sampled ranks tell of the ranks among all items."""

from keras_rankmetrics.engine.sampled.aggregate import Sampled, fits
from keras_rankmetrics.engine.sampled.buckets import buckets_of
from keras_rankmetrics.engine.sampled.estimators import (
    Mixture,
    bias_variance,
)
from keras_rankmetrics.engine.sampled.sampling import Sampling

__all__ = [
    "Mixture",
    "Sampled",
    "Sampling",
    "bias_variance",
    "buckets_of",
    "fits",
]
