"""PyKEEN, where one item of each list is relevant.

Its optimistic and pessimistic ranks are those of `ties` of that name. The
realistic one is the mean of both, and so that of `ties="average"`, for metrics
that are linear in the rank: the mean rank, and the index made of it. For others
it takes one over the mean rank for the mean of one over the rank.
"""

import functools

import numpy as np
import pytest
from in_forms import values
from peer_lists import LISTS, Data, compare
from pytest import approx

from keras_rankmetrics import conventions

pytestmark = pytest.mark.peers
OURS = conventions.pykeen
ITEMS = 24
KINDS = ("optimistic", "pessimistic")


@pytest.fixture(scope="module")
def there():
    return pytest.importorskip("pykeen.metrics.ranking")


@functools.cache
def lists(values_of_scores, equal=False):
    """One relevant item a list; few values of scores make ties."""
    rng = np.random.default_rng(41)
    lengths = rng.integers(2, ITEMS + 1, (LISTS, 1))
    if equal:
        lengths[:] = ITEMS
    scores = rng.permuted(np.tile(np.arange(ITEMS), (LISTS, 1)), axis=1)
    scores = scores * values_of_scores // ITEMS
    labels = np.zeros((LISTS, ITEMS))
    labels[np.arange(LISTS), rng.integers(0, lengths[:, 0])] = 1
    labels[np.arange(ITEMS) >= lengths] = -1
    return Data(labels.astype("float32"), scores.astype("float32"))


def ranks(data):
    """The ranks of all kinds, and how many candidates there are."""
    torch = pytest.importorskip("torch")
    from pykeen.evaluation.ranks import Ranks

    there = torch.tensor(data.labels >= 0)
    scores = torch.tensor(data.scores).where(there, torch.nan)
    best = scores[torch.tensor(data.labels == 1)][:, None]
    return Ranks.from_scores(best, scores)


def of_lists(metric, ranks, candidates):
    return [
        metric(np.array([rank]), np.array([many]))
        for rank, many in zip(ranks.numpy(), candidates.numpy(), strict=True)
    ]


each_kind = pytest.mark.parametrize("kind", [*KINDS, "realistic"])
tied_or_not = pytest.mark.parametrize("values_of_scores", [ITEMS, 6, 1])


@tied_or_not
@each_kind
@pytest.mark.parametrize(
    "name, theirs",
    [
        ("MeanRank", "ArithmeticMeanRank"),
        ("AdjustedMeanRankIndex", "AdjustedArithmeticMeanRankIndex"),
    ],
)
def test_linear_in_the_rank(there, name, theirs, kind, values_of_scores):
    data = lists(values_of_scores)
    found = ranks(data)
    of_kind = getattr(found, kind)
    expected = of_lists(
        getattr(there, theirs)(), of_kind, found.number_of_options
    )
    ties = {} if kind == "realistic" else {"ties": kind}
    compare(getattr(OURS, name)(**ties), data, expected)


@tied_or_not
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_others(there, k, kind, values_of_scores):
    data = lists(values_of_scores)
    found = ranks(data)
    metric = OURS.MeanReciprocalRank(ties=kind)
    theirs = there.InverseHarmonicMeanRank()
    if k is not None:
        metric = OURS.HitRateAtK(k, ties=kind)
        theirs = there.HitsAtK(k)
    expected = of_lists(theirs, getattr(found, kind), found.number_of_options)
    compare(metric, data, expected)


def test_realistic_ranks_in_others_where_nothing_ties(there):
    data = lists(ITEMS)
    found = ranks(data)
    expected = of_lists(
        there.InverseHarmonicMeanRank(),
        found.realistic,
        found.number_of_options,
    )
    compare(OURS.MeanReciprocalRank(), data, expected)


@each_kind
def test_the_index_of_lists_of_unequal_lengths(there, kind):
    """Theirs is one over all lists: they weigh by their other items."""
    data = lists(6)
    found = ranks(data)
    theirs = there.AdjustedArithmeticMeanRankIndex()
    candidates = found.number_of_options.numpy()
    expected = theirs(getattr(found, kind).numpy(), candidates)
    ties = {} if kind == "realistic" else {"ties": kind}
    metric = OURS.AdjustedMeanRankIndex(**ties)
    mean = float(metric(data.labels, data.scores, candidates - 1.0))
    assert mean == approx(expected, abs=1e-6)


@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_adjusted_for_chance(there, k):
    """Of lists of equal lengths; else theirs adjusts the mean, ours lists."""
    data = lists(ITEMS, equal=True)
    found = ranks(data)
    metric = OURS.MeanReciprocalRank(adjusted="chance")
    theirs = there.AdjustedInverseHarmonicMeanRank()
    if k is not None:
        metric = OURS.HitRateAtK(k, adjusted="chance")
        theirs = there.AdjustedHitsAtK(k=k)
    expected = theirs(found.realistic.numpy(), found.number_of_options.numpy())
    mean = float(metric(data.labels, data.scores))
    assert mean == approx(expected, abs=1e-6)


def test_what_is_said_of_the_mean_rank_over_chance(there):
    data = lists(6, equal=True)
    found = ranks(data)
    theirs = there.AdjustedArithmeticMeanRank()(
        found.realistic.numpy(), found.number_of_options.numpy()
    )
    mean = np.mean(values(OURS.MeanRank(), data.labels, data.scores))
    assert mean / ((ITEMS + 1) / 2) == approx(theirs, rel=1e-6)
