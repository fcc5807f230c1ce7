"""What estimates say of a catalogue, beside what is known of it."""

import numpy as np
import pytest
from draws import sampled, two_models
from keras import ops
from pytest import approx

from keras_rankmetrics.metrics.sampled import (
    Sampling,
    bias_variance,
    buckets_of,
    mixture,
)


def of_each_rank(sampling, values, gamma):
    ranks = np.arange(1, sampling.catalogue + 1)
    prior = np.full(len(ranks), 1 / len(ranks))
    return bias_variance(sampling.probabilities(ranks), prior, values, gamma)


@pytest.mark.parametrize(
    "gamma, expected",
    [
        (0.1, [0.961838, -0.25737, -0.07523, 0.024243]),
        (1.0, [0.612840, 0.118519, 0.014815, 0.000494]),
    ],
)
def test_bias_variance_of_ten_items(gamma, expected):
    """Recall@2 and lists of four, the relevant item and three others."""
    recall = (np.arange(1, 11) <= 2) * 1.0
    found = of_each_rank(Sampling(10, 3, True), recall, gamma)
    assert found == approx(expected, abs=1e-6)


def test_with_gamma_1_it_is_the_mean_of_the_values():
    sampling, rng = Sampling(30, 7, False), np.random.default_rng(1)
    values = rng.random(30)
    chances = sampling.probabilities(np.arange(1, 31))
    mean = values @ chances / chances.sum(axis=0)
    assert of_each_rank(sampling, values, 1.0) == approx(mean)


def test_bias_variance_is_where_a_sum_of_squares_is_smallest():
    sampling, rng = Sampling(30, 7, False), np.random.default_rng(2)
    values, gamma = rng.random(30), 0.3
    chances = sampling.probabilities(np.arange(1, 31))

    def loss(worth):
        mean = chances @ worth
        variance = chances @ worth**2 - mean**2
        return np.mean((mean - values) ** 2 + gamma * variance)

    found = of_each_rank(sampling, values, gamma)
    for direction in rng.standard_normal((20, 8)):
        for step in (-1e-3, 1e-3):
            assert loss(found + step * direction) > loss(found)


@pytest.mark.parametrize("gamma", [0.001, 0.1, 1.0])
def test_a_sample_of_all_items_is_exact(gamma):
    sampling, rng = Sampling(30, 29, False), np.random.default_rng(3)
    values, histogram = rng.random(30), rng.random(30)
    assert of_each_rank(sampling, values, gamma) == approx(values)
    chances = sampling.probabilities(np.arange(1, 31))
    found = mixture(chances, np.full(30, 1 / 30), values, histogram, steps=1)
    assert found == approx(histogram @ values / histogram.sum())


def known_of(sampling, values, buckets):
    """The probabilities, the prior and the values of buckets."""
    start, stop = buckets
    means = np.add.reduceat(values, start) / (stop - start)
    chances = sampling.probabilities((start + 1 + stop) / 2)
    prior = (stop - start) / sampling.catalogue
    return chances, prior, means


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("cutoff", [10, None])
def test_buckets_lose_next_to_nothing(name, cutoff):
    rng, sampling = np.random.default_rng(4), Sampling(1000, 99, False)
    ranks = two_models(rng)[name]
    drawn = sampled(rng, ranks, 1000, 99)
    histogram = np.bincount(drawn - 1, minlength=100) / len(drawn)
    at = np.arange(1, 1001)
    values = 1 / at if cutoff is None else (at <= cutoff) / np.log2(at + 1)
    each = at - 1, at
    found, expected = [
        (
            mixture(*known, histogram),
            histogram @ bias_variance(*known, 0.1),
        )
        for known in (
            known_of(sampling, values, buckets)
            for buckets in (buckets_of(sampling, cutoff), each)
        )
    ]
    assert found == approx(expected, abs=2e-4)


def test_a_step_makes_the_sample_no_less_likely():
    rng, sampling = np.random.default_rng(5), Sampling(50, 9, False)
    chances = sampling.probabilities(np.arange(1, 51))
    histogram = rng.random(10)
    prior, likelihood = np.full(50, 1 / 50), []
    for steps in (0, 1, 2, 5, 20, 100):
        ranks = [
            mixture(chances, prior, rank, histogram, steps)
            for rank in np.eye(50)
        ]
        assert sum(ranks) == approx(1)
        likelihood.append(histogram @ np.log(np.array(ranks) @ chances))
    assert np.all(np.diff(likelihood) > 0)


def test_on_the_host_as_in_the_backend():
    rng, sampling = np.random.default_rng(6), Sampling(1000, 99, False)
    known = known_of(sampling, rng.random(1000), buckets_of(sampling, None))
    histogram = rng.random(100).astype("float32")
    found = mixture(*known, ops.array(histogram))
    assert float(found) == approx(float(mixture(*known, histogram)), rel=1e-4)
    assert float(mixture(*known, np.zeros(100))) == 0
    assert float(mixture(*known, ops.zeros(100))) == 0
