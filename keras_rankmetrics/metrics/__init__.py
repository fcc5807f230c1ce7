"""The metrics, one file for each family.

Each measure is a pure function of a ranking and stands above its class. It
takes a `Ranking`, the cutoff `k` (None: all ranks) and its options by name, and
returns one value per list. What a label is worth, and in which order tied items
stand, is the ranking's business. What the classes have in common is documented
on `RankingMetric`.
"""

from keras_rankmetrics.metrics.average_precision import MeanAveragePrecision
from keras_rankmetrics.metrics.comparison import Comparison
from keras_rankmetrics.metrics.first import HitRateAtK, MeanReciprocalRank
from keras_rankmetrics.metrics.found import F1AtK, PrecisionAtK, RecallAtK
from keras_rankmetrics.metrics.gain import DCG, NDCG
from keras_rankmetrics.metrics.slices import Sliced

__all__ = [
    "DCG",
    "NDCG",
    "Comparison",
    "F1AtK",
    "HitRateAtK",
    "MeanAveragePrecision",
    "MeanReciprocalRank",
    "PrecisionAtK",
    "RecallAtK",
    "Sliced",
]
