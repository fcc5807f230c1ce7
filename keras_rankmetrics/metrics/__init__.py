"""The metrics, one file for each family.

Each measure is a pure function of a ranking and stands above its class. It
takes a `Ranking`, the cutoff `k` (None: all ranks) and its options by name, and
returns one value per list. What a label is worth, and in which order tied items
stand, is the ranking's business. What the classes have in common is documented
on `RankingMetric`.
"""

import typing

from keras_rankmetrics.engine.naming.names import (
    no_attribute as _no_attribute,
)
from keras_rankmetrics.metrics.average_precision import (
    ElevenPointPrecision,
    GradedAveragePrecision,
    InterpolatedPrecision,
    MeanAveragePrecision,
    QMeasure,
)
from keras_rankmetrics.metrics.comparison import Comparison
from keras_rankmetrics.metrics.coverage import (
    CatalogueCoverage,
    ExposureEntropy,
    ExposureGini,
    IntraListDiversity,
    Personalization,
)
from keras_rankmetrics.metrics.fairness import (
    AttentionWeightedFairness,
    ExpectedExposureLoss,
)
from keras_rankmetrics.metrics.found import (
    F1AtK,
    FallOutAtK,
    FBetaAtK,
    HitRateAtK,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
)
from keras_rankmetrics.metrics.gain import DCG, NDCG
from keras_rankmetrics.metrics.incomplete import (
    BPref,
    JudgedAtK,
    RBPResidual,
    UnjudgedAtK,
)
from keras_rankmetrics.metrics.names import suggestion as _suggestion
from keras_rankmetrics.metrics.pairs import (
    AUC,
    AdjustedMeanRankIndex,
    AverageRelevancePosition,
    MeanRank,
    OrderedPairAccuracy,
)
from keras_rankmetrics.metrics.popularity import (
    AveragePopularity,
    Novelty,
    PopularityLift,
    Serendipity,
    TailShare,
)
from keras_rankmetrics.metrics.sampled import SampledRanks
from keras_rankmetrics.metrics.slices import Sliced
from keras_rankmetrics.metrics.subtopics import (
    ERRIA,
    NRBP,
    AlphaDCG,
    AlphaNDCG,
    MeanAveragePrecisionIA,
    PrecisionIA,
    SubtopicRecall,
)
from keras_rankmetrics.metrics.user_models import (
    ERR,
    GradedRankBiasedPrecision,
    RankBiasedPrecision,
)

__all__ = [
    "AUC",
    "DCG",
    "ERR",
    "ERRIA",
    "NDCG",
    "NRBP",
    "AdjustedMeanRankIndex",
    "AlphaDCG",
    "AlphaNDCG",
    "AttentionWeightedFairness",
    "AveragePopularity",
    "AverageRelevancePosition",
    "BPref",
    "CatalogueCoverage",
    "Comparison",
    "ElevenPointPrecision",
    "ExpectedExposureLoss",
    "ExposureEntropy",
    "ExposureGini",
    "F1AtK",
    "FBetaAtK",
    "FallOutAtK",
    "GradedAveragePrecision",
    "GradedRankBiasedPrecision",
    "HitRateAtK",
    "InterpolatedPrecision",
    "IntraListDiversity",
    "JudgedAtK",
    "MeanAveragePrecision",
    "MeanAveragePrecisionIA",
    "MeanRank",
    "MeanReciprocalRank",
    "Novelty",
    "OrderedPairAccuracy",
    "Personalization",
    "PopularityLift",
    "PrecisionAtK",
    "PrecisionIA",
    "QMeasure",
    "RBPResidual",
    "RPrecision",
    "RankBiasedPrecision",
    "RecallAtK",
    "SampledRanks",
    "Serendipity",
    "Sliced",
    "SubtopicRecall",
    "TailShare",
    "UnjudgedAtK",
]

if not typing.TYPE_CHECKING:

    def __getattr__(name):
        """Raise an error that names the metric the user probably means."""
        raise _no_attribute(__name__, name, _suggestion(name, __all__))
