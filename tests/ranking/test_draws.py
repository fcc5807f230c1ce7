"""Chances of hits among tied items, also where very many tie."""

import math

import numpy as np
import pytest
from given import number
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.engine.ranking.probabilities import (
    probabilities_of_hits,
    sum_of_reciprocals,
)


def expected_chances(items, relevant, draws, most):
    """The hypergeometric distribution, by logarithms of factorials."""

    def ways(n, k):
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    def chance(hits):
        misses = draws - hits
        if hits > relevant or not 0 <= misses <= items - relevant:
            return 0.0
        found = ways(relevant, hits) + ways(items - relevant, misses)
        return math.exp(found - ways(items, draws))

    return np.array([chance(hits) for hits in range(most + 1)])


@pytest.mark.parametrize(
    "items, relevant, draws",
    [
        (1, 0, 0),
        (1, 1, 1),
        (10, 0, 5),
        (10, 3, 10),
        (10, 10, 5),
        (10, 9, 4),
        (300, 7, 211),
        (20_000, 1, 10_000),
        (20_000, 10_000, 5_000),
        (20_000, 19_999, 5_000),
    ],
)
def test_probabilities_of_hits(items, relevant, draws):
    most = draws + 3
    columns = (
        ops.convert_to_tensor([[float(x)]]) for x in (items, relevant, draws)
    )
    found = ops.convert_to_numpy(probabilities_of_hits(*columns, most))[0]
    expected = expected_chances(items, relevant, draws, most)
    assert found.sum() == approx(1, abs=1e-6)
    assert np.abs(found - expected).max() < 2e-7


def test_a_list_without_a_split_group_has_no_hits():
    none = ops.zeros((1, 1))
    found = ops.convert_to_numpy(probabilities_of_hits(none, none, none, 3))
    assert found.tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("inputs", ["scores", "sparse"])
def test_very_many_tied_items(inputs, monkeypatch):
    """A model that has collapsed, and a k of thousands: seconds, once."""

    def loop(*_):
        raise AssertionError("A step for each rank takes too long.")

    monkeypatch.setattr(ops, "fori_loop", loop)
    items, relevant, k = 20_000, 5_000, 5_000
    labels = np.zeros(items, "float32")
    labels[::4] = 1
    y_true = labels if inputs == "scores" else np.flatnonzero(labels)[:1]
    relevant = relevant if inputs == "scores" else 1
    metric = krm.MeanAveragePrecision(k=k, denominator="hits", inputs=inputs)
    value = number(metric(y_true, np.zeros(items, "float32")))
    # Of h hits, each is as likely at each of the ranks i, and then (h - 1) of
    # the k - 1 others are hits too: (1 + (i - 1) (h - 1) / (k - 1)) / i.
    harmonic = sum(1 / i for i in range(1, k + 1))
    hits = np.arange(1, min(k, relevant) + 1)
    means = (harmonic + (hits - 1) / (k - 1) * (k - harmonic)) / k
    chances = expected_chances(items, relevant, k, int(hits[-1]))
    assert value == approx((chances[1:] * means).sum(), rel=1e-6)


@pytest.mark.parametrize("first", [1.0, 1.5, 40.0])
def test_sum_of_reciprocals(first):
    terms = np.array([0, 1, 8, 9, 20, 3000])
    found = sum_of_reciprocals(
        ops.full(terms.shape, first), ops.cast(terms, "float32")
    )
    expected = [np.sum(1 / (first + np.arange(number))) for number in terms]
    np.testing.assert_allclose(ops.convert_to_numpy(found), expected, rtol=1e-6)
