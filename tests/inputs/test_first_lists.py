"""What the first lists show: a wrong direction, rows again, own items."""

import dataclasses

import numpy as np
import pytest

from keras_rankmetrics.engine.checks.evidence import mean_ranks
from keras_rankmetrics.engine.checks.first_lists import FirstLists

scipy_stats = pytest.importorskip("scipy.stats")


def flat(*lists):
    """The number of the list, the score and the label of each item."""
    rows = [(i, *row) for i, each in enumerate(lists) for row in each]
    number, *columns = (np.array(x, float) for x in zip(*rows, strict=True))
    return number.astype(int), *columns


def seen(*lists, are_own=None):
    return FirstLists().with_lists(*flat(*lists), are_own)


def random_lists(rng, number, length, effect=0.0):
    """Lists whose relevant items have scores that are higher by `effect`."""
    labels = (rng.random((number, length)) < 0.3).astype(float)
    scores = rng.normal(size=labels.shape) + effect * labels
    return np.repeat(np.arange(number), length), scores.ravel(), labels.ravel()


def test_the_sums_are_those_of_the_rank_sum_test():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = np.append(rng.integers(0, 2, 12), [0, 1])
        scores = np.round(rng.normal(size=14), 1)
        found = seen(list(zip(scores, labels, strict=True)))
        z = found.fit / found.variance**0.5
        for sides in (labels > 0, labels <= 0):
            expected = scipy_stats.mannwhitneyu(
                scores[sides],
                scores[~sides],
                method="asymptotic",
                use_continuity=False,
            )
            assert 2 * scipy_stats.norm.sf(abs(z)) == pytest.approx(
                expected.pvalue
            )


def test_tied_items_share_their_mean_rank():
    lists, scores = np.array([0, 0, 0, 1, 1]), np.array([1.0, 2, 2, 2, 3])
    assert mean_ranks(lists, scores).tolist() == [0, 1.5, 1.5, 3, 4]


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((5, 10), marks=pytest.mark.long),
        (30, 6),
        pytest.param((90, 20), marks=pytest.mark.long),
        (1, 300),
    ],
)
def test_random_scores_have_no_direction(shape):
    """As a share of 3.5 standard errors: 2 in 10,000 or fewer."""
    rng = np.random.default_rng(1)
    found = [
        FirstLists().with_lists(*random_lists(rng, *shape)).are_reversed
        for _ in range(1000)
    ]
    assert sum(found) <= 2


@pytest.mark.parametrize("shape", [(10, 10), (30, 6), (300, 20)])
def test_distances_are_found_in_any_order_of_rows(shape):
    rng = np.random.default_rng(2)
    for effect, expected in ((2.0, False), (-2.0, True)):
        for _ in range(50):
            rows = random_lists(rng, *shape, effect)
            assert FirstLists().with_lists(*rows).are_reversed == expected


def test_ranks_with_gaps_ties_and_short_lists_are_distances():
    for lists in (
        [[(1, 1), (2, 0), (2, 0)]] * 20,  # of three items, with ties
        [[(1, 1), (3, 0), (4, 0), (7, 0)]] * 10,  # with rows missing
        [[(1, 1), (2, 1), (999, 0), (999, 0), (999, 0)]] * 10,
        [[(x, x < 8) for x in range(1, 40)]] * 2,  # two queries
    ):
        assert seen(*lists).are_reversed
        assert not seen(
            *[[(-x, y) for x, y in each] for each in lists]
        ).are_reversed


def test_lists_of_two_and_of_one_item_prove_nothing():
    assert not seen(*[[(1, 1), (2, 0)]] * 100).are_reversed
    wrong, alone = [(1, 1), (2, 0), (3, 0)], [(0.5, 1)]
    assert seen(*[wrong] * 50).are_reversed
    assert not seen(*[wrong] * 50, *[alone] * 50).are_reversed


def test_unjudged_items_are_irrelevant_and_those_at_minus_infinity_left_out():
    lists = [[(1, 1), (2, -2), (3, -1), (4, 0)]] * 5
    plain = [[(1, 1), (2, 0), (3, 0), (4, 0)]] * 5
    assert seen(*lists) == seen(*plain)
    more = [[*each, (-np.inf, 1)] for each in lists]
    assert seen(*more) == seen(*plain)
    infinite = [[*each, (0.5, np.inf)] for each in lists]
    assert seen(*infinite) == seen(*plain)
    huge = [[(x, y * 1e300) for x, y in each] for each in lists]
    assert not seen(*huge).are_reversed  # unknown, and no warning
    nothing = FirstLists().with_lists(*flat([(-np.inf, 1)] * 3))
    assert nothing == FirstLists()


ROWS = [(0.5, 1), (0.2, 0), (0.9, 2)]


@pytest.mark.parametrize("times", [2, 3, 5])
def test_rows_that_are_there_again(times):
    for again in (ROWS * times, sorted(ROWS * times)):
        assert seen(again, again, again).has_rows_again
        assert not seen(again, again).has_rows_again
    for other in (
        [*ROWS, *ROWS, (0.1, 0), (0.1, 0), (0.1, 1)],
        [*ROWS, *ROWS, (0.1, 0)],
        [*ROWS, (0.1, 0)],
        [(0.5, 1)] * 4,
        [(1, 1), (1, 1), (2, 0), (2, 0)],  # of a classifier
    ):
        again = ROWS * times
        assert not seen(again, again, again, other).has_rows_again
        assert not seen(other, again, again, again).has_rows_again


def test_irrelevant_items_with_a_score_of_their_own():
    """Only the relevant items were scored, and the rest was filled in."""
    filled = [(0.5, 1), (0.2, 2), (0.1, 0), (0.1, 0)]
    assert seen(*[filled] * 13).are_filled
    assert seen(*[3 * filled + filled] * 5).are_filled
    assert not seen(*[4 * filled] * 4).are_filled
    ranked = [(0.5, 0), (0.2, 1), (0.9, 0), (0.1, 0)]
    assert not seen(*[filled] * 14, *[ranked] * 6).are_filled
    for rows in (
        [(0.5, 1), (0.1, 2), (0.1, 0), (0.1, 0)],  # a relevant item has it
        [(0.5, 1), (0.5, 2), (0.1, 0), (0.1, 0)],  # a classifier
        [(0.5, 1), (0.2, 1), (0.1, 1), (0.0, 0)],  # one other item
        [(2, 2), (1, 1), (0, 0), (0, 0)],  # labels
    ):
        assert not seen(*[rows] * 13).are_filled


def test_few_scores_of_a_sigmoid_may_all_be_0():
    rows = [(0.98, 1), (0.4, 1), (0.0, 0), (0.0, 0)]
    assert not seen(*[rows] * 12).are_filled  # of 48 items


def test_rows_that_are_joined_by_the_query_alone():
    labels, scores = (0, 1, 2, 0), (0.5, 0.2, 0.9)
    crossed = [(x, y) for x in scores for y in labels]
    assert seen(*[crossed] * 3).are_crossed
    assert not seen(*[crossed] * 2).are_crossed
    ranked = [(0.5, 0), (0.2, 1), (0.9, 0), (0.1, 0)]
    assert seen(*[crossed] * 8, ranked, ranked).are_crossed
    assert not seen(*[crossed] * 8, *[ranked] * 3).are_crossed
    for rows in (
        crossed[1:],
        [(x, 1) for x, _ in crossed],  # one label
        [(x // 1, y) for x, y in crossed],  # one score
        [(x, y) for x in scores for y in (0, 1)],  # each score twice
        ranked,
    ):
        assert not seen(*[rows] * 3).are_crossed


def test_queries_that_find_themselves():
    rows = [(0.5, 0), (0.2, 1), (0.9, 0), (0.1, 0)]
    own = np.array([False, False, True, False] * 20)

    def at(places):
        return own[places]

    found = seen(*[rows] * 20, are_own=at)
    assert found.finds_own and not found.own_relevant
    assert not seen(*[rows] * 20).finds_own
    assert not seen(*[rows] * 2, are_own=at).finds_own
    own[2:18] = False  # one list in five finds another item
    assert seen(*[rows] * 20, are_own=at).finds_own
    own[18:22] = False
    assert not seen(*[rows] * 20, are_own=at).finds_own
    own[:] = [False, False, True, False] * 20
    relevant = [(0.5, 0), (0.2, 1), (0.9, 1), (0.1, 0)]
    assert seen(rows, relevant, rows, are_own=at).own_relevant == 1
    alone = [(0.5, 0), (0.2, 0), (0.9, 1), (0.1, 0)]
    assert seen(*[alone] * 20, are_own=at).finds_partners
    assert not seen(*[relevant] * 20, are_own=at).finds_partners


def test_lists_of_zeros_among_others_are_fillers():
    ranked = [(0.5, 0), (0.2, 1), (0.9, 0), (0.1, 0)]
    zeros = [(0.0, 0)] * 4
    assert seen(ranked, zeros, ranked).has_fillers
    assert seen(ranked, zeros).has_fillers
    assert not seen(ranked, zeros, zeros).has_fillers
    assert not seen(ranked, zeros[:3]).has_fillers  # too short to have a say
    without_scores = [(0.0, 1), *zeros]  # a scorer that finds nothing
    assert not seen(ranked, ranked, zeros, without_scores).has_fillers
    without_labels = [(0.5, 0), (0.2, 0), *zeros]
    assert not seen(ranked, without_labels).has_fillers


def test_scores_that_are_labels_or_other_grades():
    ranked = [(0.5, 0), (0.2, 1), (0.9, 0), (0.1, 0)]
    labels = [(x, x) for x in (0, 1, 2, 0)]
    zeros = [(0, 0)] * 4  # of a query without relevant items
    grades = [(x, y) for x, y in zip((2, 0, 0, 2), (0, 1, 2, 0), strict=True)]
    assert seen(*[labels] * 25).are_labels
    assert seen(*[labels] * 24, zeros).are_labels
    assert not seen(*[labels] * 24, zeros).has_fillers
    assert not seen(*[labels] * 24).are_labels  # of 96 items
    assert not seen(*[labels] * 25, ranked).are_labels
    assert not seen(*[[(1, 1)] * 4] * 25).are_labels  # of constant scores
    assert seen(*[grades] * 3).have_grades
    assert seen(*[[(x - 1, y) for x, y in grades]] * 3).have_grades
    assert not seen(*[grades] * 25).are_labels
    assert not seen(*[grades] * 2).have_grades
    assert not seen(*[grades] * 3, ranked).have_grades
    for scores in (
        (0, 0, 0, 0),
        (1, 2, 3, 4),
        (5, 5.5, 6, 6),
        (0.5, 0.5, 1, 1),
    ):
        rows = [(x, y) for x, y in zip(scores, (0, 1, 2, 0), strict=True)]
        assert not seen(*[rows] * 3).have_grades


@pytest.mark.parametrize("seed", range(5))
def test_chunks_add_up_and_the_first_rows_decide(seed):
    rng = np.random.default_rng(seed)
    rows = random_lists(rng, 60, 1000)
    chunks, sums = FirstLists(), FirstLists()
    for begin in range(0, 60_000, 20_000):
        part = [x[begin : begin + 20_000] for x in rows]
        chunks = chunks.with_lists(*part)
        if begin < 40_000:
            sums = sums + FirstLists().with_lists(*part)
    whole = FirstLists().with_lists(*rows)
    assert (whole.rows, whole.lists) == (33_000, 33)
    assert dataclasses.astuple(chunks) == pytest.approx(
        dataclasses.astuple(whole)
    )
    assert (sums.rows, sums.lists) == (40_000, 40)
    long = FirstLists().with_lists(*random_lists(rng, 2, 40_000))
    assert (long.rows, long.lists) == (40_000, 1)


def test_no_lists():
    none = FirstLists().with_lists(np.zeros(0, int), np.zeros(0), np.zeros(0))
    assert none == FirstLists() == none + none
