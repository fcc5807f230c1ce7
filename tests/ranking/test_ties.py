"""What each tie policy does with items of equal score."""

import itertools
import math
from collections import Counter

import keras
import numpy as np
import oracle
import pytest
from catalogue import ROWS, Cell, Row, cells, in_turns
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from suites import LAW, Suite, as_lists, assert_same, from_levels

from keras_rankmetrics import (
    DCG,
    NDCG,
    MeanReciprocalRank,
    PFound,
    RankingMetric,
    linear_gain,
)
from keras_rankmetrics.engine.ranking.top import depth_beyond

INF = np.inf
LABELS = np.array([-1.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0], "float32")
SCORES = np.array([0.0, -0.0, 0.0, 1.0, 1.0, INF, -INF, -2.0], "float32")
WEIGHTS = np.array([1.0, 1.0, 0.5, 3.0, 0.0, 2.0, 1.0, 0.1], "float32")
FEW = (24, 5)  # lists of so few items that all their orders can be listed

few_items = st.tuples(
    *(from_levels(levels, FEW) for levels in (LABELS, SCORES, WEIGHTS))
)


# "average"


def check_enumerated(suite, *batch):
    """Compares with the mean over all orders, listed one by one."""
    lists = as_lists(*batch)
    expected = [
        [
            oracle.enumerated(
                cell.row.oracle,
                labels,
                scores,
                weights=weights,
                k=cell.k,
                **cell.row.for_oracle,
            )
            for labels, scores, _, weights in lists
        ]
        for cell in suite.cells
    ]
    assert_same(suite.cells, suite.per_list(*batch), expected)


AVERAGE = Suite(cells(ROWS, (2, None), ("average",)))


@pytest.mark.long
@settings(LAW, max_examples=8)
@given(batch=few_items)
def test_average_is_the_mean_over_all_orders(batch):
    check_enumerated(AVERAGE, *batch)


@pytest.mark.long
def test_a_constant_scorer_gets_the_chance_level_from_every_metric():
    rng = np.random.default_rng(7)
    labels = rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], FEW).astype("float32")
    scores, weights = np.full(FEW, 0.3, "float32"), np.ones(FEW, "float32")
    check_enumerated(AVERAGE, labels, scores, weights)


TIED = 5
DEPTHS = (depth_beyond(1), depth_beyond(depth_beyond(1)))


@pytest.mark.long
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("beyond", range(TIED + 1))
def test_average_where_ties_straddle_the_depth(depth, beyond):
    """Ranked so far down, and of a group that goes on the rest is summed up.

    Of the tied items so many stand beyond.
    """
    k, n = depth - 1, depth + TIED
    assert depth_beyond(k, n) == depth
    rng = np.random.default_rng(depth + beyond)
    labels = rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], (3, n))
    ranks = 1 + np.stack([rng.permutation(n) for _ in labels])
    last = depth + beyond
    tied = (last - TIED < ranks) & (ranks <= last)
    labels[0] = np.where(tied[0], labels[0], 0.0)  # all that is relevant ties
    labels[1] = np.where(tied[1], labels[1] + 1.0, 0.0)
    scores = np.where(tied, -last, -ranks)
    suite = Suite(in_turns(ROWS, (k,), ("average",)))
    check_enumerated(suite, labels.astype("float32"), scores.astype("float32"))


def test_ties_in_one_list_leave_the_largest_gains_of_another_alone():
    """What ties is added up; what does not must not overflow."""
    labels, scores = [[2e38, 0], [1, 0]], [[2.0, 1.0], [1.0, 1.0]]
    found = NDCG(1, gain_fn=linear_gain).per_list(labels, scores)
    np.testing.assert_allclose(found, [1, 1 / 2])


LOG3, LOG5 = math.log2(3), math.log2(5)


@pytest.mark.parametrize(
    "ideal, k, best",
    [
        ("relevant", 2, 3 + 2 / LOG3),
        ("uncut", 2, 3 + 2 / LOG3 + 1 / 2 + 1 / LOG5),
        ("shown", 2, 3 + 2 / LOG3),
        ("relevant", 4, 3 + 2 / LOG3 + 1 / 2 + 1 / LOG5),
        ("uncut", 4, 3 + 2 / LOG3 + 1 / 2 + 1 / LOG5),
        ("shown", 4, 3 + 2 / LOG3 + 1 / 2),  # three of the four ranks
        ("shown", None, 3 + 2 / LOG3 + 1 / 2),
    ],
)
def test_the_ideal_of_all_items_is_the_same_in_all_orders(ideal, k, best):
    """Two items tie at the ranks 2 and 3; the last two are not retrieved."""
    labels, scores = [[3.0, 1.0, 0.0, 2.0, 1.0]], [[2.0, 1.0, 1.0, -INF, -INF]]

    def value(ties):
        metric = NDCG(k, linear_gain, ideal=ideal, ties=ties)
        return float(metric.per_list(labels, scores)[0])

    above, below = 3 + 1 / LOG3, 3 + (k != 2) / 2
    assert value("optimistic") == pytest.approx(above / best)
    assert value("stable") == pytest.approx(above / best)
    assert value("pessimistic") == pytest.approx(below / best)
    assert value("average") == pytest.approx((above + below) / 2 / best)


def test_pfound_of_tied_items():
    """Each of the six orders of 1/2, 1 and 0, by hand."""
    labels, scores = [[0.5, 1.0, 0.0]], [[1.0, 1.0, 1.0]]
    orders = [
        0.5 + 0.85 * 0.5,  # 1/2 1 0
        0.5 + 0.85**2 * 0.5,  # 1/2 0 1
        1.0,  # 1 1/2 0
        1.0,  # 1 0 1/2
        0.85 * 0.5 + 0.85**2 * 0.5,  # 0 1/2 1
        0.85,  # 0 1 1/2
    ]

    def value(k=None, **options):
        return float(PFound(k, **options).per_list(labels, scores)[0])

    assert value() == pytest.approx(sum(orders) / 6)
    assert value(ties="stable") == pytest.approx(orders[0])
    assert value(ties="optimistic") == 1.0
    assert value(ties="pessimistic") == pytest.approx(orders[4])
    assert value(1) == pytest.approx((0.5 + 1.0 + 0.0) / 3)
    # The first two: (1/2 1), (1/2 0), (1 _) twice, (0 1/2), (0 1).
    halved = (0.5 + 0.25) + 0.5 + 2.0 + 0.25 + 0.5
    assert value(2, decay=0.5) == pytest.approx(halved / 6)


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.filterwarnings("ignore:.*should have labels, and the run scores")
def test_pfound_of_probabilities(k):
    """Of the class itself; the laws have grades in their place."""
    rng = np.random.default_rng(11)
    labels = rng.choice([-1.0, 0.0, 0.1, 0.5, 0.9, 1.0], (40, 6))
    scores = rng.choice([0.0, 1.0, 2.0, -INF], labels.shape)
    labels, scores = labels.astype("float32"), scores.astype("float32")
    mask = labels >= 0
    y_true = {"labels": labels, "mask": mask}
    found = ops.convert_to_numpy(PFound(k).per_list(y_true, scores))
    expected = [
        oracle.enumerated("pfound", *one, k=k, mask=kept)
        for *one, kept in zip(labels, scores, mask, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-6)


# "shuffle"


@keras.saving.register_keras_serializable("tests")
def digit_discount(rank):
    """Turns the labels of four items in their order into the digits of DCG."""
    return ops.power(10.0, 4.0 - rank)


def digits(**options):
    return DCG(4, linear_gain, digit_discount, **options)


FOUR = np.array([1.0, 2.0, 3.0, 4.0], "float32")
ALL_ORDERS = {
    1000 * a + 100 * b + 10 * c + d
    for a, b, c, d in itertools.permutations((1, 2, 3, 4))
}


def orders_drawn(metric, lists):
    """An order of four tied items for each list."""
    values = metric.per_list(np.tile(FOUR, (lists, 1)), np.zeros((lists, 4)))
    return [round(value) for value in ops.convert_to_numpy(values).tolist()]


def draws(metric, lists, batches):
    """What each batch draws."""
    drawn = []
    for _ in range(batches):
        drawn.append(orders_drawn(metric, lists))
        metric.update_state(np.tile(FOUR, (lists, 1)), np.zeros((lists, 4)))
    return drawn


def assert_uniform(drawn, values):
    """By a chi-square test; a right one fails for 1 in some 1,000 seeds."""
    counts, expected = Counter(drawn), len(drawn) / len(values)
    assert set(counts) <= set(values)
    square = sum((counts[v] - expected) ** 2 / expected for v in values)
    freedom = len(values) - 1
    assert square < freedom + 4 * math.sqrt(2 * freedom)
    # Numbers that are too regular are not random either.
    assert square > freedom - 4 * math.sqrt(2 * freedom)


@pytest.mark.long
def test_shuffle_gives_a_value_of_a_possible_order():
    rng = np.random.default_rng(3)
    labels = LABELS[rng.integers(0, 8, FEW)]
    scores = SCORES[rng.integers(0, 8, FEW)]
    shuffle = cells(ROWS, (2,), ("shuffle",))
    stable = cells(ROWS, (2,), ("stable",))
    suite = Suite(shuffle)
    found = suite.per_list(labels, scores)
    # Of the possible values, that next to what was found.
    nearest = np.full(found.shape, np.inf)
    for order in itertools.permutations(range(FEW[1])):
        lists = as_lists(labels[:, order], scores[:, order])
        values = np.array([[c.value(*x) for x in lists] for c in stable])
        nearer = ~(abs(nearest - found) <= abs(values - found))
        nearest = np.where(nearer, values, nearest)
    assert_same(shuffle, found, nearest)


@pytest.mark.long
def test_shuffle_is_the_average_on_average():
    draws = 4096
    suite = Suite(cells(ROWS, (3,), ("shuffle",)))
    scores = np.array([0.0, 0.0, -0.0, 1.0, 1.0, -INF], "float32")
    for labels in (
        [0.0, 2.0, 3.0, 1.0, 0.0, 1.0],
        [0.0, 4.0, 0.0, 0.0, 0.0, 1],
    ):
        labels = np.array(labels, "float32")
        values = suite.per_list(
            np.tile(labels, (draws, 1)), np.tile(scores, (draws, 1))
        )
        for cell, drawn in zip(suite.cells, values, strict=True):
            expected = oracle.enumerated(
                cell.row.oracle, labels, scores, k=3, **cell.row.for_oracle
            )
            error = drawn.std() / math.sqrt(draws)
            assert abs(drawn.mean() - expected) < 4 * error + 1e-6, cell


def test_shuffle_draws_all_orders_equally_often():
    assert_uniform(orders_drawn(digits(ties="shuffle"), 2400), ALL_ORDERS)


@pytest.mark.long
def test_shuffle_draws_all_orders_equally_often_over_batches():
    row = Row(
        DCG,
        "dcg",
        {"gain_fn": linear_gain, "rank_discount_fn": digit_discount},
        perfect=None,
    )
    suite = Suite([Cell(row, 4, "shuffle")])
    batch = FOUR[None], np.zeros((1, 4), "float32")
    means = suite.results(*[batch] * 480)[:, 0]
    sums = means.astype("float64") * np.arange(1, 481)
    assert_uniform(np.round(np.diff(sums, prepend=0.0)), ALL_ORDERS)


def test_shuffle_draws_the_lists_of_a_batch_independently():
    drawn = orders_drawn(digits(ties="shuffle"), 4800)
    first = [order // 1000 for order in drawn]
    pairs = zip(first[0::2], first[1::2], strict=True)
    assert_uniform(list(pairs), list(itertools.product((1, 2, 3, 4), repeat=2)))


def test_shuffle_draws_the_batches_independently():
    one, other = draws(digits(ties="shuffle"), 2400, 2)
    pairs = [(a // 1000, b // 1000) for a, b in zip(one, other, strict=True)]
    assert_uniform(pairs, list(itertools.product((1, 2, 3, 4), repeat=2)))


@pytest.mark.parametrize("n", [40, 300])
def test_shuffle_puts_any_item_first(n):
    """Also where far more items tie than the ranking is deep."""
    lists = 20 * n
    labels = np.tile(np.arange(n, dtype="float32"), (lists, 1))
    metric = DCG(1, linear_gain, ties="shuffle")
    values = ops.convert_to_numpy(
        metric.per_list(labels, np.zeros_like(labels))
    )
    assert_uniform(np.round(values).tolist(), range(n))


def test_shuffle_is_the_same_on_every_backend():
    """Each backend is held to the same numbers."""
    assert draws(digits(ties="shuffle"), 3, 2) == [
        [1423, 2134, 1432],
        [1234, 3142, 4123],
    ]
    assert draws(digits(ties="shuffle", seed=7), 3, 2) == [
        [1423, 2431, 3421],
        [4312, 2143, 3421],
    ]
    labels = np.tile(np.arange(300, dtype="float32"), (4, 1))
    metric = DCG(1, linear_gain, ties="shuffle")
    values = metric.per_list(labels, np.zeros_like(labels))
    assert ops.convert_to_numpy(values).tolist() == [20.0, 154.0, 191.0, 72.0]


def test_shuffle_draws_anew_each_batch_and_the_same_after_a_reset():
    metric = digits(ties="shuffle")
    one, two = draws(metric, 8, 2)
    assert one != two
    metric.reset_state()
    assert draws(metric, 8, 2) == [one, two]


def test_shuffle_differs_between_seeds():
    seeds = [None, 1, 2, 3, -1, 2**24, 2**24 + 1, 2**70]
    drawn = [
        tuple(orders_drawn(digits(ties="shuffle", seed=seed), 16))
        for seed in seeds
    ]
    assert len(set(drawn)) == len(seeds)


def test_shuffle_only_moves_what_ties():
    scores = np.array([[1.0, 3.0, 2.0, 4.0]], "float32")
    value = digits(ties="shuffle").per_list(FOUR[None], scores)
    assert float(value[0]) == 4231.0


# "stable"


@pytest.mark.parametrize(
    "n", sorted({4, 16, 17, 300, *(d + i for d in DEPTHS for i in (-1, 0, 1))})
)
def test_stable_is_the_order_of_the_input(n):
    """On torch, `top_k` keeps it up to 16 items only."""
    zeros = np.where(np.arange(n) % 3 == 1, -0.0, 0.0)
    scores = np.tile(zeros, (n, 1)).astype("float32")
    only_one = np.eye(n, dtype="float32")
    for k in (1, 9, 10, 11, 99, 100, 101, None):
        metric = MeanReciprocalRank(k, ties="stable")
        found = ops.convert_to_numpy(metric.per_list(only_one, scores))
        expected = [1 / i if i <= (k or n) else 0 for i in range(1, n + 1)]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_integers_tie_only_where_they_are_equal():
    """As float32, the first two would."""
    scores = np.array([[2**24, 2**24 + 1, 7, 7]], "int32")
    expected = {
        "stable": 2134.0,
        "pessimistic": 2134.0,
        "optimistic": 2143.0,
        "average": 2000.0 + 100.0 + 3.5 * (10.0 + 1.0),
    }
    for ties, value in expected.items():
        assert float(digits(ties=ties).per_list(FOUR[None], scores)[0]) == value


# "pessimistic" and "optimistic"


WIDE = (12, 20)
BOUNDS = ("pessimistic", "average", "optimistic")
CERTAIN = [
    row
    for row in ROWS
    if row.certain_denominator
    and not row.strict_only
    and "adjusted" not in row.options
    and row.oracle != "count"  # the same in all orders
]
BOUNDED = Suite(cells(CERTAIN, (3,), BOUNDS))


def bounds(values):
    """The values of each row by the three policies, more being better."""
    signs = [[-1 if c.row.less_is_better else 1] for c in BOUNDED.cells]
    return [(signs * values)[i :: len(BOUNDS)] for i in range(len(BOUNDS))]


@pytest.mark.long
@settings(LAW, max_examples=10)
@given(
    labels=from_levels(LABELS, WIDE),
    scores=from_levels(SCORES, WIDE),
)
def test_pessimism_and_optimism_bound_the_average(labels, scores):
    """Without weights: they order labels, not weights times gains."""
    low, middle, high = bounds(BOUNDED.per_list(labels, scores))
    there = ~np.isnan(middle)
    margin = 1e-6 * np.maximum(1.0, np.abs(middle))
    assert np.all((low <= middle + margin)[there])
    assert np.all((middle <= high + margin)[there])


def test_a_constant_scorer_is_worst_and_best():
    """What a collapsed model gets: it hides behind no policy."""
    labels = [[0.0, 1.0, oracle.UNJUDGED, 3.0, 0.0, 0.0]]
    labels = np.array(labels, "float32")
    values = BOUNDED.per_list(labels, np.ones_like(labels))
    low, middle, high = bounds(values)
    assert np.all(low < middle)
    assert np.all(middle < high)


# Which policies there are for whom


@pytest.mark.long
def test_strict_orders_agree_where_nothing_ties():
    rng = np.random.default_rng(5)
    labels = LABELS[rng.integers(0, 8, WIDE)]
    scores = rng.permuted(np.tile(np.arange(20.0), (12, 1)), axis=1)
    policies = ("stable", "pessimistic", "optimistic", "shuffle")
    suite = Suite(cells(ROWS, (3,), policies))
    values = suite.per_list(labels, scores.astype("float32"))
    for i in range(1, len(policies)):
        np.testing.assert_array_equal(values[::4], values[i::4])


def test_ties_are_averaged_unless_a_metric_needs_an_order():
    assert NDCG(ideal="retrieved", ties="optimistic").ties == "optimistic"
    for row in ROWS:
        metric = row.make(3)
        assert metric.ties == ("stable" if row.strict_only else "average")


class BestOfRetrieved(RankingMetric):
    has_upper_bound = False

    @staticmethod
    def measure(ranking, k):
        return ops.sum(ranking.best_of_retrieved(k), axis=-1)


@pytest.mark.parametrize("scores", [[1.0, 1.0, 2.0], [3.0, 1.0, 2.0]])
@pytest.mark.parametrize(
    "inputs, y_true", [("scores", [0.0, 1.0, 0.0]), ("sparse", [1])]
)
def test_the_best_of_the_retrieved_is_for_orders(inputs, y_true, scores):
    """Whether any items tie does not matter: an error depends on no data."""
    with pytest.raises(ValueError, match='ranking with `ties="average"`'):
        BestOfRetrieved(2, inputs=inputs).per_list(y_true, scores)
    strict = BestOfRetrieved(2, inputs=inputs, ties="optimistic")
    assert float(strict.per_list(y_true, scores)) == (scores[0] == 1.0)


def test_ids_stand_in_an_order():
    metric = BestOfRetrieved(2, inputs="ids")
    assert metric.ties == "average"
    assert float(metric.per_list([1, 3], [5, 3, 1])) == 1.0
