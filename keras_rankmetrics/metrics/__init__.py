"""The metrics, one file for each family.

Each measure is a pure function of a ranking and stands above its class. It
takes a `Ranking`, the cutoff `k` (None: all ranks) and its options by name, and
returns one value per list. What a label is worth, and in which order tied items
stand, is the ranking's business. What the classes have in common is documented
on `RankingMetric`.
"""

from keras_rankmetrics.metrics.average_precision import MeanAveragePrecision
from keras_rankmetrics.metrics.cascade import ERR
from keras_rankmetrics.metrics.comparison import Comparison
from keras_rankmetrics.metrics.concentration import (
    ExposureEntropy,
    ExposureGini,
)
from keras_rankmetrics.metrics.coverage import (
    CatalogueCoverage,
    Personalization,
)
from keras_rankmetrics.metrics.first import HitRateAtK, MeanReciprocalRank
from keras_rankmetrics.metrics.found import (
    F1AtK,
    FallOutAtK,
    FBetaAtK,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
)
from keras_rankmetrics.metrics.gain import DCG, NDCG
from keras_rankmetrics.metrics.pairs import AUC, AdjustedMeanRankIndex
from keras_rankmetrics.metrics.patience import RankBiasedPrecision
from keras_rankmetrics.metrics.position import (
    AverageRelevancePosition,
    MeanRank,
)
from keras_rankmetrics.metrics.slices import Sliced

__all__ = [
    "AUC",
    "DCG",
    "ERR",
    "NDCG",
    "AdjustedMeanRankIndex",
    "AverageRelevancePosition",
    "CatalogueCoverage",
    "Comparison",
    "ExposureEntropy",
    "ExposureGini",
    "F1AtK",
    "FBetaAtK",
    "FallOutAtK",
    "HitRateAtK",
    "MeanAveragePrecision",
    "MeanRank",
    "MeanReciprocalRank",
    "Personalization",
    "PrecisionAtK",
    "RPrecision",
    "RankBiasedPrecision",
    "RecallAtK",
    "Sliced",
]
