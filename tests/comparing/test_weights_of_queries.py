"""A weight of a query is its weight in the mean, in all doors.

Weights are high where a query has nothing relevant, since such a list would
otherwise have the mean weight of the others.
"""

import inspect

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import conventions, metrics
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.tables.jobs import Job

RNG = np.random.default_rng(31)
QUERIES = [f"q{number:02}" for number in range(24)]
LABELS = RNG.integers(0, 4, (24, 7)) * (RNG.random((24, 7)) < 0.5)
LABELS[::3] = 0
SCORES = {
    "old": np.round(RNG.normal(size=(24, 7)), 1),
    "new": np.round(RNG.normal(size=(24, 7)) + LABELS / 2, 1),
}
WEIGHTS = np.where(LABELS.any(axis=1), 1 + RNG.random(24), 30.0)
NAMES = "NDCG@3 DCG AP RR(empty=one)@5 Recall@2 P@3 AUC"


def has(parameter, name):
    return parameter in inspect.signature(getattr(metrics, name)).parameters


def is_mean_by_labels(name):
    """Whether a metric needs no data, and is a weighted mean by labels."""
    cls = getattr(metrics, name)
    try:
        made = cls(**{"k": 3} if has("k", name) else {})
    except (TypeError, ValueError):  # it needs data of the items
        return False
    return (
        type(made.aggregate) is WeightedMean
        and made.reads is None
        and not made.definition.own_weight
    )


MEANS = [
    name
    for name in metrics.__all__
    if issubclass(getattr(metrics, name), krm.RankingMetric)
    and is_mean_by_labels(name)
]


def by_query(array):
    return {
        query: {f"d{place}": x.item() for place, x in enumerate(row)}
        for query, row in zip(QUERIES, array, strict=True)
    }


def weights_by_query():
    return dict(zip(QUERIES, WEIGHTS.tolist(), strict=True))


def one_table():
    return {
        "query": np.repeat(QUERIES, 7),
        "item": np.tile([f"d{place}" for place in range(7)], 24),
        "label": LABELS.ravel(),
        **{name: x.ravel() for name, x in SCORES.items()},
    }


def expected(per_list, weights=WEIGHTS):
    """The weighted means of columns; None and NaN are excluded lists."""
    found = {}
    for name, column in per_list.items():
        if name in ("query", "system"):
            continue
        values = np.array(column, float)
        there = ~np.isnan(values)
        found[name] = np.average(values[there], weights=weights[there])
    return found


def is_law(found, weights=WEIGHTS):
    means = expected(found.per_list(), weights)
    assert dict(found) == approx(means, abs=1e-6)
    for signature in found.signatures.values():
        assert "|list_weight:mean|" in signature
    return means


# The law, by metric and by door


def test_there_are_metrics():
    assert {"NDCG", "MeanAveragePrecision", "MeanRank", "BPref"} <= set(MEANS)


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_the_law_of_each_metric(empty):
    labels = np.minimum(LABELS, 1)
    text = " ".join(
        f"{name}(empty={empty})" + "@3" * has("k", name)
        for name in MEANS
        if has("empty", name)
    )
    is_law(krm.evaluate(labels, SCORES["old"], text, sample_weight=WEIGHTS))


def test_results_by_query_and_of_arrays():
    of_arrays, last, by_id = (
        is_law(krm.evaluate(truth, run, NAMES, sample_weight=weights))
        for truth, run, weights in (
            (LABELS, SCORES["new"], WEIGHTS),
            (LABELS.tolist(), SCORES["new"], WEIGHTS[:, None].tolist()),
            (by_query(LABELS), by_query(SCORES["new"]), weights_by_query()),
        )
    )
    assert of_arrays == last == approx(by_id, abs=1e-6)


def test_steps_of_a_session_have_weights_of_their_own():
    steps, weights = (4, 6), WEIGHTS.reshape(4, 6)
    labels, scores = (x.reshape(*steps, 7) for x in (LABELS, SCORES["new"]))
    is_law(krm.evaluate(labels, scores, NAMES, sample_weight=weights))


def test_a_series_by_query():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(weights_by_query())
    runs = by_query(LABELS), by_query(SCORES["old"])
    is_law(krm.evaluate(*runs, NAMES, sample_weight=series))


def test_one_table_and_its_rows(rng):
    table = one_table()
    rows = np.repeat(WEIGHTS, 7)
    found = krm.evaluate(
        table,
        metrics=NAMES,
        columns={"score": "new"},
        sample_weight=weights_by_query(),
    )
    means = is_law(found)
    columns = table["query"], table["label"], table["new"]
    values = krm.per_query(*columns, NAMES, sample_weight=rows)
    mixed = rng.permutation(len(rows))
    for order in (slice(None), mixed):
        by_rows = krm.evaluate_rows(
            *(x[order] for x in columns), NAMES, sample_weight=rows[order]
        )
        assert by_rows == approx(means, abs=1e-6)
    assert expected(values) == approx(means, abs=1e-6)


def test_rows_that_are_left_out_have_no_say_in_whose_the_weights_are():
    query = ["a", "a", "a", "b", "b", "b"]
    label, score = [0, 0, -1, 1, 0, -1], [3.0, 2.0, 1.0, 2.0, 1.0, 0.5]
    for weight in ([9, 9, 0, 1, 1, 0], [9, 9, 9, 1, 1, 7]):
        columns = query, label, score, "RR MAP@2", weight
        with pytest.warns(UserWarning, match="negative labels"):
            found = krm.evaluate_rows(*columns)
        assert found == approx({"RR": 0.1, "MAP@2": 0.1})
        rows = dict(zip("qyxw", (query, label, score, weight), strict=True))
        job = Job("RR MAP@2", "y", "x", query="q", sample_weight="w")
        arrays = {name: np.array(rows[name], float) for name in "yxw"}
        lists = job.lists_of_items(arrays, np.array([0, 3]))
        sums = job.sums([job.as_read(lists)])
        assert sums.are_of_queries
        result = job.with_sums(sums).result()
        assert {x: float(v) for x, v in result.items()} == approx(found)
    # Item weights of rows that count are none of queries.
    query, label, score = ["a", "a", "b", "b"], [0, 1, 1, 0], [3, 2.0, 2, 1]
    found = krm.evaluate_rows(query, label, score, "RR", [9, 8, 1, 1])
    assert found["RR"] == approx((8 * 0.5 + 1) / (8 + 1))


@pytest.mark.parametrize(
    "weights, error",
    [
        ({0: 1.0, 1: 2.0}, "None for the query 'a', with keys such as 0"),
        ({"a": 1e-46, "b": 1.0}, "Received: 1e-46 for the query 'a'"),
        ({"a": 1e39, "b": 1.0}, r"from 1.2e-38 to 3.4e\+38. Received: 1e\+39"),
        ({"a": -1.0, "b": 1.0}, r"0 or from .* Received: -1.0"),
        *(
            ({"a": 1, **x}, "(None|nan|inf|'x': 1.) for the query 'b'")
            for x in ({}, {"b": np.nan}, {"b": np.inf}, {"b": {"x": 1}})
        ),
    ],
)
def test_weights_that_no_query_can_have(weights, error):
    truth = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}
    run = {query: {"x": 2.0, "y": 1.0} for query in truth}
    with pytest.raises(ValueError, match=error):
        krm.evaluate(truth, run, "RR", sample_weight=weights)


def test_queries_of_bytes_have_weights_by_bytes_or_text():
    query, item = np.array([b"a", b"a", b"b", b"b"]), np.array([1, 2, 1, 2])
    truth = krm.Rows(query, item, np.array([0.0, 1.0, 1.0, 0.0]))
    run = krm.Rows(query, item, np.array([2.0, 1.0, 2.0, 1.0]))
    for weights in ({b"a": 3.0, b"b": 1.0}, {"a": 3.0, "b": 1.0}):
        found = krm.evaluate(truth, run, "RR", sample_weight=weights)
        assert found["RR"] == approx((3 * 0.5 + 1) / 4)


def test_systems_that_are_compared_and_their_gate():
    systems = {name: by_query(x) for name, x in SCORES.items()}
    compared = krm.compare(
        by_query(LABELS), systems, NAMES, sample_weight=weights_by_query()
    )
    of_systems = {
        name: is_law(
            krm.evaluate(
                by_query(LABELS), x, NAMES, sample_weight=weights_by_query()
            )
        )
        for name, x in systems.items()
    }
    for name, *cells in compared.report.rows(lambda cell: cell.value):
        assert cells == approx([*of_systems[name].values()], abs=1e-6)
    verdict = compared.gate("NDCG@3", tolerance=0.5)
    change = of_systems["new"]["NDCG@3"] - of_systems["old"]["NDCG@3"]
    assert verdict.difference.estimate.value == approx(change, abs=1e-6)


def test_a_worker_of_a_job():
    pa = pytest.importorskip("pyarrow")
    worker = pytest.importorskip("keras_rankmetrics.adapters.worker")
    table = pa.table(
        {
            "label": LABELS.tolist(),
            "score": SCORES["old"].tolist(),
            "weight": WEIGHTS,
        }
    )
    job = Job(NAMES, "label", "score", sample_weight="weight")
    [values] = (worker.values_of_table(job, [], table).to_pydict() for _ in "1")
    found = job.with_sums(worker.sums_of_tables(job, [table[:9], table[9:]]))
    for metric in found.metrics:
        assert "|list_weight:mean|" in metric.signature
    means = {name: float(x) for name, x in found.result().items()}
    assert means == approx(expected(values), abs=1e-6)


# What keeps its rule


def borrowed_mean(values, weights=WEIGHTS):
    own = LABELS.any(axis=1)
    weights = np.where(own, weights, weights[own].mean())
    return np.average(values, weights=weights)


@pytest.mark.parametrize("convention", ["keras_rs", "tf_ranking"])
def test_conventions_whose_lists_borrow_a_weight(convention):
    found = krm.evaluate(
        LABELS,
        SCORES["old"],
        "NDCG@3 RR",
        convention=convention,
        sample_weight=WEIGHTS,
    )
    for name, values in found.per_list().items():
        if name != "query":
            assert found[name] == approx(borrowed_mean(values), abs=1e-6)
            assert "|list_weight:relevance|" in found.signatures[name]


def test_every_other_convention_uses_the_weight_of_the_list():
    for convention in conventions.all_of_them():
        if convention.list_weight is not None:
            continue
        names = [name for name, *_ in convention.named_metrics([2], [])]
        for name in names[:6]:
            for metric in metrics_of(name, convention, list_weight="mean"):
                assert getattr(metric, "list_weight", "mean") == "mean"


def test_a_convention_of_ids():
    found = krm.evaluate(
        by_query(LABELS),
        by_query(SCORES["new"]),
        "ndcg_cut_3 recip_rank bpref",
        convention="trec_eval",
        sample_weight=weights_by_query(),
    )
    is_law(found)


def test_an_option_in_the_text_wins():
    text = "NDCG(list_weight=relevance)@3"
    found = krm.evaluate(LABELS, SCORES["old"], text, sample_weight=WEIGHTS)
    values = found.per_list()[text]
    assert found[text] == approx(borrowed_mean(values), abs=1e-6)


def test_weights_of_items_and_none_change_no_rule(rng):
    of_items = rng.random(LABELS.shape) + 0.5
    shapes = (LABELS, SCORES["old"], None), (LABELS, SCORES["old"], of_items)
    for labels, scores, weights in shapes:
        found = krm.evaluate(labels, scores, "NDCG@3", sample_weight=weights)
        metric = krm.NDCG(k=3)
        metric.update_state(labels, scores, weights)
        assert found["NDCG@3"] == approx(float(metric.result()), abs=1e-6)
        assert "|list_weight:relevance|" in found.signatures["NDCG@3"]
    query = np.repeat(QUERIES, 7)
    flat = LABELS.ravel(), SCORES["old"].ravel(), "NDCG@3"
    rows = krm.evaluate_rows(query, *flat, sample_weight=of_items.ravel())
    assert rows == approx(dict(found), abs=1e-6)


def test_a_metric_without_a_weight_of_lists_can_be_named():
    [coverage] = metrics_of(
        "CatalogueCoverage(num_items=9)@3", None, list_weight="mean"
    )
    assert coverage.name == "CatalogueCoverage(num_items=9)@3"


# What says it


def test_a_table_says_how_many_lists_borrow_a_weight():
    lists = (~LABELS.any(axis=1)).sum()
    objects = [krm.NDCG(k=3), krm.MeanReciprocalRank(list_weight="mean")]
    found = krm.evaluate(LABELS, SCORES["old"], objects, sample_weight=WEIGHTS)
    note, *weighted = reversed(found.report.notes)
    said = "a weighted mean, of lists with", "the values are skewed (+"
    assert all(any(words in x for words in said) for x in weighted)
    assert note.startswith(f"ndcg@3: {lists} lists have no relevant items")
    assert 'list_weight="mean"' in note
    again = krm.Evaluated.from_json(found.to_json())
    assert again.report.notes == found.report.notes
    assert dict(again) == dict(found)
    for unsaid in (
        krm.evaluate(LABELS, SCORES["old"], objects),
        krm.evaluate(LABELS, SCORES["old"], NAMES, sample_weight=WEIGHTS),
        krm.evaluate(
            LABELS[1:3], SCORES["old"][1:3], objects, sample_weight=WEIGHTS[1:3]
        ),
    ):
        notes = unsaid.report.notes
        assert not any("mean weight of the others" in note for note in notes)


@pytest.mark.parametrize("weights", [WEIGHTS, np.where(WEIGHTS > 9, 5.0, 1.0)])
def test_a_printed_metric_says_how_many_lists_borrow_a_weight(weights):
    """Also if all others have the weight 1."""
    metric, lists = krm.NDCG(k=3), (~LABELS.any(axis=1)).sum()
    for half in (slice(9), slice(9, None)):
        metric.update_state(LABELS[half], SCORES["old"][half], weights[half])
    assert metric.estimate().borrowed == lists
    text = f"24 lists, {lists} with the mean weight of the others)"
    assert str(metric).endswith(text)
    own, without = krm.NDCG(k=3, list_weight="mean"), krm.NDCG(k=3)
    own.update_state(LABELS, SCORES["old"], weights)
    without.update_state(LABELS, SCORES["old"])
    assert str(own).endswith("24 lists)") and str(without).endswith("24 lists)")
