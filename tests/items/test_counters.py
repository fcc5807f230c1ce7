"""Metrics of how often each item is shown, beside plain Python."""

import math
import re

import given
import items
import keras
import numpy as np
import oracle_of_items as oracle
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import (
    CatalogueCoverage,
    ExposureEntropy,
    ExposureGini,
    Personalization,
)

ORACLES = {
    CatalogueCoverage: oracle.coverage,
    ExposureGini: oracle.gini,
    ExposureEntropy: oracle.entropy,
    Personalization: oracle.personalization,
}
all_counters = pytest.mark.parametrize(
    "counter", ORACLES, ids=lambda cls: cls.__name__
)
all_forms = pytest.mark.parametrize("form", items.FORMS)


def part(passed, *slices):
    return keras.tree.map_structure(lambda x: x[slice(*slices)], passed)


def expected(counter, lists, k):
    return ORACLES[counter](items.counting(lists), k, items.ITEMS)


def made(counter, k=3, form="scores", **options):
    return counter(k, items.ITEMS, inputs=form, **options)


# Numbers


@pytest.mark.long
@pytest.mark.parametrize("k", [1, 3, None])
@all_counters
@all_forms
def test_beside_all_orders_in_batches(form, counter, k):
    passed, lists = items.lists_in(form, 300)
    metric = made(counter, k, form)
    for start in range(0, 300, 77):
        metric.update_state(*part(passed, start, start + 77))
    assert float(metric.result()) == approx(
        expected(counter, lists, k), abs=1e-6
    )


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2, 5])
@all_counters
@all_forms
def test_few_lists(form, counter, number):
    # Of many lists, all items of a small catalogue are shown.
    for seed in range(1, 9):
        passed, lists = items.lists_in(form, number, seed)
        found = float(made(counter, 2, form)(*passed))
        counting = items.counting(lists)
        enough = len(counting) > (counter is Personalization)
        right = expected(counter, lists, 2) if enough else 0.0
        assert found == approx(right, abs=1e-6)


@pytest.mark.each_backend
@pytest.mark.long
@all_forms
def test_two_thousand_lists_in_a_program(form):
    passed, lists = items.lists_in(form, 2000)
    members = [CatalogueCoverage, ExposureGini, ExposureEntropy]
    metrics = krm.MetricCollection([made(each, 2, form) for each in members])
    batches = [part(passed, 0, 1000), part(passed, 1000, 2000)]
    found = given.in_a_program(metrics, *batches)
    right = {made(c, 2).name: expected(c, lists, 2) for c in members}
    assert found == approx(right, abs=1e-6)


@all_counters
def test_of_nothing(counter):
    metric = made(counter)
    assert float(metric.result()) == 0.0
    labels = np.full((3, items.ITEMS), -1.0)
    assert float(metric(labels, np.zeros_like(labels))) == 0.0
    scores = np.full_like(labels, -np.inf)
    assert float(metric(np.ones_like(labels), scores)) == 0.0


def test_constant_scores_show_all_items_alike():
    labels = np.ones((4, 200), "float32")
    scores = np.zeros_like(labels)
    assert float(ExposureGini(10, 200)(labels, scores)) == approx(0, abs=1e-6)
    entropy = ExposureEntropy(10, 200)(labels, scores)
    assert float(entropy) == approx(math.log(200))
    coverage = CatalogueCoverage(10, 200)(labels, scores)
    assert float(coverage) == approx(1 - 0.95**4)
    alike = Personalization(10, 200)(labels, scores)
    assert float(alike) == approx(1 - 10 / 200)


@pytest.mark.parametrize("ties", ["stable", "optimistic", "pessimistic"])
def test_a_strict_order_shows_certain_items(ties):
    labels = np.array([[0.0, 1.0, 0.0]] * 2)
    coverage = CatalogueCoverage(2, 3, ties=ties)(labels, labels * 0)
    assert float(coverage) == approx(2 / 3)


@pytest.mark.long
def test_shuffled_ties_differ_between_batches():
    coverage = CatalogueCoverage(1, 50, ties="shuffle", seed=1)
    for _ in range(40):
        coverage.update_state(np.ones((1, 50)), np.zeros((1, 50)))
    assert 0.3 < float(coverage.result()) < 0.8


def test_lists_count_by_their_weights():
    ids, weights = [[0], [0], [1]], [1.0, 0.5, 1.5]
    entropy = ExposureEntropy(1, 4, inputs="ids")(ids, ids, weights)
    assert float(entropy) == approx(math.log(2))
    overlap = Personalization(1, 4, inputs="ids")(ids, ids, weights)
    assert float(overlap) == approx(2.25 / (0.5 + 1.5 + 0.75))


def test_items_may_have_weights():
    labels, scores = [[1, 0, 0]] * 2, [[3, 2, 1], [1, 3, 2]]
    weights = [[0, 2, 2], [1, 1, 1]]  # without the first item of the first list
    gini = ExposureGini(1, 3)(labels, scores, weights)
    assert float(gini) == approx(2 / 3)
    weights = [[0, 2, 2], [1, 0, 1]]
    entropy = ExposureEntropy(1, 3)(labels, scores, weights)
    shares = 2 / 3, 1 / 3
    assert float(entropy) == approx(-sum(p * math.log(p) for p in shares))


def test_many_lists_are_counted_one_by_one():
    coverage = ExposureGini(1, 2, inputs="ids")
    state = coverage.get_state()
    state[0][:, 0] = 2.0**25
    coverage.set_state(state)
    for _ in range(3):
        coverage.update_state([[1]], [[1]])
    assert coverage.get_state()[0].astype("float64").sum(-1)[1] == 2**25 + 3


def test_how_many_items_each_list_shows():
    coverage = CatalogueCoverage(2, 3)
    shown = coverage.per_list(
        [[1, 0, 0], [1, -1, -1], [-1] * 3], [[1, 2, 3]] * 3
    )
    assert ops.convert_to_numpy(shown) == approx([2, 1, np.nan], nan_ok=True)


# In Keras


def test_directions_and_names():
    found = {c: (made(c).name, made(c)._direction) for c in ORACLES}
    assert list(found.values()) == [
        ("coverage@3", "up"),
        ("gini@3", "down"),
        ("entropy@3", "up"),
        ("personalization@3", "up"),
    ]
    at = CatalogueCoverage.at(1, 5, None, num_items=9)
    assert [m.name for m in at] == ["coverage@1", "coverage@5", "coverage"]


# States


@all_counters
def test_signature(counter):
    metric = made(counter, 2, "ids", ties="stable")
    assert metric.signature.startswith(
        f"{counter.__name__}@2|num_items:6|ties:stable|empty:skip|"
        "list_weight:mean|inputs:ids|keras_rankmetrics:"
    )


def test_text():
    coverage = CatalogueCoverage(1, 4, inputs="ids")
    coverage.update_state([[0]], [[0]])
    assert str(coverage) == "coverage@1 = 0.2500"


# Errors


@pytest.mark.parametrize("number", [None, 0, -1, 2.5, "9", True])
def test_how_many_items_there_are_must_be_known(number):
    text = f"`num_items` should be an integer, at least 1. Received: {number!r}"
    with pytest.raises(ValueError, match=re.escape(text)):
        CatalogueCoverage(3, number)


@pytest.mark.each_backend
@pytest.mark.long
def test_scores_of_an_unknown_width():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("widths are known")
    import tensorflow as tf

    for width, scores in [(3, [[1, 2, 3]]), (4, [[1, 2, 3]]), (4, [[0, 0, 0]])]:
        metric = CatalogueCoverage(1, width)
        spec = tf.TensorSpec([None, None], "float32")
        update = tf.function(metric.update_state, input_signature=[spec, spec])
        scores = np.array(scores, "float32")
        update(np.ones_like(scores), scores)
        assert math.isnan(float(metric.result())) == (width != 3)


def test_no_error_is_known():
    assert not hasattr(CatalogueCoverage(1, 3), "estimate")
    with pytest.raises(TypeError, match="should be a ranking metric"):
        krm.Sliced(CatalogueCoverage(1, 3), 2)


@pytest.mark.long
@pytest.mark.parametrize("batch", [50, 5_000])
def test_many_lists_that_show_the_same_are_not_personal(batch):
    """In one batch or many: no fraction is added up 5,000 times."""
    metric = krm.Personalization(10, num_items=100, inputs="ids")
    for _ in range(5_000 // batch):
        metric.update_state(
            np.zeros((batch, 1), "int32"), np.tile(np.arange(10), (batch, 1))
        )
    assert float(metric.result()) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "weights, value",
    [
        ([1e-14, 1e-14, 0], 0.0),
        ([1e-30, 1e-30, 1e-30], math.nan),
        ([1e6, 0.1, 0.1], math.nan),
        ([1e6, 1e6, 0.1], 0.0),
        ([1e-30, 0, 0], 0.0),
    ],
)
def test_pairs_of_which_too_few_digits_are_left_are_nan(weights, value):
    metric = krm.Personalization(1, num_items=3, inputs="ids")
    found = float(metric([[0]] * 3, [[1]] * 3, np.array(weights, "float32")))
    assert found == approx(value, abs=1e-6, nan_ok=True)


def test_the_entropy_of_one_item_is_no_negative_zero():
    metric = krm.ExposureEntropy(1, num_items=3, inputs="ids")
    metric.update_state([[0]], [[1]])
    assert str(metric) == "entropy@1 = 0.0000"
