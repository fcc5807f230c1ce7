"""`StopWhenDecided` in `evaluate` and in `fit`."""

import math

import keras
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.callbacks import StopWhenDecided

LISTS = 1000
once_trained = pytest.mark.only_on(
    "torch", reason="when it stops is the same on all, and trained fastest here"
)


def data():
    rng = np.random.default_rng(0)
    labels = (rng.random((LISTS, 4)) < 0.5).astype("float32")
    labels[:, 0] = 1
    return labels + rng.normal(0, 0.7, labels.shape).astype("float32"), labels


def compiled(*metrics, **options):
    """A model whose scores are its inputs."""
    dense = keras.layers.Dense(4, kernel_initializer="identity")
    model = keras.Sequential([keras.Input((4,)), dense])
    model.compile("sgd", loss="mse", metrics=list(metrics), **options)
    return model


def value_of(lists):
    x, labels = data()
    return float(krm.MeanReciprocalRank()(labels[:lists], x[:lists]))


def evaluated(model, stop, batch_size=32):
    x, labels = data()
    return model.evaluate(
        x,
        labels,
        batch_size=batch_size,
        verbose=0,
        callbacks=[stop],
        return_dict=True,
    )


@once_trained
@pytest.mark.parametrize("collection", [False, True])
@pytest.mark.parametrize(
    ("threshold", "decided"), [(0.8, "above"), (0.995, "below")]
)
def test_it_stops_once_the_threshold_is_excluded(
    collection, threshold, decided
):
    metric = krm.MeanReciprocalRank()
    metrics = [krm.NDCG(k=3), metric]
    shown = [krm.MetricCollection(metrics)] if collection else metrics
    stop = StopWhenDecided(metric, threshold)
    logs = evaluated(compiled(*shown), stop)
    assert stop.decided == decided
    assert 30 <= stop.lists < LISTS and stop.lists % 32 == 0
    assert logs["mrr"] == approx(value_of(stop.lists), abs=1e-6)
    assert float(metric.result()) == approx(logs["mrr"], abs=1e-6)
    low, high = stop.interval
    assert (low, high) == metric.anytime_interval()
    assert low > threshold if decided == "above" else high < threshold
    # One batch earlier, it was not decided, or there were too few lists.
    x, labels = data()
    before = krm.MeanReciprocalRank()
    before.update_state(labels[: stop.lists - 32], x[: stop.lists - 32])
    low, high = before.anytime_interval()
    assert stop.lists == 32 or low <= threshold <= high


def test_it_looks_at_the_last_short_batch_too():
    metric = krm.MeanReciprocalRank()
    stop = StopWhenDecided(metric, precision=0.001)
    logs = evaluated(compiled(metric), stop, batch_size=300)
    assert stop.decided is None
    assert (stop.lists, stop.interval) == (LISTS, metric.anytime_interval())
    assert logs["mrr"] == approx(value_of(LISTS), abs=1e-6)


@once_trained
def test_precision_and_level():
    lists = {}
    for level in (0.8, 0.99):
        metric = krm.MeanReciprocalRank()
        stop = StopWhenDecided(metric, precision=0.05, level=level)
        evaluated(compiled(metric), stop, batch_size=10)
        assert stop.decided == "precise"
        low, high = stop.interval
        assert high - low <= 0.1
        lists[level] = stop.lists
    assert 30 <= lists[0.8] < lists[0.99]


@once_trained
def test_with_both_the_first_one_stops():
    metric = krm.MeanReciprocalRank()
    model = compiled(metric)
    stop = StopWhenDecided(metric, threshold=0.95, precision=0.08)
    evaluated(model, stop)
    assert stop.decided == "precise"
    stop = StopWhenDecided(metric, threshold=0.5, precision=0.001)
    evaluated(model, stop)
    assert stop.decided == "above"


@once_trained
def test_it_does_not_stop_before_at_least():
    metric = krm.MeanReciprocalRank()
    stop = StopWhenDecided(metric, threshold=0.1, at_least=200)
    evaluated(compiled(metric), stop, batch_size=10)
    assert (stop.decided, stop.lists) == ("above", 200)


@pytest.mark.long
def test_fit_stops_each_validation_pass_and_goes_on():
    x, labels = data()
    metric = krm.MeanReciprocalRank()
    stop = StopWhenDecided(metric, threshold=0.8)
    model = compiled(metric)
    history = model.fit(
        x,
        labels,
        batch_size=300,
        epochs=2,
        validation_data=(x, labels),
        validation_batch_size=32,
        verbose=0,
        callbacks=[stop],
    ).history
    assert stop.decided == "above" and stop.lists < LISTS
    assert len(history["val_mrr"]) == 2
    # The training metrics are those of all lists.
    assert history["mrr"][0] == approx(value_of(LISTS), abs=0.01)
    assert history["val_mrr"][1] == approx(float(metric.result()), abs=1e-6)


@pytest.mark.long
@pytest.mark.not_on("torch", reason="Keras has no steps_per_execution on torch")
def test_with_several_steps_in_one_execution_it_looks_once_for_each():
    metric = krm.MeanReciprocalRank()
    model = compiled(metric, steps_per_execution=3)
    stop = StopWhenDecided(metric, threshold=0.5)
    logs = evaluated(model, stop)
    assert (stop.decided, stop.lists) == ("above", 96)
    assert logs["mrr"] == approx(value_of(96), abs=1e-6)


@pytest.mark.long
def test_lists_of_an_earlier_use_do_not_decide():
    metric = krm.MeanReciprocalRank()
    x, labels = data()
    for _ in range(2):
        metric.update_state(labels, x)
    stop = StopWhenDecided(metric, threshold=0.5)
    logs = evaluated(compiled(metric), stop)
    assert stop.lists == 32
    assert logs["mrr"] == approx(value_of(32), abs=1e-6)


def test_a_metric_that_is_not_compiled_is_an_error():
    metric = krm.MeanReciprocalRank()
    x, labels = data()
    metric.update_state(labels, x)
    stop = StopWhenDecided(metric, threshold=0.5)
    with pytest.raises(ValueError, match="compiled into the model") as caught:
        evaluated(compiled(krm.MeanReciprocalRank()), stop)
    assert "mrr, which no batch has updated" in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": math.nan},
        {"threshold": math.inf},
        {"precision": 0},
        {"precision": -0.1},
        {"precision": math.nan},
        {"precision": 1.0},
        {"precision": np.array([0.1, 0.2])},
        {"threshold": 2.0},
        {"threshold": -0.5},
        {"threshold": "0.5"},
        {"threshold": True},
    ],
)
def test_invalid_thresholds(options):
    with pytest.raises(ValueError, match="Pass `threshold`, a number from 0"):
        StopWhenDecided(krm.NDCG(), **options)


def test_values_without_limits_decide_nothing():
    for metric in (krm.DCG(), krm.MeanRank(), krm.NDCG(adjusted="chance")):
        with pytest.raises(ValueError, match=r"values in \[0, 1\], as NDCG"):
            StopWhenDecided(metric, threshold=0.5)


def test_invalid_options():
    with pytest.raises(ValueError, match="`level` should be"):
        StopWhenDecided(krm.NDCG(), 0.5, level=95)
    with pytest.raises(ValueError, match="`planned` should be"):
        StopWhenDecided(krm.NDCG(), 0.5, planned=0)
    with pytest.raises(TypeError, match="ranking metric"):
        StopWhenDecided(keras.metrics.MeanSquaredError(), 0.5)
    with pytest.raises(TypeError, match="metric"):
        StopWhenDecided(krm.CatalogueCoverage(num_items=9), 0.5)
