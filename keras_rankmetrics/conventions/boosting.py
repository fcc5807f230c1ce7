"""Conventions of libraries for boosted trees, whose lists have all labels."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import (
    CUTOFF,
    Choices,
    Convention,
    Listed,
    Measure,
    Rules,
    Suffixed,
    option,
)

_IN_ORDER: dict[str, Any] = {"ties": "stable"}
_MIN = {"denominator": "min"}
_ONE = {"empty": "one"}
_POOLED = "it is over the items of all lists together, not a mean over lists"


def _above(border: float) -> Mapping[str, Any]:
    """Return the threshold of labels above a border, as float32."""
    above = np.nextafter(np.float32(border), np.float32(math.inf))
    return {"relevance_threshold": float(above)}


def _of_xgboost(name: str, empty: str) -> Measure:
    metric, options = {
        "ndcg": (metrics.NDCG, {}),
        "map": (metrics.MeanAveragePrecision, _MIN),
        "pre": (metrics.PrecisionAtK, {}),
    }[name]
    return Measure(
        metric,
        CUTOFF,
        options={"k": 32, **options, **_IN_ORDER, "empty": empty},
    )


xgboost = Suffixed(
    "xgboost",
    "XGBoost with its default `ndcg_exp_gain=true`. Without a cutoff its "
    "metrics stop at rank 32. A list without relevant items counts as 1, or as "
    "0 with a minus after the name.",
    "src/metric/rank_metric.cc and src/common/ranking_utils.h, version 3.2",
    {},
    without={
        "aucpr": "it is the area below an interpolated curve, which no metric "
        "here computes",
        "auc": "for lists it also counts pairs of items with equal labels, so "
        "that it depends on the order of the rows",
        "ams": _POOLED,
    },
    rules=Rules("float32", "first_row_first", labels="integers"),
    measures={
        "ndcg": _of_xgboost("ndcg", "one"),
        "ndcg-": _of_xgboost("ndcg", "zero"),
        "map": _of_xgboost("map", "one"),
        "map-": _of_xgboost("map", "zero"),
        "pre": _of_xgboost("pre", "zero"),
    },
    aliases="xgb",
)

lightgbm = Suffixed(
    "lightgbm",
    "LightGBM with its default `label_gain`; for others, set `gain_fn`. A list "
    "without relevant items counts as 1.",
    "src/metric/rank_metric.hpp, map_metric.hpp and dcg_calculator.cpp, "
    "version 4.7",
    {},
    without={"auc average_precision auc_mu": _POOLED},
    rules=Rules("float64", "first_row_first", labels="not_negative"),
    measures={
        "ndcg": Measure(
            metrics.NDCG, CUTOFF, ("cutoff",), {**_ONE, **_IN_ORDER}
        ),
        "map": Measure(
            metrics.MeanAveragePrecision,
            CUTOFF,
            ("cutoff",),
            {**_MIN, **_ONE, **_IN_ORDER, **_above(0.5)},
        ),
    },
    aliases="lgbm lgb",
)

_TOP = {"top": option("k")}
_GAINS = {
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


def _of_catboost(metric: Any, parameters: Any, **options: Any) -> Measure:
    is_binary = _above(0.5) if parameters is _BINARY else {}
    return Measure(
        metric, parameters, (), {**is_binary, **_WORST, **options}, at="top"
    )


catboost = Listed(
    "catboost",
    "CatBoost: of tied items, the least relevant comes first. Labels above "
    "`border`, .5 by default, are relevant.",
    "catboost/libs/metrics/metric.cpp, dcg.cpp, pfound.h and "
    "precision_recall_at_k.cpp, version 1.2",
    {},
    without={
        "AUC": _POOLED,
        "AverageGain QueryAverage": "it is the mean label of the first items: "
        "for labels of 0 and 1 it is `PrecisionAt`",
        "ERR": "it takes labels as probabilities: for labels of 0 and 1 it is "
        "`MRR`",
        "FilteredDCG": "it ranks items by their order in the data",
    },
    rules=Rules("float64"),
    measures={
        "NDCG": _of_catboost(metrics.NDCG, _GAINS, **_LINEAR, **_ONE),
        "DCG": _of_catboost(metrics.DCG, _GAINS, **_LINEAR),
        "MAP": _of_catboost(metrics.MeanAveragePrecision, _BINARY, **_MIN),
        "MRR": _of_catboost(metrics.MeanReciprocalRank, _BINARY),
        "PrecisionAt": _of_catboost(metrics.PrecisionAtK, _BINARY),
        "RecallAt": _of_catboost(metrics.RecallAtK, _BINARY, **_ONE),
        "PFound": _of_catboost(
            metrics.PFound, {**_TOP, "decay": option("decay")}
        ),
        "QueryAUC": Measure(
            metrics.AUC,
            {
                "type": Choices(
                    {"Classic": {}}, 'Use `OrderedPairAccuracy(empty="zero")`.'
                )
            },
            options={"empty": "zero"},
        ),
    },
)

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [n for n, x in globals().items() if isinstance(x, Convention)]
