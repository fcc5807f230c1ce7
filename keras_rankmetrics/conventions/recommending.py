"""Conventions of libraries for recommendation, and of general ones."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import (
    OVER_K,
    SETS,
    Fixed,
    Measure,
    Required,
    at,
    at_k,
    over_k,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.conventions.vocabularies import Suffixed

_ITEMS = {"num_items": Required("the number of items in the catalogue")}
_COUNTS = {"popularity": Required("the number of interactions with each item")}
_NO_RANKING = "it evaluates predicted values, not an order"
_SKIP: dict[str, Any] = {"empty": "skip"}
# Interactions of a test set: each is relevant, whatever its rating.
_INTERACTIONS = Rules(labels="members")

torchmetrics: Convention = Convention(
    "torchmetrics",
    "The retrieval metrics of torchmetrics, for scores above 0.",
    "torchmetrics/functional/retrieval, version 1.9",
    {
        "NDCG": {"gain_fn": gains.linear_gain},
        "PrecisionAtK": {"denominator": OVER_K},
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
    takes="labels",
)

mllib: Convention = Convention(
    "mllib",
    "Spark's `RankingMetrics`, for binary relevance.",
    "org.apache.spark.mllib.evaluation.RankingMetrics, version 4.0",
    {
        "NDCG": SETS,
        "RecallAtK": {},
        "PrecisionAtK": {"denominator": "k"},
        "MeanAveragePrecision": {"denominator": "min"},
    },
    aliases="pyspark spark",
)

recommenders: Convention = Convention(
    "recommenders",
    "Microsoft Recommenders, for binary relevance; AP is `map_at_k`.",
    "recommenders/evaluation/python_evaluation.py, version 1.2",
    {
        "NDCG": {"gain_fn": gains.binary_gain, "empty": "skip"},
        "RecallAtK": {"empty": "skip"},
        "PrecisionAtK": {"denominator": "k", "empty": "skip"},
        "MeanAveragePrecision": {"denominator": "min", "empty": "skip"},
    },
    without={
        "catalog_coverage": "it is `CatalogueCoverage` times the number of "
        "items in the catalogue, over the number of items in training",
        "distributional_coverage": "it is `ExposureEntropy` / ln 2",
        "diversity": "it is `IntraListDiversity` if it receives vectors; "
        "otherwise it compares items by their common users",
        "novelty": "it is `Novelty` of each item's share of the interactions, "
        "with the share 1 for items without any",
        "serendipity": "it compares items with the history of the user",
    },
    rules=_INTERACTIONS,
    aliases="microsoft_recommenders",
)

replay: Convention = Convention(
    "replay",
    "RePlay, for binary relevance.",
    "replay/metrics, version 0.22",
    {
        "NDCG": SETS,
        "RecallAtK HitRateAtK MeanReciprocalRank": {},
        "PrecisionAtK": {"denominator": "k"},
        "MeanAveragePrecision": {"denominator": "min"},
        "CatalogueCoverage": {
            "num_items": Required("the number of items in the training data")
        },
    },
    without={
        "CategoricalDiversity": "it counts the categories of the items shown, "
        "ignoring their order",
        "Novelty": "it is 1 - `PrecisionAtK` with the users' histories as "
        "relevant items",
        "RocAuc": "it ignores relevant items that are not among the first k; "
        "if all are, it is `AUC()` of the first k items",
        "Surprisal": "it is `Novelty` divided by log2 of the number of users, "
        "but divides by k even if fewer items are recommended",
        "Unexpectedness": "it compares with the recommendations of another "
        "model",
    },
    rules=_INTERACTIONS,
)

rectools: Convention = Convention(
    "rectools",
    "RecTools, for binary relevance; AUC with k is `PartialAUC` if at least k "
    "non-relevant items are recommended.",
    "rectools/metrics, version 0.19",
    {
        "PrecisionAtK F1AtK FBetaAtK": {"denominator": "k", "empty": "skip"},
        "RecallAtK HitRateAtK MeanAveragePrecision MeanReciprocalRank": {
            "empty": "skip"
        },
        "AUC": {},
        "AveragePopularity Serendipity": _COUNTS,
        "CatalogueCoverage": _ITEMS,
        "Novelty": {
            "popularity": Required(
                "the share of users who know each item, that of one user for "
                "items that nobody knows"
            )
        },
        "IntraListDiversity": {
            "empty": "zero",
            "vectors": Required(
                "a row for each item, with a 1 at its category"
            ),
        },
    },
    without={
        "Accuracy MCC": "it also counts items that are rightly not "
        "recommended, nearly the whole catalogue",
        "CatalogCoverage(normalize=False)": "it is a count: `num_items` times "
        "`CatalogueCoverage`",
        "CoveredUsers SufficientReco UnrepeatedReco": "it checks the data and "
        "ignores the order",
        "Intersection": "it compares with the recommendations of another model",
        "NDCG": "its ideal list always has k relevant items, which no other "
        "source does; with `divide_by_achievable=True` it is that of "
        "`recommenders`",
        "PartialAUC(insufficient_handling=...)": "it leaves out users "
        "without all relevant or k other items; give them the weight 0",
        "Precision(debias_config=...)": "it drops some interactions with "
        "popular items at random, as in other metrics",
        "Precision(r_precision=True)": 'it is `RecallAtK(denominator="min")`',
        "PAP": "it counts only the first min(k, relevant) relevant items, "
        "which no other source does",
    },
    rules=_INTERACTIONS,
)

_LENSKIT: dict[str, dict[str, Any]] = {
    "NDCG DCG": {
        "gain_fn": gains.binary_gain,
        "rank_discount_fn": gains.original_discount,
    },
    "PrecisionAtK": {},
    "HitRateAtK": {},
    "MeanReciprocalRank": {},
    "RecallAtK": {"denominator": "min"},
    "RankBiasedPrecision": {"p": 0.85},
}

lenskit: Suffixed = Suffixed(
    "lenskit",
    "LensKit 2025; `ExposureGini` is its ListGini. Lists that the run lacks "
    "are excluded.",
    "lenskit/metrics/ranking, version 2025.8",
    _LENSKIT
    | {
        "AveragePopularity": {
            "popularity": Required(
                "the rank of each item by increasing popularity, averaged over "
                "equally popular items, divided by the number of items in the "
                "training data; 0 for other items"
            )
        },
        "ExposureGini": _ITEMS,
    },
    without={
        "AveragePrecision MeanAveragePrecision": "it divides by the smallest "
        "of k and the numbers of relevant and recommended items, which no "
        "other source does; if at least k items are recommended, it is that of "
        "`kaggle`",
        "ExposureGini(weight=GeometricRankWeight()) "
        "ExposureGini(weight=LogRankWeight())": "it weights positions by rank; "
        "`ExposureGini`, its ListGini, weights all positions within rank k "
        "equally",
        "RBP(normalize=True) RBP(weight=...) RBP(weight_field=...)": "it "
        "divides by the highest possible value, or weights ranks otherwise",
        "ListLength TestItemCount": "it is a count that ignores the order",
        "MAE RMSE": _NO_RANKING,
        "entropy": "it measures the categories of the items shown, ignoring "
        "their order",
        "least_item_promoted rank_biased_overlap": "it compares two orders "
        "rather than an order with labels",
        "rank_biased_entropy": "it measures the categories of the items shown",
    },
    rules=_INTERACTIONS._replace(queries="both"),
    measures={
        "DCG": at(metrics.DCG),
        "NDCG": at(metrics.NDCG),
        "Precision": at(metrics.PrecisionAtK),
        "Recall": at(metrics.RecallAtK),
        "RecipRank": at(metrics.MeanReciprocalRank),
        "Hit": at(metrics.HitRateAtK),
        "RBP": at(metrics.RankBiasedPrecision),
    },
)

lenskit_2026: Suffixed = dataclasses.replace(
    lenskit,
    name="lenskit_2026",
    about="LensKit 2026, which excludes lists without relevant items, except "
    "in precision, and from precision lists that retrieve nothing.",
    source="lenskit/metrics/ranking, version 2026.4",
    metrics={
        **{name: {**x, **_SKIP} for name, x in _LENSKIT.items()},
        "PrecisionAtK": _LENSKIT["PrecisionAtK"],
    },
    own_rules={
        "PrecisionAtK": lenskit.rules._replace(nothing_retrieved="is_excluded")
    },
)

pyg: Suffixed = Suffixed(
    "pyg",
    "PyTorch Geometric's link prediction metrics, for edges without weights. "
    "It excludes users without edges.",
    "torch_geometric/metrics/link_pred.py, version 2.8",
    {
        "NDCG": {**SETS, **_SKIP},
        "RecallAtK HitRateAtK MeanReciprocalRank": _SKIP,
        "PrecisionAtK F1AtK": {"denominator": "k", **_SKIP},
        "MeanAveragePrecision": {"denominator": "min", **_SKIP},
    },
    without={
        "WeightedLinkPredNDCG": "it is `NDCG(gain_fn=linear_gain)`",
        "WeightedLinkPredRecall": "it divides the weights of hits by those of "
        "all edges",
        "LinkPredCoverage": "it is `CatalogueCoverage`",
        "LinkPredDiversity LinkPredPersonalization LinkPredAveragePopularity": (
            "it measures the items shown, not their order"
        ),
    },
    measures={
        "LinkPredPrecision": at_k(metrics.PrecisionAtK),
        "LinkPredRecall": at_k(metrics.RecallAtK),
        "LinkPredF1": at_k(metrics.F1AtK),
        "LinkPredMAP": at_k(metrics.MeanAveragePrecision),
        "LinkPredNDCG": at_k(metrics.NDCG),
        "LinkPredMRR": at_k(metrics.MeanReciprocalRank),
        "LinkPredHitRatio": at_k(metrics.HitRateAtK),
    },
    takes="samples",
    aliases="torch_geometric pytorch_geometric",
)

torchrec: Suffixed = Suffixed(
    "torchrec",
    "TorchRec without weights. It reports 1 - NDCG unless "
    "`report_ndcg_as_decreasing_curve=False`; tied scores have any order in "
    "its gAUC.",
    "torchrec/metrics/ndcg.py and gauc.py, version 1.9",
    {"NDCG": {"gain_fn": gains.linear_gain}},
    measures={
        "ndcg": at(metrics.NDCG),
        "gauc": Measure(metrics.AUC),
    },
    takes="labels",
)

cornac: Suffixed = Suffixed(
    "cornac",
    "Cornac, for binary relevance. It excludes users without relevant items.",
    "cornac/metrics/ranking.py, version 3.0",
    {
        "NDCG": {**SETS, **_SKIP},
        "RecallAtK HitRateAtK MeanAveragePrecision MeanReciprocalRank": _SKIP,
        "PrecisionAtK F1AtK": {"denominator": "k", **_SKIP},
        "AUC": {"ties": "pessimistic"},
    },
    measures={
        "NDCG": at(metrics.NDCG),
        "NCRR": at(metrics.NDCG, rank_discount_fn=gains.reciprocal_discount),
        "HitRatio": at(metrics.HitRateAtK),
        "Precision": over_k(metrics.PrecisionAtK),
        "Recall": at(metrics.RecallAtK),
        "F1": over_k(metrics.F1AtK),
        "MRR": Measure(metrics.MeanReciprocalRank),
        "MAP": Measure(metrics.MeanAveragePrecision),
        "AUC": Measure(metrics.AUC),
    },
)

recbole: Convention = Convention(
    "recbole",
    "RecBole, for binary relevance; AUC is `GAUC` with the number of relevant "
    "items as `sample_weight`.",
    "recbole/evaluator/metrics.py, version 1.2",
    {
        "NDCG": SETS,
        "RecallAtK HitRateAtK MeanReciprocalRank AUC": {},
        "PrecisionAtK": {"denominator": "k"},
        "MeanAveragePrecision": {"denominator": "min"},
        "AveragePopularity": _COUNTS,
        "CatalogueCoverage ExposureGini": _ITEMS,
        "TailShare": {"is_tail": Required("a flag for each item of the tail")},
    },
    without={
        "LogLoss MAE RMSE": _NO_RANKING,
        "ShannonEntropy": "it divides `ExposureEntropy` by the number of "
        "distinct items shown, unlike its documented formula",
    },
    rules=_INTERACTIONS,
)

din: Convention = Convention(
    "din",
    "gAUC of the Deep Interest Network: `AUC` with the number of impressions "
    "of each user as `sample_weight`.",
    "Zhou et al., Deep Interest Network, KDD (2018), section 5.3",
    {"AUC": {}},
)

merlin: Convention = Convention(
    "merlin",
    "NVIDIA Merlin Models, for binary relevance.",
    "merlin/models/tf/metrics/topk.py, version 23.8",
    {
        "NDCG": SETS,
        "MeanReciprocalRank": {},
        "PrecisionAtK": {"denominator": "k"},
        "RecallAtK MeanAveragePrecision": {"denominator": "min"},
    },
    rules=_INTERACTIONS,
)

kaggle: Convention = Convention(
    "kaggle",
    "MAP@k of Kaggle competitions.",
    "kaggle.com, Mean Average Precision at K; benhamner/Metrics, "
    "average_precision.py",
    {"MeanAveragePrecision": {"denominator": "min"}},
)

pykeen: Convention = Convention(
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

recsys: Convention = Convention(
    "recsys",
    "Only retrieved items exist: AP divides by the hits, the ideal order uses "
    "the first k items, and users without relevant items are excluded.",
    "the worked example of five users in `tests/peers/test_conventions.py`",
    {
        "NDCG": {"ideal": "retrieved", **SETS, "empty": "skip"},
        "PrecisionAtK F1AtK": {"denominator": "k", "empty": "skip"},
        "RecallAtK HitRateAtK MeanReciprocalRank": {"empty": "skip"},
        "MeanAveragePrecision": {"denominator": "hits", "empty": "skip"},
    },
)

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [n for n, x in globals().items() if isinstance(x, Convention)]
