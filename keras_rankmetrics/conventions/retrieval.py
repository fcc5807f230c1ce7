"""Conventions of libraries for retrieval and learning to rank."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from typing import Any

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import (
    CUTOFF,
    OVER_K,
    SETS,
    Choices,
    Meaning,
    Measure,
    at,
    at_k,
    option,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.conventions.vocabularies import (
    Leveled,
    Suffixed,
    Vocabulary,
)
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric

_RETRIEVED = {"denominator": "retrieved"}
_LINEAR = {"gain_fn": gains.linear_gain}
_ESTIMATE = (
    "it needs judgements in which pooled items without a label differ from "
    "those outside the pool; if all of the pool is judged, it is average "
    "precision"
)
_RECALL = {"recall": option("recall")}
_P = {"p": option("p")}
_LEVELS = tuple(f"{tenths / 10:.2f}" for tenths in range(11))
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


keras_rs: Convention = Convention(
    "keras_rs",
    "Keras Recommenders, whose rules are the defaults here.",
    "keras_rs.metrics, version 0.4",
    {
        "DCG NDCG PrecisionAtK RecallAtK MeanAveragePrecision "
        "MeanReciprocalRank": {},
    },
    takes="labels",
    aliases="keras_recommenders",
    list_weight="relevance",
)

tf_ranking: Convention = Convention(
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
    takes="labels",
    aliases="rax tensorflow_ranking tfr",
    list_weight="relevance",
)

_TREC_EVAL: dict[str, Mapping[str, Any]] = {
    "DCG NDCG": _LINEAR,
    "PrecisionAtK UnjudgedAtK": {"denominator": "k"},
    "InterpolatedPrecision ElevenPointPrecision": {"rounding": "nearest"},
    "GradedRankBiasedPrecision": {"p": 0.9},
    "RBPResidual": {"p": 0.9, "tail": "if_unjudged"},
}

trec_eval: Suffixed = Suffixed(
    "trec_eval",
    "trec_eval 10.0, the tool of the TREC conferences, with its option `-c`. "
    "pytrec_eval is version 9, which rounds recall levels differently in "
    "interpolated precision.",
    "usnistgov/trec_eval, version 10.0: m_ndcg.c, m_ndcg_cut.c, m_P.c, "
    "m_recall.c, m_success.c, m_map.c, m_map_cut.c, m_recip_rank.c, m_Rprec.c, "
    "m_set_F.c, m_bpref.c, m_iprec_at_recall.c, m_11pt_avg.c, m_rbp.c, "
    "m_rbp_resid.c, m_unjudged.c, m_gm_map.c, m_num_q.c, m_num_ret.c, "
    "m_num_rel.c, m_num_rel_ret.c",
    _TREC_EVAL,
    without={
        "F1AtK": "it has F only for whole lists, as `set_F`: `FBetaAtK()`, and "
        "with a parameter x `FBetaAtK(beta=x ** 0.5)`",
        "G Rndcg binG yaap": "it is specific to trec_eval",
        "RankBiasedPrecision": "its `rbp` is for graded labels: "
        "`GradedRankBiasedPrecision`, which is equal for labels of 0 and 1",
        "Rprec_mult": "it is R-precision at multiples of R",
        "gm_bpref": "it is a geometric mean, not a mean over lists: exp of the "
        "mean of log(max(value, 0.00001)), over `per_list()` of `bpref`",
        "ideal_dcg": "it is the DCG of the best order of a list, which `NDCG` "
        "divides by",
        "infAP": _ESTIMATE,
        "num_nonrel_judged_ret": "it is a sum over queries that ignores the "
        "order, not a mean; compute it from the data",
        "ndcg_rel": "it is NDCG at each recall level, specific to trec_eval",
        "set_map": "it is the product of `set_P` and `set_recall`",
        "set_relative_P": "it divides by the smaller of the numbers of "
        "relevant and retrieved items, which no other source does",
        "utility": "it is a weighted count of relevant and other items",
    },
    rules=Rules("float64", "last_id_first", labels="integers"),
    measures={
        "dcg": Measure(metrics.DCG),
        "ndcg": Measure(metrics.NDCG),
        "ndcg_cut": at_k(metrics.NDCG, *_CUTOFFS),
        "P": at_k(metrics.PrecisionAtK, *_CUTOFFS),
        "set_P": Measure(metrics.PrecisionAtK, options=_RETRIEVED),
        "recall": at_k(metrics.RecallAtK, *_CUTOFFS),
        "set_recall": Measure(metrics.RecallAtK),
        "relative_P": at_k(metrics.RecallAtK, *_CUTOFFS, denominator="min"),
        "success": at_k(metrics.HitRateAtK, 1, 5, 10),
        "map": Measure(metrics.MeanAveragePrecision),
        "map_cut": at_k(metrics.MeanAveragePrecision, *_CUTOFFS),
        "gm_map": Measure(metrics.GeometricMAP),
        "recip_rank": Measure(metrics.MeanReciprocalRank),
        "Rprec": Measure(metrics.RPrecision),
        "set_F": Measure(metrics.FBetaAtK),
        "bpref": Measure(metrics.BPref),
        "iprec_at_recall": Measure(
            metrics.InterpolatedPrecision,
            _RECALL,
            ("recall",),
            at="recall",
            default=_LEVELS,
        ),
        "11pt_avg": Measure(metrics.ElevenPointPrecision),
        "rbp": Measure(metrics.GradedRankBiasedPrecision, _P, at="p"),
        "rbp_resid": Measure(metrics.RBPResidual, _P, at="p"),
        "unj": at_k(metrics.UnjudgedAtK, 5, 10, 20),
        "num_q": Measure(metrics.Count, options={"of": "lists"}),
        "num_ret": Measure(metrics.Count, options={"of": "retrieved"}),
        "num_rel": Measure(metrics.Count, options={"of": "relevant"}),
        "num_rel_ret": Measure(metrics.Count, options={"of": "hits"}),
    },
    aliases="pytrec_eval",
    mark="{name}_{k}",
)

trec_eval_without_c: Suffixed = dataclasses.replace(
    trec_eval,
    name="trec_eval_without_c",
    aliases="",
    about="trec_eval 10.0 without its option `-c`: means are over the judged "
    "queries that the run contains, as usual with pytrec_eval.",
    metrics=_TREC_EVAL,
    rules=trec_eval.rules._replace(queries="both"),
)


def _relevant_from(rel: float) -> Mapping[str, Any]:
    """Return options that count only items with a label of `rel` or more."""
    return {"of": "hits", "relevance_threshold": rel}


def _root(weight: float) -> Mapping[str, Any]:
    """Return the beta whose square is written as beta, as in trec_eval."""
    return {"beta": math.sqrt(weight)}


_REL = {"rel": option("relevance_threshold")}
_BINARY: dict[str, Meaning] = {
    **_REL,
    "judged_only": Choices(
        {False: {"unjudged": "irrelevant"}, True: {"unjudged": "condense"}}
    ),
}
_BINARY_AT_K = {**CUTOFF, **_BINARY}
_INSQ = {
    "T": Choices({1.0: {}}, "The discount models a user who wants one item."),
    "min_rel": Choices({0: {}}, "Labels are gains."),
    "max_rel": Choices({1: {}}, "Labels are gains: divide them by max_rel."),
}
_OWN_GAINS = "To map labels to gains, pass a `gain_fn` of your own."
_NDCG: dict[str, Meaning] = {
    **CUTOFF,
    "dcg": Choices(
        {"log2": _LINEAR, "exp-log2": {"gain_fn": gains.exponential_gain}}
    ),
    "gains": Choices({None: {}}, _OWN_GAINS),
    "judged_only": _BINARY["judged_only"],
}
_NOT_RELATIVE = Choices({False: {}}, "SetRelP is not supported.")
_ALPHA = {"alpha": option("alpha")}
_NRBP = {**_REL, **_ALPHA, "beta": option("p")}
_NORMALIZED = {"normalized": True}
_COUNT = {"rel": _relevant_from}

ir_measures: Vocabulary = Vocabulary(
    "ir_measures",
    'ir_measures; its measure names work too: `ir_measures.parse("P(rel=2)@5")`'
    ".",
    "terrierteam/ir_measures, version 0.4, with pytrec_eval 0.5 (trec_eval 9), "
    "cwl_eval 1.0, pyndeval 0.0.8, and its own gdeval and msmarco",
    {
        "NDCG": _LINEAR,
        "PrecisionAtK PrecisionIA": {"denominator": "k"},
        "DCG": {**_LINEAR, "rank_discount_fn": gains.inverse_square_discount},
        "InterpolatedPrecision": {"rounding": "trec_eval_9"},
    },
    without={
        "Accuracy": "it ignores relevant items that are not retrieved; if all "
        "are retrieved, it is `AUC()`",
        "BPM INST NERR10 NERR11 NERR8 NERR9": "it models users who stop "
        "depending on what they have found so far, which no metric here does",
        "Compat": "it measures the overlap with an ideal order, not gains",
        "ERR_IA": "it is `ERRIA` divided by a constant, the same for all lists",
        "NumQ NumRel": "it counts queries of the run alone, while means are "
        "over all queries; `Count` counts these",
        "SDCG": "it is `DCG(k, gain_fn=linear_gain)` divided by a constant, "
        "the same for all lists",
        "SetAP": "it is the product of SetP and SetR",
        "SetRelP": "it divides by the smaller of the numbers of relevant and "
        "retrieved items, which no other source does",
        "α_DCG alpha_DCG": "it divides `AlphaDCG` by the value of a list whose "
        "items are all relevant to all subtopics",
        "infAP": _ESTIMATE,
    },
    rules=Rules("float32", "last_id_first", labels="integers"),
    subtopic_rules=Rules("float64", "first_id_first", labels="integers"),
    own_rules={
        "MeanReciprocalRank@k": Rules(
            "float64", "first_id_first", labels="integers"
        ),
        "JudgedAtK": Rules("float64", "first_id_first", labels="members"),
        "ERR": Rules("float64", "last_id_first", labels="integers"),
        "RankBiasedPrecision DCG": Rules(
            "float64", "first_row_first", labels="integers"
        ),
    },
    measures={
        "AP MAP": Measure(metrics.MeanAveragePrecision, _BINARY_AT_K),
        "AP_IA MAP_IA": Measure(metrics.MeanAveragePrecisionIA, _BINARY),
        "BPref Bpref": Measure(metrics.BPref, _REL),
        "ERR": Measure(metrics.ERR, CUTOFF),
        "INSQ": Measure(metrics.DCG, _INSQ, ("max_rel",)),
        "IPrec": Measure(
            metrics.InterpolatedPrecision,
            {**_RECALL, **_BINARY},
            ("recall",),
            at="recall",
        ),
        "Judged": Measure(metrics.JudgedAtK, CUTOFF),
        "RR MRR": Measure(metrics.MeanReciprocalRank, _BINARY_AT_K),
        "nDCG NDCG": Measure(metrics.NDCG, _NDCG),
        "NumRelRet": Measure(metrics.Count, _COUNT, options={"of": "hits"}),
        "NumRet": Measure(metrics.Count, _COUNT, options={"of": "retrieved"}),
        "NRBP": Measure(metrics.NRBP, _NRBP),
        "nNRBP": Measure(metrics.NRBP, _NRBP, options=_NORMALIZED),
        "P Precision": Measure(metrics.PrecisionAtK, _BINARY_AT_K, ("cutoff",)),
        "P_IA": Measure(metrics.PrecisionIA, _BINARY_AT_K),
        "R Recall": Measure(metrics.RecallAtK, _BINARY_AT_K, ("cutoff",)),
        "RBP": Measure(
            metrics.RankBiasedPrecision, {**CUTOFF, **_P, **_REL}, ("rel",)
        ),
        "RPrec Rprec": Measure(metrics.RPrecision, _BINARY),
        "SetF": Measure(metrics.FBetaAtK, {**_BINARY, "beta": _root}),
        "SetP": Measure(
            metrics.PrecisionAtK,
            {**_BINARY, "relative": _NOT_RELATIVE},
            options=_RETRIEVED,
        ),
        "SetR": Measure(metrics.RecallAtK, _REL),
        "StRecall": Measure(metrics.SubtopicRecall, {**CUTOFF, **_REL}),
        "Success": Measure(metrics.HitRateAtK, _BINARY_AT_K, ("cutoff",)),
        "alpha_nDCG α_nDCG": Measure(
            metrics.AlphaNDCG, {**_BINARY_AT_K, **_ALPHA}
        ),
        "nERR_IA": Measure(metrics.ERRIA, _BINARY_AT_K, options=_NORMALIZED),
    },
)

sklearn: Convention = Convention(
    "sklearn",
    "scikit-learn: `dcg_score`, `ndcg_score`, `roc_auc_score` per list and, if "
    "no scores tie, `top_k_accuracy_score` and "
    "`label_ranking_average_precision_score`.",
    "sklearn/metrics/_ranking.py, version 1.9",
    {
        "DCG NDCG": _LINEAR,
        "HitRateAtK AUC": {},
        "MeanAveragePrecision": {"empty": "one"},
    },
    without={
        "coverage_error": "it is the rank of the last relevant item, which no "
        "metric here computes",
        "label_ranking_loss": 'it is 1 - `AUC(ties="pessimistic")`',
    },
    rules=Rules(labels="not_negative"),
    takes="labels",
    aliases="scikit-learn",
)


def _after_point(digits: str) -> float:
    """Return the fraction with these digits."""
    return float(f"0.{digits}")


_BURGES = {"gain_fn": gains.exponential_gain}

ranx: Leveled = Leveled(
    "ranx",
    "ranx. Labels are whole numbers, as it cuts off others.",
    "ranx/metrics, version 0.3",
    {
        "DCG NDCG": _LINEAR,
        "PrecisionAtK F1AtK": {"denominator": OVER_K},
        "RecallAtK HitRateAtK MeanAveragePrecision MeanReciprocalRank "
        "RPrecision RankBiasedPrecision BPref": {},
        "InterpolatedPrecision": {"rounding": "trec_eval_9"},
    },
    without={"hits": "it is k times `PrecisionAtK(k)`"},
    rules=Rules(labels="integers"),
    measures={
        "dcg": at(metrics.DCG),
        "dcg_burges": at(metrics.DCG, **_BURGES),
        "ndcg": at(metrics.NDCG),
        "ndcg_burges": at(metrics.NDCG, **_BURGES),
        "precision": at(metrics.PrecisionAtK),
        "f1": at(metrics.F1AtK),
        "recall": at(metrics.RecallAtK),
        "hit_rate": at(metrics.HitRateAtK),
        "map": at(metrics.MeanAveragePrecision),
        "mrr": at(metrics.MeanReciprocalRank),
        "r-precision": Measure(metrics.RPrecision),
        "bpref": Measure(metrics.BPref),
        "rbp": Measure(
            metrics.RankBiasedPrecision,
            _P,
            ("p",),
            at="p",
            read=_after_point,
        ),
    },
)

_SIX = (
    "NDCG MeanAveragePrecision RecallAtK PrecisionAtK MeanReciprocalRank "
    "HitRateAtK"
)


def _six(names: str) -> dict[str, Measure]:
    """Return the measures of `_SIX`, by their names in a source."""
    six = (at_k(getattr(metrics, each)) for each in _SIX.split())
    return dict(zip(names.split(), six, strict=True))


_PLAIN = _six("ndcg map recall precision mrr accuracy")
# The functions that Sentence Transformers writes before the names.
_FUNCTIONS = ("cosine", "dot", "euclidean", "manhattan", "maxsim", "meanmaxsim")

sentence_transformers: Suffixed = Suffixed(
    "sentence_transformers",
    "InformationRetrievalEvaluator of Sentence Transformers and NanoBEIR, for "
    "binary relevance. Without ties, the reranking evaluators too.",
    "sentence_transformers/.../information_retrieval.py, version 6.2",
    {
        _SIX: {"empty": "skip"},
        "NDCG": {**SETS, "empty": "skip"},
        "PrecisionAtK": {"denominator": "k", "empty": "skip"},
        "MeanAveragePrecision": {"denominator": "min", "empty": "skip"},
    },
    rules=Rules(ties="first_id_first", labels="members"),
    measures={
        " ".join([name, *(f"{each}_{name}" for each in _FUNCTIONS)]): measure
        for name, measure in _PLAIN.items()
    },
    aliases="sbert sentence-transformers",
)

# The options of both tools that call pytrec_eval.
_PYTREC_EVAL: dict[str, Mapping[str, Any]] = {
    "NDCG": _LINEAR,
    "PrecisionAtK": {"denominator": "k"},
}

beir: Suffixed = Suffixed(
    "beir",
    "BEIR, `evaluate` and `evaluate_custom`. The latter counts queries that "
    "the run lacks as 0 in MRR, R_cap and Accuracy; here they are left out.",
    "beir/retrieval/evaluation.py, version 2.2, with pytrec_eval 0.5",
    _PYTREC_EVAL,
    without={
        "Hole": "it counts items that are not judged for any query; "
        "`UnjudgedAtK` counts those not judged for the query itself",
    },
    rules=Rules(
        "float32",
        "last_id_first",
        "both",
        True,
        "integers",
        same_id_in_truth="kept",
    ),
    measures={
        **_six("NDCG MAP Recall P MRR Accuracy"),
        "R_cap": at_k(metrics.RecallAtK, denominator="min"),
    },
)

mteb: Suffixed = Suffixed(
    "mteb",
    "MTEB, the scores of retrieval and reranking tasks. Tasks with "
    "`ignore_identical_ids` also drop items whose id is that of the query from "
    "the run.",
    "mteb/_evaluators/retrieval_metrics.py, version 2.26, with pytrec_eval 0.5",
    _PYTREC_EVAL,
    without={
        "max_over_subqueries paired_accuracy robustness_at_10": "it combines "
        "queries of a group, not a mean over queries",
        "nauc": "it measures how well scores predict a metric, not a ranking",
        "p-MRR": "it compares two rankings of the same items",
    },
    rules=Rules(
        "float32",
        "last_id_first",
        "both",
        labels="integers",
        same_id_in_truth="kept",
    ),
    measures={
        **_six("ndcg_at map_at recall_at precision_at mrr_at hit_rate_at"),
        "accuracy": Measure(metrics.RecallAtK, options={"k": 1}),
        "R_cap_at": at_k(metrics.RecallAtK, denominator="min", empty="skip"),
    },
    mark="{name}_{k}",
)

_RELEVANT = {"relevant_rating_threshold": option("relevance_threshold")}


def _of_search(
    metric: type[RankingMetric],
    parameters: Mapping[str, Meaning] = _RELEVANT,
    required: tuple[str, ...] = (),
) -> Measure:
    return Measure(metric, {**CUTOFF, **parameters}, required, {"k": 10})


_NOT_REFILLED = "It divides by the judged hits among the first k."

elasticsearch: Vocabulary = Vocabulary(
    "elasticsearch",
    "The ranking evaluation API of Elasticsearch and OpenSearch, `_rank_eval`, "
    "whose cutoff is 10 by default.",
    "modules/rank-eval/src/main/java/org/elasticsearch/index/rankeval, "
    "version 9.2, by its formulas",
    {"NDCG": {"ideal": "shown"}},
    without={"unknown_doc_rating": "it is a grade for unjudged items"},
    rules=Rules(labels="integers"),
    measures={
        "precision": _of_search(
            metrics.PrecisionAtK,
            {
                **_RELEVANT,
                "ignore_unlabeled": Choices({False: {}}, _NOT_REFILLED),
            },
        ),
        "recall": _of_search(metrics.RecallAtK),
        "mean_reciprocal_rank": _of_search(metrics.MeanReciprocalRank),
        "dcg": _of_search(
            metrics.DCG,
            {"normalize": Choices({False: {}}, "With it, `dcg` is `ndcg`.")},
        ),
        "ndcg": _of_search(metrics.NDCG, {}),
        "expected_reciprocal_rank": _of_search(
            metrics.ERR,
            {"maximum_relevance": option("max_grade")},
            ("maximum_relevance",),
        ),
    },
    aliases="opensearch rank_eval elastic",
)

search_relevance: Suffixed = Suffixed(
    "search_relevance",
    "OpenSearch's Search Relevance Workbench, which rounds the value of each "
    "query to two decimals and excludes queries without hits.",
    "opensearch-project/search-relevance, calculator/Evaluation.java, "
    "version 3.5, by its formulas",
    {},
    without={
        "MAP MRR Precision Recall": "its threshold of relevance depends on the "
        "grades of the query; for labels of 0 and 1 it is that of "
        "`elasticsearch` with each value rounded to two decimals"
    },
    rules=Rules(nothing_retrieved="is_excluded", decimals=2),
    measures={
        "NDCG": at_k(metrics.NDCG),
        "DCG": at_k(metrics.DCG),
        "Coverage": at_k(metrics.JudgedAtK),
    },
)

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [n for n, x in globals().items() if isinstance(x, Convention)]
