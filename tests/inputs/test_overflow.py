"""Gains and weights that are infinite, or add up to more than a float holds."""

import re

import keras
import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm

INF = float("inf")
OF_GAINS = (krm.DCG, krm.NDCG)
TOO_MUCH = "The gains of a list, times the weights of its items, should add up"


def cubic_gain(label):
    return label**3


# Labels, scores, and weights of items or None; the one that is too much ranks
# low, where it is beyond k.
CASES = {
    "a label of inf": ([[INF, 1.0]], [[1.0, 2.0]], None),
    "an exponential gain": ([[128.0, 1.0]], [[1.0, 2.0]], None),
    "the sum of gains": ([[127.0, 127.0, 1.0]], [[1.0, 1.0, 2.0]], None),
    "weights times gains": ([[8.0, 1.0]], [[1.0, 2.0]], [[3e38, 1.0]]),
}


@pytest.mark.parametrize(
    "metric, k, list_weight",  # each pair of them
    [
        (krm.DCG, 1, "relevance"),
        (krm.DCG, None, "mean"),
        (krm.NDCG, 1, "mean"),
        (krm.NDCG, None, "relevance"),
    ],
)
@pytest.mark.parametrize("case", CASES)
def test_what_overflows_is_an_error(metric, k, list_weight, case):
    mine = metric(k=k, list_weight=list_weight)
    mine.update_state([[1.0, 0.0]], [[1.0, 2.0]])
    before = mine.get_state()
    together = krm.MetricCollection([krm.RecallAtK(k=1), mine])
    for call in (mine.update_state, mine.per_list, together.update_state):
        with pytest.raises(ValueError, match=f"^{TOO_MUCH}"):
            call(*CASES[case])
    np.testing.assert_equal(mine.get_state(), before)


def test_the_error_names_metric_label_and_gain():
    text = (
        f"{TOO_MUCH} to a finite number. Received: for the metric ndcg@1, a "
        "list whose highest label is 128.0, with the gain inf. Use smaller "
        "labels or weights, or a gain that grows more slowly, "
        "such as `linear_gain`."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        krm.NDCG(k=1).update_state(*CASES["an exponential gain"])


def evaluated(metrics, labels, scores, weights):
    """Return the results of a model that returns its inputs."""
    items = np.shape(labels)[1]
    model = keras.Sequential(
        [keras.Input((items,)), keras.layers.Reshape((items, 1))]
    )
    model.compile(loss="mse", weighted_metrics=metrics)
    return model.evaluate(
        np.float32(scores),
        np.float32(labels)[..., None],
        sample_weight=weights,
        verbose=0,
        return_dict=True,
    )


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("k", [1, None])
def test_what_overflows_in_a_program_is_nan(case, k):
    labels, scores, weights = CASES[case]
    others = [[1.0] * len(labels[0])]
    labels, scores = np.float32(labels + others), np.float32(scores + others)
    weights = None if weights is None else np.float32(weights + others)
    metrics = [metric(k=k) for metric in OF_GAINS]
    metrics.append(krm.MetricCollection([krm.NDCG(k=k, name="member")]))
    if keras.backend.backend() == "torch":  # which compiles nothing
        with pytest.raises(ValueError, match=TOO_MUCH):
            evaluated(metrics, labels, scores, weights)
        return
    logs = evaluated(metrics, labels, scores, weights)
    del logs["loss"]
    assert len(logs) == 3
    assert all(np.isnan(value) for value in logs.values())


@pytest.mark.parametrize("k", [1, None])
def test_the_largest_labels_that_do_not_overflow(k):
    """The list holds 2 ** 127 - 1, and 1 at the first rank."""
    value = krm.NDCG(k=k).per_list([[127.0, 1.0]], [[1.0, 2.0]])
    expected = 0.0 if k == 1 else 1 / np.log2(3)
    assert float(value[0]) == pytest.approx(expected)


def test_a_gain_of_ones_own():
    metric = krm.DCG(gain_fn=cubic_gain)
    assert float(metric([[1e12]], [[1.0]])) == pytest.approx(1e36)
    with pytest.raises(ValueError, match=r"label is .*, with the gain inf"):
        metric.update_state([[1e13]], [[1.0]])


def test_discounts_that_overflow():
    """The ideal is inf, and what is found is not: a quotient of 0."""

    def metric(most):
        return krm.NDCG(k=10, rank_discount_fn=lambda rank: most / rank)

    labels, scores = [[100.0] + [0.0] * 9], [list(range(10))]
    assert float(metric(1.0)(labels, scores)) == pytest.approx(0.1)
    assert np.isnan(float(metric(1e9)(labels, scores)))


def test_infinitely_many_relevant_items():
    y_true = {"labels": [[1.0, 0.0]], "num_relevant": [INF]}
    assert np.isnan(float(krm.RecallAtK(k=1)(y_true, [[2.0, 1.0]])))


def test_to_binary_metrics_an_infinite_label_is_relevant():
    with pytest.warns(UserWarning, match="Labels should be finite"):
        value = krm.MeanReciprocalRank()([[INF, 1.0, 0.0]], [[1.0, 0.0, 2.0]])
    assert float(value) == 1 / 2


def test_masked_labels_may_be_anything():
    y_true = {"labels": [[INF, 1.0, 0.0]], "mask": [[False, True, True]]}
    assert float(krm.NDCG()(y_true, [[3.0, 2.0, 1.0]])) == 1.0


# Weights


@pytest.mark.parametrize("metric", [krm.NDCG, krm.RecallAtK])
@pytest.mark.parametrize(
    "weights", [INF, [1.0, INF], [[1.0, 1.0], [INF, 1.0]]], ids=str
)
def test_infinite_weights(metric, weights):
    mine = metric(k=1)
    with pytest.raises(
        ValueError, match=r"^`sample_weight` should be finite\. Received: a wei"
    ):
        mine.update_state([[1, 1], [0, 1]], [[1.0, 2.0]] * 2, weights)
    assert not any(np.any(array) for array in mine.get_state())


@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch compiles nothing in fit")
@pytest.mark.parametrize("per_item", [False, True])
@pytest.mark.parametrize("wrong", [INF, -INF, -0.5])
def test_impossible_weights_in_a_program(per_item, wrong):
    """Ranked low, the item left the number as it was."""
    weights = [[wrong, 1.0], [1.0, 1.0]] if per_item else [[wrong], [1.0]]
    scores = [[1.0, 2.0]] * 2
    logs = evaluated(
        [krm.RecallAtK(k=1)], np.ones((2, 2)), scores, np.array(weights)
    )
    assert np.isnan(logs["recall@1"])


def test_what_a_masked_weight_is_does_not_matter():
    labels = ops.array([[1.0, -1.0, 0.0]])
    weights = ops.array([[1.0, INF, 1.0]])
    assert float(krm.NDCG()(labels, [[3.0, 2.0, 1.0]], weights)) == 1.0


# What is too small


TINY_WEIGHTS = [[1.0, 2.0, 1.0], [3.0, 2.0, 1.0]], [[3e-38] * 3, [1.0] * 3]


@pytest.mark.parametrize("metric", [krm.NDCG, krm.MeanAveragePrecision])
def test_weights_of_items_that_are_all_tiny(metric):
    """Their products have no digits: that of the first list is any number."""
    scores, weights = TINY_WEIGHTS
    mine = metric(k=2)
    before = mine.get_state()
    with pytest.raises(
        ValueError, match=r"should add up to 1e-30 or more.*up to 3.0.*e-38"
    ):
        mine.update_state([[2.0, 1.0, 0.0]] * 2, scores, weights)
    np.testing.assert_equal(mine.get_state(), before)


@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch compiles nothing in fit")
def test_weights_of_items_that_are_all_tiny_in_a_program():
    scores, weights = map(np.float32, TINY_WEIGHTS)
    weights = np.where(weights < 1, np.float32(1e-34), 1)
    labels = [[2.0, 1.0, 0.0]] * 2
    logs = evaluated([krm.NDCG(k=2)], labels, scores, weights)
    assert np.isnan(logs["ndcg@2"])


def test_tiny_weights_of_some_items():
    """They add nothing to what the others are."""
    scores, weights = [[3.0, 2.0, 1.0]], [[1.0, 2e-38, 1.0]]
    value = krm.NDCG(k=3).per_list([[2.0, 1.0, 1.0]], scores, weights)
    expected = krm.DCG(k=3).per_list([[2.0, 0.0, 1.0]], scores)
    ideal = krm.DCG(k=3).per_list([[2.0, 0.0, 1.0]], [[3.0, 1.0, 2.0]])
    assert float(value[0]) == pytest.approx(float(expected[0] / ideal[0]))
