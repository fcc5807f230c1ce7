"""All forms of input give the numbers of the dense form of the same lists."""

import dataclasses

import keras
import numpy as np
import pytest
from in_forms import TIES, cells_in, counted, scored, scores_of_ids
from suites import Suite, assert_same

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


def test_recommended_ids():
    rng = np.random.default_rng(6)
    relevant = rng.integers(-2, ITEMS, (LISTS, 9))
    relevant[3], relevant[4, 1:] = -1, -1
    recommended = rng.integers(-4, ITEMS, (LISTS, 25))
    recommended[5] = -1
    ids, dense = pair("ids", "stable")
    expected = dense.per_list(
        scored(relevant, ITEMS), scores_of_ids(recommended, ITEMS)
    )
    assert_same(ids.cells, ids.per_list(relevant, recommended), expected)
