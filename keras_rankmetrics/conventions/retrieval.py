"""Conventions of information retrieval tools."""

from __future__ import annotations

from keras_rankmetrics.conventions import vocabularies
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.measures import Suffixed, Vocabulary
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics import (
    DCG,
    NDCG,
    BPref,
    ElevenPointPrecision,
    F1AtK,
    FBetaAtK,
    GradedRankBiasedPrecision,
    HitRateAtK,
    InterpolatedPrecision,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RankBiasedPrecision,
    RBPResidual,
    RecallAtK,
    RPrecision,
    UnjudgedAtK,
)

_COUNT = "it is a count that ignores the order; compute it from the data"
_OWN = "it is specific to trec_eval"

trec_eval = Suffixed(
    "trec_eval",
    "trec_eval 10.0, the tool of the TREC conferences. pytrec_eval is version "
    "9, which rounds recall levels differently in interpolated precision.",
    "usnistgov/trec_eval, version 10.0: m_ndcg.c, m_ndcg_cut.c, m_P.c, "
    "m_recall.c, m_success.c, m_map.c, m_map_cut.c, m_recip_rank.c, m_Rprec.c, "
    "m_set_F.c, m_bpref.c, m_iprec_at_recall.c, m_11pt_avg.c, m_rbp.c, "
    "m_rbp_resid.c, m_unjudged.c",
    {
        DCG: {"gain_fn": linear_gain},
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
        RPrecision: {},
        FBetaAtK: {},
        BPref: {},
        InterpolatedPrecision: {"rounding": "nearest"},
        ElevenPointPrecision: {"rounding": "nearest"},
        GradedRankBiasedPrecision: {"p": 0.9},
        RBPResidual: {"p": 0.9, "tail": "if_unjudged"},
        UnjudgedAtK: {"denominator": "k"},
    },
    without={
        "F1AtK": "it has F only for whole lists, as `set_F`: `FBetaAtK()`, and "
        "with a parameter x `FBetaAtK(beta=x ** 0.5)`",
        "G": _OWN,
        "RankBiasedPrecision": "its `rbp` is for graded labels: "
        "`GradedRankBiasedPrecision`, which is equal for labels of 0 and 1",
        "Rndcg": _OWN,
        "Rprec_mult": "it is R-precision at multiples of R",
        "binG": _OWN,
        "gm_bpref": "it is a geometric mean, not a mean over lists",
        "gm_map": "it is a geometric mean, not a mean over lists",
        "ideal_dcg": "it is the DCG of the best order of a list, which `NDCG` "
        "divides by",
        "infAP": "it is an estimate for sampled judgements",
        "num_nonrel_judged_ret": _COUNT,
        "num_q": _COUNT,
        "num_rel": _COUNT,
        "num_rel_ret": _COUNT,
        "num_ret": _COUNT,
        "ndcg_rel": "it is NDCG at each recall level, specific to trec_eval",
        "relative_P": "it divides by min(k, relevant items): use "
        '`RecallAtK(denominator="min")`',
        "set_map": "it is the product of `set_P` and `set_recall`",
        "set_relative_P": "it divides by the smaller of the numbers of "
        "relevant and retrieved items, which no other source does",
        "utility": "it is a weighted count of relevant and other items",
        "yaap": _OWN,
    },
    ties_by_id="float64",
    measures=vocabularies.OF_TREC_EVAL,
)

ir_measures = Vocabulary(
    "ir_measures",
    'ir_measures; its measure names work too: `ir_measures.parse("P(rel=2)@5")`'
    ".",
    "terrierteam/ir_measures, version 0.4, with pytrec_eval 0.5 (trec_eval 9), "
    "cwl_eval 1.0, pyndeval 0.0.8, and its own gdeval and msmarco",
    vocabularies.METRICS,
    vocabularies.OF_IR_MEASURES,
    vocabularies.NOT_IN_IR_MEASURES,
    ties_by_id="float32",
)

ranx = Convention(
    "ranx",
    "ranx, by the plain metric names (for `ndcg_burges` and `dcg_burges`, set "
    "`gain_fn=exponential_gain`).",
    "ranx/metrics, version 0.3",
    {
        DCG: {"gain_fn": linear_gain},
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        F1AtK: {"denominator": "k"},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
        RPrecision: {},
        RankBiasedPrecision: {},
        BPref: {},
        InterpolatedPrecision: {"rounding": "trec_eval_9"},
    },
    without={"hits": "it is k times `PrecisionAtK(k)`"},
)
