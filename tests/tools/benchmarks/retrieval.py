"""Search results to five metrics with errors, against ranx and others.

    python -m tests.tools.benchmarks.retrieval
    python -m tests.tools.benchmarks.retrieval --queries 200 --backends torch

All end with the means of NDCG@10, recall@100, MRR, AP@100 and precision@10, and
ours with their standard errors too. Ours and ranx, which has compiled before,
start with the arrays that FAISS returns and nested dicts of judgements. The
evaluator of Sentence Transformers starts with embeddings of 384 dimensions: it
searches by itself, and it cannot evaluate what FAISS has found. The part of it
that computes metrics is in a column of its own.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.tools.benchmarks.backends import print_table, ratio_of, times_of

TOP, CORPUS = 100, 100_000


class Data:
    """Random judgements, and the result of a search for each query."""

    def __init__(self, queries: int) -> None:
        random = np.random.default_rng(0)
        self.ids = np.stack(
            [random.choice(CORPUS, TOP, replace=False) for _ in range(queries)]
        )
        scores = random.normal(size=self.ids.shape).astype("float32")
        self.scores = -np.sort(-scores, axis=-1)
        self.documents = [f"doc{number}" for number in range(CORPUS)]
        self.queries = [f"query{number}" for number in range(queries)]
        self.qrels: dict[str, dict[str, int]] = {}
        for query, row in zip(self.queries, self.ids, strict=True):
            found = [*random.choice(row, 5, False), *random.choice(CORPUS, 5)]
            self.qrels[query] = {self.documents[item]: 1 for item in found}

    def run(self) -> dict[str, dict[str, float]]:
        """The result as nested dicts."""
        rows = zip(
            self.queries, self.ids.tolist(), self.scores.tolist(), strict=True
        )
        names = self.documents
        return {
            query: {names[i]: s for i, s in zip(ids, scores, strict=True)}
            for query, ids, scores in rows
        }


def keras_rankmetrics(data: Data) -> Callable[[], Sequence[float]]:
    """The call of this package."""
    import keras_rankmetrics as krm

    def call() -> Sequence[float]:
        found = krm.evaluate(
            data.qrels,
            (data.scores, data.ids),
            "NDCG@10 Recall@100 RR AP@100 P@10",
            query_ids=data.queries,
            item_ids=data.documents,
        )
        return [estimate.value for estimate in found.estimates.values()]

    return call


def ranx(data: Data) -> Callable[[], Sequence[float]]:
    """The call of ranx."""
    from ranx import Qrels, Run, evaluate

    names = ["ndcg@10", "recall@100", "mrr", "map@100", "precision@10"]

    def call() -> Sequence[float]:
        found = evaluate(Qrels(data.qrels), Run(data.run()), names)
        return [found[name] for name in names]

    return call


def evaluators(data: Data) -> list[Callable[[], Sequence[float]]]:
    """The evaluator of Sentence Transformers, and its metrics alone."""
    import torch
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    random = torch.Generator().manual_seed(0)
    queries, corpus = (
        torch.randn(number, 384, generator=random)
        for number in (len(data.queries), CORPUS)
    )

    class Evaluator(InformationRetrievalEvaluator):  # type: ignore[misc]
        def embed_inputs(self, *args: Any, **kwargs: Any) -> Any:
            return queries

    evaluator = Evaluator(
        dict.fromkeys(data.queries, ""),
        dict.fromkeys(data.documents, ""),
        {query: set(items) for query, items in data.qrels.items()},
        mrr_at_k=[TOP],
        ndcg_at_k=[10],
        accuracy_at_k=[10],
        precision_recall_at_k=[10, TOP],
        map_at_k=[TOP],
        score_functions={"dot": lambda x, y: x @ y.T},
    )
    hits = [
        [{"corpus_id": i, "score": s} for i, s in found.items()]
        for found in data.run().values()
    ]

    def whole() -> Sequence[float]:
        evaluator.compute_all_metrics(None, corpus_embeddings=corpus)
        return ()

    def metrics() -> Sequence[float]:
        found: Any = evaluator.compute_metrics(hits)
        return [
            found["ndcg@k"][10],
            found["recall@k"][TOP],
            found["mrr@k"][TOP],
            found["map@k"][TOP],
            found["precision@k"][10],
        ]

    return [whole, metrics]


def measured(options: argparse.Namespace) -> list[str]:
    """The cells of the backend of this process."""
    data = Data(options.queries)
    calls = [keras_rankmetrics(data), ranx(data), *evaluators(data)]
    expected, *others = [call() for call in calls]
    for values in filter(len, others):
        np.testing.assert_allclose(values, expected, atol=1e-6)
    times = [*times_of(dict(enumerate(calls)), options.rounds).values()]
    cells = [f"{1000 * statistics.median(found):.0f} ms" for found in times]
    return cells + [f"{ratio_of(times[0], x):.2f}" for x in times[1:]]


OTHERS = "ranx", "evaluator", "its metrics"
COLUMNS = ["keras_rankmetrics", *OTHERS, *(f"ours / {x}" for x in OTHERS)]

if __name__ == "__main__":
    print_table("retrieval", __doc__, measured, COLUMNS, queries=1000, rounds=9)
