"""Every metric, tie policy and option against the oracle.

To 1e-6, relative to max(1, |expected|), on lists of 1 to 2,000 items, with
sizes and cutoffs around the depths to which the package ranks: 16, 128, 1024.
A program is compiled for each shape, so that all structures of ties share a
batch, and rows take turns with the cutoffs.
"""

import numpy as np
import oracle
import pytest
from catalogue import PLAIN_ROWS, ROWS, Cell, in_turns
from suites import Suite, as_lists, assert_same

INF = np.inf
LIST_WEIGHTS = ("relevance", "mean")
EMPTY_POLICIES = ("zero", "one", "skip")


def tie_structures(rng, n):
    """Scores with each of the structures that ties can have, `[lists, n]`."""
    distinct = rng.permutation(n).astype("float32")
    ranks = np.argsort(np.argsort(-distinct)) + 1

    def straddling(*cutoffs, width):
        """Ties that reach from above each cutoff to below it."""
        scores = distinct.copy()
        for k in cutoffs:
            scores[(ranks > k - width) & (ranks <= k + width)] = n - k
        return scores

    def with_block(value, share):
        return np.where(rng.random(n) < share, value, distinct)

    return np.stack(
        [
            distinct,
            rng.normal(size=n),
            rng.integers(0, 3, n),
            rng.integers(0, max(n // 3, 1), n),
            np.full(n, 0.1),
            straddling(1, 10, 20, width=2),
            straddling(3, 15, 127, width=1),
            straddling(16, 128, 500, width=3),
            straddling(16, 128, 1024, width=20),
            with_block(-INF, 0.5),
            with_block(-INF, 1.0),
            with_block(INF, 0.3),
            rng.choice([0.0, -0.0, 1.0, -1.0], n),
            np.where(distinct % 2 == 0, 1e8, 1e8 + 64),
        ]
    ).astype("float32")


def a_batch(seed, n, weighted):
    """Labels, scores, and weights of the items or None."""
    rng = np.random.default_rng([seed, n])
    scores = tie_structures(rng, n)
    shape = scores.shape
    few = rng.random((len(scores), 1)) ** 2
    labels = rng.integers(1, 5, shape) * (rng.random(shape) < few)
    labels = labels - (rng.random(shape) < 0.1)
    labels = np.where(rng.random(shape) < 0.1, 0.5, labels)
    labels = np.where(rng.random(shape) < 0.1, oracle.UNJUDGED, labels)
    if n > 15:
        labels[2] = 1.0  # all are relevant,
        labels[3] = np.minimum(labels[3], 0.0)  # or none
        labels[4] = np.arange(n) == n // 2  # or one
    weights = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 3.3], shape)
    labels, weights = labels.astype("float32"), weights.astype("float32")
    return labels, scores, weights if weighted else None


def check_values(cells, labels, scores, weights):
    found = Suite(cells, optimized=True).per_list(labels, scores, weights)
    lists = as_lists(labels, scores, weights)
    assert_same(cells, found, [[c.value(*x) for x in lists] for c in cells])


# Cutoffs to which the package ranks equally deep share a program.


@pytest.mark.long
@pytest.mark.parametrize(
    "n, ks, weighted",
    [
        (1, (1, 3, None), True),
        (2, (1, 3, None), False),
        (15, (3, 15, 20, None), True),
        (16, (1, 15, 16, 500), False),
        (17, (3, 10, 15), True),
        (17, (16, 127, None), False),
        (127, (16, 127, None), True),
        (128, (20, 127, 128), False),
        (129, (16, 20, 127), True),
        (300, (128, 500, None), False),
        (2000, (3, 15), True),
        (2000, (128, 500), False),
        (2000, (None,), True),
    ],
)
def test_average_over_ties(n, ks, weighted):
    check_values(in_turns(ROWS, ks, ("average",)), *a_batch(1, n, weighted))


@pytest.mark.long
@pytest.mark.parametrize("k", [3, None])
def test_two_thousand_lists(k):
    """Of each metric with its defaults: few scores, so that most items tie."""
    rng = np.random.default_rng(6)
    shape = 2000, 12
    labels = rng.integers(0, 5, shape) * (rng.random(shape) < 0.4)
    labels = np.where(rng.random(shape) < 0.1, -1, labels)
    labels = np.where(rng.random(shape) < 0.1, oracle.UNJUDGED, labels)
    scores = rng.integers(0, 5, shape).astype("float32")
    scores[rng.random(shape) < 0.1] = -INF
    of_each = [
        Cell(row, k, "stable" if row.strict_only else "average")
        for row in PLAIN_ROWS
    ]
    check_values(of_each, labels.astype("float32"), scores, None)


@pytest.mark.long
@pytest.mark.parametrize(
    "ties, n, ks, weighted",
    [
        ("stable", 2, (1, 3, None), False),
        ("stable", 17, (1, 3, 15), True),
        ("stable", 2000, (16, 127), False),
        ("pessimistic", 17, (10, 16, None), False),
        ("pessimistic", 300, (20, 127), True),
        ("optimistic", 129, (10, 15), False),
        ("optimistic", 300, (128, 500, None), True),
    ],
)
def test_strict_orders(ties, n, ks, weighted):
    check_values(in_turns(ROWS, ks, (ties,)), *a_batch(2, n, weighted))


@pytest.mark.parametrize(
    "form, policies",
    [
        ("none", ["relevance zero", "mean one"]),
        ("scalar", ["relevance one", "mean zero"]),
        ("column", ["relevance zero", "mean skip"]),
        ("per_list", ["relevance zero", "relevance skip", "mean one"]),
        (
            "per_item",
            [f"{w} {e}" for w in LIST_WEIGHTS for e in EMPTY_POLICIES],
        ),
    ],
)
def test_results(form, policies):
    """Some lists hold nothing relevant, and one no item."""
    suite = Suite(
        [
            Cell(
                row,
                3,
                "stable" if row.strict_only else "average",
                {"list_weight": weight, "empty": empty},
            )
            for weight, empty in map(str.split, policies)
            for row in PLAIN_ROWS
            if row.bounded or empty != "one"
        ],
        optimized=True,
    )
    labels, scores, weights = a_batch(3, 17, weighted=True)
    labels[5:8] = np.minimum(labels[5:8], 0.0)
    labels[0] = -1.0
    weights = weights_of_form(form, weights)
    lists = as_lists(labels, scores, weights)
    found = suite.result((labels, scores, weights))
    assert_same(suite.cells, found, [c.result(lists) for c in suite.cells])


def weights_of_form(form, of_items):
    per_list = np.array([1.0, 0.5, 0.0, 2.0, 3.3, 7.0, 0.1], "float32")
    per_list = np.resize(per_list, len(of_items))
    return {
        "none": None,
        "scalar": np.float32(2.5),
        "per_list": per_list,
        "column": per_list[:, None],
        "per_item": of_items,
    }[form]
