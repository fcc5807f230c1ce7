"""Beam, on its runner of this machine."""

import logs
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

beam = pytest.importorskip("apache_beam", reason="needs the extra [beam]")

# Under its own name, pytest would take it for a class of tests.
from apache_beam.testing.test_pipeline import (  # noqa: E402
    TestPipeline as PipelineOfTest,
)
from apache_beam.testing.util import assert_that  # noqa: E402

from keras_rankmetrics.adapters.beam import (  # noqa: E402
    ROWS,
    Evaluate,
    EvaluateItems,
    PerQuery,
)


def same(found, expected):
    return logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


def metrics():
    return [logs.sliced(), krm.RecallAtK(3, inputs="ids")]


def expected_of(rows):
    ids = [logs.dense(rows, name, -1) for name in ("relevant", "recommended")]
    weights = np.array(logs.column(rows, "weight"))
    groups = {"target": ids[0], "group": logs.market(rows)}
    expected = metrics()
    expected[0].update_state(groups, ids[1], weights)
    expected[1].update_state(*ids, weights)
    return expected


def combine():
    return Evaluate(
        metrics(),
        "relevant",
        "recommended",
        group="market",
        sample_weight="weight",
    )


@pytest.mark.parametrize("strings", [False, True])
def test_all_rows(strings):
    rows = logs.of_ids(strings=strings)

    def check(found):
        [both] = found
        assert same(both, expected_of(rows))

    with PipelineOfTest() as pipeline:
        found = (
            pipeline
            | beam.Create(rows)
            | beam.Reshuffle()
            | beam.CombineGlobally(combine())
        )
        assert_that(found, check)


def test_a_row_for_each_item():
    rows = logs.of_scores()

    def check(found):
        [metric] = found
        assert same(metric, logs.of_items_in_one_process(rows))

    with PipelineOfTest() as pipeline:
        found = (
            pipeline
            | beam.Create(logs.items_of(rows))
            | beam.Reshuffle()
            | EvaluateItems(
                logs.sliced("scores"),
                "label",
                "score",
                query="query",
                group="market",
                sample_weight="weight",
            )
        )
        assert_that(found, check)


@pytest.mark.parametrize("differing", [False, True])
def test_weights_of_queries_and_of_items(differing):
    items, expected = logs.weighted_items(differing)

    def check(found):
        [metrics] = found
        results = {name: float(x) for name, x in metrics.result().items()}
        assert results == approx(expected, abs=1e-6)

    with PipelineOfTest() as pipeline:
        found = (
            pipeline
            | beam.Create(items)
            | beam.Reshuffle()
            | EvaluateItems(
                logs.BY_NAME,
                "label",
                "score",
                query="query",
                sample_weight="weight",
            )
        )
        assert_that(found, check)


def test_scores_of_a_catalogue():
    rows = logs.of_catalogue()
    fn = Evaluate(logs.for_sparse(), "several", "scores", exclude="seen")
    seen = fn.create_accumulator()
    for row in rows:
        seen = fn.add_input(seen, row)
    assert same(fn.extract_output(seen), logs.of_one_process(rows, "several"))


def test_each_key():
    rows = logs.of_ids()

    def check(found):
        assert sorted(key for key, _ in found) == [0, 1]
        for key, both in found:
            of_key = [row for row in rows if row["device"] == key]
            assert same(both, expected_of(of_key))

    with PipelineOfTest() as pipeline:
        found = (
            pipeline
            | beam.Create([(row["device"], row) for row in rows])
            | beam.CombinePerKey(combine())
        )
        assert_that(found, check)


def test_rows_wait_and_no_more_than_a_thousand():
    fn = combine()
    rows = logs.of_ids(lists=ROWS + 5)
    seen, other = fn.create_accumulator(), fn.create_accumulator()
    for row in rows[:ROWS]:
        assert len(seen[0]) < ROWS and seen[1] is None
        seen = fn.add_input(seen, row)
    assert seen[0] == [] and seen[1] is not None
    for row in rows[ROWS:]:
        other = fn.add_input(other, row)
    assert len(other[0]) == 5
    nothing = fn.create_accumulator()
    merged = fn.merge_accumulators([nothing, seen, other])
    assert same(fn.extract_output(merged), expected_of(rows))
    empty = fn.extract_output(nothing)
    assert [m.state for m in empty] == [m.state for m in metrics()]


def test_values_of_queries_and_of_lists():
    rows = logs.of_scores()
    expected = logs.for_scores().per_list(
        logs.dense(rows, "labels", -1), logs.dense(rows, "scores", 0.0)
    )
    by_query = dict(
        zip(logs.column(rows, "query"), expected["ndcg@3"], strict=True)
    )

    def check(lists):
        def of_elements(found):
            assert len(found) == lists
            assert [*found[0]] == ["query", *expected]
            for row in found:
                value = float(by_query[row["query"]])
                assert row["ndcg@3"] == approx(value, abs=1e-6, nan_ok=True)

        return of_elements

    with PipelineOfTest() as pipeline:
        of_items = (
            pipeline
            | "items" >> beam.Create(logs.items_of(rows))
            | PerQuery(logs.for_scores(), "label", "score", query="query")
        )
        assert_that(of_items, check(len(rows) - 1), label="of items")
        of_lists = (
            pipeline
            | "lists" >> beam.Create(rows)
            | "values"
            >> PerQuery(logs.for_scores(), "labels", "scores", keep=["query"])
        )
        assert_that(of_lists, check(len(rows)), label="of lists")


def test_ties_in_the_order_of_a_key_and_scores_of_float64():
    rows, shuffled = logs.close_items()
    expected, of_queries = logs.of_sorted_items(rows)
    columns = {"query": "query", "order": "position"}

    def check(found):
        [metrics] = found
        assert metrics.result() == approx(expected, abs=1e-6)

    def check_values(found):
        values = {row["query"]: row["ndcg@3"] for row in found}
        assert values == approx(of_queries, abs=1e-6, nan_ok=True)

    with PipelineOfTest() as pipeline:
        items = pipeline | beam.Create(shuffled) | beam.Reshuffle()
        found = items | EvaluateItems(
            logs.stable(), "label", "score", **columns
        )
        assert_that(found, check, label="of all")
        values = items | PerQuery(logs.stable(), "label", "score", **columns)
        assert_that(values, check_values, label="of queries")
    for transform in (Evaluate, EvaluateItems, PerQuery):
        with pytest.raises(ValueError, match=r"\['ndcg@3'\] without `order`"):
            transform(logs.stable(), "label", "score", query="query")


def test_an_error_names_the_row_or_query():
    fn = Evaluate("RR(inputs=ids)", "y", "x")
    seen = fn.create_accumulator()
    for row in ({"y": [7], "x": [8]}, {"y": [7], "x": [None, 8]}):
        seen = fn.add_input(seen, row)
    with pytest.raises(ValueError, match=r"row 1 of a batch.*\[None, 8\]"):
        fn.extract_output(seen)
    fn = Evaluate("RR", "y", "x", query="q")
    of_queries = [
        [{"q": q, "y": 1, "x": x}] * 2
        for q, x in (("a", 0.5), ("b", None), ("c", 0.5))
    ]
    seen = fn.create_accumulator()
    for rows in of_queries:
        seen = fn.add_input(seen, rows)
    with pytest.raises(ValueError, match="The error is in the query 'b'"):
        fn.extract_output(seen)


def items_of(label, score, query=lambda n: f"q{n // 4}"):
    return [
        {"q": query(n), "y": label(n), "x": score(n), "i": f"d{n:03}"}
        for n in range(40)
    ]


def test_what_rows_show_is_said_once():
    rows = items_of(
        lambda n: n % 4 - 1,
        lambda n: float(n * n % 41),
        lambda n: f"q{n // 4}" if n > 3 else "nan",
    )
    with pytest.warns(UserWarning) as caught, PipelineOfTest() as pipeline:
        items = pipeline | beam.Create(rows) | beam.Reshuffle()
        _ = items | EvaluateItems("RR", "y", "x", query="q")
    ours = [x for x in map(str, (x.message for x in caught)) if "should" in x]
    assert len(ours) == 2
    assert "the text 'nan'" in ours[0]
    assert "negative labels from -1 to -1" in ours[1]


def test_lists_of_a_key_are_refused_but_not_doubted():
    """Those of one key may all be irrelevant."""

    def found(label):
        fn = Evaluate("RR", "y", "x")
        seen = fn.create_accumulator()
        for n in range(20):
            row = {"y": [label, 0.0], "x": [float(n), 0.5]}
            seen = fn.add_input(seen, row)
        return fn.extract_output(seen).result()

    assert found(0.0) == {"RR": 0.0}
    with pytest.raises(ValueError, match="Labels should be finite"):
        found(float("inf"))


@pytest.mark.parametrize("wrong, what", [(float("nan"), "NaN"), (None, "null")])
def test_what_is_missing_names_the_query(wrong, what):
    rows = items_of(lambda n: n % 2, lambda n: wrong if n == 9 else 0.5)
    message = f"(?s)'x' should hold no {what}.*Remove.*in the query 'q2'"
    error = pytest.raises(ValueError, match=message)
    with error, PipelineOfTest() as pipeline:
        items = pipeline | beam.Create(rows)
        _ = items | EvaluateItems("RR", "y", "x", query="q")


def test_large_integers_and_a_convention():
    rows = items_of(lambda n: int(n % 4 == 1), lambda n: 2**60 + n // 2)

    def check(found):
        [metrics] = found
        assert float(metrics.result()["recip_rank"]) == approx(1 / 3)

    with PipelineOfTest() as pipeline:
        columns = {"query": "q", "order": "i", "convention": "trec_eval"}
        found = (
            pipeline
            | beam.Create(rows)
            | EvaluateItems("recip_rank", "y", "x", **columns)
        )
        assert_that(found, check)


@pytest.mark.parametrize("transform", [Evaluate, EvaluateItems, PerQuery])
def test_a_transform_names_an_argument_that_it_lacks(transform):
    name = transform.__name__
    with pytest.raises(TypeError, match=rf"^{name}\(\) on Beam .*\"ordr\""):
        transform("RR", "y", "x", query="q", ordr="i")


@pytest.mark.parametrize("transform", [EvaluateItems, PerQuery])
def test_rows_that_are_none(transform):
    pd = pytest.importorskip("pandas")
    of_rows = transform("RR", "y", "x", query="q")
    frame = pd.DataFrame(items_of(lambda n: n % 2, float))
    with pytest.raises(TypeError, match=r"of pandas\. Pass .*to_dict"):
        _ = frame | of_rows
    for row in (("q", 1, 0.5), beam.Row(q="q", y=1, x=0.5), frame):
        error = pytest.raises(TypeError, match="A row should be a dict")
        with error, PipelineOfTest() as pipeline:
            _ = pipeline | beam.Create([row]) | of_rows
    fn = Evaluate("RR", "y", "x", query="q")
    seen = fn.add_input(fn.create_accumulator(), {"q": 1, "y": 1, "x": 0.5})
    with pytest.raises(TypeError, match=r"rows of a query.*`EvaluateItems`"):
        fn.extract_output(seen)


def test_a_missing_key():
    fn = Evaluate(krm.NDCG(inputs="ids"), "gone", "new")
    seen = fn.add_input(fn.create_accumulator(), logs.of_ids()[0])
    with pytest.raises(ValueError, match=r"name of a column.*'gone'"):
        fn.extract_output(seen)


def test_rows_without_a_key_or_of_several_types():
    def found(*rows):
        fn = Evaluate("RR(inputs=ids)", "y", "x")
        seen = fn.create_accumulator()
        for row in rows:
            seen = fn.add_input(seen, row)
        return fn.extract_output(seen)

    row = {"y": [-7], "x": [-8, -7]}
    assert found(row, {**row, "z": 1}, {**row, "z": "a"}).result() == {
        "RR(inputs=ids)": 0.5
    }
    with pytest.raises(ValueError, match=r"name of a column.*'x'"):
        found(row, {"y": [-7]})
    types = r"'x' should have the same type in all rows.*\['int', 'str'\]"
    with pytest.raises(TypeError, match=types):
        found(row, {**row, "x": ["-7"]})


@pytest.mark.parametrize("query", ["a", 1.0])
@pytest.mark.parametrize("missing", [None, float("nan")])
def test_queries_that_are_missing(query, missing):
    rows = [{"q": q, "y": 1, "x": 0.5} for q in (query, missing, missing)]
    error = pytest.raises(ValueError, match="and 2 of 3 missing")
    with error, PipelineOfTest() as pipeline:
        rows = pipeline | beam.Create(rows)
        rows | EvaluateItems(krm.NDCG(), "y", "x", query="q")


def test_a_missing_key_of_queries():
    error = pytest.raises(ValueError, match=r"`query`.*a column.*'gone'")
    with error, PipelineOfTest() as pipeline:
        rows = pipeline | beam.Create([{"q": 1, "y": 1, "s": 0.5}])
        rows | EvaluateItems(krm.NDCG(), "y", "s", query="gone")


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [source] = logs.blocks("Beam")
    exec(source, {})
    written = {
        name: sorted(
            line
            for path in tmp_path.glob(f"{name}-*")
            for line in path.read_text().splitlines()
        )
        for name in ("recall", "mrr", "rr_by_query")
    }
    assert written["recall"][0].startswith("recall@1 = 0.2500 ")
    assert written["mrr"][0].startswith("RR = 0.7500 ")
    assert written["rr_by_query"] == [
        "{'query': 'q1', 'RR': 0.5}",
        "{'query': 'q2', 'RR': 1.0}",
    ]
