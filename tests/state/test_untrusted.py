"""Files from strangers: loading them runs no code that they hold."""

import json
import zipfile

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm

RAN = []


def spy(label):
    """What the lambdas of this file call."""
    RAN.append(label)
    return label


@pytest.fixture(autouse=True)
def nothing_has_run():
    RAN.clear()


def as_lambda(function):
    """A function as Keras writes a lambda down."""
    saved = keras.saving.serialize_keras_object(function)
    assert saved["class_name"] == "__lambda__"
    return saved


def model_with(*metrics):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4)])
    model.compile(loss="mse", metrics=list(metrics))
    return model


def with_function(function, discount=krm.gains.reciprocal_discount):
    """Metrics of each kind that keep a function."""
    gain = krm.NDCG(k=3, gain_fn=function, inputs="ids", name="plain")
    return {
        "a metric": gain,
        "a discount": krm.NDCG(k=3, rank_discount_fn=discount),
        "a collection": krm.MetricCollection([gain]),
        "slices": krm.Sliced(krm.NDCG(k=3), groups=2, by=function),
        "slices of a metric": krm.Sliced(
            krm.NDCG(k=3, gain_fn=function), groups=2
        ),
    }


KINDS = tuple(with_function(krm.linear_gain))


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore:.*lambda")
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_a_lambda_is_refused(tmp_path, kind):
    metric = with_function(
        lambda label: spy(label) * 1.0, lambda rank: 1.0 / spy(rank)
    )[kind]
    path = tmp_path / "model.keras"
    model_with(metric).save(path)
    RAN.clear()
    with pytest.raises((TypeError, ValueError), match="lambda"):
        keras.models.load_model(path)
    assert RAN == []


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*lambda")
def test_it_is_loaded_only_by_those_who_say_so(tmp_path):
    path = tmp_path / "model.keras"
    model_with(krm.NDCG(k=3, gain_fn=lambda label: label * 1.0)).save(path)
    loaded = keras.models.load_model(path, safe_mode=False)
    x = np.arange(8.0).reshape(2, 4)
    assert np.isfinite(loaded.evaluate(x, np.eye(4)[:2], verbose=0)[1])


@pytest.mark.filterwarnings("ignore:.*lambda")
@pytest.mark.parametrize("kind", KINDS)
def test_a_config_with_a_lambda_is_refused(kind):
    metric = with_function(
        lambda label: spy(label) * 1.0, lambda rank: 1.0 / spy(rank)
    )[kind]
    config = metric.get_config()
    RAN.clear()
    with pytest.raises((TypeError, ValueError), match="lambda"):
        type(metric).from_config(config)
    saved = keras.saving.serialize_keras_object(metric)
    RAN.clear()
    with pytest.raises((TypeError, ValueError), match="lambda"):
        keras.saving.deserialize_keras_object(saved)
    assert RAN == []


# A file that somebody has written, rather than Keras.


def crafted(path, gain_fn):
    """A file of a model whose metric has that in place of its gain."""
    metric = krm.NDCG(
        k=3, gain_fn=krm.linear_gain, inputs="ids", name="crafted"
    )
    model_with(metric).save(path)
    with zipfile.ZipFile(path) as file:
        held = {name: file.read(name) for name in file.namelist()}
    config = json.loads(held["config.json"])
    found = [
        saved["config"]
        for saved in config["compile_config"]["metrics"]
        if saved["config"]["name"] == "crafted"
    ]
    found[0]["gain_fn"] = gain_fn
    held["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in held.items():
            file.writestr(name, data)


def function_of(module, name):
    return {
        "module": module,
        "class_name": "function",
        "config": name,
        "registered_name": name,
    }


def an_object_of(module, name, **config):
    return {
        "module": module,
        "class_name": name,
        "config": config,
        "registered_name": None,
    }


CRAFTED = {
    "a lambda": lambda: as_lambda(lambda label: spy(label) * 1.0),
    "a function of the system": lambda: function_of("os", "system"),
    "a function of Python": lambda: function_of("builtins", "print"),
    "a function of the file": lambda: function_of(__name__, "spy"),
    "a class of the system": lambda: an_object_of(
        "subprocess", "Popen", args=["true"]
    ),
    "a lambda layer": lambda: an_object_of(
        "keras.layers",
        "Lambda",
        function=as_lambda(lambda label: spy(label) * 1.0),
    ),
    "a lambda within": lambda: {
        "module": "keras_rankmetrics",
        "class_name": "NDCG",
        "config": {"gain_fn": as_lambda(lambda label: spy(label) * 1.0)},
        "registered_name": "keras_rankmetrics>NDCG",
    },
    "text": lambda: "__import__('os').system('true')",
    "a number": lambda: 3,
}


@pytest.mark.each_backend
@pytest.mark.parametrize("what", CRAFTED)
@pytest.mark.filterwarnings("ignore:The object being serialized")
def test_a_crafted_file_runs_nothing(tmp_path, what):
    path = tmp_path / "model.keras"
    crafted(path, CRAFTED[what]())
    RAN.clear()
    with pytest.raises((TypeError, ValueError)):
        keras.models.load_model(path)
    assert RAN == []


@pytest.mark.each_backend
def test_a_crafted_file_of_nothing_bad_is_loaded(tmp_path):
    """So the others are refused for what they hold."""
    path = tmp_path / "model.keras"
    crafted(path, keras.saving.serialize_keras_object(krm.exponential_gain))
    loaded = keras.models.load_model(path)
    assert "crafted" in str(loaded.get_compile_config())
