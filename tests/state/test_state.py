"""Sums that neither the number of lists nor their batches change."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.backend.processes import add_terms


def number(x):
    return float(ops.convert_to_numpy(x))


@pytest.fixture
def lists():
    """Lists with item weights of which a third have no relevant item."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, (128, 12)).astype("float32")
    labels[rng.random(128) < 1 / 3] = 0
    scores = rng.integers(0, 6, (128, 12)).astype("float32")
    weights = rng.integers(0, 5, (128, 12)).astype("float32")
    return labels, scores, weights


@pytest.mark.long
@pytest.mark.parametrize("list_weight", ["relevance", "mean"])
def test_batches_do_not_matter(lists, list_weight):
    results = []
    for size in (1, 7, 64, 128):
        metric = krm.NDCG(5, list_weight=list_weight)
        for i in range(0, 128, size):
            metric.update_state(*(x[i : i + size] for x in lists))
        results.append(number(metric.result()))
    assert results == pytest.approx([results[-1]] * 4, rel=1e-6)


def test_merged_shards_equal_one_pass(lists):
    whole, *shards = (krm.MeanAveragePrecision(5) for _ in range(4))
    whole.update_state(*lists)
    for shard, part in zip(
        shards, (slice(50), slice(50, 51), slice(51, None)), strict=True
    ):
        shard.update_state(*(x[part] for x in lists))
    first, second, third = shards
    first.merge_state([second, third.get_state()])
    assert number(first.result()) == pytest.approx(
        number(whole.result()), rel=1e-6
    )


def test_state_goes_out_and_in(lists):
    one, other = krm.NDCG(5, ties="shuffle"), krm.NDCG(5, ties="shuffle")
    one.update_state(*lists)
    state = one.get_state()
    assert all(isinstance(array, np.ndarray) for array in state)
    other.set_state(state)
    assert number(one.result()) == number(other.result())
    one.update_state(*lists)
    other.update_state(*lists)
    assert number(one.result()) == number(other.result())


def test_merge_refuses_another_metric_and_keeps_the_state(lists):
    metric = krm.NDCG(5)
    metric.update_state(*lists)
    before = number(metric.result())
    with pytest.raises(ValueError, match=r"same metric.*NDCG@10.*NDCG@5"):
        metric.merge_state([krm.NDCG(5), krm.NDCG(10)])
    with pytest.raises(ValueError, match=r"list of arrays of the shapes"):
        metric.merge_state([[np.zeros(3)]])
    assert number(metric.result()) == before


def test_reset_forgets(lists):
    metric = krm.NDCG(5)
    metric.update_state(*lists)
    metric.reset_state()
    assert number(metric.result()) == 0.0
    metric.update_state([[1.0, 0.0]], [[2.0, 1.0]])
    assert number(metric.result()) == 1.0


def test_per_list_touches_no_state(lists):
    metric = krm.NDCG(5, ties="shuffle")
    metric.update_state(*lists)
    before = metric.get_state()
    metric.per_list(*lists)
    for old, new in zip(before, metric.get_state(), strict=True):
        np.testing.assert_array_equal(old, new)


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
