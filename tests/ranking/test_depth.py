"""Ties at the last rank that the package looks at.

A few ranks are found without ranking the list, to a depth of one rank more than
the cutoff at least: that rank shows whether a group of ties is split. Metrics
of one collection are ranked as deep as the deepest, so cutoffs have a suite of
their own here.
"""

import numpy as np
import pytest
from catalogue import STRICT_TIES, Cell, Row
from in_forms import scored
from structures import spans_around, tied_at
from suites import assert_as_oracle

import keras_rankmetrics as krm
from keras_rankmetrics.engine.ranking.top import depth_beyond

# The cutoffs after which the package looks deeper.
LAST = [k for k in range(1, 1001) if depth_beyond(k) < depth_beyond(k + 1)]
# The last one takes a step for each rank.
AVERAGED = (
    Row(krm.NDCG, "ndcg"),
    Row(krm.MeanAveragePrecision, "map", {"denominator": "hits"}),
    Row(krm.MeanReciprocalRank, "mrr"),
    Row(krm.ERR, "err"),
)
TARGETS, WIDEST = 3, 50


def in_a_batch(k, n):
    """Return labels, scores and targets; in half of the lists only ties gain.

    The oracle lists the ways to draw from a group, so that none is very wide.
    """
    rng = np.random.default_rng([k, n])
    spans = spans_around(k, n, widths=(2, 5))
    spans = [(first, last) for first, last in spans if last - first < WIDEST]
    scores, tied = tied_at(rng, n, spans)
    labels = rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], scores.shape)
    labels[::2] = np.where(tied[::2], labels[::2], 0.0)
    labels[np.arange(len(labels)), tied.argmax(axis=1)] = 1.0
    targets = np.argsort(~tied, axis=1, kind="stable")[:, :TARGETS]
    return labels.astype("float32"), scores, targets


def test_one_rank_more_than_the_cutoff_is_looked_at():
    assert len(LAST) == 3
    assert all(depth_beyond(k) > k for last in LAST for k in (last - 1, last))


@pytest.mark.long
@pytest.mark.parametrize("last", LAST)
def test_ties_around_the_last_rank(last):
    depth = depth_beyond(last)
    for k, n in (
        (last, depth),
        (last, depth + 1),
        (last, depth + 40),
        (last - 1, depth + 1),
        (last + 1, depth + 1),
    ):
        labels, scores, _ = in_a_batch(k, n)
        cells = [
            *(
                Cell(row, k, "average")
                for row in AVERAGED[: 4 if k < 20 else 3]
            ),
            *(Cell(AVERAGED[0], k, ties) for ties in STRICT_TIES),
        ]
        assert_as_oracle(cells, (labels, scores), labels, scores)


@pytest.mark.parametrize("last", LAST)
def test_targets_around_the_last_rank(last):
    n = depth_beyond(last) + 1
    _, scores, targets = in_a_batch(last, n)
    cells = [
        Cell(row, last, ties, {"inputs": "sparse"})
        for row in AVERAGED[:3]
        for ties in ("average", "pessimistic")
    ]
    assert_as_oracle(cells, (targets, scores), scored(targets, n), scores)


@pytest.mark.parametrize("ties", ["average", "pessimistic"])
def test_a_single_tie_in_a_batch_is_seen(ties):
    """Wherever it is, no other list shows that items tie."""
    k = LAST[0]
    cell = Cell(AVERAGED[0], k, ties)
    for first in range(1, k + 1):
        ranks = np.arange(1, k + 5)
        scores = np.where(ranks == first + 1, -first, -ranks)[None]
        batch = (ranks == first)[None] * 1.0, scores * 1.0
        assert_as_oracle([cell], batch, *batch)
