"""Metrics of two rankings, against enumeration of all orders of ties."""

import math

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm
from tests.fuzz import rows_of_references

INF = float("inf")
# Each row, with a cutoff that its metric takes.
CELLS = [
    pytest.param(row, k, id=f"{row}@{k}")
    for row in rows_of_references.rows()
    for k in ((2, 3, None) if row.takes_k else (None,))
]
each = pytest.mark.parametrize(("row", "k"), CELLS)


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


@each
def test_equals_the_mean_over_all_orders(row, k):
    for reference, scores in drawn(1):
        found = value(row.make(k), reference, scores)
        want = row.value(k, reference.tolist(), scores.tolist())
        # Kendall's tau is 0 here where all items tie on a side.
        assert found == pytest.approx(want or 0, abs=1e-6), (reference, scores)


@pytest.mark.parametrize(
    ("cls", "function"),
    [(krm.KendallTau, "kendalltau"), (krm.SpearmanRho, "spearmanr")],
)
@pytest.mark.filterwarnings("ignore:An input array is constant")
def test_equals_scipy(cls, function):
    stats = pytest.importorskip("scipy.stats")
    lists = drawn(2, 40, 12, 0) + drawn(3, 5, 40, 0)
    for reference, scores in lists:
        want = getattr(stats, function)(reference, scores).statistic
        metric = cls()
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


@each
def test_what_is_masked_does_not_matter(row, k):
    for reference, scores in drawn(6, 8):
        want = value(row.make(k), reference, scores)
        same = pytest.approx(want, abs=1e-6)
        noise = np.array([7.0, np.nan])
        longer = [np.concatenate([x, noise]) for x in (reference, scores)]
        real = np.arange(len(longer[0])) < len(scores)
        y_true = {"labels": longer[0][None], "mask": real[None]}
        assert float(row.make(k)(y_true, longer[1][None])) == same
        weights = real[None].astype("float32")
        assert value(row.make(k), *longer, sample_weight=weights) == same


@pytest.mark.parametrize(
    ("row", "k"), [cell for cell in CELLS if cell.values[0].takes_k]
)
def test_ids_equal_scores(row, k):
    rng = np.random.default_rng(7)
    for _ in range(10):
        a, b = (rng.permutation(7)[: rng.integers(0, 7)] for _ in range(2))
        if not len(a) + len(b):
            continue
        rows = np.full((2, 7), -INF)
        for side, ids in zip(rows, (a, b), strict=True):
            side[ids] = -np.arange(len(ids))
        want = row.value(k, *rows.tolist())
        assert value(row.make(k), *rows) == pytest.approx(want, abs=1e-6)
        padded = [[*a, -1], [*b[:2], -1, *b[2:], *b[:2], -1]]
        metric = row.make(k, inputs="ids")
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


@each
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "int8"])
def test_dtypes(row, k, dtype):
    reference, scores = [[5, -4, -4, 3, 1]], [[4, 5, -3, -3, 2]]
    want = float(row.make(k)(np.array(reference, "f4"), np.array(scores, "f4")))
    lists = [keras.ops.cast(x, dtype) for x in (reference, scores)]
    assert float(row.make(k)(*lists)) == pytest.approx(want, abs=1e-6)


@each
def test_ragged_lists(row, k):
    reference = [[5.0, -4.0, -4.0], [1.0, 2.0]]
    scores = [[-4.0, 5.0, -3.0], [2.0, 3.0]]
    values = [
        value(row.make(k), *x) for x in zip(reference, scores, strict=True)
    ]
    found = float(row.make(k)(reference, scores))
    assert found == pytest.approx(np.mean(values), abs=1e-6)
    with pytest.raises(ValueError, match="same lengths"):
        row.make(k)(reference, [[1.0, 2.0], [3.0, 4.0, 5.0]])


def test_names():
    made_of = [krm.RankBiasedOverlap(), krm.OverlapAtK(k=10), krm.TauAP()]
    names = [metric.name for metric in (*made_of, krm.KendallTau())]
    assert names == ["rbo", "overlap@10", "tau_ap", "kendall_tau"]
    truth = {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}
    run = {"q": {"a": 0.9, "b": 0.7, "c": 0.8, "d": 0.1}}
    for name in ("SpearmanRho", "spearmanr", "rank_ic"):
        assert krm.evaluate(truth, run, name)[name] == pytest.approx(0.8)


@pytest.mark.parametrize("cls", [krm.TauAP, krm.KendallTau, krm.SpearmanRho])
def test_taus_need_scores(cls):
    with pytest.raises(ValueError, match="needs a score of each item"):
        cls(inputs="ids")


@pytest.mark.parametrize("inputs", ["sparse", "counts"])
def test_two_rankings_are_scores_or_ids(inputs):
    with pytest.raises(ValueError, match='Use "scores" or "ids"'):
        krm.RankBiasedOverlap(inputs=inputs)
