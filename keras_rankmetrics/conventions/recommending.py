"""The conventions of libraries for recommender systems."""

from __future__ import annotations

from keras_rankmetrics.conventions.convention import Asked, Convention
from keras_rankmetrics.gains import original_discount
from keras_rankmetrics.metrics import (
    AUC,
    DCG,
    NDCG,
    AveragePopularity,
    CatalogueCoverage,
    ExposureGini,
    F1AtK,
    FBetaAtK,
    HitRateAtK,
    IntraListDiversity,
    MeanAveragePrecision,
    MeanReciprocalRank,
    Novelty,
    PrecisionAtK,
    RankBiasedPrecision,
    RecallAtK,
    Serendipity,
    TailShare,
)

_ITEMS = {"num_items": Asked("the number of items of the catalogue")}
_COUNTS = {"popularity": Asked("how often users had each item")}

recommenders = Convention(
    "recommenders",
    "Microsoft's Recommenders, with relevant items that have no grades; AP is "
    "`map_at_k`.",
    "recommenders/evaluation/python_evaluation.py, version 1.2",
    {
        NDCG: {"empty": "skip"},
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        MeanAveragePrecision: {"denominator": "min", "empty": "skip"},
    },
    without={
        "catalog_coverage": "it is `CatalogueCoverage` times the number of "
        "items of the catalogue over the number of items in training",
        "distributional_coverage": "it is `ExposureEntropy` over ln 2",
        "diversity": "it is `IntraListDiversity` where it is given vectors; "
        "else it compares items by the users who had both",
        "novelty": "it is `Novelty` of each item's share of the interactions, "
        "and 1 for items without any",
        "serendipity": "it compares items with what the user had before",
    },
)

replay = Convention(
    "replay",
    "RePlay, with relevant items that have no grades.",
    "replay/metrics, version 0.22",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {"denominator": "min"},
        MeanReciprocalRank: {},
        CatalogueCoverage: {
            "num_items": Asked("the number of items that users had before")
        },
    },
    without={
        "CategoricalDiversity": "it counts the categories of what is shown, "
        "not in which order",
        "Novelty": "it is 1 - `PrecisionAtK` of what the users had",
        "RocAuc": "it leaves out relevant items that are not among the first "
        "k; where all are, and others too, it is `AUC()` of these",
        "Surprisal": "it is `Novelty` over the log2 of the number of users",
        "Unexpectedness": "it compares with the recommendations of another "
        "model",
    },
)

rectools = Convention(
    "rectools",
    "RecTools, with relevant items that have no grades; AUC with k is "
    "`PartialAUC`, where at least k others are recommended.",
    "rectools/metrics, version 0.19",
    {
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        F1AtK: {"denominator": "k", "empty": "skip"},
        FBetaAtK: {"denominator": "k", "empty": "skip"},
        HitRateAtK: {"empty": "skip"},
        MeanAveragePrecision: {"empty": "skip"},
        MeanReciprocalRank: {"empty": "skip"},
        AUC: {},
        AveragePopularity: _COUNTS,
        CatalogueCoverage: _ITEMS,
        Novelty: {
            "popularity": Asked(
                "by which share of the users each item is known, that of one "
                "user where it is by nobody"
            )
        },
        Serendipity: _COUNTS,
        IntraListDiversity: {
            "empty": "zero",
            "vectors": Asked("a row for each item, with a 1 at its category"),
        },
    },
    without={
        "Accuracy": "it counts what is rightly not recommended too, nearly "
        "the whole catalogue",
        "CatalogCoverage(normalize=False)": "it counts: it is `num_items` "
        "times `CatalogueCoverage`",
        "CoveredUsers": "it checks the data, and says nothing of the order",
        "Intersection": "it compares with the recommendations of another model",
        "MCC": "it counts what is rightly not recommended too, nearly the "
        "whole catalogue",
        "NDCG": "its ideal takes k items to be relevant however many are, "
        "which no other source does; with `divide_by_achievable=True` it is "
        "that of `recommenders`",
        "Precision(r_precision=True)": 'it is `RecallAtK(denominator="min")`',
        "PAP": "it is of the first min(k, relevant) relevant items, which no "
        "other source has",
        "SufficientReco": "it checks the data, and says nothing of the order",
        "UnrepeatedReco": "it checks the data, and says nothing of the order",
    },
)

_LENSKIT_AP = (
    "it divides by the smallest of k, the relevant and the recommended items, "
    "which no other source does; where k items or more are recommended, it is "
    "that of `kaggle`"
)
_LENSKIT_GINI = (
    "it weighs each place by its rank, where `ExposureGini` here, which is "
    "ListGini there, counts the places within rank k"
)

lenskit = Convention(
    "lenskit",
    "LensKit, with relevant items that have no grades; `ExposureGini` is its "
    "ListGini.",
    "lenskit/metrics/ranking, version 2025.8",
    {
        DCG: {"rank_discount_fn": original_discount},
        NDCG: {"rank_discount_fn": original_discount},
        PrecisionAtK: {},
        RecallAtK: {"denominator": "min"},
        HitRateAtK: {},
        MeanReciprocalRank: {},
        RankBiasedPrecision: {"p": 0.85},
        AveragePopularity: {
            "popularity": Asked(
                "the rank of each item from the least popular one up, the mean "
                "of those that are as popular, over the number of items that "
                "users had; 0 for others"
            )
        },
        ExposureGini: _ITEMS,
    },
    without={
        "AveragePrecision": _LENSKIT_AP,
        "ExposureGini(weight=GeometricRankWeight())": _LENSKIT_GINI,
        "ExposureGini(weight=LogRankWeight())": _LENSKIT_GINI,
        "ListLength": "it counts, and says nothing of the order",
        "MAE": "it is of predicted ratings, not of an order",
        "MeanAveragePrecision": _LENSKIT_AP,
        "RMSE": "it is of predicted ratings, not of an order",
        "TestItemCount": "it counts, and says nothing of the order",
        "entropy": "it is of the categories of what is shown, not of the order",
        "least_item_promoted": "it compares two orders, neither of which is "
        "relevance",
        "rank_biased_entropy": "it is of the categories of what is shown",
        "rank_biased_overlap": "it compares two orders, neither of which is "
        "relevance",
    },
)

recbole = Convention(
    "recbole",
    "RecBole, with relevant items that have no grades; AUC is `GAUC`, with "
    "the number of relevant items as `sample_weight`.",
    "recbole/evaluator/metrics.py, version 1.2",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {"denominator": "min"},
        MeanReciprocalRank: {},
        AUC: {},
        AveragePopularity: _COUNTS,
        CatalogueCoverage: _ITEMS,
        ExposureGini: _ITEMS,
        TailShare: {"is_tail": Asked("which items are of the tail")},
    },
    without={
        "LogLoss": "it is of predicted labels, not of an order",
        "MAE": "it is of predicted labels, not of an order",
        "RMSE": "it is of predicted labels, not of an order",
        "ShannonEntropy": "it divides `ExposureEntropy` by the number of "
        "different items that are shown, unlike its own formula",
    },
)

din = Convention(
    "din",
    "gAUC of the Deep Interest Network: `AUC`, with the impressions of each "
    "user as `sample_weight`.",
    "Zhou et al., Deep Interest Network, KDD (2018), section 5.3",
    {AUC: {}},
)

merlin = Convention(
    "merlin",
    "NVIDIA Merlin Models, with relevant items that have no grades.",
    "merlin/models/tf/metrics/topk.py, version 23.8",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {"denominator": "min"},
        MeanAveragePrecision: {"denominator": "min"},
        MeanReciprocalRank: {},
    },
)

kaggle = Convention(
    "kaggle",
    "MAP@k of Kaggle's competitions.",
    "kaggle.com, Mean Average Precision at K; benhamner/Metrics, "
    "average_precision.py",
    {MeanAveragePrecision: {"denominator": "min"}},
)

recsys = Convention(
    "recsys",
    "What is retrieved is all there is: users without relevant items are left "
    "out, AP is over the hits, the ideal over the first k.",
    "the five users in `tests/test_ids.py`",
    {
        NDCG: {"ideal": "retrieved", "empty": "skip"},
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        F1AtK: {"denominator": "k", "empty": "skip"},
        HitRateAtK: {"empty": "skip"},
        MeanAveragePrecision: {"denominator": "hits", "empty": "skip"},
        MeanReciprocalRank: {"empty": "skip"},
    },
)
