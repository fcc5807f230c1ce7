"""The conventions of libraries of machine learning."""

from __future__ import annotations

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics import (
    AUC,
    DCG,
    NDCG,
    AdjustedMeanRankIndex,
    AlphaDCG,
    AverageRelevancePosition,
    BPref,
    FallOutAtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanRank,
    MeanReciprocalRank,
    OrderedPairAccuracy,
    PrecisionAtK,
    PrecisionIA,
    RecallAtK,
    RPrecision,
)

keras_rs = Convention(
    "keras_rs",
    "Keras Recommenders; the defaults here.",
    "keras_rs.metrics, version 0.4",
    {
        DCG: {},
        NDCG: {},
        PrecisionAtK: {},
        RecallAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
    },
)

tf_ranking = Convention(
    "tf_ranking",
    "TensorFlow Ranking, and Rax, which defines no hit rate.",
    "tensorflow_ranking/python/metrics_impl.py, version 0.5; rax/_src/"
    "metrics.py, version 0.4",
    {
        DCG: {},
        NDCG: {},
        PrecisionAtK: {},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
        AverageRelevancePosition: {},
        OrderedPairAccuracy: {},
        BPref: {},
        AlphaDCG: {},
        PrecisionIA: {},
    },
    without={
        "BPref(use_trec_version=False)": "it divides by the relevant items, "
        "however few others there are, unlike trec_eval",
        "PWA": "it is `DCG(k, gain_fn=linear_gain, "
        "rank_discount_fn=reciprocal_discount)` over the sum of the first k "
        "discounts",
    },
)

sklearn = Convention(
    "sklearn",
    "scikit-learn: `dcg_score`, `ndcg_score`, `roc_auc_score` of each list "
    "and, where no scores tie, `top_k_accuracy_score` and "
    "`label_ranking_average_precision_score`.",
    "sklearn/metrics/_ranking.py, version 1.9",
    {
        DCG: {"gain_fn": linear_gain},
        NDCG: {"gain_fn": linear_gain},
        HitRateAtK: {},
        MeanAveragePrecision: {"empty": "one"},
        AUC: {},
    },
    without={
        "coverage_error": "it is the rank of the last relevant item, which no "
        "metric is",
        "label_ranking_loss": 'it is 1 - `AUC(ties="pessimistic")`',
    },
)

torchmetrics = Convention(
    "torchmetrics",
    "torchmetrics' retrieval metrics, for scores above 0.",
    "torchmetrics/functional/retrieval, version 1.9",
    {
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {"denominator": "hits"},
        MeanReciprocalRank: {},
        RPrecision: {},
        FallOutAtK: {"empty": "zero"},
        AUC: {"empty": "zero"},
    },
    without={
        "RetrievalPrecisionRecallCurve": "it is a curve: "
        "`PrecisionAtK.at(...)` and `RecallAtK.at(...)` are its points",
        "RetrievalRecallAtFixedPrecision": "it chooses a cutoff for all lists "
        "by their labels",
    },
)

mllib = Convention(
    "mllib",
    "Spark's `RankingMetrics`, with relevant items that have no grades.",
    "org.apache.spark.mllib.evaluation.RankingMetrics, version 4.0",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        MeanAveragePrecision: {"denominator": "min"},
    },
)

pykeen = Convention(
    "pykeen",
    'PyKEEN, with one relevant item a list, as for `inputs="sparse"`: '
    "its `optimistic` and `pessimistic` ranks are `ties` of that name.",
    "pykeen/metrics/ranking.py and pykeen/evaluation/ranks.py, version 1.11",
    {
        MeanRank: {},
        AdjustedMeanRankIndex: {},
        MeanReciprocalRank: {},
        HitRateAtK: {},
    },
    without={
        "AdjustedArithmeticMeanRank": "it is `MeanRank` over that of a random "
        "order, (items + 1) / 2: `AdjustedMeanRankIndex` is on a scale where "
        "chance is 0",
        "AdjustedGeometricMeanRankIndex": "it is no mean over lists",
        "Count": "it counts, and says nothing of the order",
        "GeometricMeanRank": "it is no mean over lists",
        "HarmonicMeanRank": "it is 1 over `MeanReciprocalRank`",
        "InverseArithmeticMeanRank": "it is 1 over `MeanRank`",
        "InverseGeometricMeanRank": "it is no mean over lists",
        "InverseMedianRank": "it is no mean over lists",
        "MedianAbsoluteDeviation": "it is no mean over lists",
        "MedianRank": "it is no mean over lists: take the median of what "
        "`per_list` returns",
        "StandardDeviation": "it is no mean over lists: take that of what "
        "`per_list` returns",
        "Variance": "it is no mean over lists: take that of what `per_list` "
        "returns",
        "ZArithmeticMeanRank": "it depends on how many lists there are",
        "ZGeometricMeanRank": "it depends on how many lists there are",
        "ZHitsAtK": "it depends on how many lists there are",
        "ZInverseHarmonicMeanRank": "it depends on how many lists there are",
    },
)
