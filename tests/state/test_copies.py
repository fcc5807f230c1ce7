"""Copies and pickles of metrics: they have seen what the metric has seen."""

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


METRICS = {
    "NDCG": lambda: krm.NDCG(k=2, name="mine", list_weight="mean"),
    "shuffled": lambda: krm.MeanReciprocalRank(ties="shuffle", seed=7),
    "hits": lambda: krm.MeanAveragePrecision(k=2, denominator="hits"),
    "a function": lambda: krm.DCG(gain_fn=unregistered_gain),
    "an object": lambda: krm.DCG(gain_fn=Scale(0.5)),
    "a subclass": lambda: Shifted(shift=3, k=2),
    "a subclass with a function": lambda: Shifted(gain_fn=registered_gain),
}


def state_of(metric):
    return [array.tolist() for array in metric.get_state()]


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("make", METRICS.values(), ids=METRICS)
def test_a_copy_has_seen_the_same(way, make):
    metric = make()
    metric.update_state(*BATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # on what cannot be saved
        other = way(metric)
    assert type(other) is type(metric)
    assert other.name == metric.name
    assert other.signature == metric.signature
    assert state_of(other) == state_of(metric)
    # From here on they go separate ways, and the same way.
    other.update_state(*ANOTHER)
    assert state_of(other) != state_of(metric)
    metric.update_state(*ANOTHER)
    assert state_of(other) == state_of(metric)


def test_a_copy_of_a_subclass_has_its_own_parameters_and_variables():
    metric = Shifted(shift=3, k=2)
    metric.update_state(*BATCH)
    other = pickle.loads(pickle.dumps(metric))
    assert (other.shift, float(ops.convert_to_numpy(other.batches))) == (3, 1)


def test_what_is_sent_is_merged():
    """As by `collect` of Spark, Ray, and `all_gather_object` of torch."""
    whole, *parts = (krm.NDCG(k=2) for _ in range(3))
    for part, batch in zip(parts, (BATCH, ANOTHER), strict=True):
        part.update_state(*batch)
        whole.update_state(*batch)
    merged = krm.NDCG(k=2)
    merged.merge_state([pickle.loads(pickle.dumps(part)) for part in parts])
    assert float(merged.result()) == pytest.approx(float(whole.result()))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_collections(way):
    made = krm.MetricCollection(
        [krm.NDCG(k=2), krm.DCG(gain_fn=unregistered_gain)], "all ", "mine"
    )
    made.update_state(*BATCH)
    other = way(made)
    assert (other.name, other.signatures) == ("mine", made.signatures)
    results = {name: float(x) for name, x in made.result().items()}
    assert {name: float(x) for name, x in other.result().items()} == results
    other.update_state(*ANOTHER)
    assert {name: float(x) for name, x in made.result().items()} == results


class Tagged(krm.MetricCollection):
    """With a parameter of its own, and another order."""

    def __init__(self, tag, metrics, name="tagged", prefix=""):
        super().__init__(metrics, prefix, name)
        self.tag = tag

    def get_config(self):
        return {**super().get_config(), "tag": self.tag}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_collection_of_ones_own(way):
    made = Tagged("a", [krm.NDCG(k=2)])
    made.update_state(*BATCH)
    other = way(made)
    assert (other.tag, other.name) == ("a", "tagged")
    assert float(other.result()["ndcg@2"]) == float(made.result()["ndcg@2"]) > 0


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
