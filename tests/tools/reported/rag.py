"""Tools for retrieval-augmented generation, and those that observe models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tests.tools.reported.draws import Data
from tests.tools.reported.established import CUTOFFS, at
from tests.tools.reported.tool import Tool

_ALL = (*CUTOFFS, None)


def _llama_index(data: Data) -> Mapping[str, float]:
    """Return the means over the queries that it takes, as its docs do.

    It refuses those without a relevant item and those without a retrieved one.
    """
    from llama_index.core.evaluation.retrieval import metrics

    rows = [
        (data.relevant(query), data.best_first(query))
        for query in data.truth
        if data.relevant(query) and data.run.get(query)
    ]
    names = ["hit_rate", "mrr", "precision", "recall", "ap", "ndcg"]
    by_name = {x.metric_name: x() for x in metrics.resolve_metrics(names)}
    by_name["granular_mrr"] = metrics.MRR(use_granular_mrr=True)
    return {
        at(name, k): np.mean(
            [
                metric.compute(None, relevant, retrieved[:k]).score
                for relevant, retrieved in rows
            ]
        )
        for name, metric in by_name.items()
        for k in _ALL
    }


def _haystack(data: Data) -> Mapping[str, float]:
    """Return the scores, by the name of the class and a mode not by default.

    The scores of the documents in the truth are their labels, which NDCG reads
    and the others do not.
    """
    from haystack import Document
    from haystack.components import evaluators

    every = [
        [
            Document(content=item, score=float(label))
            for item, label in labels.items()
        ]
        for labels in data.truth.values()
    ]
    retrieved = [
        [Document(content=item) for item in data.best_first(query)]
        for query in data.truth
    ]
    recall = evaluators.DocumentRecallEvaluator
    by_name: dict[str, Any] = {
        "DocumentRecallEvaluator": recall(),
        "DocumentRecallEvaluator_multi_hit": recall("multi_hit"),
        "DocumentMAPEvaluator": evaluators.DocumentMAPEvaluator(),
        "DocumentMRREvaluator": evaluators.DocumentMRREvaluator(),
        "DocumentNDCGEvaluator": evaluators.DocumentNDCGEvaluator(),
    }
    return {
        at(name, k): evaluator.run(
            ground_truth_documents=every,
            retrieved_documents=[row[:k] for row in retrieved],
        )["score"]
        for name, evaluator in by_name.items()
        for k in _ALL
    }


def _mlflow(data: Data) -> Mapping[str, float]:
    """Return the means that it logs as, for instance, `ndcg_at_3/mean`."""
    import pandas as pd
    from mlflow import metrics

    retrieved = pd.Series([data.best_first(query) for query in data.truth])
    relevant = pd.Series([data.relevant(query) for query in data.truth])
    names = ["precision_at", "recall_at", "ndcg_at"]
    return {
        f"{name}_{k}": float(
            getattr(metrics, f"{name}_k")(k)
            .eval_fn(retrieved, relevant)
            .aggregate_results["mean"]
        )
        for name in names
        for k in CUTOFFS
    }


def _ragas_values(
    data: Data, metrics: Iterable[Any], cutoffs: Iterable[int | None]
) -> dict[str, float]:
    """Return the means of `evaluate`, which leave out NaN; ids are contexts."""
    from ragas import EvaluationDataset, SingleTurnSample, evaluate

    metrics = [*metrics]
    found: dict[str, float] = {}
    for k in cutoffs:
        samples = []
        for query in data.truth:
            retrieved = data.best_first(query)[:k]
            relevant = data.relevant(query)
            sample = SingleTurnSample(
                retrieved_contexts=retrieved,
                reference_contexts=relevant,
                retrieved_context_ids=retrieved,
                reference_context_ids=relevant,
            )
            samples.append(sample)
        result = evaluate(
            EvaluationDataset(samples), metrics, show_progress=False
        )
        for metric in metrics:
            found[at(metric.name, k)] = np.nanmean(result[metric.name])
    return found


def _ragas(data: Data) -> Mapping[str, float]:
    """Return those that count queries for which nothing is retrieved as 0."""
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    from ragas import metrics

    same = metrics.ExactMatch()
    return _ragas_values(
        data,
        [
            metrics.IDBasedContextRecall(),
            metrics.NonLLMContextPrecisionWithReference(distance_measure=same),
        ],
        _ALL,
    )


def _ragas_of_retrieved(data: Data) -> Mapping[str, float]:
    """Return the others, which leave these queries out, and that of an LLM."""
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    from ragas import metrics
    from ragas.metrics._context_precision import Verification

    same = metrics.ExactMatch()
    found = _ragas_values(
        data,
        [
            metrics.IDBasedContextPrecision(),
            metrics.NonLLMContextRecall(_distance_measure=same),
        ],
        _ALL,
    )
    judged = metrics.ContextPrecision()
    for k in _ALL:
        scores = [
            judged._calculate_average_precision(
                [
                    Verification(
                        reason="", verdict=int(data.truth[query][item] > 0)
                    )
                    for item in data.best_first(query)[:k]
                ]
            )
            for query in data.truth
        ]
        found[at(judged.name, k)] = np.mean(scores)
    return found


def _deepeval(data: Data) -> Mapping[str, float]:
    """Return its means, of verdicts that a model takes from the truth."""
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    from deepeval.metrics import ContextualPrecisionMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    class Truth(DeepEvalBaseLLM):  # type: ignore[misc]
        """Give the verdicts of one query."""

        def __init__(self, verdicts: list[bool]) -> None:
            self.verdicts = verdicts

        def load_model(self) -> Truth:
            return self

        def get_model_name(self) -> str:
            return "truth"

        def generate(self, prompt: str, schema: Any) -> Any:
            words = ("yes" if each else "no" for each in self.verdicts)
            return schema(
                verdicts=[{"verdict": x, "reason": ""} for x in words]
            )

        async def a_generate(self, prompt: str, schema: Any) -> Any:
            return self.generate(prompt, schema)

    def score(query: str, k: int | None) -> float:
        retrieved = data.best_first(query)[:k]
        relevant = {*data.relevant(query)}
        metric = ContextualPrecisionMetric(
            model=Truth([item in relevant for item in retrieved]),
            include_reason=False,
            async_mode=False,
        )
        case = LLMTestCase(
            input=query,
            actual_output="",
            expected_output="any",
            retrieval_context=retrieved,
        )
        return float(metric.measure(case, _show_indicator=False))

    return {
        at("contextual_precision", k): np.mean(
            [score(query, k) for query in data.truth]
        )
        for k in _ALL
    }


def _phoenix(data: Data) -> Mapping[str, float]:
    """Return the averages of its summary of evaluated documents."""
    from phoenix.metrics.retrieval_metrics import RetrievalMetrics
    from phoenix.server.api.types.DocumentEvaluationSummary import (
        DocumentEvaluationSummary,
    )

    found = DocumentEvaluationSummary(
        "relevance",
        [
            RetrievalMetrics(
                data.truth[query][item] for item in data.best_first(query)
            )
            for query in data.run
        ],
    )
    means: dict[str, float] = {
        "reciprocal_rank": found.mean_reciprocal_rank(),
        "hit": found.hit_rate(),
    }
    for k in _ALL:
        means[at("ndcg", k)] = found.average_ndcg(k)
        means[at("precision", k)] = found.average_precision(k)
    return {name: float(value) for name, value in means.items()}


def _evidently(data: Data) -> Mapping[str, float]:
    """Return the values at k of a report, by the names that it displays.

    By position: its column of ranks is 1 too high for NDCG and MRR. MAP and
    FBeta are left out, as no mean over lists is equal to them.
    """
    os.environ.setdefault("DO_NOT_TRACK", "1")
    import pandas as pd
    from evidently import DataDefinition, Dataset, Recsys, Report, metrics

    rows = [
        (query, item, data.truth[query][item], score)
        for query, scores in data.run.items()
        for item, score in scores.items()
    ]
    columns = ["user_id", "item_id", "target", "prediction"]
    dataset = Dataset.from_pandas(
        pd.DataFrame(rows, columns=columns),
        data_definition=DataDefinition(ranking=[Recsys()]),
    )
    names = {
        "NDCG": metrics.NDCG,
        "MRR": metrics.MRR,
        "HitRate": metrics.HitRate,
        "Precision": metrics.PrecisionTopK,
        "Recall": metrics.RecallTopK,
    }
    asked = [metric(k=max(CUTOFFS)) for metric in names.values()]
    found = Report(asked).run(dataset, None).dict()["metrics"]
    return {
        f"{name}@{k}": float([*each["value"]["value"].values()][k - 1])
        for name, each in zip(names, found, strict=True)
        for k in CUTOFFS
    }


TOOLS = [
    Tool("llama_index", "llama-index-core", "retrieved", 4, _llama_index),
    Tool("haystack", "haystack-ai", "retrieved", 4, _haystack),
    Tool("mlflow", "mlflow", "retrieved", 4, _mlflow),
    Tool("ragas", "ragas", "retrieved", 4, _ragas),
    Tool("ragas", "ragas", "lists", 4, _ragas_of_retrieved),
    Tool("deepeval", "deepeval", "retrieved", 4, _deepeval),
    Tool("phoenix", "arize-phoenix", "lists", 4, _phoenix),
    Tool("evidently", "evidently", "lists", 4, _evidently, are_tied=False),
]
