"""Copies and pickles of metrics with functions and classes of users.

`test_contract_of_a_state.py` copies all metrics of the package.
"""

import copy
import os
import pickle
import subprocess
import sys
import warnings

import keras
import pytest
from keras import ops

import keras_rankmetrics as krm

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda x, protocol=protocol: pickle.loads(
            pickle.dumps(x, protocol)
        )
        for protocol in (2, pickle.HIGHEST_PROTOCOL)
    },
}
BATCH = [[2, 0, 1], [0, 0, 1]], [[3.0, 2.0, 2.0], [3.0, 1.0, 1.0]]
ANOTHER = [[0, 1, 0]], [[3.0, 2.0, 1.0]]


@keras.saving.register_keras_serializable("test_copies")
def registered_gain(label):
    return label**2.5


def unregistered_gain(label):
    return label**1.5


class Scale:
    """A callable object, which Keras cannot save."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, label):
        return self.factor * label


@keras.saving.register_keras_serializable("test_copies")
class Shifted(krm.NDCG):
    """With a parameter, a config and a variable of its own."""

    def __init__(self, shift=0, **options):
        super().__init__(**options)
        self.shift = shift
        self.batches = self.add_variable((), "zeros", name="batches")

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, y_pred, sample_weight)
        self.batches.assign(self.batches + 1)

    def get_config(self):
        return {**super().get_config(), "shift": self.shift}


class Tagged(krm.MetricCollection):
    """With a parameter of its own, and another order."""

    def __init__(self, tag, metrics, name="tagged", prefix=""):
        super().__init__(metrics, prefix, name)
        self.tag = tag

    def get_config(self):
        return {**super().get_config(), "tag": self.tag}


METRICS = {
    "a function": lambda: krm.DCG(gain_fn=unregistered_gain),
    "an object": lambda: krm.DCG(gain_fn=Scale(0.5)),
    "a subclass": lambda: Shifted(shift=3, k=2, ties="shuffle"),
    "a subclass with a function": lambda: Shifted(gain_fn=registered_gain),
    "a collection": lambda: krm.MetricCollection(
        [krm.NDCG(k=2), krm.DCG(gain_fn=unregistered_gain)], "all ", "mine"
    ),
    "a collection of a user": lambda: Tagged("a", [krm.NDCG(k=2)]),
}


def numbers_of(metric):
    return [ops.convert_to_numpy(v).tolist() for v in metric.variables]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            make, id=name, marks=() if "coll" in name else pytest.mark.long
        )
        for name, make in METRICS.items()
    ],
)
def test_a_copy_has_seen_the_same(way, make):
    metric = make()
    metric.update_state(*BATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # on what cannot be saved
        other = way(metric)
    assert type(other) is type(metric)
    for name in ("name", "signature", "signatures", "shift", "tag"):
        assert getattr(other, name, None) == getattr(metric, name, None)
    assert numbers_of(other) == numbers_of(metric)
    # From here on they go separate ways, and the same way.
    other.update_state(*ANOTHER)
    assert numbers_of(other) != numbers_of(metric)
    metric.update_state(*ANOTHER)
    assert numbers_of(other) == numbers_of(metric)


def test_what_belongs_together_stays_together():
    metric = krm.NDCG(k=2)
    both = (metric, krm.MetricCollection([metric]))
    for one, collection in (
        copy.deepcopy(both),
        pickle.loads(pickle.dumps(both)),
    ):
        assert collection.metrics[0] is one is not metric


def test_a_lambda_goes_where_cloudpickle_takes_it():
    cloudpickle = pytest.importorskip(
        "cloudpickle", reason="cloudpickle is not installed"
    )
    metric = krm.DCG(gain_fn=lambda label: 2.0 * label)
    metric.update_state(*BATCH)
    other = pickle.loads(cloudpickle.dumps(metric))
    assert float(other.result()) == float(metric.result()) > 0


@pytest.mark.long
def test_another_process_with_another_backend(tmp_path):
    """What one sends, another one reads, whatever computes there."""
    others = {"tensorflow", "jax", "torch"} - {keras.backend.backend()}
    metric = krm.NDCG(k=2)
    metric.update_state(*BATCH)
    (tmp_path / "metric").write_bytes(pickle.dumps(metric))
    code = (
        "import pickle, sys\n"
        "metric = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print('result', float(metric.result()))"
    )
    for backend in sorted(others):
        pytest.importorskip(backend, reason=f"{backend} is not installed")
        ended = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "metric")],
            env={**os.environ, "KERAS_BACKEND": backend},
            capture_output=True,
            text=True,
            check=True,
        )
        value = float(ended.stdout.split("result ")[1])
        assert value == pytest.approx(float(metric.result()), rel=1e-6)


def test_several_cutoffs_of_a_metric_with_a_constructor_of_its_own():
    class Powered(krm.NDCG):
        def __init__(self, power=1, **options):
            super().__init__(**options)
            self.power = power

    assert [metric.k for metric in Powered.at(1, 3)] == [1, 3]
