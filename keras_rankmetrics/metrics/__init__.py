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
from keras_rankmetrics.metrics.diversity import (
    IntraListDiversity,
)
from keras_rankmetrics.metrics.fairness import (
    AttentionWeightedFairness,
    ExpectedExposureLoss,
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
from keras_rankmetrics.metrics.popularity import (
    AveragePopularity,
    Novelty,
    PopularityLift,
    TailShare,
)
from keras_rankmetrics.metrics.position import (
    AverageRelevancePosition,
    MeanRank,
)
from keras_rankmetrics.metrics.slices import Sliced
from keras_rankmetrics.metrics.surprise import (
    Serendipity,
)

__all__ = [
    "AUC",
    "DCG",
    "ERR",
    "NDCG",
    "AdjustedMeanRankIndex",
    "AttentionWeightedFairness",
    "AveragePopularity",
    "AverageRelevancePosition",
    "CatalogueCoverage",
    "Comparison",
    "ExpectedExposureLoss",
    "ExposureEntropy",
    "ExposureGini",
    "F1AtK",
    "FBetaAtK",
    "FallOutAtK",
    "HitRateAtK",
    "IntraListDiversity",
    "MeanAveragePrecision",
    "MeanRank",
    "MeanReciprocalRank",
    "Novelty",
    "Personalization",
    "PopularityLift",
    "PrecisionAtK",
    "RPrecision",
    "RankBiasedPrecision",
    "RecallAtK",
    "Serendipity",
    "Sliced",
    "TailShare",
]
