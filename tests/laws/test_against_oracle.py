"""Every metric, tie policy and option against the oracle.

To 1e-6, relative to max(1, |expected|), on lists of 1 to 2,000 items, with
sizes and cutoffs around the depths to which the package ranks: 16, 128, 1024.
A program is compiled for each shape, so that all structures of ties share a
batch, and rows take turns with the cutoffs.
"""

import itertools

import keras
import numpy as np
import oracle
import pytest
from catalogue import PLAIN_ROWS, ROWS, STRICT_TIES, Cell, cells, in_turns
from structures import spans_around, tie_structures, tied_at
from suites import Suite, as_lists, assert_same

INF = np.inf
BACKEND = keras.backend.backend()
LIST_WEIGHTS = ("relevance", "mean")
EMPTY_POLICIES = ("zero", "one", "skip")


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


# Quick: all structures of ties in a batch.

KS = (1, 9, 10, None)
N = 24


def all_structures(seed):
    """Return labels, scores and weights; lists are padded to one length."""
    rng = np.random.default_rng([seed, N])
    every = [*spans_around(1, N, (2, 4)), *spans_around(10, N, (2, 3, 5))]
    spans = [span for span in dict.fromkeys(every) if span != (1, N)]
    scores = np.concatenate([tie_structures(rng, N), tied_at(rng, N, spans)[0]])
    shape = scores.shape
    few = rng.choice([0.1, 0.3, 0.9], (len(scores), 1))
    labels = rng.integers(1, 5, shape) * (rng.random(shape) < few)
    labels = np.where(rng.random(shape) < 0.1, 0.5, labels)
    odd = rng.choice([-1.0, oracle.UNJUDGED, 0.0], shape)
    labels = np.where(rng.random(shape) < 0.1, odd, labels)
    lengths = rng.choice([N, N, N, 10, 11, 12], (len(scores), 1))
    labels = np.where(np.arange(N) < lengths, labels, -1.0)
    weights = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 3.3], shape)
    return labels.astype("float32"), scores, weights.astype("float32")


@pytest.mark.long
def test_each_structure_of_ties():
    every = cells(ROWS, KS, ("average",))
    if BACKEND == "jax":  # compiles each of them
        every = in_turns(ROWS, KS, ("average",))
    check_values(every, *all_structures(1))


@pytest.mark.filterwarnings("ignore:.*Labels should be")
@pytest.mark.filterwarnings("ignore:.*which makes an item the best")
def test_each_structure_in_a_strict_order():
    labels, scores, _ = all_structures(2)
    check_values(in_turns(ROWS, KS, STRICT_TIES), labels, scores, None)


def test_full_lists_without_ties():
    """No list is shorter, all items are retrieved and weigh the same."""
    rng = np.random.default_rng(3)
    scores = rng.permuted(np.tile(np.arange(N), (6, 1)), axis=1)
    labels = rng.integers(0, 5, scores.shape) * (rng.random(scores.shape) < 0.4)
    every = in_turns(ROWS, KS, ("average",))
    check_values(
        every, labels.astype("float32"), scores.astype("float32"), None
    )


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
    "form, turn",
    [
        pytest.param("none", 0, marks=pytest.mark.long),
        ("scalar", 1),
        ("column", 2),
        pytest.param("per_list", 3, marks=pytest.mark.long),
        ("per_item", 4),
        pytest.param("per_item", 5, marks=pytest.mark.long),
    ],
)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
@pytest.mark.filterwarnings("ignore:.*which makes an item the best")
def test_results(form, turn):
    """Some lists hold nothing relevant, and one no item.

    The metrics take turns with the policies, of which all make the same.
    """
    policies = [
        {"list_weight": weight, "empty": empty}
        for empty in EMPTY_POLICIES
        for weight in LIST_WEIGHTS
    ]
    turns = itertools.islice(itertools.cycle(policies), turn, None)
    suite = Suite(
        [
            Cell(row, 3, "stable" if row.strict_only else "average", of_row)
            for row, of_row in zip(PLAIN_ROWS, turns, strict=False)
            if row.bounded or of_row["empty"] != "one"
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


@pytest.mark.parametrize("skipping", ["all", "some", "none"])
@pytest.mark.parametrize("holds", ["nothing", "label", "score", "weight"])
def test_nan_in_a_list_without_relevant_items(holds, skipping):
    """It is not skipped: what the list holds is not known.

    A list of another metric in the collection may be skipped or not.
    """
    empties = {"all": ["skip"], "some": ["zero", "skip"], "none": ["zero"]}
    rows = [row for row in PLAIN_ROWS if row.oracle in ("ndcg", "auc", "mrr")]
    of_each = [
        Cell(row, 2, "average", {"empty": empty})
        for row in rows
        for empty in empties[skipping]
    ]
    batch = {
        "label": np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]], "float32"),
        "score": np.array([[2, 3, 1], [3, 2, 1], [1, 2, 3]], "float32"),
        "weight": np.ones((3, 3), "float32"),
    }
    if holds in batch:
        batch[holds][1, 1] = np.nan
    suite, arrays = Suite(of_each), tuple(batch.values())
    lists = as_lists(*arrays)
    expected = [cell.result(lists) for cell in of_each]
    assert np.isnan(expected).all() == (holds != "nothing")
    assert_same(of_each, suite.result(arrays), expected)


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
