"""`Quantiles` and `LowerMean`: the worst users."""

import copy
import math
import pickle

import keras
import numpy as np
import pytest
from given import Value, lists_of
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import LowerMean, Quantiles
from keras_rankmetrics.metrics import tails

BACKEND = keras.backend.backend()
VALUES = np.array([0, 0, 0.2, 0.35, 0.5, 0.5, 0.63, 0.8, 1, 1])
LEVELS = [0.1, 0.25, 0.5, 0.999]


def seen(made, values):
    made.update_state(*lists_of(values))
    return made


def numbers(made):
    return {name: float(x) for name, x in made.result().items()}


def test_the_reference_numbers():
    weights = np.ones(10)
    assert tails.quantile(VALUES, weights, 0.25) == 0.2
    assert tails.quantile(VALUES, weights, 0.5) == 0.5
    for share, expected in ((0.3, 0.0666667), (0.5, 0.21)):
        made = tails.lower_mean(VALUES, weights, share)
        assert made == approx(expected, abs=1e-6)
        terms = tails.linearised(VALUES, weights, share)
        assert terms.mean() == approx(expected, abs=1e-6)
        metric = seen(LowerMean(Value(), share), VALUES)
        assert float(metric.result()) == approx(expected, abs=1e-6)
        assert metric.estimate().value == approx(expected, abs=1e-6)
    metric = seen(Quantiles(Value(), [0.25, 0.5, 0.999]), VALUES)
    assert numbers(metric) == approx(
        {"value/p25": 0.2, "value/p50": 0.5, "value/p99.9": 1.0}, abs=1e-6
    )


def test_quantiles_are_those_of_numpy_within_a_bin():
    for seed in range(5):
        values = np.sort(np.random.default_rng(seed).beta(2, 1, 500))
        made = numbers(seen(Quantiles(Value(), LEVELS), values))
        expected = np.quantile(values, LEVELS, method="inverted_cdf")
        assert list(made.values()) == approx(list(expected), abs=1 / 4093)


def test_weights_are_repeats():
    weights = np.arange(1, 11)
    repeated = np.repeat(VALUES, weights)
    for level in np.linspace(0.05, 0.95, 19):
        ones = np.ones(len(repeated))
        made = tails.quantile(VALUES, weights, level)
        assert made == tails.quantile(repeated, ones, level)
        made = tails.lower_mean(VALUES, weights, level)
        assert made == approx(tails.lower_mean(repeated, ones, level))


@pytest.mark.parametrize(
    "made", [Quantiles(Value(), LEVELS), LowerMean(Value())]
)
def test_states_copies_and_configs(made):
    made = copy.deepcopy(made)
    halves = [seen(copy.deepcopy(made), x) for x in (VALUES[:3], VALUES[3:])]
    seen(made, VALUES)
    halves[0].merge_state(halves[1:])
    for one, other in zip(made.get_state(), halves[0].get_state(), strict=True):
        np.testing.assert_allclose(one.sum(-1), other.sum(-1), rtol=1e-6)
    assert sum(x.nbytes for x in made.get_state()) <= 65_536
    again = pickle.loads(pickle.dumps(made))
    assert str(again) == str(made)
    loaded = made.from_config(made.get_config())
    assert loaded.signature == made.signature
    assert loaded.name == made.name


def test_none_and_nan():
    for made in (Quantiles(Value(), [0.1]), LowerMean(Value(), name="x")):
        collection = krm.MetricCollection([made])
        assert [float(x) for x in collection.result().values()] == [0.0]
    made = seen(LowerMean(Value()), [0.5, math.nan])
    assert math.isnan(float(made.result()))
    made = seen(Quantiles(Value(), [0.5]), [0.5, math.nan])
    assert math.isnan(numbers(made)["value/p50"])


def test_in_a_collection_with_errors():
    members = [LowerMean(Value()), LowerMean(Value(name="b")), Value(name="c")]
    collection = krm.MetricCollection(members, errors=True)
    collection.update_state(*lists_of(VALUES))
    alone = seen(LowerMean(Value()), VALUES)
    found = collection.result()["value/lowest10_se"]
    assert float(found) == approx(alone.standard_error(), abs=1e-6)


@pytest.mark.long
def test_fit_with_a_last_short_batch():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (101, 5)).astype("float32")
    scores = rng.normal(size=(101, 5)).astype("float32")
    made = [Quantiles(krm.NDCG(3), [0.1, 0.5]), LowerMean(krm.NDCG(3))]
    inputs = keras.Input((5,))
    model = keras.Model(inputs, keras.layers.Identity()(inputs))
    model.compile(
        loss="mse",
        metrics=made,
        jit_compile=BACKEND != "torch",
        optimizer="sgd",
    )
    found = model.evaluate(
        scores, labels, batch_size=16, verbose=0, return_dict=True
    )
    whole = LowerMean(krm.NDCG(3))
    whole.update_state(labels, scores)
    assert found["ndcg@3/lowest10"] == approx(float(whole.result()), abs=1e-5)
    assert "ndcg@3/p10" in found


@pytest.mark.parametrize("levels", [0.1, [], [0.1, 0.1], [1.5], ["a"]])
def test_wrong_levels(levels):
    with pytest.raises(ValueError, match="a list of different numbers"):
        Quantiles(krm.NDCG(), levels)


def test_metrics_without_bounds():
    for made in (krm.DCG(3), krm.NDCG(3, adjusted="chance")):
        with pytest.raises(ValueError, match=r"values in \[0, 1\]"):
            LowerMean(made)
    with pytest.raises(ValueError, match="share"):
        LowerMean(krm.NDCG(), 1.0)


def test_intervals_hold():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(400):
        values = np.sort(rng.random(50))
        low, high = tails.quantile_interval(values, np.ones(50), 0.1, 50, 0.95)
        hits += low <= 0.1 <= high
    assert hits >= 372
