"""Many updates of one shape: nothing is compiled again, and nothing kept."""

import gc
import pathlib
import warnings

import keras
import numpy as np
import pytest

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


def batch(inputs):
    """Lists with ties, masks, exclusions, weights and several targets."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (4, 13)).astype("float32")
    labels = rng.integers(-1, 4, (4, 13)).astype("float32")
    targets = np.array([[1, 4, 12], [0, 7, -1], [3, -1, -1], [-1, -1, -1]])
    exclude = np.array([[5, -1], [2, 9], [0, 1], [2, -1]])
    ids = np.stack([rng.permutation(13)[:6] for _ in range(4)])
    ids[:, 5] = ids[:, 0]  # comes again
    weights = np.array([1.0, 2.0, 0.5, 0.0], "float32")
    y_true = {
        "scores": {"labels": labels, "num_relevant": np.full(4, 9.0)},
        "sparse": {"target": targets, "exclude": exclude},
        "ids": {"target": targets, "exclude": exclude},
    }[inputs]
    return y_true, ids if inputs == "ids" else scores, weights


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


@pytest.mark.skipif(BACKEND != "jax", reason="only jax compiles operations")
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
@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_updates_keep_nothing(inputs):
    metric = krm.NDCG(k=3, inputs=inputs)
    given = large_batch(inputs)
    for _ in range(20):
        metric.update_state(*given)
    objects = len(gc.get_objects())
    assert least_growth(lambda: metric.update_state(*given)) < LIMIT
    assert len(gc.get_objects()) < objects + 500


@pytest.mark.long
@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_a_batch_that_each_update_keeps_is_noticed(inputs):
    given, kept = large_batch(inputs), []
    grown = least_growth(
        lambda: kept.append(keras.tree.map_structure(np.copy, given))
    )
    assert grown > 1.5 * LIMIT


def large_batch(inputs):
    """A batch of which 50 take much more memory than `LIMIT`."""
    return keras.tree.map_structure(
        lambda x: np.repeat(x, 1024, axis=0), batch(inputs)
    )


def least_growth(update):
    """The least that memory grows in one of three rounds of 50 updates.

    What a metric keeps makes it grow in each round. The process may take memory
    for something else in one of them.
    """
    growths = []
    for _ in range(3):
        before = resident()
        for _ in range(50):
            update()
        growths.append(resident() - before)
    return min(growths)


def resident():
    """The memory of this process, in bytes."""
    status = pathlib.Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("Only Linux tells how much memory a process has.")
    gc.collect()
    return int(status.read_text().split()[1]) * 4096
