"""Every metric of each source is here, or there is a reason.

The names are those of the installed package. Those of ir_measures are walked
through in `test_ir_measures.py`, and those of LensKit, RePlay, RecBole and
TensorFlow Ranking in `test_golden.py`, by the numbers that they gave.
"""

import pytest

from keras_rankmetrics import conventions

pytestmark = pytest.mark.peers

# The metric that each of theirs is.
COUNTERPARTS = {
    "pykeen": {
        "AdjustedArithmeticMeanRankIndex": "AdjustedMeanRankIndex",
        "AdjustedHitsAtK": "HitRateAtK",
        "AdjustedInverseHarmonicMeanRank": "MeanReciprocalRank",
        "ArithmeticMeanRank": "MeanRank",
        "HitsAtK": "HitRateAtK",
        "InverseHarmonicMeanRank": "MeanReciprocalRank",
    },
    "ranx": {
        "bpref": "BPref",
        "average_precision": "MeanAveragePrecision",
        "dcg": "DCG",
        "dcg_burges": "DCG",
        "f1": "F1AtK",
        "hit_rate": "HitRateAtK",
        "interpolated_precision_at_recall": "InterpolatedPrecision",
        "ndcg": "NDCG",
        "ndcg_burges": "NDCG",
        "precision": "PrecisionAtK",
        "r_precision": "RPrecision",
        "rank_biased_precision": "RankBiasedPrecision",
        "recall": "RecallAtK",
        "reciprocal_rank": "MeanReciprocalRank",
    },
    "rectools": {
        "AvgRecPopularity": "AveragePopularity",
        "CatalogCoverage": "CatalogueCoverage",
        "F1Beta": "FBetaAtK",
        "HitRate": "HitRateAtK",
        "IntraListDiversity": "IntraListDiversity",
        "MAP": "MeanAveragePrecision",
        "MRR": "MeanReciprocalRank",
        "MeanInvUserFreq": "Novelty",
        "PartialAUC": "AUC",
        "Precision": "PrecisionAtK",
        "Recall": "RecallAtK",
        "Serendipity": "Serendipity",
    },
    "sklearn": {
        "average_precision_score": "MeanAveragePrecision",
        "dcg_score": "DCG",
        "label_ranking_average_precision_score": "MeanAveragePrecision",
        "ndcg_score": "NDCG",
        "roc_auc_score": "AUC",
        "top_k_accuracy_score": "HitRateAtK",
    },
    "torchmetrics": {
        "RetrievalAUROC": "AUC",
        "RetrievalFallOut": "FallOutAtK",
        "RetrievalHitRate": "HitRateAtK",
        "RetrievalMAP": "MeanAveragePrecision",
        "RetrievalMRR": "MeanReciprocalRank",
        "RetrievalNormalizedDCG": "NDCG",
        "RetrievalPrecision": "PrecisionAtK",
        "RetrievalRPrecision": "RPrecision",
        "RetrievalRecall": "RecallAtK",
    },
    "trec_eval": {
        "11pt_avg": "ElevenPointPrecision",
        "P": "PrecisionAtK",
        "bpref": "BPref",
        "gm_map": "GeometricMAP",
        "iprec_at_recall": "InterpolatedPrecision",
        "Rprec": "RPrecision",
        "map": "MeanAveragePrecision",
        "map_cut": "MeanAveragePrecision",
        "ndcg": "NDCG",
        "ndcg_cut": "NDCG",
        "num_q": "Count",
        "num_rel": "Count",
        "num_rel_ret": "Count",
        "num_ret": "Count",
        "recall": "RecallAtK",
        "relative_P": "RecallAtK",
        "recip_rank": "MeanReciprocalRank",
        "set_F": "FBetaAtK",
        "set_P": "PrecisionAtK",
        "set_recall": "RecallAtK",
        "success": "HitRateAtK",
    },
}


def of_pykeen(there):
    classes = there.rank_based_metric_resolver.lookup_dict.values()
    return {one.__name__ for one in classes}


def of_rectools(there):
    tools = ("Calculator", "Config")
    return {
        name
        for name in there.__all__
        if isinstance(getattr(there, name), type) and not name.endswith(tools)
    }


def of_sklearn(there):
    """Those of rankings; others of the module are of classes or curves."""
    endings = ("_score", "_error", "_loss")
    return {
        name
        for name in vars(there)
        if name.endswith(endings) and not name.startswith("_")
    }


# Where the names are, and how they are read there.
SOURCES = {
    "pykeen": ("pykeen.metrics.ranking", of_pykeen),
    "ranx": (
        "ranx.metrics",
        lambda there: set(there.__all__) - {"get_hit_lists"},
    ),
    "rectools": ("rectools.metrics", of_rectools),
    "sklearn": ("sklearn.metrics._ranking", of_sklearn),
    "torchmetrics": (
        "torchmetrics.retrieval",
        lambda there: set(there.__all__),
    ),
    "trec_eval": (
        "pytrec_eval",
        lambda there: set(there.supported_measures) - {"runid", "relstring"},
    ),
}


@pytest.mark.parametrize(
    ("source", "module", "read"),
    [(name, *of_name) for name, of_name in SOURCES.items()],
    ids=SOURCES,
)
def test_every_metric_is_here_or_there_is_a_reason(source, module, read):
    names = read(pytest.importorskip(module))
    convention = getattr(conventions, source)
    here = COUNTERPARTS[source]
    left = names - set(here)
    assert left <= set(convention.without), sorted(
        left - set(convention.without)
    )
    assert set(here) <= names


@pytest.mark.parametrize("source", COUNTERPARTS)
def test_counterparts_are_here(source):
    convention = getattr(conventions, source)
    assert set(COUNTERPARTS[source].values()) <= set(convention.presets)
