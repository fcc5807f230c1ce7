"""Many updates of one shape: nothing is compiled again, and nothing kept."""

import warnings

import kept
import keras
import numpy as np
import processes
import pytest
from kept import batch

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()
TIES = ("average", "stable", "shuffle", "pessimistic", "optimistic")
LIMIT = 6 * 2**20


def metrics(ties, inputs):
    """All measures, with cutoffs within the lists, beyond them, and none."""
    options = {"ties": ties, "inputs": inputs}
    return krm.MetricCollection(
        [
            krm.DCG(k=2, **options),
            *krm.NDCG.at(1, 3, 20, None, **options),
            krm.PrecisionAtK(k=3, denominator="k", **options),
            krm.RecallAtK(k=3, denominator="min", **options),
            krm.F1AtK(k=3, **options),
            krm.HitRateAtK(k=3, empty="skip", **options),
            krm.MeanReciprocalRank(k=3, list_weight="mean", **options),
            krm.MeanAveragePrecision(k=3, **options),
            krm.MeanAveragePrecision(
                k=2, denominator="hits", name="map_over_hits", **options
            ),
        ]
    )


@pytest.fixture
def compiled():
    """What jax has compiled, as it goes on."""
    import jax

    events = []

    def listen(event, *_, **__):
        if "compile" in event:
            events.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    jax.jit(lambda x: x + 1)(1.0)
    assert events
    yield events
    jax.monitoring.clear_event_listeners()


@pytest.mark.only_on("jax", reason="only jax compiles operations")
@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
@pytest.mark.parametrize("ties", TIES)
def test_jax_compiles_no_shape_again(ties, inputs, compiled):
    suite = metrics(ties, inputs)
    for _ in range(2):  # of which the second one is another draw
        suite.update_state(*batch(inputs))
        suite.result()
    compiled.clear()
    for _ in range(3):
        suite.update_state(*batch(inputs))
        suite.result()
    assert compiled == []


def test_sums_that_overflow_warn_of_nothing():
    """The squares of these weights do."""
    metric = krm.NDCG(k=3)
    labels = np.array([[1, 0, 2], [0, 1, 0]], "float32")
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]], "float32")
    weights = np.array([1e25, 1e25], "float32")
    expected = float(krm.NDCG(k=3)(labels, scores))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for _ in range(3):
            metric.update_state(labels, scores, weights)
    assert float(metric.result()) == pytest.approx(expected)


@pytest.mark.long
@pytest.mark.skipif(
    not kept.STATUS.exists(), reason="only Linux reports how much memory"
)
@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_updates_keep_nothing(inputs):
    [grown] = processes.run(f"kept:of_{inputs}", 1)
    assert grown["updates"] < LIMIT
    assert grown["objects"] < 500
    # It would be noticed if each update kept its batch.
    assert grown["batches"] > 1.5 * LIMIT
