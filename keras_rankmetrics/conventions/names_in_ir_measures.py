"""Which metric each measure of ir_measures is, and why others are none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from keras_rankmetrics.conventions.measures import (
    Measure,
    named,
    never,
    one_of,
    only,
)
from keras_rankmetrics.gains import (
    exponential_gain,
    inverse_square_discount,
    linear_gain,
)
from keras_rankmetrics.metrics import (
    DCG,
    ERR,
    NDCG,
    FBetaAtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RankBiasedPrecision,
    RecallAtK,
    RPrecision,
)

# The options of each metric, where they are not the defaults.
METRICS: dict[type, dict[str, Any]] = {
    NDCG: {"gain_fn": linear_gain},
    PrecisionAtK: {"denominator": "k"},
    RecallAtK: {},
    FBetaAtK: {},
    HitRateAtK: {},
    MeanAveragePrecision: {},
    MeanReciprocalRank: {},
    RPrecision: {},
    RankBiasedPrecision: {},
    ERR: {},
    DCG: {
        "gain_fn": linear_gain,
        "rank_discount_fn": inverse_square_discount,
    },
}


def _root(weight: float) -> Mapping[str, Any]:
    """What is written as beta there is its square, as in trec_eval."""
    return {"beta": math.sqrt(weight)}


_CUTOFF = {"cutoff": named("k")}
_REL = {"rel": named("relevance_threshold")}
_JUDGED = {
    "judged_only": only(
        False, "what has no judgement is left out by a label below 0"
    )
}
_BINARY = {**_REL, **_JUDGED}

_AP = Measure(MeanAveragePrecision, {**_CUTOFF, **_BINARY})
_NDCG = Measure(
    NDCG,
    {
        **_CUTOFF,
        "dcg": one_of(
            {
                "log2": {"gain_fn": linear_gain},
                "exp-log2": {"gain_fn": exponential_gain},
            }
        ),
        "gains": never("what each label is worth is a `gain_fn` of your own"),
        **_JUDGED,
    },
)
_P = Measure(PrecisionAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",))
_R = Measure(RecallAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",))
_RPREC = Measure(RPrecision, _BINARY)
_RR = Measure(MeanReciprocalRank, {**_CUTOFF, **_BINARY})

MEASURES = {
    "AP": _AP,
    "ERR": Measure(ERR, _CUTOFF),
    "INSQ": Measure(
        DCG,
        {
            "T": only(1.0, "the discount is that of a user who wants one item"),
            "min_rel": only(0, "labels are gains"),
            "max_rel": only(1, "labels are gains: divide them by max_rel"),
        },
        required=("max_rel",),
    ),
    "MAP": _AP,
    "MRR": _RR,
    "NDCG": _NDCG,
    "P": _P,
    "Precision": _P,
    "R": _R,
    "RBP": Measure(
        RankBiasedPrecision,
        {**_CUTOFF, "p": named("p"), **_REL},
        required=("rel",),
    ),
    "RPrec": _RPREC,
    "RR": _RR,
    "Recall": _R,
    "Rprec": _RPREC,
    "SetF": Measure(FBetaAtK, {**_BINARY, "beta": _root}),
    "SetP": Measure(
        PrecisionAtK,
        {
            **_BINARY,
            "relative": only(False, "SetRelP cannot be had"),
        },
        {"denominator": "retrieved"},
    ),
    "SetR": Measure(RecallAtK, _REL),
    "Success": Measure(
        HitRateAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",)
    ),
    "nDCG": _NDCG,
}

_SUBTOPICS = "it is of relevance to several subtopics, which has no metric yet"
_UNJUDGED = (
    "it tells what has no judgement from what is not relevant, which "
    "has no metric yet"
)
_COUNT = "it counts, and says nothing of the order: use the data itself"
_CWL = (
    "it is of users who go on or stop by what they have found so far, for "
    "which no metric is here"
)

WITHOUT = {
    "Accuracy": "it leaves out relevant items that are not retrieved; where "
    "all are, it is `AUC()`",
    "AP_IA": _SUBTOPICS,
    "BPM": _CWL,
    "BPref": _UNJUDGED,
    "Bpref": _UNJUDGED,
    "Compat": "it is the overlap with an ideal order, not a mean of what the "
    "items are worth",
    "ERR_IA": _SUBTOPICS,
    "INST": _CWL,
    "IPrec": "it has no metric yet",
    "Judged": _UNJUDGED,
    "MAP_IA": _SUBTOPICS,
    "NERR10": _CWL,
    "NERR11": _CWL,
    "NERR8": _CWL,
    "NERR9": _CWL,
    "NRBP": _SUBTOPICS,
    "NumQ": _COUNT,
    "NumRel": _COUNT,
    "NumRelRet": _COUNT,
    "NumRet": _COUNT,
    "P_IA": _SUBTOPICS,
    "SDCG": "it is `DCG(k, gain_fn=linear_gain)` over one and the same number "
    "for all lists: divide by it",
    "SetAP": "it is the product of SetP and SetR",
    "SetRelP": "it divides by the smaller of the relevant and the retrieved "
    "items, which no other source does",
    "StRecall": _SUBTOPICS,
    "alpha_DCG": _SUBTOPICS,
    "alpha_nDCG": _SUBTOPICS,
    "infAP": "it estimates what was sampled for judgement, not what is ranked",
    "nERR_IA": _SUBTOPICS,
    "nNRBP": _SUBTOPICS,
    "α_DCG": _SUBTOPICS,
    "α_nDCG": _SUBTOPICS,
}
