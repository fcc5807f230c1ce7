"""The metric that each measure of trec_eval is, by its name there."""

from __future__ import annotations

from keras_rankmetrics.conventions.suffixed import CUTOFF, Suffix

MEASURES = {
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
