"""Saving: the functions, options and metrics of users.

`test_contract_of_a_state.py` saves and loads all metrics of the package.
"""

import copy
import functools
import json
import sys
import warnings

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

from keras_rankmetrics import (
    NDCG,
    RankingMetric,
    gains,
)
from keras_rankmetrics.engine.backend import keras_internals


@keras.saving.register_keras_serializable("test_saving")
def cubic_gain(label):
    return label**3


@keras.saving.register_keras_serializable("test_saving")
def root_discount(rank):
    return ops.rsqrt(rank)


@keras.saving.register_keras_serializable("test_saving")
class RPrecision(RankingMetric):
    """A metric of the user."""

    @staticmethod
    def measure(ranking, k, scale=1.0):
        relevant = ranking.overall()
        return scale * ops.divide_no_nan(ranking.hits(relevant), relevant)


@keras.saving.register_keras_serializable("test_saving")
class WeightedHits(RankingMetric):
    """A metric of the user, with options that are tuples."""

    has_upper_bound = False

    @staticmethod
    def measure(ranking, k, weights=(1.0, 0.5), names=(("a", "b"), "c")):
        return weights[0] * ranking.hits(k)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(11)
    labels = rng.integers(-1, 5, (8, 6)).astype("float32")
    labels[3] = [0, 0, -1, 0, 0, 0]
    scores = rng.integers(-2, 2, (8, 6)).astype("float32")
    return labels, scores


# Configs


def test_a_seed_generator_is_saved_as_its_seed():
    metric = NDCG(ties="shuffle", seed=keras.random.SeedGenerator(5))
    assert metric.get_config()["seed"] == 5
    assert NDCG.from_config(metric.get_config()).signature == metric.signature


def test_the_spelling_of_keras_rs_is_saved_as_ties():
    metric = NDCG(shuffle_ties=False)
    config = metric.get_config()
    assert config["ties"] == "stable"
    assert "shuffle_ties" not in config


@pytest.mark.parametrize(
    "is_imported, known, seen",
    [(False, None, False), (False, True, True), (True, None, None)],
)
def test_a_config_does_not_import_tensorflow(
    monkeypatch, is_imported, known, seen
):
    """Keras would, to look for its types, unless it knows if it is there."""
    monkeypatch.setitem(sys.modules, "tensorflow", keras)
    if not is_imported:
        monkeypatch.delitem(sys.modules, "tensorflow")
    lazy, found = keras_internals.module_utils.tensorflow, []
    monkeypatch.setattr(lazy, "_available", known)
    monkeypatch.setattr(
        keras.saving,
        "serialize_keras_object",
        lambda x: found.append((x, lazy._available)),
    )
    keras_internals.keras_config(1)
    assert found == [(1, seen)]
    assert lazy._available is known


def test_keras_finds_gains_and_discounts_by_their_registered_names():
    for function in (
        gains.exponential_gain,
        gains.linear_gain,
        gains.log2_discount,
        gains.natural_log_discount,
        gains.original_discount,
        gains.reciprocal_discount,
    ):
        name = f"keras_rankmetrics>{function.__name__}"
        assert keras.saving.get_registered_object(name) is function


# Files


def model_with(metrics):
    inputs = keras.Input((None, 1))
    scores = keras.layers.Dense(
        1, use_bias=False, kernel_initializer="ones", trainable=False
    )(inputs)
    model = keras.Model(inputs, scores)
    model.compile(
        loss="mse",
        metrics=metrics,
        # Eagerly on tensorflow, where tracing many metrics takes long.
        run_eagerly=keras.backend.backend() == "tensorflow",
    )
    return model


def evaluated(model, labels, scores):
    return model.evaluate(
        scores[..., None], labels, batch_size=8, verbose=0, return_dict=True
    )


def reloaded(metric, path, data, **options):
    """The result of the metric, and that of the one in the loaded model."""
    model = model_with([metric])
    before = evaluated(model, *data)[metric.name]
    model.save(path / "model.keras")
    loaded = keras.models.load_model(path / "model.keras", **options)
    return before, evaluated(loaded, *data)[metric.name]


def test_what_is_registered_saves_without_a_warning(tmp_path, data):
    metric = NDCG(k=3, gain_fn=cubic_gain, rank_discount_fn=root_discount)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="keras_rankmetrics")
        warnings.filterwarnings("error", message=".*(lambda|registered).*")
        before, after = reloaded(metric, tmp_path, data)
    assert before == after
    assert before != approx(float(NDCG(k=3)(*data)), rel=1e-3)


def test_a_metric_of_the_user_in_a_file(tmp_path, data):
    metric = RPrecision(scale=0.5)
    before, after = reloaded(metric, tmp_path, data)
    assert before == after
    assert before == approx(0.5 * float(RPrecision()(*data)), rel=1e-6)


class Scaled(NDCG):
    """A metric with an option of its constructor alone."""

    def __init__(self, k=None, scale=1.0, *, ties="average", **options):
        super().__init__(k, ties=ties, **options)
        self.scale = scale


class KeepsScale(Scaled):
    """One whose config has that option."""

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}


class Child(KeepsScale):
    def __init__(self, k=None, scale=2.0, **options):
        super().__init__(k, scale, **options)


def test_an_option_that_a_config_would_lose():
    metric = Scaled(2, scale=3.0)
    made = metric.get_config, metric.remade, lambda: copy.deepcopy(metric)
    for make in made:
        with pytest.raises(TypeError, match="has the parameter `scale`, which"):
            make()
    assert float(metric([[1, 0]], [[2.0, 1.0]])) == 1.0
    kept = KeepsScale(2, scale=3.0)
    assert kept.remade(k=3).scale == copy.deepcopy(kept).scale == 3.0
    assert Child(2, scale=3.0).remade(k=3).scale == 3.0


@pytest.mark.parametrize("options", [{}, {"weights": (2.0, 3.0)}])
def test_tuples_in_a_file_stay_tuples(tmp_path, data, options):
    """JSON has lists alone."""
    metric = WeightedHits(k=3, **options)
    model = model_with([metric])
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    saved = json.loads(json.dumps(metric.get_config()))
    evaluated(loaded, *data)
    [in_file] = [x for x in loaded.metrics[1].metrics if x.name == metric.name]
    for again in (in_file, WeightedHits.from_config(saved)):
        assert again.signature == metric.signature
        assert again.options == metric.options
        assert again.get_config() == metric.get_config()


def plain_gain(label):
    return label * label


def test_what_is_not_registered_warns(tmp_path, data):
    metric = NDCG(k=3, gain_fn=plain_gain)
    text = (
        "`gain_fn=plain_gain` is not registered. The saved file loads only "
        "with `custom_objects`. Register it with "
        "`@keras.saving.register_keras_serializable()`."
    )
    with pytest.warns(UserWarning) as caught:
        before, after = reloaded(
            metric,
            tmp_path,
            data,
            custom_objects={"plain_gain": plain_gain},
        )
    assert text in [str(w.message) for w in caught]
    assert before == after
    assert before != approx(float(NDCG(k=3)(*data)), rel=1e-3)
    with pytest.raises(TypeError, match="plain_gain"):
        keras.models.load_model(tmp_path / "model.keras")


def test_a_function_of_keras_is_not_registered():
    with pytest.warns(UserWarning, match="square` is not registered"):
        NDCG(gain_fn=ops.square).get_config()


def test_a_lambda_warns(tmp_path, data):
    metric = NDCG(k=3, rank_discount_fn=lambda rank: 1 / (rank * rank))
    text = (
        "`rank_discount_fn` is a lambda. The saved file loads only with "
        "`safe_mode=False`. Write it as a `def` and register that with "
        "`@keras.saving.register_keras_serializable()`."
    )
    with pytest.warns(UserWarning) as caught:
        before, after = reloaded(metric, tmp_path, data, safe_mode=False)
    assert text in [str(w.message) for w in caught]
    assert before == approx(after, rel=1e-6)
    assert before != approx(float(NDCG(k=3)(*data)), rel=1e-3)
    with pytest.raises(ValueError, match="lambda"):
        keras.models.load_model(tmp_path / "model.keras")


def test_warnings_come_from_the_line_of_the_user():
    metric = NDCG(gain_fn=plain_gain)
    with pytest.warns(UserWarning, match="registered") as caught:
        metric.get_config()
    assert caught[0].filename == __file__


class Power:
    def __call__(self, label):
        return label**2


def scaled(factor, label):
    return factor * label


@pytest.mark.parametrize(
    "function, kind",
    [(functools.partial(scaled, 2.0), "partial"), (Power(), "Power")],
)
def test_what_keras_cannot_save(tmp_path, data, function, kind):
    metric = NDCG(k=3, gain_fn=function)
    model = model_with([metric])
    evaluated(model, *data)
    state = metric.get_state()
    match = (
        r"To save a metric, `gain_fn` should be a function\. Received: .* of "
        f"type {kind}, which Keras cannot save\\. Write it as a `def` and "
        r"register that with "
        r"`@keras\.saving\.register_keras_serializable\(\)`\."
    )
    with pytest.raises(TypeError, match=match):
        metric.get_config()
    np.testing.assert_equal(metric.get_state(), state)
    with pytest.raises(TypeError, match=match):
        model.save(tmp_path / "model.keras")


class RegisteredPower:
    def __init__(self, exponent):
        self.exponent = exponent

    def __call__(self, label):
        return label**self.exponent

    def get_config(self):
        return {"exponent": self.exponent}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def test_an_object_with_a_config_is_saved(data):
    keras.saving.register_keras_serializable("test_saving")(RegisteredPower)
    metric = NDCG(k=3, gain_fn=RegisteredPower(3))
    again = NDCG.from_config(metric.get_config())
    assert again.options["gain_fn"].exponent == 3
    expected = NDCG(k=3, gain_fn=cubic_gain)(*data)
    assert float(again(*data)) == approx(float(expected), rel=1e-6)
