"""Samples of lists, and how far the values of two lists can be apart."""

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.explaining import means
from keras_rankmetrics.explaining.means import range_of
from keras_rankmetrics.explaining.settings import named_metrics, own_metrics
from keras_rankmetrics.metrics import bases


def tried():
    """Return a metric for each class and options that `explain` tries."""
    made = [*own_metrics(), *(x.metric for x in named_metrics())]
    found = {(type(x), str(x.definition.options)): x for x in made}
    return [*found.values()]


@pytest.mark.parametrize("highest", [1, 4])
@pytest.mark.parametrize("k", [None, 3])
def test_no_two_values_are_farther_apart(k, highest):
    draws, items = np.random.default_rng(0), 9
    labels = draws.integers(0, highest + 1, (300, items))
    labels[:100] = np.sort(labels[:100])[:, ::-1]
    labels[100:200] = np.sort(labels[100:200])
    labels[::3] = np.minimum(labels[::3], 1)
    labels[50:150] *= labels[50:150] == labels[50:150].max(1, keepdims=True)
    labels[1] = 0
    scores = np.tile(np.arange(items, 0.0, -1), (300, 1))
    scores[::7] = 0.0
    for metric in tried():
        of_probabilities = isinstance(metric, krm.PFound)
        if (k and not takes(type(metric), "k")) or (
            highest > 1 and of_probabilities
        ):
            continue
        metric = metric.remade(k=k) if k else metric
        values = keras.ops.convert_to_numpy(metric.per_list(labels, scores))
        values = values[np.isfinite(values)]
        most = range_of(metric.definition, items, highest)
        assert np.ptp(values) <= most + 1e-5, metric
        assert most < np.inf, metric


def test_the_range_of_other_metrics_is_unknown():
    class Mine(bases.Unbounded, krm.NDCG):
        """A metric whose values may be above 1."""

    assert range_of(Mine().definition, 9, 1) == np.inf
    assert range_of(krm.NDCG().definition, 9, 1) == 1


def test_a_sample_leaves_out_what_cannot_match(monkeypatch):
    draws = np.random.default_rng(0).integers(0, 2, (60, 6)).tolist()
    truth = {q: dict(enumerate(row)) for q, row in enumerate(draws)}
    run = {q: [*range(6)] for q in truth}
    add, numbers = means.Means.add, []

    def added(self, places, values, *others):
        numbers.append(len(places))
        add(self, places, values, *others)

    monkeypatch.setattr(means.Means, "add", added)
    monkeypatch.setattr(means, "SAMPLE", 30)
    assert not krm.explain("0.01", truth, run, "NDCG").answers
    of_sample, of_rest = np.split(np.array(numbers), 2)
    assert of_rest.sum() < of_sample.sum()
