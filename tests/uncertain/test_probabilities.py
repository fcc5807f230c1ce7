"""Labels that are probabilities, against all labellings and all orders."""

import functools
import itertools
import math

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import (
    DCG,
    NDCG,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
)

INF = math.inf
of_probabilities = functools.partial(dict, labels="probabilities")

# The value of a list of ones and zeros in rank order, of `retrieved` items and
# with `relevant` in all.


def within(ones, k):
    return ones[: len(ones) if k is None else k]


def precision(ones, relevant, k):
    return within(ones, k).mean() if len(ones) else 0.0


def precision_over_k(ones, relevant, k):
    return within(ones, k).sum() / k


def recall(ones, relevant, k):
    return within(ones, k).sum() / relevant


def recall_of_at_most(ones, relevant, k):
    return within(ones, k).sum() / min(relevant, k or relevant)


def hit_rate(ones, relevant, k):
    return float(within(ones, k).any())


def reciprocal_rank(ones, relevant, k):
    found = np.flatnonzero(within(ones, k))
    return 1 / (found[0] + 1) if len(found) else 0.0


def average_precision(ones, relevant, k):
    ones = within(ones, k)
    ranks = np.arange(1, len(ones) + 1)
    return (ones * np.cumsum(ones) / ranks).sum() / relevant


def r_precision(ones, relevant, k):
    return ones[:relevant].sum() / relevant


def discounts(number, k):
    return 1 / np.log2(np.arange(number if k is None else min(number, k)) + 2)


def dcg(ones, relevant, k):
    factors = discounts(len(ones), k)
    return (ones[: len(factors)] * factors).sum()


def ndcg(ones, relevant, k):
    return dcg(ones, relevant, k) / discounts(relevant, k).sum()


def reciprocal_ndcg(ones, relevant, k):
    ones, best = within(ones, k), min(relevant, k or relevant)
    return (ones / np.arange(1, len(ones) + 1)).sum() / sum(
        1 / rank for rank in range(1, best + 1)
    )


CASES = [
    (PrecisionAtK, {}, precision),
    (PrecisionAtK, {"denominator": "k"}, precision_over_k),
    (RecallAtK, {}, recall),
    (RecallAtK, {"denominator": "min"}, recall_of_at_most),
    (HitRateAtK, {}, hit_rate),
    (MeanReciprocalRank, {}, reciprocal_rank),
    (MeanAveragePrecision, {}, average_precision),
    (RPrecision, {}, r_precision),
    (DCG, {}, dcg),
    (NDCG, {}, ndcg),
    (
        NDCG,
        {"rank_discount_fn": krm.gains.reciprocal_discount},
        reciprocal_ndcg,
    ),
]
all_cases = pytest.mark.parametrize(
    ("metric", "options", "oracle"), CASES, ids=[x[2].__name__ for x in CASES]
)
METRICS = [PrecisionAtK, RecallAtK, HitRateAtK, MeanReciprocalRank]
METRICS += [MeanAveragePrecision, RPrecision, DCG, NDCG]
all_metrics = pytest.mark.parametrize("metric", METRICS)
all_ties = pytest.mark.parametrize(
    "ties", ["average", "stable", "pessimistic", "optimistic", "shuffle"]
)


def made(metric, k, **options):
    options = {"labels": "probabilities", **options}
    return metric(**options) if metric is RPrecision else metric(k, **options)


def cutoffs(metric, options):
    if metric is RPrecision:
        return [None]
    return [1, 3] if options.get("denominator") == "k" else [1, 3, None]


def values(metric, labels, scores, weights=None):
    found = metric.per_list(
        np.asarray(labels, "float32"), np.asarray(scores, "float32"), weights
    )
    return keras.ops.convert_to_numpy(found)


def orders(labels, scores, ties):
    """All orders of the retrieved items, best first, by their index."""
    there = [i for i, s in enumerate(scores) if s > -INF and labels[i] >= 0]
    if ties != "average":
        sign = {"optimistic": -1, "pessimistic": 1}.get(ties, 0)
        yield sorted(there, key=lambda i: (-scores[i], sign * labels[i], i))
        return
    levels = sorted({scores[i] for i in there}, reverse=True)
    groups = [[i for i in there if scores[i] == s] for s in levels]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [i for part in parts for i in part]


def expected(oracle, labels, scores, k, ties="average"):
    """The mean over all labellings and all orders, in float64."""
    p = np.float64(np.float32(labels)).clip(0)
    ranked = list(orders(labels, scores, ties))
    total = 0.0
    for ones in itertools.product(*([0, 1] if 0 < x < 1 else [x] for x in p)):
        ones = np.array(ones)
        if not ones.any():
            continue
        chance = np.prod(np.where(ones > 0, p, 1 - p))
        found = [oracle(ones[i], int(ones.sum()), k) for i in ranked]
        total += chance * np.mean(found)
    return total


P = [0.9, 0.2, 0.6, 0.05, 0.5]
FALLING = [5.0, 4.0, 3.0, 2.0, 1.0]
# Six items at most: with masks, items that are not retrieved, certain ones.
TIED = [
    ([0.9, 0.2, 0.6, 0.05, 0.5, 0.3], [2, 2, 2, 2, 2, 2]),
    ([0.9, 0.2, 0.6, 0.05, 0.5, 0.3], [3, 2, 2, 2, 1, 1]),
    ([0.9, 0.2, -1, 0.05, 0.5, 1.0], [1, 2, 2, 2, -INF, 1]),
    ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [1, 1, 1, 2, 2, -INF]),
    ([1.0, 0.0, 1.0, 0.0, 0.7, -1], [1, 1, 2, 2, 3, 3]),
    ([0.1, 0.0, 0.0, 0.0, -1, -1], [1, 1, 1, 1, 3, 3]),
    ([0.3, 0.8, 0.6, -1, -1, -1], [-INF, -INF, 1, 3, 3, 3]),
    ([0.3, 0.8, 0.6, 0.9, 0.2, 0.1], [6, 5, 4, 3, 2, 1]),
    ([0.3, 0.8, 0.6, 0.9, 0.2, 0.1], [6, 5, -INF, 3, -INF, 1]),
]


@all_cases
@pytest.mark.parametrize("ties", ["average", "stable", "pessimistic"])
def test_is_the_mean_over_labellings_and_orders(metric, options, oracle, ties):
    labels, scores = map(list, zip(*TIED, strict=True))
    for k in cutoffs(metric, options):
        found = values(made(metric, k, ties=ties, **options), labels, scores)
        want = [expected(oracle, *row, k, ties) for row in TIED]
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@all_cases
def test_optimistic_ties_have_the_likeliest_item_first(metric, options, oracle):
    labels, scores = map(list, zip(*TIED, strict=True))
    for k in cutoffs(metric, options):
        one = made(metric, k, ties="optimistic", **options)
        want = [expected(oracle, *row, k, "optimistic") for row in TIED]
        found = values(one, labels, scores)
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@all_cases
def test_of_twelve_items(metric, options, oracle):
    random = np.random.default_rng(12)
    labels, scores = random.random((3, 12)), random.random((3, 12))
    labels[1] **= 4
    scores[2, 3:6] = -INF
    for k in cutoffs(metric, options):
        found = values(made(metric, k, **options), labels, scores)
        want = [
            expected(oracle, *row, k)
            for row in zip(labels, np.float32(scores), strict=True)
        ]
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("metric", "k", "value"),
    [
        (NDCG, 3, 0.778317532),
        (RecallAtK, 3, 0.769236667),
        (MeanAveragePrecision, None, 0.790374583),
        (MeanReciprocalRank, None, 0.92944),
        (HitRateAtK, 3, 0.968),
    ],
)
def test_of_five_probabilities(metric, k, value):
    found = values(made(metric, k), [P], [FALLING])
    np.testing.assert_allclose(found, value, atol=1e-6, rtol=0)
