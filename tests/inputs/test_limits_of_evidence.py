"""Each limit of the evidence: what is said at its value, and not one below."""

import ast
import dataclasses
import pathlib

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.checks import facts, of_batch, of_ids
from keras_rankmetrics.engine.checks.evidence import Evidence
from keras_rankmetrics.engine.checks.first_lists import FirstLists
from keras_rankmetrics.engine.checks.repeats import Repeats

# What the first lists have to show, just so, for each of their properties.
FIRST = {
    "are_reversed": {
        "fit": -35.1,
        "variance": 100.0,
        "relevant": 10,
        "against": 7,
    },
    "are_in_order": {"fit": 35.1, "variance": 100.0},
    "may_be_in_order": {"fit": 10.0, "variance": 100.0},
    "has_fillers": {"fillers": 1, "zeros": 1, "lists": 2, "equal": 1},
    "have_grades": {"lists": 3, "graded": 3},
    "are_labels": {"lists": 3, "rows": 100, "equal": 3, "fit": 0.1},
    "are_perfect": {"clear": 20, "rows": 100, "perfect": 20},
    "have_one_label": {"precise": 3, "rows": 50, "varied": 0, "changes": 1},
    "are_of_two_kinds": {"placed": 3, "fractions": 3, "lists": 6},
    "are_filled": {
        "lists": 10,
        "relevant": 10,
        "filled": 8,
        "rows": 50,
        "equal": 9,
    },
    "are_ranked": {"ranked": 20, "beyond": 3, "lists": 21, "relevant": 21},
    "are_capped": {"capped": 20, "apart": 10, "relevant": 21},
    "are_flipped": {"flipped": 20, "lists": 25},
    "are_dense": {"dense": 19, "lists": 20},
    "have_late": {
        "rows": 220,
        "lists": 20,
        "late": 20,
        "late_lists": 5,
        "shorter": 1,
        "hits": 100,
    },
    "are_joined": {"joined": 19, "zeroed": 20, "uneven": 3, "met": 4},
    "are_saturated": {"saturated": 5, "lists": 10},
    "are_topped": {"topped": 8, "lists": 10},
    "are_precise": {"lists": 3, "precise": 3},
    "has_rows_again": {"lists": 3, "again": 3},
    "are_crossed": {"crossed": 8, "lists": 10},
    "have_twins": {"twins": 20, "lists": 25},
    "finds_own": {"own": 8, "lists": 10},
    "finds_partners": {"own_alone": 3, "own_relevant": 5},
}
# What no longer shows it: one step of a field, in the direction that is wrong.
BEYOND = [
    *(("are_reversed", x) for x in ({"fit": -35.0}, {"against": 6})),
    ("are_in_order", {"fit": 35.0}),
    ("may_be_in_order", {"fit": 9.9}),
    ("has_fillers", {"fillers": 0, "zeros": 0}),
    ("has_fillers", {"fillers": 2, "zeros": 2}),
    ("has_fillers", {"zeros": 2}),
    ("has_fillers", {"equal": 2}),
    ("have_grades", {"lists": 2, "graded": 2}),
    ("have_grades", {"graded": 2}),
    ("are_labels", {"lists": 2, "equal": 2}),
    ("are_labels", {"rows": 99}),
    ("are_labels", {"equal": 2}),
    ("are_labels", {"fit": 0.0}),
    ("are_perfect", {"clear": 19, "perfect": 19}),
    ("are_perfect", {"rows": 99}),
    ("are_perfect", {"perfect": 19}),
    ("have_one_label", {"precise": 2}),
    ("have_one_label", {"rows": 49}),
    ("have_one_label", {"varied": 1}),
    ("have_one_label", {"changes": 0}),
    ("are_of_two_kinds", {"placed": 2}),
    ("are_of_two_kinds", {"fractions": 2}),
    ("are_of_two_kinds", {"lists": 3}),
    ("are_filled", {"filled": 7}),
    ("are_filled", {"lists": 5, "filled": 4, "equal": 4}),
    ("are_filled", {"rows": 49}),
    ("are_filled", {"equal": 10}),
    ("are_filled", {"spread": 1}),
    ("are_filled", {"graded": 10}),
    ("are_ranked", {"ranked": 19, "lists": 19}),
    ("are_ranked", {"lists": 22, "relevant": 22}),
    ("are_ranked", {"beyond": 2}),
    ("are_capped", {"capped": 19, "relevant": 19}),
    ("are_capped", {"relevant": 22}),
    ("are_capped", {"apart": 9}),
    ("are_flipped", {"flipped": 19, "lists": 19}),
    ("are_flipped", {"lists": 26}),
    ("are_dense", {"dense": 4, "lists": 4}),
    ("are_dense", {"dense": 18}),
    ("have_late", {"late": 19}),
    ("have_late", {"late_lists": 4}),
    ("have_late", {"shorter": 2}),
    ("have_late", {"hits": 101}),
    ("have_late", {"hits": 0}),
    ("are_joined", {"joined": 7, "zeroed": 7}),
    ("are_joined", {"joined": 18}),
    ("are_joined", {"uneven": 2}),
    ("are_joined", {"met": 3}),
    ("are_saturated", {"saturated": 4, "lists": 4}),
    ("are_saturated", {"lists": 11}),
    ("are_topped", {"topped": 7}),
    ("are_topped", {"topped": 2, "lists": 2}),
    ("are_precise", {"lists": 2, "precise": 2}),
    ("are_precise", {"precise": 2}),
    ("has_rows_again", {"lists": 2, "again": 2}),
    ("has_rows_again", {"again": 2}),
    ("are_crossed", {"crossed": 7}),
    ("are_crossed", {"crossed": 2, "lists": 2}),
    ("have_twins", {"twins": 19, "lists": 19}),
    ("have_twins", {"lists": 26}),
    ("finds_own", {"own": 7}),
    ("finds_own", {"own": 2, "lists": 2}),
    ("finds_partners", {"own_relevant": 6}),
]


def test_each_property_of_the_first_lists_has_a_limit_here():
    properties = {
        name for name, x in vars(FirstLists).items() if isinstance(x, property)
    }
    assert properties == set(FIRST) == {name for name, _ in BEYOND}


@pytest.mark.parametrize("name", FIRST)
def test_what_the_first_lists_show(name):
    assert getattr(FirstLists(**FIRST[name]), name)


@pytest.mark.parametrize(("name", "change"), BEYOND)
def test_what_the_first_lists_no_longer_show(name, change):
    assert not getattr(FirstLists(**{**FIRST[name], **change}), name)


@pytest.mark.parametrize(
    ("name", "shown", "change"),
    [
        ("may_be_places", {"lists": 3, "lowest": 0}, {"lists": 2}),
        ("may_be_places", {"lists": 3, "lowest": 1}, {"lowest": None}),
        (
            "are_places",
            {"lists": 3, "lowest": 1, "fit": -20.1, "variance": 100.0},
            {"fit": -20.0},
        ),
        (
            "are_surely_places",
            {"lists": 3, "lowest": 1, "fit": -25.1, "variance": 100.0},
            {"fit": -25.0},
        ),
        (
            "are_scores",
            {"lists": 7, "fit": 15.1, "variance": 100.0},
            {"fit": 15.0},
        ),
        (
            "are_scores",
            {"lists": 8, "fit": 25.1, "variance": 100.0},
            {"fit": 25.0},
        ),
    ],
)
def test_what_all_lists_share(name, shown, change):
    assert getattr(Evidence(**shown), name)
    assert not getattr(Evidence(**{**shown, **change}), name)


@pytest.mark.parametrize(
    ("name", "shown", "change"),
    [
        ("have_one_score", {"constant": 3, "lists": 4}, {"constant": 2}),
        ("have_one_score", {"constant": 3, "lists": 4}, {"lists": 3}),
        (
            "are_systems",
            {"systems": 2, "patterns": (1.0, 2.0, 3.0, 4.0, 5.0)},
            {"patterns": (1.0, 2.0, 3.0, 4.0)},
        ),
        (
            "are_systems",
            {"systems": 2, "patterns": (1.0, 2.0, 3.0, 4.0, 5.0)},
            {"systems": 1},
        ),
    ],
)
def test_what_is_there_again(name, shown, change):
    assert getattr(Repeats(**shown), name)
    assert not getattr(Repeats(**{**shown, **change}), name)


def labels(*values):
    return {"labels": [np.array(values, float)]}


ALIKE = FirstLists(rows=200, lists=40, alike=8)
# What facts have to show, just so, for a check to speak; and to be silent.
FACTS = {
    "ties_itself": ({"ties_itself": 8}, [{"ties_itself": 7}]),
    "from_one": ({"seconds": 8}, [{"seconds": 7}]),
    "sorted_ids": (
        {"sorted_lists": 5},
        [{"sorted_lists": 4}, {"are_sorted": False}],
    ),
    "of_sets": ({"of_sets": 5}, [{"of_sets": 4}]),
    "equal_scores": (
        {"steps": np.array([0, 0, 15])},
        [{"steps": np.array([0, 0, 14])}, {"steps": np.array([1, 0, 15])}],
    ),
    "ascend": (
        {"steps": np.array([15, 0, 0])},
        [
            {"steps": np.array([14, 0, 0])},
            {"steps": np.array([15, 1, 0])},
            {"rising": 1, "first": FirstLists(fit=1.0, variance=1.0)},
        ],
    ),
    "one_row_a_query": (
        {"lists": 2, "longest": 1},
        [{"lists": 1}, {"longest": 2}],
    ),
    "alike": (
        {"first": ALIKE},
        [
            {"first": dataclasses.replace(ALIKE, lists=41)},
            {"first": dataclasses.replace(ALIKE, alike=7, lists=35)},
            {"first": dataclasses.replace(ALIKE, alike=33)},
            {"are_whole": False},
        ],
    ),
    "codes": (labels(0, 10, 99), [labels(0, 11, 99), labels(99, 99)]),
    "steep_gains": (labels(0, 31), [labels(0, 30)]),
    "low_labels": (labels(0, 0), [labels(0, 1)]),
    "a_time": (labels(1, 750_000_000), [labels(1, 749_999_999)]),
    "times": (
        labels(2_200_000_000, 2_200_000_000),
        [labels(2_200_000_001, 2_200_000_001)],
    ),
    "infinite_labels": (labels(0, np.inf), [labels(0, 1e300)]),
}


def said(found):
    metrics = [krm.NDCG(k=5), krm.PrecisionAtK(k=5)]
    return [x.check.name for x in checks.said_of(found, metrics)]


@pytest.mark.parametrize("name", FACTS)
def test_what_a_check_says_and_no_longer(name):
    shown, changes = FACTS[name]
    assert name in said(checks.Facts(**shown))
    for change in changes:
        assert name not in said(checks.Facts(**{**shown, **change}))


@pytest.mark.parametrize(
    ("singles", "others", "expected"),
    [(100, 5, True), (100, 6, False), (99, 5, False), (950, 50, True)],
)
def test_nearly_all_lists_have_one_row(singles, others, expected):
    lengths = np.array([1] * singles + [3] * others)
    halves = checks.Facts(), checks.Facts()
    for half, some in zip(halves, np.split(lengths, [40]), strict=True):
        half.add_lists(some)
    assert ("one_row_a_query" in said(halves[0] + halves[1])) == expected


STEP = 8  # of float32 from 2**26 on
GRID = 2**26 + STEP * np.arange(1, 17)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (GRID, True),
        (GRID.astype(str), True),
        (GRID.astype("S"), True),
        (np.delete(np.append(GRID, 2**26 + 200), 8), True),
        (GRID[1:], False),
        (np.append(GRID, 2**26 + 201), False),
        (np.append(GRID, 7), False),
        (2**26 + 2 * STEP * np.arange(1, 30), False),
        (2**26 + STEP // 2 * np.arange(1, 30), False),
        (2**24 + 1 + np.arange(40), False),
        (2**24 + 10 * np.arange(1, 40), False),
        (1_700_000_000 + 3600 * np.arange(1, 40), False),
        (10**15 + 2**26 * np.arange(40), False),
        (np.array([f"d{x}" for x in GRID]), False),
        (np.array(["9" * 30]), False),
    ],
)
def test_ids_in_steps_of_float32(ids, expected):
    found = of_ids.in_steps_of_float32(np.arange(3), ids)
    assert (found == (2**26 + STEP, 2**26 + 2 * STEP)) == expected
    assert (found is not None) == expected


def counted(lengths, start=0):
    return np.concatenate([np.arange(x) + start for x in lengths])


UNEQUAL = [3, 4, 5, 3, 3, 9, 1, 3, 3, 2]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (counted(UNEQUAL), (0, 10)),
        (counted(UNEQUAL, 1), (1, 10)),
        (counted(UNEQUAL).astype(str), (0, 10)),
        (counted(UNEQUAL).astype("S"), (0, 10)),
        (counted(UNEQUAL, 2), None),
        (counted([3] * 12), None),  # all queries, item by item
        (counted(range(1, 13)), None),  # one half of all pairs
        (counted(UNEQUAL[1:]), None),
        (counted([2, 1, 2] * 9), None),  # two queries, of which one is rare
        (np.append(counted(UNEQUAL), 5), None),
        (np.append(counted(UNEQUAL), 1), None),
        (np.sort(counted(UNEQUAL)), None),
        (np.array(["a", "0"]), None),
        (np.zeros(0, np.int64), None),
    ],
)
def test_queries_that_count_rows(query, expected):
    assert of_ids.counted_runs(query) == expected


def test_gains_are_of_four_to_twelve_grades():
    for number in range(2, 15):
        found = checks.Facts()
        found.add_labels(2.0 ** np.arange(number) - 1)
        assert ("gains" in said(found)) == (4 <= number <= 12)
        other = checks.Facts()
        other.add_labels(np.array([2.0]))
        assert "gains" not in said(found + other)
    found = checks.Facts()
    found.add_labels(np.array([1.0, 3, 7, 15]))
    assert "gains" not in said(found)


@pytest.mark.parametrize("number", [19, 20])
def test_weights_are_another_column_from_twenty_rows_on(number):
    found = checks.Facts()
    weights = np.arange(1.0, number + 1)
    found.add_weights(weights, {"the labels": weights})
    assert bool(found.weighed_by) == (number == 20)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((4, 5, 6, 5), True),
        ((4, 5, 6, 4), False),  # 19 labels
        ((5, 5, 5, 5), False),  # as many in each list
        ((3, 3, 3, 2, 3, 3, 3), False),  # of three places
    ],
)
def test_labels_are_places_from_twenty_clicks_on(numbers, expected):
    labels = np.zeros((len(numbers), 2 * max(numbers)))
    for row, number in zip(labels, numbers, strict=True):
        row[:number] = np.arange(1, number + 1)
    lists = np.repeat(np.arange(len(labels)), labels.shape[1])
    assert facts.are_places_of_labels(lists, labels.ravel()) == expected


@pytest.mark.parametrize("lists", [15, 16])
def test_pairs_and_labels_as_targets_from_sixteen_lists_on(lists):
    targets = np.stack([np.arange(lists), np.arange(lists)[::-1]], axis=1)
    assert of_batch.are_pairs(targets) == (lists == 16)
    assert not of_batch.are_pairs(targets, items=lists)
    ones = np.arange(lists)[:, None] % 2
    assert of_batch._are_labels(ones, 50) == (lists == 16)
    assert not of_batch._are_labels(ones, 49)


@pytest.mark.parametrize("shared", [2, 3])
def test_ids_are_those_of_both_sides_above_a_fifth(shared):
    reference = 100 * np.arange(1, 11) + np.arange(3)[:, None]
    scores = reference[:, ::-1] + 50
    scores[:, :shared] = reference[:, -shared:]
    assert of_batch._are_ids(scores, reference) == (shared == 3)
    assert not of_batch._are_ids(scores[:2], reference[:2])


@pytest.mark.parametrize("lists", [2, 3])
def test_all_relevant_items_are_excluded_from_three_lists_on(lists):
    relevant = np.arange(2 * lists).reshape(lists, 2)
    assert of_batch.are_excluded(relevant, relevant) == (lists == 3)
    some = relevant[:, :1]
    assert not of_batch.are_excluded(relevant, some)


def test_the_best_of_floats_is_infinite():
    largest = float(np.finfo("float32").max)
    for best, expected in ((largest, largest), (1e38, None), (np.inf, np.inf)):
        scores = np.array([0.0, best])
        assert facts.infinite_in(scores) == expected
        negated = None if expected is None else -expected
        assert facts.infinite_in(-scores, is_higher=False) == negated
    assert facts.infinite_in(np.zeros(0)) is None


def test_each_finding_has_its_words():
    """`Facts.see` takes any name: one without a check would say nothing."""
    names = {x.name for x in checks.checks.CHECKS if x.role == "seen"}
    package = pathlib.Path(krm.__file__).parent
    found = {
        keyword.arg
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", None) in ("see", "say_seen")
        for keyword in node.keywords
        if keyword.arg is not None
    }
    assert found == names


def test_the_first_finding_of_a_check_stays():
    found = checks.Facts()
    found.see(padding=None, apart=np.bool_(False), by_place=False)
    assert not found.seen
    found.see(padding=0)
    found.see(padding=9)
    assert found.seen == {"padding": 0}
    other = checks.Facts(seen={"padding": 5, "apart": True})
    assert (found + other).seen == {"padding": 0, "apart": True}


def test_ids_that_are_again_elsewhere_are_no_padding():
    """The id 0 is one, too, where another one is there again at an end."""
    ends = np.array(
        [[9, 9, 1, 0, 2, 0], [9, 9, 0, 3, 0, 4], [9, 9, 0, 0, 5, 6]]
    )
    assert of_batch._padding_of(ends) == (0, 0)
    ends[0, 3] = 7
    assert of_batch._padding_of(ends) == (9, 3)
    assert of_batch.padding_in(ends) == 9
    assert of_batch.padding_in(ends[:2]) is None
