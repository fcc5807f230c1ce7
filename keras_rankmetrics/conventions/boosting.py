"""Conventions of libraries for boosted trees, whose lists have all labels."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import (
    CUTOFF,
    Choices,
    Meaning,
    Measure,
    at_k,
    option,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.conventions.vocabularies import Listed, Suffixed
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric

_IN_ORDER: dict[str, Any] = {"ties": "stable"}
_MIN = {"denominator": "min"}
_ONE = {"empty": "one"}
_POOLED = "it is over the items of all lists together, not a mean over lists"


def _above(border: float) -> Mapping[str, Any]:
    """Return the threshold of labels above a border, as float32."""
    above = np.nextafter(np.float32(border), np.float32(math.inf))
    return {"relevance_threshold": float(above)}


def _of_xgboost(metric: type[RankingMetric], **options: Any) -> Measure:
    return Measure(metric, CUTOFF, options={"k": 32, **options})


xgboost: Suffixed = Suffixed(
    "xgboost",
    "XGBoost with its default `ndcg_exp_gain=true`. Without a cutoff its "
    "metrics stop at rank 32. A list without relevant items counts as 1, or as "
    "0 with a minus after the name.",
    "src/metric/rank_metric.cc and src/common/ranking_utils.h, version 3.2",
    {
        "NDCG": {**_ONE, **_IN_ORDER},
        "MeanAveragePrecision": {**_MIN, **_ONE, **_IN_ORDER},
        "PrecisionAtK": _IN_ORDER,
    },
    without={
        "aucpr": "it is the area below an interpolated curve, which no metric "
        "here computes",
        "auc": "for lists it also counts pairs of items with equal labels, so "
        "that it depends on the order of the rows",
        "ams": _POOLED,
    },
    rules=Rules("float32", "first_row_first", labels="integers"),
    measures={
        "ndcg": _of_xgboost(metrics.NDCG),
        "ndcg-": _of_xgboost(metrics.NDCG, empty="zero"),
        "map": _of_xgboost(metrics.MeanAveragePrecision),
        "map-": _of_xgboost(metrics.MeanAveragePrecision, empty="zero"),
        "pre": _of_xgboost(metrics.PrecisionAtK),
    },
    takes="labels",
    aliases="xgb",
)

lightgbm: Suffixed = Suffixed(
    "lightgbm",
    "LightGBM with its default `label_gain`; for others, set `gain_fn`. A list "
    "without relevant items counts as 1.",
    "src/metric/rank_metric.hpp, map_metric.hpp and dcg_calculator.cpp, "
    "version 4.7",
    {
        "NDCG": {**_ONE, **_IN_ORDER},
        "MeanAveragePrecision": {**_MIN, **_ONE, **_IN_ORDER, **_above(0.5)},
    },
    without={"auc average_precision auc_mu": _POOLED},
    rules=Rules("float64", "first_row_first", labels="not_negative"),
    measures={
        "ndcg": at_k(metrics.NDCG),
        "map": at_k(metrics.MeanAveragePrecision),
    },
    takes="labels",
    aliases="lgbm lgb",
)

_TOP = {"top": option("k")}
_GAINS: dict[str, Meaning] = {
    **_TOP,
    "type": Choices(
        {
            "Base": {"gain_fn": gains.linear_gain},
            "Exp": {"gain_fn": gains.exponential_gain},
        }
    ),
    "denominator": Choices(
        {
            "LogPosition": {"rank_discount_fn": gains.log2_discount},
            "Position": {"rank_discount_fn": gains.reciprocal_discount},
        }
    ),
}
_BINARY = {**_TOP, "border": _above}
_WORST: dict[str, Any] = {"ties": "pessimistic"}
_LINEAR = {"gain_fn": gains.linear_gain}
_ABOVE_HALF = {**_above(0.5), **_WORST}


catboost: Listed = Listed(
    "catboost",
    "CatBoost: of tied items, the least relevant comes first. Labels above "
    "`border`, .5 by default, are relevant.",
    "catboost/libs/metrics/metric.cpp, dcg.cpp, pfound.h and "
    "precision_recall_at_k.cpp, version 1.2",
    {
        "NDCG": {**_LINEAR, **_ONE, **_WORST},
        "DCG": {**_LINEAR, **_WORST},
        "MeanAveragePrecision": {**_ABOVE_HALF, **_MIN},
        "MeanReciprocalRank PrecisionAtK": _ABOVE_HALF,
        "RecallAtK": {**_ABOVE_HALF, **_ONE},
        "PFound": _WORST,
        "AUC": {"empty": "zero"},
    },
    without={
        "AUC": f"{_POOLED}; `QueryAUC` is the mean over lists",
        "AverageGain QueryAverage": "it is the mean label of the first items: "
        "for labels of 0 and 1 it is `PrecisionAt`",
        "ERR": "it takes labels as probabilities: for labels of 0 and 1 it is "
        "`MRR`",
        "FilteredDCG": "it ranks items by their order in the data",
    },
    rules=Rules("float64"),
    measures={
        "NDCG": Measure(metrics.NDCG, _GAINS, at="top"),
        "DCG": Measure(metrics.DCG, _GAINS, at="top"),
        "MAP": Measure(metrics.MeanAveragePrecision, _BINARY, at="top"),
        "MRR": Measure(metrics.MeanReciprocalRank, _BINARY, at="top"),
        "PrecisionAt": Measure(metrics.PrecisionAtK, _BINARY, at="top"),
        "RecallAt": Measure(metrics.RecallAtK, _BINARY, at="top"),
        "PFound": Measure(
            metrics.PFound, {**_TOP, "decay": option("decay")}, at="top"
        ),
        "QueryAUC": Measure(
            metrics.AUC,
            {
                "type": Choices(
                    {"Classic": {}}, 'Use `OrderedPairAccuracy(empty="zero")`.'
                )
            },
        ),
    },
    takes="labels",
)

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [n for n, x in globals().items() if isinstance(x, Convention)]
