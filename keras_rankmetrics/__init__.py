"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

import importlib
import typing

# The first import of Keras.
from keras_rankmetrics.engine.backend import missing  # noqa: F401

# isort: split
from keras_rankmetrics.catalogues import count_ranks
from keras_rankmetrics.comparing import Compared, Rows, compare
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
from keras_rankmetrics.engine.naming.names import (
    no_attribute as _no_attribute,
)
from keras_rankmetrics.engine.naming.signature import __version__
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
from keras_rankmetrics.metrics import (
    AUC,
    DCG,
    ERR,
    ERRIA,
    NDCG,
    NRBP,
    AdjustedMeanRankIndex,
    AlphaDCG,
    AlphaNDCG,
    AttentionWeightedFairness,
    AveragePopularity,
    AverageRelevancePosition,
    BPref,
    CatalogueCoverage,
    Comparison,
    ElevenPointPrecision,
    ExpectedExposureLoss,
    ExposureEntropy,
    ExposureGini,
    F1AtK,
    FallOutAtK,
    FBetaAtK,
    GradedAveragePrecision,
    GradedRankBiasedPrecision,
    HitRateAtK,
    InterpolatedPrecision,
    IntraListDiversity,
    JudgedAtK,
    MeanAveragePrecision,
    MeanAveragePrecisionIA,
    MeanRank,
    MeanReciprocalRank,
    Novelty,
    OrderedPairAccuracy,
    Personalization,
    PopularityLift,
    PrecisionAtK,
    PrecisionIA,
    QMeasure,
    RankBiasedPrecision,
    RBPResidual,
    RecallAtK,
    RPrecision,
    SampledRanks,
    Serendipity,
    Sliced,
    SubtopicRecall,
    TailShare,
    UnjudgedAtK,
)
from keras_rankmetrics.metrics.names import suggestion as _suggestion
from keras_rankmetrics.tables.rows import evaluate_rows
from keras_rankmetrics.types import UNJUDGED, GainFn, RankDiscountFn

__all__ = [
    "AUC",
    "DCG",
    "ERR",
    "ERRIA",
    "NDCG",
    "NRBP",
    "UNJUDGED",
    "AdjustedMeanRankIndex",
    "Aggregate",
    "AlphaDCG",
    "AlphaNDCG",
    "AttentionWeightedFairness",
    "AveragePopularity",
    "AverageRelevancePosition",
    "BPref",
    "CatalogueCoverage",
    "Compared",
    "Comparison",
    "Difference",
    "ElevenPointPrecision",
    "Estimate",
    "ExpectedExposureLoss",
    "ExposureEntropy",
    "ExposureGini",
    "F1AtK",
    "FBetaAtK",
    "FallOutAtK",
    "GainFn",
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
    "MetricCollection",
    "Novelty",
    "OrderedPairAccuracy",
    "PerList",
    "Personalization",
    "PopularityLift",
    "PrecisionAtK",
    "PrecisionIA",
    "QMeasure",
    "RBPResidual",
    "RPrecision",
    "RankBiasedPrecision",
    "RankDiscountFn",
    "Ranking",
    "RankingMetric",
    "RecallAtK",
    "Rows",
    "SampledRanks",
    "Serendipity",
    "Shown",
    "Sliced",
    "State",
    "SubtopicRecall",
    "TailShare",
    "UnjudgedAtK",
    "__version__",
    "compare",
    "count_ranks",
    "evaluate_rows",
    "exponential_gain",
    "inverse_square_discount",
    "linear_gain",
    "log2_discount",
    "natural_log_discount",
    "original_discount",
    "pad_to",
    "reciprocal_discount",
]

if typing.TYPE_CHECKING:
    from keras_rankmetrics import callbacks as callbacks
    from keras_rankmetrics import conventions as conventions
else:

    def __getattr__(name):
        """Import a module at its first use, or suggest a name that exists."""
        if name in ("callbacks", "conventions"):
            return importlib.import_module(f"keras_rankmetrics.{name}")
        raise _no_attribute(__name__, name, _suggestion(name, __dir__()))


def __dir__() -> list[str]:
    """The public names, and the public modules."""
    modules = "callbacks", "conventions", "gains", "metrics", "types"
    return sorted([*__all__, *modules])
