"""Conventions of tools for retrieval-augmented generation and monitoring."""

from __future__ import annotations

import typing

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import (
    SETS,
    Measure,
    at,
    at_k,
    over_k,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.conventions.vocabularies import Suffixed

_HITS = {"denominator": "hits"}
_SKIP = {"empty": "skip"}
_LINEAR = {"gain_fn": gains.linear_gain}
_ANSWERS = "it counts statements of an answer, not items of a ranking"
# Lists are best first, so that the order of the run orders ties.
_BEST_FIRST = Rules(ties="first_row_first")


llama_index: Suffixed = Suffixed(
    "llama_index",
    "LlamaIndex, the mean over queries. It refuses queries without expected or "
    "retrieved ids, which are excluded here. With a cutoff, the ideal order of "
    "NDCG still has all expected ids.",
    "llama_index/core/evaluation/retrieval/metrics.py, version 0.14",
    {
        "NDCG": {"ideal": "uncut", **SETS, **_SKIP},
        "RecallAtK PrecisionAtK HitRateAtK MeanAveragePrecision "
        "MeanReciprocalRank": _SKIP,
        "ReciprocalRankOfAll": {**_HITS, **_SKIP},
    },
    without={
        "cohere_rerank_relevancy": "it asks a model",
    },
    rules=_BEST_FIRST._replace(nothing_retrieved="is_excluded"),
    measures={
        "hit_rate": at(metrics.HitRateAtK),
        "mrr": at(metrics.MeanReciprocalRank),
        "granular_mrr": at(metrics.ReciprocalRankOfAll),
        "precision": at(metrics.PrecisionAtK),
        "recall": at(metrics.RecallAtK),
        "ap": at(metrics.MeanAveragePrecision),
        "ndcg": at(metrics.NDCG),
    },
    takes="samples",
    aliases="llamaindex llama-index",
)

haystack: Suffixed = Suffixed(
    "haystack",
    "Haystack's evaluators of documents. NDCG reads the scores of documents in "
    "the truth, and the others none. The recall is single hit by default: 1 "
    "if any relevant document is retrieved. With a cutoff, the ideal order of "
    "NDCG still has all documents.",
    "haystack/components/evaluators, version 3.4",
    {"NDCG": {**_LINEAR, "ideal": "uncut"}},
    rules=_BEST_FIRST._replace(labels="members"),
    own_rules={"NDCG": _BEST_FIRST},
    measures={
        "DocumentRecallEvaluator": at(metrics.HitRateAtK),
        "DocumentRecallEvaluator_multi_hit": at(metrics.RecallAtK),
        "DocumentMAPEvaluator": at(metrics.MeanAveragePrecision),
        "DocumentMRREvaluator": at(metrics.MeanReciprocalRank),
        "DocumentNDCGEvaluator": at(metrics.NDCG),
    },
    takes="samples",
    aliases="haystack_ai",
)

ragas: Suffixed = Suffixed(
    "ragas",
    "Ragas, for binary verdicts: context precision is average precision over "
    "the hits. Its id-based precision and non-LLM recall exclude queries that "
    "retrieve nothing, which count as 0 here: leave them out of the truth.",
    "ragas/metrics/_context_precision.py and _context_recall.py, version 0.4",
    {"MeanAveragePrecision": _HITS, "RecallAtK": _SKIP},
    without={
        "context_recall context_entity_recall faithfulness answer_relevancy "
        "context_relevance": _ANSWERS,
    },
    rules=_BEST_FIRST,
    measures={
        "context_precision": at(metrics.MeanAveragePrecision),
        "non_llm_context_precision_with_reference": at(
            metrics.MeanAveragePrecision, **_SKIP
        ),
        "id_based_context_precision": at(metrics.PrecisionAtK),
        "id_based_context_recall non_llm_context_recall": at(metrics.RecallAtK),
    },
    takes="samples",
)

deepeval: Suffixed = Suffixed(
    "deepeval",
    "DeepEval, for binary verdicts: contextual precision is average precision "
    "over the hits.",
    "deepeval/metrics/contextual_precision/contextual_precision.py, "
    "version 4.3",
    {"MeanAveragePrecision": _HITS},
    without={
        "answer_relevancy contextual_recall contextual_relevancy "
        "faithfulness": _ANSWERS,
    },
    rules=_BEST_FIRST,
    measures={
        "contextual_precision": at(metrics.MeanAveragePrecision),
    },
    takes="samples",
)


phoenix: Suffixed = Suffixed(
    "phoenix",
    "Arize Phoenix, if all relevant documents are retrieved: it knows labels "
    "of retrieved documents only. A missing label makes its NDCG and precision "
    "NaN and drops the query from the mean: label all retrieved documents.",
    "phoenix/metrics/retrieval_metrics.py, version 20.26",
    {"NDCG": _LINEAR, "PrecisionAtK": {"denominator": "k"}},
    rules=_BEST_FIRST,
    measures={
        "ndcg": at(metrics.NDCG),
        "precision": over_k(metrics.PrecisionAtK),
        "reciprocal_rank": Measure(metrics.MeanReciprocalRank),
        "hit": Measure(metrics.HitRateAtK),
    },
    takes="labels",
    aliases="arize arize_phoenix",
)

mlflow: Suffixed = Suffixed(
    "mlflow",
    "MLflow's metrics of retrievers, for binary relevance. Precision divides "
    "by what was retrieved, and the ideal order of NDCG is as short as the "
    "list. Recall and NDCG are 1 if nothing is relevant and nothing retrieved.",
    "mlflow/metrics/metric_definitions.py, version 3.17",
    {"NDCG": {"ideal": "shown", **SETS}},
    rules=_BEST_FIRST,
    own_rules={
        "RecallAtK NDCG": _BEST_FIRST._replace(
            nothing_retrieved="is_1_if_none_relevant"
        )
    },
    measures={
        "precision_at": at_k(metrics.PrecisionAtK),
        "recall_at": at_k(metrics.RecallAtK),
        "ndcg_at": at_k(metrics.NDCG),
    },
    mark="{name}_{k}",
    takes="samples",
)

evidently: Suffixed = Suffixed(
    "evidently",
    "Evidently with its default `no_feedback_users=False`, for lists whose "
    "items all have labels and different scores: tied items share a rank "
    "there, so that its precision may exceed 1.",
    "evidently/legacy/metrics/recsys, version 0.7",
    {
        "NDCG": {**_LINEAR, **_SKIP},
        "RecallAtK PrecisionAtK HitRateAtK MeanReciprocalRank": _SKIP,
    },
    without={
        "MAP": "it takes the last row of a list in the order of the data as "
        "the item at rank k",
        "FBeta": "it is F of the mean precision and the mean recall",
    },
    measures={
        "NDCG": at_k(metrics.NDCG),
        "MRR": at_k(metrics.MeanReciprocalRank),
        "HitRate": at_k(metrics.HitRateAtK),
        "Precision": at_k(metrics.PrecisionAtK),
        "Recall": at_k(metrics.RecallAtK),
    },
    takes="samples",
)

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [n for n, x in globals().items() if isinstance(x, Convention)]
