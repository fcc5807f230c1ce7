"""Metrics by the names of a tool, and rows read by its rules, on workers."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.adapters import worker
from keras_rankmetrics.adapters.log_job import LogJob
from keras_rankmetrics.tables.members import merged

COLUMNS = "label", "score"


def rows_of(queries=40, size=8):
    """Rows with ties, scores that float32 ties, and queries among the items."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "query": f"q{i // size}",
            "item": f"d{rng.integers(10**6)}" if i % size else f"q{i // size}",
            "label": int(rng.integers(0, 2)),
            "score": int(rng.integers(0, 3)) + 1e-12 * int(rng.integers(0, 9)),
            "place": i,
            "weight": float(1 + i // size % 3),
        }
        for i in range(queries * size)
    ]
    return [rows[i] for i in rng.permutation(len(rows))]


def on_workers(rows, metrics, *columns, **options):
    job = LogJob(metrics, *columns, query="query", **options)
    job = pickle.loads(pickle.dumps(job))
    table = worker.lists_of(job, pa.Table.from_pylist(rows))
    sums = None
    for start in range(0, table.num_rows, 7):
        part = worker.sums_of_tables(job, [table.slice(start, 7)])
        sums = merged(sums, part)
    return job.with_sums(sums)


def in_one_process(rows, metrics, convention, **options):
    rows = sorted(rows, key=lambda row: row["place"])
    names = ("query", "item", *COLUMNS)
    table = {name: [row[name] for row in rows] for name in names}
    return dict(
        krm.evaluate(table, metrics=metrics, convention=convention, **options)
    )


@pytest.mark.parametrize(
    "convention, metrics",
    [
        ("trec_eval", "ndcg_cut_5 map recip_rank P_5"),
        ("ir_measures", "nDCG@5 P@5 AP"),
        ("beir", "NDCG@5 MAP@5"),
        ("mteb", "ndcg_at_5"),
        ("ranx", "ndcg@5 mrr"),
        ("sklearn", "NDCG@5"),
        ("lightgbm", "NDCG@5"),
        ("xgboost", "NDCG@5"),
        ("sentence_transformers", "ndcg@5"),
        ("recommenders", "NDCG@5 MAP@5"),
    ],
)
def test_the_numbers_are_those_of_evaluate(convention, metrics):
    rows = rows_of()
    ties = conventions.named(convention).rules.ties
    order = {"options": None, "first_row_first": "place"}.get(ties, "item")
    found = on_workers(
        rows, metrics, *COLUMNS, convention=convention, order=order
    )
    expected = in_one_process(rows, metrics, convention)
    assert {x: float(y) for x, y in found.result().items()} == approx(
        expected, abs=1e-6
    )


def test_ids_that_are_integers_are_in_the_order_of_text():
    rows = rows_of()
    for i, row in enumerate(rows):
        row |= {"item": i, "query": int(row["query"][1:]) + 1000}
    names = "ndcg_cut_5 recip_rank"
    options = {"convention": "trec_eval", "order": "item"}
    found = on_workers(rows, names, *COLUMNS, **options).result()
    expected = in_one_process(rows, names, "trec_eval")
    assert {x: float(y) for x, y in found.items()} == approx(expected, abs=1e-6)
    for row in rows:
        row["item"] += 0.5
    with pytest.raises(TypeError, match=r"ids of `order` should.*float"):
        on_workers(rows, names, *COLUMNS, **options)


def test_weights_of_queries_are_those_of_evaluate():
    rows = rows_of()
    found = on_workers(
        rows,
        "ndcg_cut_5",
        *COLUMNS,
        convention=conventions.trec_eval,
        order="item",
        sample_weight="weight",
    )
    weights = {row["query"]: row["weight"] for row in rows}
    expected = in_one_process(
        rows, "ndcg_cut_5", "trec_eval", sample_weight=weights
    )
    assert float(found.result()["ndcg_cut_5"]) == approx(
        expected["ndcg_cut_5"], abs=1e-6
    )


def test_the_value_of_each_query():
    rows = rows_of()
    job = LogJob(
        "ndcg_cut_5", *COLUMNS, "query", order="item", convention="trec_eval"
    )
    table = worker.lists_of(job, pa.Table.from_pylist(rows))
    values = worker.values_of_table(job, ["query"], table)["ndcg_cut_5"]
    [expected] = in_one_process(rows, "ndcg_cut_5", "trec_eval").values()
    assert np.mean(values.to_numpy()) == approx(expected, abs=1e-6)


def test_rows_that_are_lists_have_the_names_of_the_tool():
    table = pa.table({"y": [[3], [4, 5]], "x": [[3, 1], [1, 5]]})
    job = LogJob("map(inputs=ids)", "y", "x", convention="trec_eval")
    found = job.with_sums(worker.sums_of_tables(job, [table])).result()
    assert found == {"map(inputs=ids)": approx((1 + 0.25) / 2)}


@pytest.mark.parametrize(
    "convention, metrics, options, message",
    [
        ("trec_eval", "map", {}, 'by their ids, the last.*`order="item"`'),
        ("beir", "NDCG@5", {}, "ids, the last.*and drops items with the id"),
        (
            "ir_measures",
            "nDCG@5 RR@3",
            {"order": "item"},
            "Received: .*'nDCG@5'.*float32.*'RR@3'.*float64.*once for each",
        ),
        ("search_relevance", "NDCG@5", {}, "rounds the value of each"),
        ("trec_evl", "map", {}, 'no convention|No convention.*"trec_eval"'),
        ("trec_eval", "NDGC@5", {}, "There is no metric `NDGC`"),
    ],
)
def test_what_workers_do_not_have(convention, metrics, options, message):
    with pytest.raises(ValueError, match=message):
        LogJob(metrics, *COLUMNS, "query", convention=convention, **options)


def test_lists_without_queries_drop_no_items():
    with pytest.raises(ValueError, match=r"without ids of queries.*`order`"):
        LogJob("NDCG@5", "y", "x", convention="beir")


def test_labels_that_the_tool_does_not_take():
    rows = [{**row, "label": 0.5 + row["label"]} for row in rows_of()]
    options = {"convention": "trec_eval", "order": "item"}
    with pytest.raises(ValueError, match="whole numbers in this convention"):
        on_workers(rows, "map", *COLUMNS, **options)


def test_metrics_that_are_objects_keep_their_options():
    with pytest.warns(UserWarning, match=r"should be text.*\['ndcg@5'\]"):
        job = LogJob(krm.NDCG(5), *COLUMNS, "query", convention="ranx")
    assert job.members[0].gain_fn is krm.exponential_gain
    sliced = krm.Sliced(krm.NDCG(5), 2)
    with pytest.warns(UserWarning, match="should be text"):
        LogJob(sliced, *COLUMNS, "query", group="g", convention="ranx")


def test_a_convention_is_not_sent_to_workers():
    job = LogJob("map", *COLUMNS, "query", order="i", convention="trec_eval")
    assert not any(
        isinstance(x, conventions.Convention) for x in vars(job).values()
    )
