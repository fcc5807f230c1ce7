"""The measure names of ir_measures and trec_eval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from keras_rankmetrics.conventions.measures import (
    CUTOFF,
    Measure,
    Suffix,
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
    ERRIA,
    NDCG,
    NRBP,
    AlphaNDCG,
    BPref,
    FBetaAtK,
    HitRateAtK,
    InterpolatedPrecision,
    JudgedAtK,
    MeanAveragePrecision,
    MeanAveragePrecisionIA,
    MeanReciprocalRank,
    PrecisionAtK,
    PrecisionIA,
    RankBiasedPrecision,
    RecallAtK,
    RPrecision,
    SubtopicRecall,
)

# ir_measures: the options of each metric that differ from the defaults.
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
    InterpolatedPrecision: {"rounding": "trec_eval_9"},
    BPref: {},
    JudgedAtK: {},
    AlphaNDCG: {},
    ERRIA: {},
    NRBP: {},
    PrecisionIA: {"denominator": "k"},
    MeanAveragePrecisionIA: {},
    SubtopicRecall: {},
}


def _root(weight: float) -> Mapping[str, Any]:
    """Return the beta whose square is written as beta, as in trec_eval."""
    return {"beta": math.sqrt(weight)}


def _condensed(judged_only: bool) -> Mapping[str, Any]:
    """Return the option for unjudged items."""
    return {"unjudged": ("irrelevant", "condense")[judged_only]}


_CUTOFF = {"cutoff": named("k")}
_REL = {"rel": named("relevance_threshold")}
_JUDGED = {"judged_only": _condensed}
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
        "gains": never("pass a `gain_fn` of your own to map labels to gains"),
        **_JUDGED,
    },
)
_BPREF = Measure(BPref, _REL)
_ALPHA = {"alpha": named("alpha")}
_ALPHA_NDCG = Measure(AlphaNDCG, {**_CUTOFF, **_BINARY, **_ALPHA})
_AP_IA = Measure(MeanAveragePrecisionIA, _BINARY)
_P = Measure(PrecisionAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",))
_R = Measure(RecallAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",))
_RPREC = Measure(RPrecision, _BINARY)
_RR = Measure(MeanReciprocalRank, {**_CUTOFF, **_BINARY})

OF_IR_MEASURES = {
    "AP": _AP,
    "AP_IA": _AP_IA,
    "BPref": _BPREF,
    "Bpref": _BPREF,
    "ERR": Measure(ERR, _CUTOFF),
    "INSQ": Measure(
        DCG,
        {
            "T": only(1.0, "the discount models a user who wants one item"),
            "min_rel": only(0, "labels are gains"),
            "max_rel": only(1, "labels are gains: divide them by max_rel"),
        },
        required=("max_rel",),
    ),
    "IPrec": Measure(
        InterpolatedPrecision,
        {"recall": named("recall"), **_BINARY},
        required=("recall",),
        at="recall",
    ),
    "Judged": Measure(JudgedAtK, _CUTOFF),
    "MAP": _AP,
    "MAP_IA": _AP_IA,
    "MRR": _RR,
    "NDCG": _NDCG,
    "NRBP": Measure(NRBP, {**_REL, **_ALPHA, "beta": named("p")}),
    "P": _P,
    "P_IA": Measure(PrecisionIA, {**_CUTOFF, **_BINARY}),
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
            "relative": only(False, "SetRelP is not supported"),
        },
        {"denominator": "retrieved"},
    ),
    "SetR": Measure(RecallAtK, _REL),
    "StRecall": Measure(SubtopicRecall, {**_CUTOFF, **_REL}),
    "Success": Measure(
        HitRateAtK, {**_CUTOFF, **_BINARY}, required=("cutoff",)
    ),
    "alpha_nDCG": _ALPHA_NDCG,
    "nDCG": _NDCG,
    "nERR_IA": Measure(ERRIA, {**_CUTOFF, **_BINARY}, {"normalized": True}),
    "α_nDCG": _ALPHA_NDCG,
}

_COUNT = "it is a count that ignores the order; compute it from the data"
_ALPHA_DCG = (
    "it divides `AlphaDCG` by the value of a list whose items are all relevant "
    "to all subtopics"
)
_CWL = (
    "it models users who stop depending on what they have found so far, which "
    "no metric here does"
)

NOT_IN_IR_MEASURES = {
    "Accuracy": "it ignores relevant items that are not retrieved; if all are "
    "retrieved, it is `AUC()`",
    "BPM": _CWL,
    "Compat": "it measures the overlap with an ideal order, not gains",
    "ERR_IA": "it is `ERRIA` divided by a constant, the same for all lists",
    "INST": _CWL,
    "NERR10": _CWL,
    "NERR11": _CWL,
    "NERR8": _CWL,
    "NERR9": _CWL,
    "NumQ": _COUNT,
    "NumRel": _COUNT,
    "NumRelRet": _COUNT,
    "NumRet": _COUNT,
    "SDCG": "it is `DCG(k, gain_fn=linear_gain)` divided by a constant, the "
    "same for all lists",
    "SetAP": "it is the product of SetP and SetR",
    "SetRelP": "it divides by the smaller of the numbers of relevant and "
    "retrieved items, which no other source does",
    "nNRBP": "it divides by the NRBP of the greedy order, which is not "
    "supported",
    "α_DCG": _ALPHA_DCG,
    "alpha_DCG": _ALPHA_DCG,
    "infAP": "it is an estimate for sampled judgements",
}


# trec_eval: the equivalent of each measure, by its name there.
OF_TREC_EVAL = {
    "11pt_avg": Suffix("ElevenPointPrecision"),
    "P": Suffix("PrecisionAtK", CUTOFF, required=True),
    "Rprec": Suffix("RPrecision"),
    "bpref": Suffix("BPref"),
    "dcg": Suffix("DCG"),
    "iprec_at_recall": Suffix("InterpolatedPrecision", "recall", required=True),
    "map": Suffix("MeanAveragePrecision"),
    "map_cut": Suffix("MeanAveragePrecision", CUTOFF, required=True),
    "ndcg": Suffix("NDCG"),
    "ndcg_cut": Suffix("NDCG", CUTOFF, required=True),
    "rbp": Suffix("GradedRankBiasedPrecision", "p"),
    "rbp_resid": Suffix("RBPResidual", "p"),
    "recall": Suffix("RecallAtK", CUTOFF, required=True),
    "recip_rank": Suffix("MeanReciprocalRank"),
    "set_F": Suffix("FBetaAtK"),
    "set_P": Suffix("PrecisionAtK", options={"denominator": "retrieved"}),
    "set_recall": Suffix("RecallAtK"),
    "success": Suffix("HitRateAtK", CUTOFF, required=True),
    "unj": Suffix("UnjudgedAtK", CUTOFF, required=True),
}
