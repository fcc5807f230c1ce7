"""Conventions of machine learning libraries."""

from __future__ import annotations

from keras_rankmetrics import gains
from keras_rankmetrics.conventions.convention import (
    Convention,
    Fixed,
    Required,
    Rules,
)

keras_rs = Convention(
    "keras_rs",
    "Keras Recommenders, whose rules are the defaults here.",
    "keras_rs.metrics, version 0.4",
    {
        "DCG NDCG PrecisionAtK RecallAtK MeanAveragePrecision "
        "MeanReciprocalRank": {},
    },
)

tf_ranking = Convention(
    "tf_ranking",
    "TensorFlow Ranking, and Rax, which defines no hit rate.",
    "tensorflow_ranking/python/metrics_impl.py, version 0.5; rax/_src/"
    "metrics.py, version 0.4",
    {
        "DCG NDCG PrecisionAtK RecallAtK HitRateAtK MeanAveragePrecision "
        "MeanReciprocalRank AverageRelevancePosition OrderedPairAccuracy BPref "
        "AlphaDCG PrecisionIA": {},
    },
    without={
        "BPref(use_trec_version=False)": "it divides by the number of relevant "
        "items even if there are fewer others, unlike trec_eval",
        "PWA": "it is `DCG(k, gain_fn=linear_gain, "
        "rank_discount_fn=reciprocal_discount)` divided by the sum of the "
        "first k discounts",
    },
)

sklearn = Convention(
    "sklearn",
    "scikit-learn: `dcg_score`, `ndcg_score`, `roc_auc_score` per list and, if "
    "no scores tie, `top_k_accuracy_score` and "
    "`label_ranking_average_precision_score`.",
    "sklearn/metrics/_ranking.py, version 1.9",
    {
        "DCG NDCG": {"gain_fn": gains.linear_gain},
        "HitRateAtK AUC": {},
        "MeanAveragePrecision": {"empty": "one"},
    },
    without={
        "coverage_error": "it is the rank of the last relevant item, which no "
        "metric here computes",
        "label_ranking_loss": 'it is 1 - `AUC(ties="pessimistic")`',
    },
    rules=Rules(labels="not_negative"),
)

torchmetrics = Convention(
    "torchmetrics",
    "The retrieval metrics of torchmetrics, for scores above 0.",
    "torchmetrics/functional/retrieval, version 1.9",
    {
        "NDCG": {"gain_fn": gains.linear_gain},
        "PrecisionAtK": {"denominator": "k"},
        "RecallAtK HitRateAtK MeanReciprocalRank RPrecision": {},
        "MeanAveragePrecision": {"denominator": "hits"},
        "FallOutAtK": {
            "empty": Required(
                '"zero" for `empty_target_action="neg"`, or "skip"; its '
                'default, "pos", counts lists without other items as 1, which '
                "is not supported"
            )
        },
        "AUC": {
            "k": Fixed(None, "torchmetrics cuts off the list at its `top_k`"),
            "empty": Fixed(
                "zero", "lists of relevant items alone are always 0"
            ),
        },
    },
    without={
        "RetrievalAUROC(max_fpr=...)": "it is the standardised area up to a "
        "rate of false positives; `AUC(k)` has the area up to a number of them",
        "RetrievalPrecisionRecallCurve": "it is a curve; "
        "`PrecisionAtK.at(...)` and `RecallAtK.at(...)` give its points",
        "RetrievalRecallAtFixedPrecision": "it selects the cutoff by the "
        "labels of the evaluated lists",
    },
)

mllib = Convention(
    "mllib",
    "Spark's `RankingMetrics`, for binary relevance.",
    "org.apache.spark.mllib.evaluation.RankingMetrics, version 4.0",
    {
        "NDCG RecallAtK": {},
        "PrecisionAtK": {"denominator": "k"},
        "MeanAveragePrecision": {"denominator": "min"},
    },
)

pykeen = Convention(
    "pykeen",
    'PyKEEN, with one relevant item per list, as with `inputs="sparse"`; for '
    "its `optimistic` and `pessimistic` ranks, set `ties`.",
    "pykeen/metrics/ranking.py and pykeen/evaluation/ranks.py, version 1.11",
    {
        "MeanRank AdjustedMeanRankIndex MeanReciprocalRank HitRateAtK": {},
    },
    without={
        "AdjustedArithmeticMeanRank": "it is `MeanRank` divided by that of a "
        "random order, (items + 1) / 2; `AdjustedMeanRankIndex` rescales so "
        "that chance is 0",
        "AdjustedGeometricMeanRankIndex GeometricMeanRank "
        "InverseGeometricMeanRank InverseMedianRank MedianAbsoluteDeviation "
        "MedianRank StandardDeviation Variance": "it is not a mean over lists; "
        "compute it from the `per_list` values",
        "Count": "it is a count that ignores the order",
        "HarmonicMeanRank": "it is 1 / `MeanReciprocalRank`",
        "InverseArithmeticMeanRank": "it is 1 / `MeanRank`",
        "ZArithmeticMeanRank ZGeometricMeanRank ZHitsAtK "
        "ZInverseHarmonicMeanRank": "it depends on the number of lists",
    },
)
