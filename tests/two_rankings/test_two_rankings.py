"""Metrics of two rankings, against enumeration of all orders of ties."""

import itertools
import math

import keras
import numpy as np
import pytest
from oracle_of_two_rankings import orders, overlap, rbo, tau_ap

import keras_rankmetrics as krm

INF = float("inf")
METRICS = {
    "rbo": lambda: krm.RankBiasedOverlap(p=0.8),
    "rbo@3": lambda: krm.RankBiasedOverlap(p=0.8, k=3),
    "rbo zero": lambda: krm.RankBiasedOverlap(p=0.8, tail="zero"),
    "overlap@2": lambda: krm.OverlapAtK(k=2),
    "overlap@4": lambda: krm.OverlapAtK(k=4),
    "tau_ap": krm.TauAP,
}


def made(name):
    return METRICS.get(name, krm.KendallTau)()


STRICT = {
    "rbo": rbo,
    "rbo@3": lambda a, b: rbo(a, b, k=3),
    "rbo zero": lambda a, b: rbo(a, b, tail="zero"),
    "overlap@2": lambda a, b: overlap(a, b, 2),
    "overlap@4": lambda a, b: overlap(a, b, 4),
    "tau_ap": tau_ap,
}


def expected(name, reference, scores):
    """The mean over all orders of ties on both sides."""
    whole = name == "tau_ap"
    pairs = itertools.product(orders(reference, whole), orders(scores, whole))
    return float(np.mean([STRICT[name](a, b) for a, b in pairs]))


def drawn(seed, number=25, most=6, missing=0.2):
    """Lists of few different scores, some of them not retrieved."""
    rng = np.random.default_rng(seed)
    lists = []
    while len(lists) < number:
        n = rng.integers(2, most + 1)
        pair = rng.integers(-3, 2, (2, n)).astype(float)
        pair[rng.random((2, n)) < missing] = -INF
        if np.all(pair.max(0) > -INF):
            lists.append(pair)
    return lists


def value(metric, reference, scores, **named):
    return float(metric(np.array([reference]), np.array([scores]), **named))


@pytest.mark.parametrize("name", METRICS)
def test_equals_the_mean_over_all_orders(name):
    for reference, scores in drawn(1):
        found = value(made(name), reference, scores)
        want = expected(name, reference.tolist(), scores.tolist())
        assert found == pytest.approx(want, abs=1e-6), (reference, scores)


def test_kendall_tau_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    lists = drawn(2, 40, 12, 0) + drawn(3, 5, 40, 0)
    for reference, scores in lists:
        want = stats.kendalltau(reference, scores).statistic
        metric = krm.KendallTau()
        found = value(metric, reference, scores)
        if math.isnan(want):
            assert metric.count() == 0
        else:
            assert found == pytest.approx(want, abs=1e-6)


def test_many_items():
    """Long lists, where counting is by sorting instead of by pairs."""
    rng = np.random.default_rng(0)
    reference, scores = rng.integers(-20, 20, (2, 200))

    found = value(krm.TauAP(), reference, scores)
    right = 0
    for start in np.unique(scores):
        above = scores > start
        tied = np.flatnonzero(scores == start)
        o, t = above.sum(), len(tied)
        for i in tied:
            higher = (reference > reference[i]) + (
                reference == reference[i]
            ) / 2
            up = higher[above].sum()
            same = higher[tied].sum() - 0.5
            for s in range(t):
                if o + s:
                    mean = up + same * s / max(t - 1, 1)
                    right += mean / (o + s) / t
    assert found == pytest.approx(2 * right / 199 - 1, abs=1e-6)


@pytest.mark.parametrize("name", [*METRICS, "kendall_tau"])
def test_what_is_masked_does_not_matter(name):
    for reference, scores in drawn(6, 8):
        want = value(made(name), reference, scores)
        same = pytest.approx(want, abs=1e-6)
        noise = np.array([7.0, np.nan])
        longer = [np.concatenate([x, noise]) for x in (reference, scores)]
        real = np.arange(len(longer[0])) < len(scores)
        y_true = {"labels": longer[0][None], "mask": real[None]}
        assert float(made(name)(y_true, longer[1][None])) == same
        weights = real[None].astype("float32")
        assert value(made(name), *longer, sample_weight=weights) == same


@pytest.mark.parametrize("name", ["rbo", "rbo@3", "rbo zero", "overlap@2"])
def test_ids_equal_scores(name):
    rng = np.random.default_rng(7)
    options = {
        "rbo": lambda **x: krm.RankBiasedOverlap(p=0.8, **x),
        "rbo@3": lambda **x: krm.RankBiasedOverlap(p=0.8, k=3, **x),
        "rbo zero": lambda **x: krm.RankBiasedOverlap(p=0.8, tail="zero", **x),
        "overlap@2": lambda **x: krm.OverlapAtK(k=2, **x),
    }[name]
    for _ in range(10):
        a, b = (rng.permutation(7)[: rng.integers(0, 7)] for _ in range(2))
        if not len(a) + len(b):
            continue
        rows = np.full((2, 7), -INF)
        for row, ids in zip(rows, (a, b), strict=True):
            row[ids] = -np.arange(len(ids))
        want = value(options(), *rows)
        assert want == pytest.approx(STRICT[name](list(a), list(b)), abs=1e-6)
        padded = [[*a, -1], [*b[:2], -1, *b[2:], *b[:2], -1]]
        metric = options(inputs="ids")
        found = float(metric(*(np.array([x], "int32") for x in padded)))
        assert found == pytest.approx(want, abs=1e-6)


def test_excluded_lists():
    for metric in (krm.RankBiasedOverlap(), krm.OverlapAtK(k=2)):
        metric([[-INF, -INF], [1.0, -INF]], [[-INF, -INF], [-INF, 2.0]])
        assert metric.count() == 1
        assert float(metric.result()) == 0
    tau = krm.TauAP()
    tau([[1.0, -INF], [1.0, 2.0]], [[3.0, -INF], [1.0, 2.0]])
    assert (tau.count(), float(tau.result())) == (1, 1.0)
    tau = krm.KendallTau()
    tau([[1.0, 1.0], [1.0, 2.0]], [[3.0, 1.0], [2.0, 1.0]])
    assert (tau.count(), float(tau.result())) == (1, -1.0)
    ids = krm.RankBiasedOverlap(inputs="ids")
    ids([[-1], [-1], [3]], [[-1], [2], [3]])
    assert (ids.count(), float(ids.result())) == (2, 0.5)


@pytest.mark.parametrize("name", [*METRICS, "kendall_tau"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "int8"])
def test_dtypes(name, dtype):
    reference, scores = [[5, -4, -4, 3, 1]], [[4, 5, -3, -3, 2]]
    want = float(made(name)(np.array(reference, "f4"), np.array(scores, "f4")))
    lists = [keras.ops.cast(x, dtype) for x in (reference, scores)]
    assert float(made(name)(*lists)) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("name", [*METRICS, "kendall_tau"])
def test_ragged_lists(name):
    reference = [[5.0, -4.0, -4.0], [1.0, 2.0]]
    scores = [[-4.0, 5.0, -3.0], [2.0, 3.0]]
    values = [
        value(made(name), *x) for x in zip(reference, scores, strict=True)
    ]
    found = float(made(name)(reference, scores))
    assert found == pytest.approx(np.mean(values), abs=1e-6)
    with pytest.raises(ValueError, match="same lengths"):
        made(name)(reference, [[1.0, 2.0], [3.0, 4.0, 5.0]])


def test_names():
    made_of = [krm.RankBiasedOverlap(), krm.OverlapAtK(k=10), krm.TauAP()]
    names = [metric.name for metric in (*made_of, krm.KendallTau())]
    assert names == ["rbo", "overlap@10", "tau_ap", "kendall_tau"]


@pytest.mark.parametrize("cls", [krm.TauAP, krm.KendallTau])
def test_taus_need_scores(cls):
    with pytest.raises(ValueError, match="needs a score of each item"):
        cls(inputs="ids")


@pytest.mark.parametrize("inputs", ["sparse", "counts"])
def test_two_rankings_are_scores_or_ids(inputs):
    with pytest.raises(ValueError, match='Use "scores" or "ids"'):
        krm.RankBiasedOverlap(inputs=inputs)
