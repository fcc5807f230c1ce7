"""All forms of input give the numbers of the dense form of the same lists."""

import dataclasses

import keras
import numpy as np
import pytest
from catalogue import ROWS, STRICT_TIES
from catalogue import cells as every_cell
from in_forms import TIES, cells_in, counted, scored, scores_of_ids, values
from keras import ops
from pytest import approx
from structures import spans_around, tie_structures, tied_at
from suites import Suite, as_lists, assert_as_oracle, assert_same

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()

LISTS, ITEMS = 40, 30
KS = (1, 3, 20, None)


@pytest.fixture(scope="module")
def catalogue():
    """Scores with many ties, and targets that come twice or are padding."""
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 12, (LISTS, ITEMS)).astype("float32")
    scores[rng.random(scores.shape) < 0.1] = -np.inf
    scores[0], scores[1] = 0.0, np.arange(ITEMS)
    targets = rng.integers(0, ITEMS, (LISTS, 5))
    targets[rng.random(targets.shape) < 0.3] = -1
    targets[:, 0] = rng.integers(0, ITEMS, LISTS)  # each list has one
    return targets, scores


def pair(form, ties, where=lambda cell: True):
    """The catalogue for a form, and the same cells for the dense form."""
    cells = tuple(filter(where, cells_in(form, KS, [ties])))
    dense = [dataclasses.replace(cell, policies={}) for cell in cells]
    return Suite(cells), Suite(dense)


@pytest.mark.long
@pytest.mark.parametrize("ties", TIES)
def test_targets_among_scores(catalogue, ties):
    targets, scores = catalogue
    sparse, dense = pair("sparse", ties)
    expected = dense.per_list(scored(targets, ITEMS), scores)
    assert_same(sparse.cells, sparse.per_list(targets, scores), expected)


@pytest.mark.long
@pytest.mark.parametrize("ties", TIES)
def test_one_target_among_scores(catalogue, ties):
    targets, scores = catalogue
    sparse, dense = pair("sparse", ties)
    expected = dense.per_list(scored(targets[:, :1], ITEMS), scores)
    assert_same(sparse.cells, sparse.per_list(targets[:, 0], scores), expected)


def jax_can_compile(cell):
    """For whole lists, it has to be told how many items there are."""
    return BACKEND != "jax" or cell.make().definition.depth is not None


@pytest.mark.long
@pytest.mark.parametrize("ties", ["average", "pessimistic", "optimistic"])
def test_counts_of_items_above(catalogue, ties):
    targets, scores = catalogue
    counts, dense = pair("counts", ties, jax_can_compile)
    expected = dense.per_list(scored(targets, ITEMS), scores)
    found = counts.per_list(targets, counted(targets, scores))
    assert_same(counts.cells, found, expected)


# Quick: all structures of ties in a batch, against the oracle.

CUTOFFS = (1, 9, 10, None)
# What ties cost, these pay only in batches that have such ties.
BRANCHING = [
    next(row for row in ROWS if row.metric is metric)
    for metric in (krm.ERR, krm.MeanAveragePrecision, krm.MeanReciprocalRank)
]
LENGTH, TARGETS = 24, 4


def of_ties():
    """Return targets, some of which come twice or are padding, and scores."""
    rng = np.random.default_rng(7)
    every = [
        *spans_around(1, LENGTH, (2, 4)),
        *spans_around(10, LENGTH, (2, 3, 5)),
    ]
    scores, tied = tied_at(rng, LENGTH, dict.fromkeys(every))
    others = tie_structures(rng, LENGTH)
    targets = rng.integers(0, LENGTH, (len(scores) + len(others), TARGETS))
    # Of the items that tie, so many are relevant.
    places = np.argsort(~tied, axis=1, kind="stable")[:, :TARGETS]
    some = np.arange(TARGETS) < rng.integers(1, TARGETS + 1, (len(tied), 1))
    targets[: len(tied)] = np.where(some, places, targets[: len(tied)])
    targets[:, 1:][rng.random((len(targets), TARGETS - 1)) < 0.2] = -1
    return targets, np.concatenate([scores, others])


@pytest.mark.long
def test_targets_of_each_structure_of_ties():
    targets, scores = of_ties()
    cells = cells_in("sparse", (1, 10), ["average"])
    if BACKEND != "jax":  # compiles each of them
        cells += cells_in("sparse", (9, None), ["average"])
    assert_as_oracle(cells, (targets, scores), scored(targets, LENGTH), scores)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*should be finite")
def test_targets_of_each_structure_alone():
    """A batch of several lists takes the branch of its most difficult one."""
    targets, scores = of_ties()
    labels = scored(targets, LENGTH)
    cells = [
        dataclasses.replace(cell, policies={"inputs": "sparse"})
        for cell in every_cell(BRANCHING, (2, 10), ["average"])
    ]
    suite = Suite(tuple(cells))
    found = [
        suite.per_list(targets[i : i + 1], scores[i : i + 1])
        for i in range(len(targets))
    ]
    lists = as_lists(labels, scores)
    expected = [[cell.value(*of) for of in lists] for cell in cells]
    assert_same(cells, np.concatenate(found, axis=-1), expected)


def test_targets_in_a_strict_order():
    targets, scores = of_ties()
    cells = cells_in("sparse", CUTOFFS, STRICT_TIES)
    assert_as_oracle(cells, (targets, scores), scored(targets, LENGTH), scores)


def test_targets_in_a_shuffled_order():
    targets, scores = of_ties()
    sparse, dense = pair("sparse", "shuffle", lambda cell: cell.k in (1, 20))
    expected = dense.per_list(scored(targets, LENGTH), scores)
    assert_same(sparse.cells, sparse.per_list(targets, scores), expected)


class FirstTwo(krm.RankingMetric):
    """DCG within rank 2, whatever `k` is."""

    has_upper_bound = False

    @staticmethod
    def measure(ranking, k):
        discounts = ranking.discount(krm.log2_discount, 2)
        return ops.sum(ranking.total() * discounts, axis=-1)


@pytest.mark.parametrize("k", [1, 10, None])
def test_a_measure_with_a_cutoff_of_its_own(k):
    targets, scores = of_ties()
    labels = scored(targets, LENGTH)
    least = 2 if k is None else min(k, 2)
    expected = values(krm.DCG(k=least), labels, scores)
    assert values(FirstTwo(k=k), labels, scores) == approx(expected)
    sparse = FirstTwo(k=k, inputs="sparse")
    assert values(sparse, targets, scores) == approx(expected)


def test_counts_of_each_structure_of_ties():
    targets, scores = of_ties()
    policies = ["average", "pessimistic", "optimistic"]
    cells = tuple(
        filter(jax_can_compile, cells_in("counts", CUTOFFS, policies))
    )
    counts = counted(targets, scores)
    assert_as_oracle(cells, (targets, counts), scored(targets, LENGTH), scores)


def test_recommended_ids():
    """Some come again, and some are padding, ahead of others too."""
    rng = np.random.default_rng(6)
    relevant = np.maximum(rng.integers(-2, ITEMS, (LISTS, 9)), -1)
    relevant[3], relevant[4, 1:] = -1, -1
    recommended = np.maximum(rng.integers(-4, ITEMS, (LISTS, 25)), -1)
    recommended[5] = -1
    labels = scored(relevant, ITEMS)
    labels[(recommended < 0).all(axis=1) & (relevant < 0).all(axis=1)] = -1
    cells = cells_in("ids", CUTOFFS, ["stable"])
    assert_as_oracle(
        cells,
        (relevant, recommended),
        labels,
        scores_of_ids(recommended, ITEMS),
    )
