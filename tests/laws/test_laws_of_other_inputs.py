"""The laws of the design for metrics whose `y_true` holds no labels.

Probabilities, reference scores, and clicks with propensities. Hypothesis draws
the seed of the lists, and finds the smallest one that breaks a law.
"""

import functools

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keras_rankmetrics as krm

pytestmark = pytest.mark.long

LISTS, ITEMS, INF = 6, 9, np.inf
PROBABLE = {"labels": "probabilities"}


def _probabilities(rng, shape):
    few = rng.choice([0.0, 0.25, 0.5, 1.0], shape)
    return np.where(rng.random(shape) < 0.5, few, rng.random(shape))


def _references(rng, shape):
    return rng.choice([-2.0, -1.0, 0.0, 1.0, 1.5, 3.0, -INF], shape)


def _clicks(rng, shape):
    clicks = rng.integers(0, 3, shape) * (rng.random(shape) < 0.4)
    return np.stack([clicks, rng.uniform(0.05, 1.0, shape)], axis=-1)


def _scores(rng, shape):
    few = rng.choice([-1.0, 0.0, 1.0, 2.0, -INF], shape)
    return np.where(rng.random((shape[0], 1)) < 0.5, few, rng.random(shape))


# Each metric with what draws its `y_true`, and the padding of both.
PADDING = {_probabilities: -1.0, _references: -INF, _clicks: -1.0}
METRICS = {
    **{
        f"{metric.__name__}-{k}": (
            functools.partial(metric, k=k, **PROBABLE),
            _probabilities,
        )
        for metric in (
            krm.PrecisionAtK,
            krm.RecallAtK,
            krm.HitRateAtK,
            krm.MeanReciprocalRank,
            krm.MeanAveragePrecision,
            krm.NDCG,
            krm.DCG,
        )
        for k in (3, None)
    },
    "RPrecision": (
        functools.partial(krm.RPrecision, **PROBABLE),
        _probabilities,
    ),
    "RBO": (functools.partial(krm.RankBiasedOverlap, p=0.8), _references),
    "RBO-zero": (
        functools.partial(krm.RankBiasedOverlap, k=4, tail="zero"),
        _references,
    ),
    "Overlap": (functools.partial(krm.OverlapAtK, k=3), _references),
    "TauAP": (krm.TauAP, _references),
    "KendallTau": (krm.KendallTau, _references),
    "SpearmanRho": (krm.SpearmanRho, _references),
    "IPS": (functools.partial(krm.IPS, k=4), _clicks),
    "SNIPS": (functools.partial(krm.SNIPS, clip=0.1), _clicks),
    "EffectiveClicks": (krm.EffectiveClicks, _clicks),
}
each = pytest.mark.parametrize("name", METRICS)
few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10**6)


def drawn(name, seed):
    """Return the metric's maker, `y_true` and scores, float32."""
    rng = np.random.default_rng(seed)
    make, y_true = METRICS[name]
    shape = LISTS, ITEMS
    x = y_true(rng, shape).astype("float32")
    return make, x, _scores(rng, shape).astype("float32")


def values(metric, y_true, scores, weights=None):
    found = metric.per_list(y_true, scores, weights)
    return keras.ops.convert_to_numpy(found)


def assert_equal(found, expected):
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@each
@few
@given(seed=seeds)
def test_permuting_the_items_changes_nothing(name, seed):
    make, y_true, scores = drawn(name, seed)
    order = np.random.default_rng(seed + 1).permutation(ITEMS)
    found = values(make(), y_true[:, order], scores[:, order])
    assert_equal(found, values(make(), y_true, scores))


@each
@few
@given(seed=seeds)
def test_an_increasing_map_of_the_scores_changes_nothing(name, seed):
    make, y_true, scores = drawn(name, seed)
    found = values(make(), y_true, scores * 4.0 + 1.0)
    assert_equal(found, values(make(), y_true, scores))


@each
@few
@given(seed=seeds)
def test_padding_changes_nothing(name, seed):
    make, y_true, scores = drawn(name, seed)
    fill = PADDING[METRICS[name][1]]
    widths = [(0, 0), (0, 3)]
    more = widths + [(0, 0)] * (y_true.ndim - 2)
    padded = np.pad(y_true, more, constant_values=fill)
    behind = -INF if fill == -INF else 7.0
    scored = np.pad(scores, widths, constant_values=behind)
    assert_equal(values(make(), padded, scored), values(make(), y_true, scores))


@each
@few
@given(seed=seeds)
def test_a_weight_of_0_equals_absence(name, seed):
    make, y_true, scores = drawn(name, seed)
    there = np.random.default_rng(seed + 2).random(scores.shape) < 0.8
    there[:, 0] = True
    fill = PADDING[METRICS[name][1]]
    mask = there if y_true.ndim == 2 else there[..., None]
    absent = np.where(mask, y_true, np.float32(fill))
    without = np.where(there, scores, -INF if fill == -INF else scores)
    found = values(make(), y_true, scores, there.astype("float32"))
    assert_equal(found, values(make(), absent, without.astype("float32")))


@each
@few
@given(seed=seeds, at=st.integers(0, ITEMS - 1))
def test_nan_makes_its_list_nan_and_no_other(name, seed, at):
    make, y_true, scores = drawn(name, seed)
    y_true[0] = np.linspace(0.2, 1.0, ITEMS).reshape(
        (ITEMS, *[1] * (y_true.ndim - 2))
    )
    expected = values(make(), y_true, scores)
    scores[0, at] = np.nan
    found = values(make(), y_true, scores)
    assert np.isnan(found[0])
    assert_equal(found[1:], expected[1:])


@each
@few
@given(seed=seeds)
def test_a_factor_on_the_weights_of_lists_changes_nothing(name, seed):
    make, y_true, scores = drawn(name, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, LISTS).astype("f4")
    results = []
    for factor in (1.0, 8.0):
        metric = make()
        metric.update_state(y_true, scores, factor * weights)
        results.append(float(metric.result()))
    if name == "EffectiveClicks":  # a list counts as often as its weight
        results[0] *= 8.0
    assert_equal(*results)
