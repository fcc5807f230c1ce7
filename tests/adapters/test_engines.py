"""What Spark, Ray and Beam have in common: the results of one process."""

import keras
import logs
import pytest
from engines import ENGINES
from pytest import approx

import keras_rankmetrics as krm

NAN = float("nan")
pytestmark = pytest.mark.parametrize("package", ENGINES)


@pytest.fixture
def engine(package, engines):
    pytest.importorskip(package)
    return engines(package)


def results(metrics):
    return {name: float(x) for name, x in metrics.result().items()}


@pytest.mark.parametrize("strings", [False, True])
def test_ids(engine, strings):
    rows = logs.of_ids(strings=strings)
    columns = {"group": "market", "sample_weight": "weight"}
    arguments = logs.both(), "relevant", "recommended"
    found = engine.evaluate(rows, *arguments, **columns)
    expected = logs.of_both_in_one_process(rows)
    assert logs.same(found, expected)
    assert found[0].table() == expected[0].table()


@pytest.mark.parametrize("form", ["ids", "scores"])
def test_a_comparison(engine, form):
    rows = logs.of_ids() if form == "ids" else logs.of_scores()
    truth, run, fill = {
        "ids": ("relevant", "recommended", -1),
        "scores": ("labels", "scores", 0.0),
    }[form]
    systems, expected = {"old": run, "new": "new"}, logs.compared(form)
    found = engine.evaluate(rows, logs.compared(form), truth, systems)
    scores = {x: logs.dense(rows, name, fill) for x, name in systems.items()}
    expected.update_state(logs.dense(rows, truth, -1), scores)
    assert logs.same(found, expected)
    assert found.table() == expected.table()


def test_scores_of_a_catalogue(engine):
    rows = logs.of_catalogue()
    columns = "several", "scores"
    found = engine.evaluate(rows, logs.for_sparse(), *columns, exclude="seen")
    assert logs.same(found, logs.of_one_process(rows, "several"))


@pytest.mark.parametrize("kind", [str, hash])
def test_a_row_for_each_item(engine, kind):
    """The rows of a query are in several parts."""
    rows = logs.of_scores()
    items = [{**x, "query": kind(x["query"])} for x in logs.items_of(rows)]
    columns = {"query": "query", "group": "market", "sample_weight": "weight"}
    metric = logs.sliced("scores")
    found = engine.evaluate(items, metric, "label", "score", **columns)
    assert logs.same(found, logs.of_items_in_one_process(rows))


@pytest.mark.parametrize("differing", [False, True])
def test_weights_of_queries_and_of_items(engine, differing):
    items, expected = logs.weighted_items(differing)
    columns = {"query": "query", "sample_weight": "weight"}
    found = engine.evaluate(items, logs.BY_NAME, "label", "score", **columns)
    assert results(found) == approx(expected, abs=1e-6)


def test_values_of_queries_and_of_lists(engine):
    rows, metrics = logs.of_scores(), logs.for_scores()
    expected = metrics.per_list(
        logs.dense(rows, "labels", -1), logs.dense(rows, "scores", 0.0)
    )
    columns = map(keras.ops.convert_to_numpy, expected.values())
    values = zip(*(x.tolist() for x in columns), strict=True)
    by_query = dict(zip(logs.column(rows, "query"), values, strict=True))
    items = logs.items_of(rows)
    for found in (
        engine.per_query(items, metrics, "label", "score", query="query"),
        engine.per_query(rows, metrics, "labels", "scores", keep=["query"]),
    ):
        assert {row["query"] for row in found} >= {*by_query} - {"query 0"}
        for row in found:
            assert [*row] == ["query", *expected]
            query, *values = row.values()
            assert values == approx(by_query[query], abs=1e-6, nan_ok=True)


def test_ties_in_the_order_of_a_column_and_scores_of_float64(engine):
    rows, shuffled = logs.close_items()
    expected, of_queries = logs.of_sorted_items(rows)
    arguments = shuffled, logs.stable(), "label", "score"
    columns = {"query": "query", "order": "position"}
    found = engine.evaluate(*arguments, **columns)
    assert found.result() == approx(expected, abs=1e-6)
    found = engine.per_query(*arguments, **columns)
    values = {row["query"]: row["ndcg@3"] for row in found}
    assert values == approx(of_queries, abs=1e-6, nan_ok=True)
    for door in (engine.evaluate, engine.per_query):
        with pytest.raises(ValueError, match=r"\['ndcg@3'\] without `order`"):
            door(*arguments, query="query")


def items_of(label, score, query=lambda n: f"q{n // 4}"):
    return [
        {"q": query(n), "y": label(n), "x": score(n), "i": f"d{n:03}", "w": 1.0}
        for n in range(40)
    ]


def test_large_integers_and_a_convention(engine):
    rows = items_of(lambda n: int(n % 4 == 1), lambda n: 2**60 + n // 2)
    columns = {"query": "q", "order": "i", "convention": "trec_eval"}
    found = engine.evaluate(rows, "recip_rank map", "y", "x", **columns)
    assert results(found) == approx({"recip_rank": 1 / 3, "map": 1 / 3})
    for row in engine.per_query(rows, "recip_rank", "y", "x", **columns):
        assert row["recip_rank"] == approx(1 / 3)


def test_the_driver_warns_once_of_what_workers_have_seen(engine):
    rows = items_of(
        lambda n: n % 4 - 1,
        lambda n: float(n * n % 41),
        lambda n: f"q{n // 4}" if n > 3 else "nan",
    )
    with pytest.warns(UserWarning) as caught:
        engine.evaluate(rows, "RR", "y", "x", query="q")
    ours = [x for x in map(str, (x.message for x in caught)) if "should" in x]
    assert len(ours) == 2
    assert "the text 'nan'" in ours[0]
    assert "negative labels from -1 to -1" in ours[1]


@pytest.mark.parametrize(
    "name, wrong, message",
    [
        ("x", NAN, "'x' should hold no NaN. Received: 1.*Remove"),
        ("y", None, "'y' should hold no null. Received: 1.*Remove"),
        ("w", -1.0, "not negative. Received: -1"),
    ],
)
def test_an_error_names_the_query(engine, name, wrong, message):
    rows = items_of(lambda n: n % 2, lambda n: 0.5)
    rows[9][name] = wrong
    place = "The error is in the query 'q2'"
    with pytest.raises(Exception, match=f"(?s){message}.*{place}"):
        engine.evaluate(rows, "RR", "y", "x", query="q", sample_weight="w")


def test_an_error_names_the_row(engine):
    rows = [{"q": f"q{n}", "y": [1], "x": [0.5]} for n in range(30)]
    rows[7]["y"] = [None]
    place = r"in row \d+ of (a batch|partition \d).*: \{.*'y': \[None\]"
    with pytest.raises(Exception, match=rf"(?s)hold no null.*{place}"):
        engine.evaluate(rows, krm.NDCG(), "y", "x")


@pytest.mark.parametrize("missing", [None, NAN])
def test_queries_that_are_missing(engine, missing):
    rows = [{"q": q, "y": 1, "x": 0.5} for q in (1.0, missing, missing)]
    with pytest.raises(Exception, match=r"\d of \d missing"):
        engine.evaluate(rows, krm.NDCG(), "y", "x", query="q")


def test_a_missing_column(engine):
    rows = [{"q": 1, "y": 1, "x": 0.5}]
    with pytest.raises(Exception, match=r"name of a column.*'gone'"):
        engine.evaluate(rows, krm.NDCG(), "gone", "x", query="q")
    with pytest.raises(Exception, match=r"`query`.*a column.*'gone'"):
        engine.evaluate(rows, krm.NDCG(), "y", "x", query="gone")


def test_a_door_names_an_argument_that_it_lacks(engine):
    rows = items_of(lambda n: n % 2, float)
    for door in (engine.evaluate, engine.per_query):
        message = rf"^\w+\(\) on {engine.name} .*\"ordr\""
        with pytest.raises(TypeError, match=message):
            door(rows, "RR", "y", "x", query="q", ordr="i")
        if engine.name != "Beam":
            with pytest.raises(ValueError, match='Did you mean "torch"'):
                door(rows, "RR", "y", "x", query="q", backend="trch")
