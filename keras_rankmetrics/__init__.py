"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

from keras_rankmetrics.collection import MetricCollection
from keras_rankmetrics.gains import (
    exponential_gain,
    linear_gain,
    log2_discount,
    natural_log_discount,
    original_discount,
    reciprocal_discount,
)
from keras_rankmetrics.metric import RankingMetric
from keras_rankmetrics.metrics import (
    DCG,
    NDCG,
    F1AtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
)
from keras_rankmetrics.ranking import Ranking
from keras_rankmetrics.version import __version__

__all__ = [
    "DCG",
    "NDCG",
    "F1AtK",
    "HitRateAtK",
    "MeanAveragePrecision",
    "MeanReciprocalRank",
    "MetricCollection",
    "PrecisionAtK",
    "Ranking",
    "RankingMetric",
    "RecallAtK",
    "__version__",
    "exponential_gain",
    "linear_gain",
    "log2_discount",
    "natural_log_discount",
    "original_discount",
    "reciprocal_discount",
]
