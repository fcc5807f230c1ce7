"""Sums that neither the number of lists nor their batches change."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.backend.processes import add_terms


def lists():
    """Lists with item weights of which a third have no relevant item."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, (128, 12)).astype("float32")
    labels[rng.random(128) < 1 / 3] = 0
    scores = rng.integers(0, 6, (128, 12)).astype("float32")
    weights = rng.integers(0, 5, (128, 12)).astype("float32")
    return labels, scores, weights


def test_merged_and_set_states_equal_one_pass():
    """Check one metric on each backend; the contract of a state has all."""
    whole, one, other = (krm.NDCG(5, ties="shuffle") for _ in range(3))
    batches = [
        [x[part] for x in lists()] for part in (slice(50), slice(50, 128))
    ]
    for batch in batches:
        whole.update_state(*batch)
    one.update_state(*batches[0])
    other.set_state(one.get_state())
    other.update_state(*batches[1])
    assert float(other.result()) == float(whole.result())
    one.merge_state([other.get_state(), whole])
    assert one.count() == 50 + 2 * 128


def test_more_lists_than_float32_counts():
    """keras.metrics.Mean stops counting at 2 ** 24 lists."""
    metric = krm.PrecisionAtK(1)
    metric.update_state([[0.0, 1.0]], [[2.0, 1.0]])
    for _ in range(24):
        metric.state = metric.state + metric.state
    for _ in range(7):
        metric.update_state([[0.0, 1.0]], [[2.0, 1.0]])
    assert metric.count() == 2**24 + 7


@pytest.mark.long
def test_two_float_sums_lose_nothing():
    terms = np.float32([0.1, 1e-5, 3.0, 1e6, -7.3] * 400)
    sums = ops.zeros((1, 2))
    for term in terms:
        sums = add_terms(sums, ops.convert_to_tensor([term]))
    exact = terms.astype("float64").sum()
    kept = ops.convert_to_numpy(sums).astype("float64").sum()
    assert abs(kept - exact) < 1e-12 * abs(exact)
    naive = np.float32(0)
    for term in terms:
        naive += term
    assert abs(float(naive) - exact) > 1e-8 * abs(exact)
