"""Rows of the truth and of systems, joined by query and item."""

import json
import pathlib
import tracemalloc

import numpy as np
import pytest
from pytest import approx
from runs import drawn, rows_of

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import forms, joining, reading
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions import ranx as as_ranx
from keras_rankmetrics.conventions import trec_eval
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.item_rows import query_chunks, whole

METRICS = [
    krm.NDCG(k=5),
    krm.MeanAveragePrecision(),
    krm.RecallAtK(k=10),
    krm.BPref(),
    krm.JudgedAtK(k=5),
]


def values(systems, truth, metrics=METRICS, **options):
    """Each value by metric, system and query."""
    found = krm.compare(truth, systems, metrics, **options).per_list()
    return {
        (name, str(system), str(query)): column[place]
        for name, column in found.items()
        if name not in ("system", "query")
        for place, (system, query) in enumerate(
            zip(found["system"], found["query"], strict=True)
        )
    }


def test_values_are_those_of_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="extra [peers]")
    truth, systems = drawn(1)
    names = {
        "ndcg@5": ("ndcg_cut_5", trec_eval.NDCG(k=5)),
        "map": ("map", trec_eval.MeanAveragePrecision()),
        "recall@10": ("recall_10", trec_eval.RecallAtK(k=10)),
        "precision@5": ("P_5", trec_eval.PrecisionAtK(k=5)),
        "mrr": ("recip_rank", trec_eval.MeanReciprocalRank()),
        "bpref": ("bpref", trec_eval.BPref()),
        "r_precision": ("Rprec", trec_eval.RPrecision()),
    }
    found = values(systems, truth, [metric for _, metric in names.values()])
    measures = {"ndcg_cut", "map", "recall", "P", "recip_rank", "bpref"}
    judge = pytrec_eval.RelevanceEvaluator(truth, measures | {"Rprec"})
    for system, run in systems.items():
        for query, expected in judge.evaluate(run).items():
            for name, (theirs, _) in names.items():
                assert found[name, system, query] == approx(
                    expected[theirs], abs=1e-6
                ), (name, system, query)


def test_ties_are_broken_as_trec_eval_breaks_them():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="extra [peers]")
    truth, systems = drawn(2)
    tied = {
        query: {item: float(round(score)) for item, score in run.items()}
        for query, run in systems["old"].items()
    }
    metrics = [
        trec_eval.NDCG(k=5, ties="stable"),
        trec_eval.MeanAveragePrecision(ties="stable"),
    ]
    found = values({"s": tied}, truth, metrics)
    average = values({"s": tied}, truth, [trec_eval.NDCG(k=5)])
    judge = pytrec_eval.RelevanceEvaluator(truth, {"ndcg_cut_5", "map"})
    expected = judge.evaluate(tied)
    for query in truth:
        ours = found["ndcg@5", "s", query], found["map", "s", query]
        theirs = expected[query]["ndcg_cut_5"], expected[query]["map"]
        assert ours == approx(theirs, abs=1e-6)
    assert any(
        abs(average["ndcg@5", "s", q] - expected[q]["ndcg_cut_5"]) > 1e-3
        for q in truth
    )


def test_values_are_those_of_ranx():
    """As they are stored: see `tests/peers/test_golden.py`."""
    golden = pathlib.Path(__file__).parents[1] / "peers" / "golden"
    data, theirs = (
        json.loads((golden / f"{name}.json").read_text())
        for name in ("data", "ranx")
    )
    truth, run = (
        {f"q{i:02}": dict(enumerate(row)) for i, row in enumerate(data[name])}
        for name in ("labels", "scores")
    )
    metrics = [as_ranx.NDCG(k=3), as_ranx.NDCG(), as_ranx.DCG(k=3)]
    found = krm.compare(truth, {"s": run}, metrics).per_list()
    for name, expected in (
        ("ndcg@3", theirs["ndcg@3"]),
        ("ndcg", theirs["ndcg"]),
        ("dcg@3", theirs["dcg@3"]),
    ):
        assert found[name] == approx(expected, abs=1e-6), name


def test_chunks_end_with_a_query():
    query = np.repeat([2, 0, 1, 3], [3, 3, 3, 1])
    rows = krm.Rows(query, np.arange(10), np.arange(10.0))
    apart = krm.Rows(*(x[::-1][np.argsort(np.arange(10) % 3)] for x in rows))
    for size, lengths in (
        (1, [3, 3, 3, 1]),
        (3, [3, 3, 3, 1]),
        (4, [6, 3, 1]),
        (7, [9, 1]),
        (9, [9, 1]),
        (10, [10]),
    ):
        found = list(query_chunks(rows, size))
        assert [len(x.query) for x in found] == lengths
        assert np.concatenate([x.item for x in found]).tolist() == [*range(10)]
        seen = [{*x.query.tolist()} for x in query_chunks(apart, size)]
        assert sum(map(len, seen)) == len(set().union(*seen)) == 4


def chunks(rows, size):
    """Chunks of whole queries, about so many of them in each."""
    queries = list(dict.fromkeys(rows.query.tolist()))
    for begin in range(0, len(queries), size):
        chosen = np.isin(rows.query, queries[begin : begin + size])
        yield krm.Rows(*(column[chosen] for column in rows))


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 5, 100])
def test_chunks_give_what_the_whole_gives(size):
    truth, systems = drawn(5)
    expected = values(systems, truth)
    streams = {n: chunks(rows_of(run), size) for n, run in systems.items()}
    assert values(streams, truth) == expected
    streams = {n: [*chunks(rows_of(run), size)] for n, run in systems.items()}
    assert values(streams, chunks(rows_of(truth), size)) == expected


def test_the_order_of_rows_does_not_matter():
    truth, systems = drawn(6)
    expected = values(systems, truth)
    rng = np.random.default_rng(0)

    def shuffled(nested):
        rows = rows_of(nested)
        order = rng.permutation(len(rows.query))
        return krm.Rows(*(column[order] for column in rows))

    runs = {name: shuffled(run) for name, run in systems.items()}
    assert values(runs, shuffled(truth)) == approx(expected, abs=1e-6)


@pytest.mark.parametrize("ids", [int, lambda x: b"d%d" % x, "é".__mul__])
def test_ids_of_each_kind(ids):
    def named(number):
        return ids(number + 1)

    truth, systems = drawn(7)
    expected = values(systems, truth, krm.NDCG(k=5))
    renamed, runs = drawn(7, ids=named)
    found = values(runs, renamed, krm.NDCG(k=5))
    assert [*found.values()] == [*expected.values()]


def test_wide_and_narrow_strings_are_the_same_ids():
    truth = krm.Rows(np.array(["q"], "U40"), np.array(["a"], "U9"), np.ones(1))
    run = krm.Rows(np.array(["q"]), np.array(["a"], "U200"), np.ones(1))
    assert values({"s": run}, truth, krm.NDCG())["ndcg", "s", "q"] == 1.0


@pytest.mark.parametrize("mixed", [np.zeros_like, lambda x: x % np.uint64(3)])
def test_ids_that_share_a_key_are_told_apart(monkeypatch, mixed):
    truth, systems = drawn(8)
    expected = values(systems, truth)
    monkeypatch.setattr(ids, "mixed", mixed)
    assert values(systems, truth) == expected


def test_a_whole_run_is_parted_between_queries(monkeypatch):
    truth, systems = drawn(9)
    expected = values(systems, truth)
    monkeypatch.setattr(reading, "ROWS_OF_CHUNK", 25)
    runs = {name: rows_of(run) for name, run in systems.items()}
    parts = [*forms.input_of(runs["old"], "score", "it", Reading()).rows()]
    assert len(parts) > 2
    assert np.array_equal(whole(parts).item, runs["old"].item)
    assert values(runs, truth) == expected
    assert values(systems, truth) == expected


def test_a_scattered_run_is_sorted_and_parted(monkeypatch):
    truth, systems = drawn(9)
    expected = values(systems, truth)
    monkeypatch.setattr(reading, "ROWS_OF_CHUNK", 25)
    rows = rows_of(systems["old"])
    order = np.random.default_rng(0).permutation(len(rows.query))
    run = krm.Rows(*(column[order] for column in rows))
    parts = [*forms.input_of(run, "score", "it", Reading()).rows()]
    assert len(parts) > 2
    found = [set(part.query.tolist()) for part in parts]
    assert sum(map(len, found)) == len(set(rows.query.tolist()))
    assert values(systems | {"old": run}, truth) == approx(expected, abs=1e-6)


def test_unretrieved_items_count_to_recall_and_the_ideal():
    truth = {"q": {"a": 1, "b": 2}}
    found = values(
        {"s": {"q": {"a": 0.5}}}, truth, [krm.RecallAtK(5), krm.NDCG()]
    )
    assert found["recall@5", "s", "q"] == 0.5
    expected = krm.NDCG().per_list([[1, 2]], [[0.5, -np.inf]])
    assert found["ndcg", "s", "q"] == approx(float(expected[0]))


def test_unjudged_items_are_unjudged():
    truth = {"q": {"a": 1, "b": 0}}
    run = {"q": {"x": 0.9, "b": 0.8, "a": 0.7}}
    metrics = [
        krm.JudgedAtK(k=1),
        krm.MeanReciprocalRank(),
        krm.MeanReciprocalRank(unjudged="condense", name="condensed"),
    ]
    found = values({"s": run}, truth, metrics)
    assert [*found.values()] == [0.0, approx(1 / 3), 0.5]


def test_sets_of_relevant_items_have_the_label_1():
    truth, systems = drawn(3)
    relevant = {q: {i for i, x in of.items() if x} for q, of in truth.items()}
    relevant["q0"] = frozenset(relevant["q0"])
    as_labels = {q: dict.fromkeys(of, 1) for q, of in relevant.items()}
    for sets, labels in (
        (relevant, as_labels),
        # Curly braces without items are a dict.
        ({**relevant, "q1": {}}, {**as_labels, "q1": {}}),
        ({**relevant, "q2": {"d1": 2}}, {**as_labels, "q2": {"d1": 2}}),
    ):
        metrics = [krm.NDCG(k=5), krm.RecallAtK(k=5)]
        found = krm.compare(sets, systems, metrics)
        same = krm.compare(labels, systems, metrics)
        assert found.to_dict() == same.to_dict()


def test_labels_below_0_are_unjudged():
    run = {"q": {"x": 0.9, "a": 0.7}}
    metric = krm.MeanReciprocalRank(unjudged="condense")
    for label, value in ((-1, 1.0), (-2, 1.0), (0, 0.5)):
        truth = {"q": {"a": 1, "x": label, "z": 0}}
        assert [*values({"s": run}, truth, metric).values()] == [value]


def test_queries_that_one_side_lacks():
    truth = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}}
    runs = {
        "s": {"a": {"x": 1.0}, "z": {"x": 1.0}, "y": {"x": 1.0}},
        "one": {"b": {"x": 1.0}},
    }
    compared = krm.compare(truth, runs, krm.MeanReciprocalRank())
    found = compared.per_list()["mrr"]
    assert found == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    gaps = [s.overlap[:2] for s in compared.measured.systems.values()]
    assert gaps == [(2, 2), (2, 0)]
    text = str(compared)
    assert "s: 2 of 3 queries have no rows" in text
    assert "s: 2 of its queries are not in the truth" in text
    assert "one: 2 of 3 queries have no rows" in text


def test_empty_lists_count_as_the_metric_says():
    truth = {"a": {"x": 1}, "b": {"x": 0}}
    run = {"a": {"x": 1.0}, "b": {"x": 1.0}}
    for empty, mean, lists in (
        ("zero", 0.5, 2),
        ("one", 1.0, 2),
        ("skip", 1.0, 1),
    ):
        metric = krm.HitRateAtK(k=1, empty=empty)
        compared = krm.compare(truth, {"s": run}, metric)
        [[cell]] = compared.report.cells
        assert (cell.value, cell.estimate.lists) == (mean, lists)
    assert compared.per_list()["hit_rate@1"] == [1.0, None]
    assert "over the lists that count, 1 of 2 lists" in str(compared)


@pytest.mark.filterwarnings("ignore:.*retrieved items are judged")
def test_scores_of_minus_infinity_are_not_retrieved():
    truth, run = {"a": {"x": 1}}, {"a": {"x": -np.inf, "y": 1.0}}
    assert [*values({"s": run}, truth, krm.RecallAtK(5)).values()] == [0.0]


def test_float64_scores_stay_apart():
    truth = {"a": {"x": 1}}
    run = {"a": {"x": 1.0 + 1e-12, "y": 1.0}}
    [found] = values({"s": run}, truth, krm.MeanReciprocalRank()).values()
    rows = rows_of(run)
    single = rows._replace(value=rows.value.astype(np.float32))
    [tied] = values({"s": single}, truth, krm.MeanReciprocalRank()).values()
    assert tied == 0.75
    assert found == 1.0


def test_long_lists_and_short_ones():
    rng = np.random.default_rng(0)
    lengths = [1, 2, 3, 5, 7, 100, 1000, 3000, 40000]
    query = np.repeat(np.arange(len(lengths)), lengths)
    item = np.concatenate([np.arange(n) for n in lengths])
    score = rng.normal(size=len(query)).astype(np.float32)
    label = (rng.random(len(query)) < 0.1).astype(float)
    found = values(
        {"s": krm.Rows(query, item, score)},
        krm.Rows(query, item, label),
        krm.NDCG(k=7),
    )
    for place in range(len(lengths)):
        of = query == place
        expected = krm.NDCG(k=7).per_list(label[of], score[of])
        value = found["ndcg@7", "s", str(place)]
        assert value == approx(float(expected), abs=1e-6)


def test_an_item_joins_within_its_query_alone():
    truth = {1: {1: 1}, 2: {2: 1}}
    run = {1: {2: 1.0}, 2: {2: 1.0, 1: 0.5}}
    found = values({"s": run}, truth, krm.MeanReciprocalRank())
    assert [*found.values()] == [0.0, 1.0]
    assert joining.UNJUDGED == krm.UNJUDGED


@pytest.mark.long
def test_a_run_is_read_piece_by_piece():
    truth = krm.Rows(
        np.repeat(np.arange(40), 5), np.tile(np.arange(5), 40), np.ones(200)
    )
    rng = np.random.default_rng(0)

    def pieces(number):
        for query in range(number):
            ids = [f"q{query}"] * 5000, [f"d{i}" for i in range(5000)]
            yield krm.Rows(*map(np.array, ids), rng.random(5000))

    def peak(number):
        named = krm.Rows(
            np.char.add("q", truth.query.astype(str)),
            np.char.add("d", truth.item.astype(str)),
            truth.value,
        )
        tracemalloc.start()
        krm.compare(named, {"s": pieces(number)}, krm.NDCG(k=5))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(2)  # what is made once
    assert peak(40) < 1.5 * peak(2)
