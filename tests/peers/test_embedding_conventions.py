"""The scores of Sentence Transformers, BEIR and MTEB, by their own evaluators.

The judgements have grades, and queries for which nothing is relevant. The runs
have equal scores, scores that are equal in float32 only, lists shorter than a
cutoff, items whose id is that of the query, and queries without a counterpart.
"""

import copy

import numpy as np
import pytest
from embeddings import FixedEmbeddings, unrounded
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from tests.tools.reported.established import (
    evaluator_of,
    mteb_evaluator,
    scores_of_mteb,
    values_of_hits,
)

pytestmark = pytest.mark.peers
seeds = pytest.mark.parametrize("seed", range(3))

CUTOFFS = [1, 3, 5, 10]
ITEMS = [f"d{i}" for i in range(30)]  # "d10" is before "d2"
QUERIES = [f"d{i}" for i in range(10, 50)]  # the first 20 are items, too
JUDGED = QUERIES[:-5]
RETRIEVED = QUERIES[5:]


def judgements(generator, queries, grades):
    """Return the grades of some items for each query."""
    return {
        query: {
            str(item): int(generator.choice(grades))
            for item in generator.choice(ITEMS, generator.integers(1, 9), False)
        }
        for query in queries
    }


def runs(generator, queries, between=0.0):
    """Return a run with few distinct scores.

    Items are in descending order of their ids.

    Args:
        generator: the random generator.
        queries: the ids of the queries.
        between: the least difference between two scores.
    """
    run = {}
    for query in queries:
        found = generator.choice(ITEMS, generator.integers(2, 20), False)
        items = {str(item) for item in found} | {query} & set(ITEMS)
        run[query] = {
            item: float(
                generator.integers(1, 4) + between * generator.integers(3)
            )
            for item in sorted(items, reverse=True)
        }
    return run


def check(truth, run, theirs, convention):
    """Compare all scores of a source, by its names for them."""
    assert theirs
    found = krm.evaluate(truth, run, " ".join(theirs), convention=convention)
    assert dict(found) == approx(theirs, rel=0, abs=1e-6)


def model_of(embeddings):
    """Return a model that compares embeddings by inner products."""
    return FixedEmbeddings(embeddings, "dot", lambda x, y: x @ y.T)


def information_retrieval_evaluator(relevant):
    pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    return evaluator_of(
        {query: str(i) for i, query in enumerate(QUERIES)},
        {item: str(i + len(QUERIES)) for i, item in enumerate(ITEMS)},
        relevant,
        corpus_chunk_size=7,
    )


def sets_of_relevant(generator):
    judged = judgements(generator, JUDGED, [0, 0, 1])
    relevant = {
        query: {item for item, grade in grades.items() if grade}
        for query, grades in judged.items()
    }
    assert set() in relevant.values()
    return relevant


@seeds
def test_information_retrieval_evaluator(seed):
    """Products of small integers often tie."""
    torch = pytest.importorskip("torch")
    generator = np.random.default_rng(seed)
    relevant = sets_of_relevant(generator)
    size = (len(QUERIES) + len(ITEMS), 4)
    model = model_of(torch.tensor(generator.integers(-1, 2, size)))
    theirs = information_retrieval_evaluator(relevant)(model)
    assert len(theirs) == 6 * len(CUTOFFS)
    assert all(name.startswith("dot_") for name in theirs)
    scores = model.embeddings[: len(QUERIES)] @ model.embeddings.T
    run = {
        query: dict(zip(ITEMS, row.tolist(), strict=True))
        for query, row in zip(QUERIES, scores[:, len(QUERIES) :], strict=True)
    }
    check(relevant, run, theirs, "sentence_transformers")


@seeds
def test_results_of_sentence_transformers(seed):
    """A query without results counts as 0."""
    generator = np.random.default_rng(seed)
    relevant = sets_of_relevant(generator)
    evaluator = information_retrieval_evaluator(relevant)
    run = runs(generator, RETRIEVED, between=1e-9)
    assert not {*evaluator.queries_ids} <= {*run}
    theirs = values_of_hits(evaluator, run)
    check(relevant, run, theirs, "sentence_transformers")


@seeds
def test_reranking_evaluator(seed):
    """Without ties, which it treats in three ways."""
    torch = pytest.importorskip("torch")
    evaluation = pytest.importorskip(
        "sentence_transformers.sentence_transformer.evaluation"
    )
    generator = np.random.default_rng(seed)
    embeddings = torch.tensor(generator.normal(size=(200, 4)))
    model = model_of(embeddings)
    truth, run, samples = {}, {}, []
    for query in range(10):
        texts = [str(i) for i in generator.permutation(range(10, 200))[:15]]
        positive = texts[: generator.integers(1, 6)]
        samples.append(
            {
                "query": str(query),
                "positive": positive,
                "negative": texts[len(positive) :],
            }
        )
        truth[str(query)] = set(positive)
        scores = embeddings[[int(i) for i in texts]] @ embeddings[query]
        run[str(query)] = dict(zip(texts, scores.tolist(), strict=True))
    theirs = evaluation.RerankingEvaluator(
        samples, similarity_fct=lambda query, items: items @ query
    )(model)
    assert set(theirs) == {"map", "mrr@10", "ndcg@10"}
    check(truth, run, theirs, "sentence_transformers")


@seeds
def test_beir(seed, monkeypatch):
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    unrounded(monkeypatch, evaluation)
    generator = np.random.default_rng(seed)
    truth = judgements(generator, JUDGED, [0, 0, 1, 2, 3])
    run = runs(generator, RETRIEVED, between=1e-9)
    scores = evaluation.EvaluateRetrieval.evaluate(
        truth, copy.deepcopy(run), CUTOFFS
    )
    theirs = {name: value for each in scores for name, value in each.items()}
    assert len(theirs) == 4 * len(CUTOFFS)
    check(truth, run, theirs, "beir")


def test_a_query_that_retrieves_nothing_but_itself(monkeypatch):
    """It counts as 0, and a query that the run lacks does not count."""
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    unrounded(monkeypatch, evaluation)
    truth = {query: {"a": 1} for query in ("p", "q", "r", "s")}
    run = {"p": {"a": 2.0, "p": 3.0}, "q": {"q": 1.0}, "r": {}}
    scores = evaluation.EvaluateRetrieval.evaluate(
        truth, copy.deepcopy(run), [1]
    )
    theirs = {name: value for each in scores for name, value in each.items()}
    assert set(theirs.values()) == {1 / 3}
    check(truth, run, theirs, "beir")


@seeds
def test_custom_metrics_of_beir(seed, monkeypatch):
    """Where these follow the rules of its other metrics.

    They order ties as the run does, require that every query has a relevant
    item, and divide by the number of judged queries.
    """
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    custom_metrics = pytest.importorskip("beir.retrieval.custom_metrics")
    unrounded(monkeypatch, custom_metrics)
    evaluate = evaluation.EvaluateRetrieval
    generator = np.random.default_rng(seed)
    truth = judgements(generator, QUERIES, [0, 0, 1, 2, 3])
    truth = {q: grades for q, grades in truth.items() if any(grades.values())}
    run = runs(generator, truth)
    results = copy.deepcopy(run)
    # It drops items from the results that it is given.
    evaluate.evaluate(truth, results, CUTOFFS)
    assert results != run
    theirs = {}
    for metric in ("mrr", "recall_cap", "accuracy"):
        theirs |= evaluate.evaluate_custom(truth, results, CUTOFFS, metric)
    assert len(theirs) == 3 * len(CUTOFFS)
    check(truth, run, theirs, "beir")


def test_hole_of_beir_is_not_supported():
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    evaluate_custom = evaluation.EvaluateRetrieval.evaluate_custom
    # "a" is judged, though not for this query.
    truth, run = {"q": {"b": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}
    assert evaluate_custom(truth, run, [1], "hole") == {"Hole@1": 0.0}
    with pytest.raises(AttributeError, match="not judged for any query"):
        conventions.beir.Hole  # noqa: B018


def retrieval_evaluator(monkeypatch):
    pytest.importorskip("mteb._evaluators.retrieval_evaluator")
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    unrounded(monkeypatch, metrics)
    return mteb_evaluator(max(CUTOFFS))


@seeds
def test_mteb(seed, monkeypatch):
    """Its MRR alone compares scores in float64: here without such ties.

    It requires that a run has no other queries.
    """
    evaluator = retrieval_evaluator(monkeypatch)
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    generator = np.random.default_rng(seed)
    truth = judgements(generator, QUERIES, [0, 0, 1, 2, 3])
    run = runs(generator, RETRIEVED, between=0.25)
    scores = evaluator.evaluate(truth, copy.deepcopy(run), CUTOFFS)
    theirs = scores_of_mteb(scores)
    assert len(theirs) == 6 * len(CUTOFFS) + 1
    check(truth, run, theirs, "mteb")
    # Some tasks add this one, over the queries that have it.
    for name, values in metrics.recall_cap(truth, run, CUTOFFS).items():
        there = [value for value in values if value is not None]
        assert len(there) < len(values)
        check(truth, run, {name: np.mean(there)}, "mteb")
    # Scores that are equal in float32.
    run = runs(generator, RETRIEVED, between=1e-9)
    scores = evaluator.evaluate(truth, copy.deepcopy(run), CUTOFFS)
    theirs = {
        name: value
        for name, value in scores_of_mteb(scores).items()
        if not name.startswith("mrr")
    }
    check(truth, run, theirs, "mteb")


def test_tasks_of_mteb_that_ignore_identical_ids(monkeypatch):
    evaluator = retrieval_evaluator(monkeypatch)
    generator = np.random.default_rng(0)
    truth = judgements(generator, QUERIES, [0, 0, 1, 2, 3])
    run = runs(generator, RETRIEVED)
    scores = evaluator.evaluate(
        truth, copy.deepcopy(run), CUTOFFS, ignore_identical_ids=True
    )
    theirs = scores_of_mteb(scores)
    dropped = {
        query: {item: score for item, score in found.items() if item != query}
        for query, found in run.items()
    }
    assert dropped != run
    check(truth, dropped, theirs, "mteb")


@pytest.mark.parametrize("tool", ["beir", "mteb"])
def test_queries_that_are_relevant_to_themselves_are_missed(tool, monkeypatch):
    """Both remove them from the run, and the truth keeps them."""
    generator = np.random.default_rng(5)
    queries = ITEMS[:8]
    truth = judgements(generator, queries, [0, 1, 2])
    run = runs(generator, queries)
    for query in queries:
        truth[query][query] = 2
        run[query][query] = 9.0
    copied = copy.deepcopy(run)
    if tool == "beir":
        evaluation = pytest.importorskip("beir.retrieval.evaluation")
        unrounded(monkeypatch, evaluation)
        scores = evaluation.EvaluateRetrieval.evaluate(truth, copied, CUTOFFS)
        theirs = {name: x for each in scores for name, x in each.items()}
    else:
        evaluator = retrieval_evaluator(monkeypatch)
        theirs = scores_of_mteb(
            evaluator.evaluate(
                truth, copied, CUTOFFS, ignore_identical_ids=True
            )
        )
    metrics, own = " ".join(theirs), {"convention": tool, "drop_same_id": True}
    found = krm.evaluate(truth, run, metrics, **own)
    assert dict(found) == approx(theirs, rel=0, abs=1e-6)
    without = {q: {d: x for d, x in truth[q].items() if d != q} for q in truth}
    right = krm.evaluate(without, run, metrics, **own)
    name = {"beir": "Recall@10", "mteb": "recall_at_10"}[tool]
    assert right[name] > found[name]
