"""Items that are ranked, and that nobody has judged."""

import functools

import numpy as np
import oracle
import pytest
from catalogue import PLAIN_ROWS
from in_forms import values
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import UNJUDGED

LISTS, ITEMS = 12, 9
OF_JUDGEMENTS = ("judged", "unjudged", "rbp_residual", "bpref")

rows = pytest.mark.parametrize("row", PLAIN_ROWS, ids=str)
of_relevance = pytest.mark.parametrize(
    "row",
    [row for row in PLAIN_ROWS if row.oracle not in OF_JUDGEMENTS],
    ids=str,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(8)
    labels = rng.integers(-1, 4, (LISTS, ITEMS)).astype("float32")
    labels[0] = 0.0
    scores = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    return labels, scores, rng.random((LISTS, ITEMS)) < 0.6


def told(labels, judged):
    """Labels that say themselves which items nobody has judged."""
    return np.where(judged | (labels < 0), labels, np.float32(UNJUDGED))


@rows
def test_a_label_says_what_the_entry_says(row, data):
    labels, scores, judged = data
    metric = row.make(4)
    by_label = values(metric, told(labels, judged), scores)
    given = {"labels": labels, "judged": judged}
    np.testing.assert_array_equal(values(metric, given, scores), by_label)
    expected = [
        oracle.value(
            row.oracle,
            y,
            s,
            k=metric.k,
            ties=metric.ties,
            empty=metric.empty,
            **row.for_oracle,
        )
        for y, s in zip(told(labels, judged), scores, strict=True)
    ]
    assert by_label == approx(expected, abs=1e-6, nan_ok=True)


@of_relevance
def test_it_is_not_relevant(row, data):
    labels, scores, judged = data
    metric = row.make(4)
    as_zero = np.where(judged | (labels < 0), labels, 0.0).astype("float32")
    np.testing.assert_array_equal(
        values(metric, told(labels, judged), scores),
        values(metric, as_zero, scores),
    )


@rows
def test_condensed_lists_do_not_have_it(row, data):
    labels, scores, judged = data
    metric = row.make(4, unjudged="condense")
    masked = np.where(judged, labels, -1.0).astype("float32")
    np.testing.assert_array_equal(
        values(metric, told(labels, judged), scores),
        values(metric, masked, scores),
    )


def test_what_its_label_and_a_mask_say_does_not_matter():
    metric = krm.JudgedAtK()
    scores = [[3.0, 2.0, 1.0]]
    y_true = {"labels": [[1.0, float("nan"), 0.0]], "judged": [[1, 0, 1]]}
    assert float(metric(y_true, scores)) == approx(2 / 3)
    y_true["mask"] = [[1, 0, 1]]
    assert float(krm.JudgedAtK()(y_true, scores)) == 1.0
    weights = [[1.0, 0.0, 1.0]]
    told = [[1.0, UNJUDGED, 0.0]]
    assert float(krm.JudgedAtK()(told, scores, weights)) == 1.0


def test_it_weighs_among_the_items():
    metric = krm.PrecisionAtK(list_weight="mean")
    told, scores = [[1, UNJUDGED], [0, 0]], [[2.0, 1.0]] * 2
    found = metric(told, scores, [[1.0, 3.0], [1.0, 1.0]])
    assert float(found) == approx((2 * 1 / 2 + 1 * 0) / (2 + 1))


def test_a_list_of_nothing_else_counts():
    found = krm.RecallAtK()(
        [[UNJUDGED, -1], [1, 0], [-1, -1]], [[1.0, 0.0]] * 3
    )
    assert float(found) == approx(1 / 2)


def test_a_condensed_list_of_nothing_else_counts_as_empty():
    told, scores = [[UNJUDGED, -1], [1, 0], [-1, -1]], [[1.0, 0.0]] * 3
    precision = functools.partial(krm.PrecisionAtK, 1, unjudged="condense")
    for options, expected in (
        ({}, 1 / 2),
        ({"empty": "one"}, 1.0),
        ({"empty": "skip"}, 1.0),
    ):
        assert float(precision(**options)(told, scores)) == expected
    # Nothing of it is retrieved, and it has the weight of its items.
    retrieved = krm.Count("retrieved", unjudged="condense")
    assert float(retrieved(told, scores)) == 2
    weights = [[3.0, 9.0], [1.0, 1.0], [1.0, 1.0]]
    found = precision(list_weight="mean")(told, scores, weights)
    assert float(found) == approx((3 * 0 + 1 * 1) / (3 + 1))
    # So does one whose judged items are all masked.
    y_true = {"labels": [[UNJUDGED, 1], [1, 0]], "mask": [[1, 0], [1, 1]]}
    assert float(precision()(y_true, scores[:2])) == 1 / 2


def test_condensed_ids_of_nothing_else_count_as_empty():
    labels = {"target": [[7, -1], [1, 2]], "labels": [[-1, -1], [1, 0]]}
    metric = krm.PrecisionAtK(1, inputs="ids", unjudged="condense")
    assert float(metric(labels, [[8, 9], [1, 2]])) == 1 / 2


def test_it_counts_in_bpref_of_trec_eval_too():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="extra [peers]")
    truth = {
        "judged": {"a": 1, "b": 0},
        "not judged": {"a": -1, "b": -1},
        "the other way": {"a": 0, "b": 1},
    }
    run = {query: {"a": 2.0, "b": 1.0} for query in truth}
    of_query = pytrec_eval.RelevanceEvaluator(truth, {"bpref"}).evaluate(run)
    expected = np.mean([each["bpref"] for each in of_query.values()])
    assert expected == approx(1 / 3)
    for metric, convention in (
        ("bpref", "trec_eval_without_c"),
        (krm.BPref(), None),
    ):
        found = krm.evaluate(truth, run, metric, convention=convention)
        assert found["bpref"] == approx(expected)


def test_no_metric_gains_from_what_an_own_gain_says_of_it():
    dcg = krm.DCG(k=1, gain_fn=lambda label: label + 5.0)
    assert float(dcg([[UNJUDGED, 0]], [[2.0, 1.0]])) == 0.0


@pytest.mark.parametrize(
    "judged, error",
    [
        ([True, False], "for each judged item"),
        ([[True], [False]], "mask should have the shape"),
        ([[0.5, 1.0], [1.0, 0.0]], "bools"),
        ([[True, True, True]] * 2, "shape"),
    ],
)
def test_what_it_should_be(judged, error):
    metric = krm.NDCG()
    with pytest.raises(ValueError, match=error):
        metric({"labels": [[1, 0]] * 2, "judged": judged}, [[2.0, 1.0]] * 2)
    assert metric.count() == 0


@pytest.mark.parametrize("inputs", ["sparse", "ids"])
def test_ids_have_no_such_entry(inputs):
    with pytest.raises(ValueError, match='"mask", "exclude"'):
        krm.RecallAtK(inputs=inputs)({"target": [1], "judged": [[1]]}, [[2, 1]])
    with pytest.raises(ValueError, match="needs labels, which mark"):
        krm.JudgedAtK(inputs=inputs)
