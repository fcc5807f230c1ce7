"""Ratings and responses of search tools, as their clients have them."""

import types

import pytest

import keras_rankmetrics as krm

TRUTH = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d2": 0.9, "d1": 0.8, "d7": 0.3}, "q2": {"d3": 0.9}}
NAMES = "NDCG@3 RR"


class Point:
    """As `ScoredPoint` of qdrant_client."""

    def __init__(self, id_, score):
        self.id, self.score, self.payload = id_, score, None


def found_by_weaviate(id_, score):
    metadata = types.SimpleNamespace(distance=None, score=score, certainty=None)
    return types.SimpleNamespace(uuid=id_, metadata=metadata, properties={})


def of_elasticsearch(hits):
    found = [{"_index": "i", "_id": x, "_score": y} for x, y in hits]
    return {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": found}}


def of_pinecone(hits):
    return {
        "matches": [{"id": x, "score": y} for x, y in hits],
        "namespace": "",
    }


def of_qdrant(hits):
    return types.SimpleNamespace(points=[Point(*hit) for hit in hits])


def of_qdrant_by_http(hits):
    found = [{"id": x, "version": 1, "score": y} for x, y in hits]
    return {"result": found, "status": "ok", "time": 0.1}


def of_weaviate(hits):
    objects = [found_by_weaviate(*hit) for hit in hits]
    return types.SimpleNamespace(objects=objects)


RESPONSES = {
    "elasticsearch": of_elasticsearch,
    "pinecone": of_pinecone,
    "qdrant": of_qdrant,
    "qdrant, points": lambda hits: of_qdrant(hits).points,
    "qdrant, http": of_qdrant_by_http,
    "weaviate": of_weaviate,
}
TRUTHS = {
    "_rank_eval": {
        "requests": [
            {
                "id": query,
                "request": {"query": {"match": {"text": query}}},
                "ratings": [
                    {"_index": "i", "_id": item, "rating": label}
                    for item, label in items.items()
                ],
            }
            for query, items in TRUTH.items()
        ],
        "metric": {"precision": {"k": 10}},
    },
    "OpenSearch": {
        "name": "judgements",
        "judgmentRatings": [
            {
                "query": query,
                "ratings": [
                    {"docId": item, "rating": f"{label:.1f}"}
                    for item, label in items.items()
                ],
            }
            for query, items in TRUTH.items()
        ],
    },
    "by grade": {
        "q1": {"2": ["d1"], "0": ["d2"]},
        "q2": {1: {"d3"}},
    },
}


def same(found):
    assert dict(found) == pytest.approx(dict(krm.evaluate(TRUTH, RUN, NAMES)))


@pytest.mark.parametrize("tool", RESPONSES)
def test_a_response_for_each_query(tool):
    of_query = {q: RESPONSES[tool]([*x.items()]) for q, x in RUN.items()}
    same(krm.evaluate(TRUTH, of_query, NAMES))
    in_order = [*of_query.values()]
    same(krm.evaluate(TRUTH, in_order, NAMES, query_ids=[*RUN]))
    compared = krm.compare(TRUTH, {"a": of_query, "b": RUN}, NAMES)
    systems = compared.to_dict()["systems"]
    assert systems["a"]["RR"]["value"] == systems["b"]["RR"]["value"]


@pytest.mark.parametrize("tool", TRUTHS)
def test_ratings(tool):
    same(krm.evaluate(TRUTHS[tool], RUN, NAMES))


def test_the_response_of_rank_eval():
    details = {
        query: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [
                {"hit": {"_index": "i", "_id": x, "_score": y}, "rating": 1}
                for x, y in items.items()
            ],
        }
        for query, items in RUN.items()
    }
    run = {"metric_score": 0.5, "details": details, "failures": {}}
    same(krm.evaluate(TRUTHS["_rank_eval"], run, NAMES))


def test_distances_are_refused_until_they_are_named():
    closer = {q: {x: 1 - y for x, y in of.items()} for q, of in RUN.items()}
    of_query = {q: of_weaviate([*x.items()]) for q, x in closer.items()}
    with pytest.raises(ValueError, match="higher_is_better=False"):
        krm.evaluate(TRUTH, of_query, NAMES)
    same(krm.evaluate(TRUTH, of_query, NAMES, higher_is_better=False))


def test_what_is_there_twice():
    ratings = [{"_index": x, "_id": "d1", "rating": 1} for x in ("i", "j")]
    request = {"id": "q1", "request": {}, "ratings": ratings}
    with pytest.raises(
        ValueError, match=r"each item once\. Received: 'd1' again"
    ):
        krm.evaluate({"requests": [request]}, RUN, NAMES)
    with pytest.raises(ValueError, match=r"each query once\. Received: 'q1'"):
        krm.evaluate(
            {"requests": [{**request, "ratings": ratings[:1]}] * 2}, RUN, NAMES
        )
    with pytest.raises(ValueError, match="item of a query once"):
        krm.evaluate({"q1": {"1": ["d1"], "2": ["d1"]}}, RUN, NAMES)


@pytest.mark.parametrize(
    "truth",
    [{"q1": {17: ["a", "b"]}}, {"q1": {"title": ["d1"]}}],
    ids=["numbers of items", "names"],
)
def test_lists_by_other_names_are_no_grades(truth):
    with pytest.raises((TypeError, ValueError), match="should be numbers"):
        krm.evaluate(truth, RUN, NAMES)


@pytest.mark.parametrize("query", ["requests", "details", "judgmentRatings"])
def test_queries_of_such_names(query):
    truth, run = {query: {"d1": 1, "d2": 0}}, {query: {"d1": 0.5, "d2": 0.9}}
    assert krm.evaluate(truth, run, "RR")["RR"] == 0.5
    assert (
        krm.evaluate({query: ["d1"]}, {query: ["d2", "d1"]}, "RR")["RR"] == 0.5
    )


@pytest.mark.parametrize("item", ["hits", "matches", "points", "result", "id"])
def test_items_of_such_names(item):
    truth, run = {"q": {item: 1, "d2": 0}}, {"q": {item: 0.5, "d2": 0.9}}
    assert krm.evaluate(truth, run, "RR")["RR"] == 0.5
