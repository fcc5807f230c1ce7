"""Beam, on its runner of this machine."""

import logs
import pytest

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


def combine():
    return Evaluate(
        logs.both(),
        "relevant",
        "recommended",
        group="market",
        sample_weight="weight",
    )


def combined(fn, rows):
    """Return what a `CombineFn` makes of rows, without a pipeline."""
    seen = fn.create_accumulator()
    for row in rows:
        seen = fn.add_input(seen, row)
    return fn.extract_output(seen)


def test_each_key():
    rows = logs.of_ids()

    def check(found):
        assert sorted(key for key, _ in found) == [0, 1]
        for key, both in found:
            of_key = [row for row in rows if row["device"] == key]
            assert logs.same(both, logs.of_both_in_one_process(of_key))

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
    expected = logs.of_both_in_one_process(rows)
    assert logs.same(fn.extract_output(merged), expected)
    empty = fn.extract_output(nothing)
    assert [m.state for m in empty] == [m.state for m in logs.both()]


def test_lists_of_a_key_are_refused_but_not_doubted():
    """Those of one key may all be irrelevant."""

    def found(label):
        rows = ({"y": [label, 0.0], "x": [float(n), 0.5]} for n in range(20))
        return combined(Evaluate("RR", "y", "x"), rows).result()

    assert found(0.0) == {"RR": 0.0}
    with pytest.raises(ValueError, match="Labels should be finite"):
        found(float("inf"))


@pytest.mark.parametrize("transform", [EvaluateItems, PerQuery])
def test_rows_that_are_none(transform):
    pd = pytest.importorskip("pandas")
    of_rows = transform("RR", "y", "x", query="q")
    frame = pd.DataFrame([{"q": "q", "y": 1, "x": 0.5}])
    with pytest.raises(TypeError, match=r"of pandas\. Pass .*to_dict"):
        _ = frame | of_rows
    for row in (("q", 1, 0.5), beam.Row(q="q", y=1, x=0.5), frame):
        error = pytest.raises(TypeError, match="A row should be a dict")
        with error, PipelineOfTest() as pipeline:
            _ = pipeline | beam.Create([row]) | of_rows
    fn, row = Evaluate("RR", "y", "x", query="q"), {"q": 1, "y": 1, "x": 0.5}
    with pytest.raises(TypeError, match=r"rows of a query.*`EvaluateItems`"):
        combined(fn, [row])


def test_rows_without_a_key_or_of_several_types():
    def found(*rows):
        return combined(Evaluate("RR(inputs=ids)", "y", "x"), rows)

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
