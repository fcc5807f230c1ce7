"""How likely each sampled rank is, and which ranks are taken together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from keras_rankmetrics.metrics.sampled import Sampling, buckets_of


def by_factorials(sampling, rank):
    above, others = rank - 1, sampling.catalogue - 1
    drawn = sampling.negatives
    if sampling.replacement:
        q = above / others
        return [
            math.comb(drawn, s) * q**s * (1 - q) ** (drawn - s)
            for s in range(drawn + 1)
        ]
    return [
        math.comb(above, s)
        * math.comb(others - above, drawn - s)
        / math.comb(others, drawn)
        for s in range(drawn + 1)
    ]


@pytest.mark.long
@given(st.data())
def test_chances_are_those_of_counting(data):
    catalogue = data.draw(st.integers(2, 40))
    replacement = data.draw(st.booleans())
    most = 50 if replacement else catalogue - 1
    negatives = data.draw(st.integers(1, most))
    sampling = Sampling(catalogue, negatives, replacement)
    ranks = np.arange(1, catalogue + 1)
    found = sampling.probabilities(ranks)
    for rank in ranks:
        assert found[rank - 1] == approx(by_factorials(sampling, rank))


@pytest.mark.parametrize("replacement", [False, True])
def test_chances_in_a_large_catalogue(replacement):
    """Sums of 1, and the mean that they should have."""
    sampling = Sampling(10**9, 100, replacement)
    ranks = np.array([1, 2, 10**7, 5 * 10**8, 10**9 - 1, 10**9])
    found = sampling.probabilities(ranks)
    assert found.sum(axis=1) == approx(1)
    mean = found @ np.arange(101)
    assert mean == approx(100 * (ranks - 1) / (10**9 - 1), rel=1e-6)


@pytest.mark.long
@given(
    st.integers(2, 10**7),
    st.integers(1, 300),
    st.booleans(),
    st.none() | st.integers(1, 2000),
)
def test_buckets_are_all_ranks_once_and_end_at_the_cutoff(
    catalogue, negatives, replacement, cutoff
):
    negatives = negatives if replacement else min(negatives, catalogue - 1)
    sampling = Sampling(catalogue, negatives, replacement)
    start, stop = buckets_of(sampling, cutoff)
    assert start[0] == 0 and stop[-1] == catalogue
    assert np.all(start < stop)
    np.testing.assert_array_equal(start[1:], stop[:-1])
    if cutoff is not None and cutoff < catalogue:
        assert cutoff in stop
    assert len(start) < 3000


def test_a_small_catalogue_is_told_apart_rank_by_rank():
    for sampling in (Sampling(10, 3, True), Sampling(500, 499, False)):
        start, stop = buckets_of(sampling, 2)
        np.testing.assert_array_equal(stop - start, 1)


def test_buckets_are_few():
    for catalogue in (10**4, 10**6, 10**8):
        start, _ = buckets_of(Sampling(catalogue, 100, False), 10)
        assert len(start) < 500
