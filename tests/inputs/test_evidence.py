"""Scores of all lists that may be places in an order."""

import itertools
import math

import numpy as np
import pytest

from keras_rankmetrics.engine.checks import Facts, of_ids
from keras_rankmetrics.engine.checks.evidence import Evidence


def flat(*lists):
    """The number of the list, the score and the label of each item."""
    rows = [(i, *row) for i, each in enumerate(lists) for row in each]
    return [np.array(column, float) for column in zip(*rows, strict=True)]


def seen(*lists):
    numbers, scores, labels = flat(*lists)
    return Evidence().with_lists(numbers.astype(int), scores, labels)


RANKS = [(1, 1), (2, 0), (3, 1), (4, 0)]


@pytest.mark.parametrize("lowest", [0, 1])
def test_places_are_a_number_and_the_next_ones_in_any_order(lowest):
    rows = [(x - 1 + lowest, y) for x, y in RANKS]
    for order in itertools.permutations(rows):
        assert seen(order, rows, rows).lowest == lowest
    for other in (
        [*rows[:-1], (9, 0)],
        [*rows[:-1], (lowest + 2, 0)],
        [(x + 0.5, y) for x, y in rows],
        [(x + 2, y) for x, y in rows],
        [(x, y) for x, y in rows[:-1]] + [(-math.inf, 0)],
    ):
        assert seen(rows, other).lowest is None
        assert seen(other, rows).lowest is None


def test_lists_of_two_numberings_are_no_places():
    other = [(x - 1, y) for x, y in RANKS]
    assert seen(RANKS, RANKS, other).lowest is None


def test_short_lists_have_no_say():
    found = seen(RANKS[:3], RANKS, RANKS[:2], RANKS, [(7.5, 1)], RANKS)
    assert found.lists == 3 and found.lowest == 1 and found.may_be_places
    assert not seen(RANKS, RANKS).may_be_places  # two may be chance


def test_labels_say_which_end_is_the_best():
    """The sum of products, and its variance, by all orders of a list."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 5)
    orders = [*itertools.permutations(range(1, 6))]
    fits = [
        float(((np.array(x) - 3) * (labels - labels.mean())).sum())
        for x in orders
    ]
    for order, fit in zip(orders, fits, strict=True):
        found = seen(list(zip(order, labels, strict=True)))
        assert found.fit == pytest.approx(fit)
        assert found.variance == pytest.approx(np.var(fits))
    best_last = [(x, x > 3) for x in range(1, 6)]
    found = seen(*[best_last] * 6)
    assert found.are_scores and not found.are_places
    best_first = [(x, x < 3) for x in range(1, 6)]
    found = seen(*[best_first] * 5)
    assert found.are_surely_places and not found.are_scores


def test_unjudged_items_count_as_irrelevant():
    some = [(1, 1), (2, -2), (3, -1), (4, -2)]
    plain = [(x, max(y, 0)) for x, y in some]
    assert seen(some, some).fit == seen(plain, plain).fit


@pytest.mark.parametrize("seed", range(20))
def test_chunks_add_up(seed):
    """To what all lists at once show, as far as it matters."""
    rng = np.random.default_rng(seed)
    lists = [
        [
            (float(x + (rng.random() < 0.02)), int(rng.integers(-2, 3)))
            for x in rng.permutation(int(rng.integers(2, 7))) + 1
        ]
        for _ in range(6)
    ]
    whole = seen(*lists)
    in_chunks = Evidence()
    for begin in (0, 2, 4):
        numbers, *columns = flat(*lists[begin : begin + 2])
        in_chunks = in_chunks.with_lists(numbers.astype(int), *columns)
    added = seen(*lists[:3]) + seen(*lists[3:])
    for found in (in_chunks, added):
        assert found.lowest == whole.lowest
        if whole.lowest is not None:
            assert found.lists == whole.lists
            assert found.fit == pytest.approx(whole.fit)


def test_no_lists():
    none = Evidence().with_lists(np.zeros(0, int), np.zeros(0), np.zeros(0))
    assert none == Evidence() == none + none


@pytest.mark.parametrize(
    "spelled",
    [
        str.upper,
        lambda x: x.replace("_", "-"),
        lambda x: f"'{x}'",
        lambda x: f"https://{x}/",
        lambda x: f"http://www.{x}",
        lambda x: f"{x}.",
        lambda x: x.replace("_", "%5F"),
        lambda x: f"00{x}",
    ],
)
def test_two_spellings_of_many_ids(spelled):
    ids = [f"{i}_q" for i in range(1, 41)]
    one = of_ids.two_spellings(np.array([*ids, *map(spelled, ids[:4])]))
    assert one == (ids[0], spelled(ids[0]))
    # Two may be an accident.
    ids = np.array([*ids, *map(spelled, ids[:2])])
    assert of_ids.two_spellings(ids) is None


@pytest.mark.parametrize(
    "one, other",
    [
        ("6f9619ff-8b86-d011-b42d-00c04fc9640{}", lambda x: x.replace("-", "")),
        ("a query {}", lambda x: x.replace(" ", "  ")),
    ],
)
def test_two_spellings_by_dashes_or_blanks(one, other):
    ids = [one.format(i) for i in range(6)]
    found = of_ids.two_spellings(np.array([*ids, *map(other, ids)]))
    assert found == (ids[0], other(ids[0]))


@pytest.mark.parametrize("text", ["1.23E+12", "1,23E+12", "1.2e12", "2E+10"])
def test_ids_that_a_spreadsheet_has_rounded(text):
    assert of_ids.without_digits(np.array(["17", text])) == text
    for plain in ("12e10", "3e10", "1.5", "e12"):  # may be hexadecimal
        assert of_ids.without_digits(np.array(["17", plain])) is None


@pytest.mark.parametrize("items", [20, 1000])
@pytest.mark.parametrize("lists", [3, 32])
@pytest.mark.parametrize("kind", ["random", "good", "popular", "near"])
def test_ids_are_shifted_by_no_chance(items, lists, kind):
    """None of 40 draws of each kind; of many lists, nearly all that are."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(40):
        relevant = [rng.choice(items, 5, replace=False) for _ in range(lists)]
        ids = [rng.choice(items, 15, replace=False) for _ in range(lists)]
        if kind == "good":
            ids = [np.append(*x) for x in zip(ids, relevant, strict=True)]
        elif kind == "popular":
            ids = [np.arange(15)] * lists
        elif kind == "near":
            ids = [x[0] + rng.integers(-9, 10, 15) for x in relevant]
        assert not of_ids.shift_of(ids, relevant)[2]
        step = int(rng.integers(1, 300))
        ids = [np.append(*x) + step for x in zip(ids, relevant, strict=True)]
        found.append(of_ids.shift_of(ids, relevant)[::2] == (step, True))
    if items > 20 and lists > 3:  # else they match after any step
        assert sum(found) > 35


def test_many_ids_of_one_list_are_compared_in_part():
    ids = np.random.default_rng(0).choice(10**9, 50_000, replace=False)
    for step in (1, 2, 100):
        found = of_ids.shift_of([ids + step], [ids])
        assert found[::2] == (step, True)
    assert not of_ids.shift_of([ids], [ids])[2]
    assert not of_ids.shift_of([ids[:0]], [ids])[2]


def test_chunks_share_the_columns_that_weights_are():
    rows = np.arange(40.0)
    found = Facts()
    for weights in (rows, rows % 7):
        part = Facts()
        part.add_weights(weights, {"the labels": rows})
        found += part
    assert not found.weighed_by
    part.add_weights(rows[:3], {"the labels": rows[:3]})  # too few to say
    assert not part.weighed_by
