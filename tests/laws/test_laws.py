"""What holds for every metric, whatever the lists: the laws of the design.

Each law is checked over the whole catalogue, with its domain beside it. The
properties draw from a handful of shapes, so that few programs are compiled.
"""

import numpy as np
import oracle
import pytest
from catalogue import PLAIN_ROWS, ROWS, Cell, cells, in_turns
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import LAW, Suite, as_lists, assert_same, from_levels

pytestmark = pytest.mark.long

INF, NAN = np.inf, np.nan
LISTS, ITEMS, PADDED = 7, 24, 40
SHAPE = (LISTS, ITEMS)

LABELS = np.array(
    [-1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0, 4.0], "float32"
)
WEIGHTS = np.array([1.0, 1.0, 2.0, 0.5, 3.0, 0.1, 0.0], "float32")
FEW_SCORES = np.array([0.0, -0.0, 1.0, 1.0, -INF, -2.5, INF], "float32")
MANY_SCORES = np.linspace(-3.0, 5.0, 120, dtype="float32")

# The policies for which all laws hold. "stable" is not free of the order of
# the input, and "shuffle" not of anything.
SUITE = Suite(
    (
        *in_turns(ROWS, (3, None, 10), ("average",)),
        *in_turns(ROWS, (3, 10), ("pessimistic", "optimistic")),
        *in_turns(PLAIN_ROWS, (3, 10), ("stable",)),
    )
)
# What a metric makes of many lists is the same code for all.
RESULTS = Suite(
    (
        *in_turns(PLAIN_ROWS, (3, None), ("average",)),
        *in_turns(PLAIN_ROWS[:3], (3,), ("optimistic",)),
        *(
            Cell(row, 3, "average", {"list_weight": weight, "empty": empty})
            for row in PLAIN_ROWS[1:3]
            for weight, empty in (("mean", "zero"), ("relevance", "skip"))
        ),
    )
)


def any_scores(shape):
    """A few tied levels, many levels, or a constant."""
    return (
        from_levels(FEW_SCORES, shape)
        | from_levels(MANY_SCORES, shape)
        | from_levels(FEW_SCORES[:1], shape)
    )


@st.composite
def batches(draw, shape=SHAPE):
    """Labels, scores and weights of the items, of unlike lists."""
    labels = draw(from_levels(LABELS, shape))
    scores = draw(any_scores(shape))
    weights = draw(from_levels(WEIGHTS, shape))
    labels[0] = -1.0  # no item
    labels[1] = np.minimum(labels[1], 0.0)  # nothing relevant
    labels[2] = np.maximum(labels[2], 1.0)  # everything
    scores[3] = 0.5  # all tied
    weights[4] = 1.0
    return labels, scores, weights


NOT_BY_K = [row for row in ROWS if not row.needs_k]
STRICT_ROWS = [row for row in ROWS if row.strict_only]

randoms = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def is_not_stable(cell):
    return cell.ties != "stable"


# The order of a list, and its scores


@LAW
@given(batch=batches(), rng=randoms)
def test_permuting_the_items_changes_nothing(batch, rng):
    """But for "stable", which is the order of the input.

    That also decides between items of equal score and label for "pessimistic"
    and "optimistic", where these differ in weight.
    """
    order = rng.permuted(np.tile(np.arange(ITEMS), (LISTS, 1)), axis=1)
    labels, scores, weights = batch
    for items, domain in (
        (batch, lambda cell: cell.ties == "average"),
        ((labels, scores, np.ones_like(weights)), is_not_stable),
    ):
        permuted = (np.take_along_axis(x, order, axis=1) for x in items)
        expected, found = SUITE.per_list(*items), SUITE.per_list(*permuted)
        assert_same(SUITE.cells, found, expected, where=domain)


def increasing(scores, rng):
    """A strictly increasing map, another one for each list.

    -inf stays as it is: it means that an item is not retrieved.
    """
    mapped = np.empty_like(scores)
    for old, new in zip(scores, mapped, strict=True):
        levels, index = np.unique(old + 0.0, return_inverse=True)
        # Multiples of 1/8, which float32 keeps apart.
        steps = rng.choice([0.125, 1.0, 1000.0], len(levels))
        values = np.cumsum(steps) + rng.choice([-2000.0, 0.0])
        new[:] = np.where(old == -INF, -INF, values[index])
    return mapped


@LAW
@given(batch=batches(), rng=randoms)
def test_an_increasing_map_of_the_scores_changes_nothing(batch, rng):
    """For all policies."""
    labels, scores, weights = batch
    expected = SUITE.per_list(labels, scores, weights)
    found = SUITE.per_list(labels, increasing(scores, rng), weights)
    assert_same(SUITE.cells, found, expected)


# Masks and padding

ANYTHING = np.array([0.0, 1.0, 4.0, -1.0, 1e30, INF, -INF, NAN], "float32")


def masked_in_some_way(batch, where, rng):
    """The batch, filled with anything where it is masked, and a mask."""
    labels, scores, weights = (
        np.where(where, rng.choice(ANYTHING, where.shape), x) for x in batch
    )
    way = rng.integers(0, 3, where.shape)
    masked_by = [where & (way == i) for i in range(3)]
    labels[masked_by[0]] = rng.choice([-1.0, -0.5, -INF], masked_by[0].sum())
    weights[masked_by[1]] = 0.0
    return labels, scores, weights, ~masked_by[2]


@LAW
@given(batch=batches(), rng=randoms)
def test_padding_changes_nothing(batch, rng):
    """Anywhere, of any content, by any mask; for all policies."""
    padding = np.tile(np.arange(PADDED) >= ITEMS, (LISTS, 1))
    padding = rng.permuted(padding, axis=1)
    wide = []
    for x in batch:
        wide.append(np.zeros(padding.shape, "float32"))
        wide[-1][~padding] = x.ravel()
    expected = SUITE.per_list(*batch)
    found = SUITE.per_list(*masked_in_some_way(wide, padding, rng))
    assert_same(SUITE.cells, found, expected)


@LAW
@given(batch=batches(), rng=randoms)
def test_what_a_masked_item_holds_changes_nothing(batch, rng):
    """Masked by its label or its weight; for all policies, bit for bit."""
    labels, scores, weights = batch
    by_label, by_weight = labels < 0, weights == 0
    filled = [rng.choice(ANYTHING, SHAPE) for _ in range(3)]
    found = SUITE.per_list(
        np.where(by_weight & ~by_label, filled[0], labels),
        np.where(by_weight | by_label, filled[1], scores),
        np.where(by_label & ~by_weight, filled[2], weights),
    )
    expected = SUITE.per_list(labels, scores, weights)
    np.testing.assert_array_equal(found, expected)


@LAW
@given(batch=batches(), rng=randoms)
def test_nan_in_a_valid_item_makes_its_list_nan_and_no_other(batch, rng):
    """In the label, the score or the weight; for all policies."""
    labels, _, weights = batch
    expected = SUITE.per_list(*batch)
    valid = np.argwhere((labels >= 0) & (weights > 0))
    if not len(valid):
        return
    i, j = rng.choice(valid)
    for x in batch:
        before, x[i, j] = x[i, j], NAN
        found = SUITE.per_list(*batch)
        result = RESULTS.result(batch)
        x[i, j] = before
        assert np.isnan(found[:, i]).all()
        assert np.isnan(result).all()
        others = np.arange(LISTS) != i
        np.testing.assert_array_equal(found[:, others], expected[:, others])


# Batches


def in_batches(batch, size):
    n = len(batch[0])
    return [
        tuple(x[start : start + size] for x in batch)
        for start in range(0, n, size)
    ]


MANY = (64, ITEMS)


@settings(LAW, max_examples=4)
@given(batch=batches(MANY))
def test_splitting_the_data_into_batches_changes_nothing(batch):
    """For all policies but "shuffle", with weights and empty lists."""
    expected = RESULTS.result(batch)
    for size in (1, 7):
        found = RESULTS.result(*in_batches(batch, size))
        assert_same(RESULTS.cells, found, expected)
    lists = as_lists(*batch)
    assert_same(
        RESULTS.cells, expected, [c.result(lists) for c in RESULTS.cells]
    )


@LAW
@given(batch=batches((3 * LISTS, ITEMS)), cut=st.integers(1, 2))
def test_merging_two_parts_equals_one_pass(batch, cut):
    """For all policies but "shuffle"."""
    parts = in_batches(batch, LISTS)
    halves = [RESULTS.states(*parts[:cut]), RESULTS.states(*parts[cut:])]
    merged = []
    for metric, first, second in zip(RESULTS.metrics, *halves, strict=True):
        other = metric.from_config(metric.get_config())
        other.set_state(second)
        metric.set_state(first)
        metric.merge_state([other])
        merged.append(float(metric.result()))
    assert_same(RESULTS.cells, np.array(merged), RESULTS.result(*parts))


@LAW
@given(batch=batches(), i=st.integers(0, LISTS - 1))
def test_a_list_alone_gets_what_it_gets_in_a_batch(batch, i):
    """`[items]`, without a batch dimension; for all policies."""
    expected = SUITE.per_list(*batch)
    found = SUITE.per_list(*(x[i] for x in batch))
    assert_same(SUITE.cells, found, expected[:, i])


@settings(LAW, max_examples=10)
@given(batch=batches())
def test_the_same_input_gives_the_same_bits(batch):
    """For all policies; for "shuffle" after a reset, see test_ties."""
    one, other = (SUITE.per_list(*batch).tobytes() for _ in range(2))
    assert one == other
    one, other = (RESULTS.result(batch).tobytes() for _ in range(2))
    assert one == other


# Weights


@LAW
@given(batch=batches(), factor=st.sampled_from([2.0, 0.37, 1e-3, 1e4]))
def test_a_factor_on_all_weights_changes_nothing(batch, factor):
    """For all policies; not of the result of a sum."""
    labels, scores, weights = batch
    heavier = weights * np.float32(factor)
    found = SUITE.per_list(labels, scores, heavier)
    assert_same(SUITE.cells, found, SUITE.per_list(*batch))
    found = RESULTS.result((labels, scores, heavier))
    assert_same(
        RESULTS.cells,
        found,
        RESULTS.result(batch),
        where=lambda cell: cell.row.oracle != "count",
    )


@LAW
@given(batch=batches())
def test_a_zero_weight_equals_absence(batch):
    """Of an item, or of a list; for all policies."""
    labels, scores, weights = batch
    without = np.where(weights > 0, labels, -1.0).astype("float32")
    there = np.where(weights > 0, weights, 1.0).astype("float32")
    found = SUITE.per_list(labels, scores, weights)
    assert_same(SUITE.cells, found, SUITE.per_list(without, scores, there))
    of_lists = weights[:, 0]
    without = np.where(of_lists[:, None] > 0, labels, -1.0).astype("float32")
    there = np.where(of_lists > 0, of_lists, 1.0).astype("float32")
    assert_same(
        RESULTS.cells,
        RESULTS.result((labels, scores, of_lists)),
        RESULTS.result((without, scores, there)),
    )


@LAW
@given(batch=batches())
def test_weights_of_items_only_mask_them(batch):
    """For the metrics whose rows say so."""
    labels, scores, weights = batch
    without = np.where(weights > 0, labels, -1.0).astype("float32")
    assert_same(
        SUITE.cells,
        SUITE.per_list(labels, scores, weights),
        SUITE.per_list(without, scores, np.ones_like(weights)),
        where=lambda cell: not cell.row.weighted,
    )


@LAW
@given(batch=batches(), weight=st.sampled_from([0.1, 1.0, 300.0]))
def test_equal_weights_are_as_none(batch, weight):
    """For all policies."""
    labels, scores, weights = batch
    weights = np.full_like(weights, weight)
    found = SUITE.per_list(labels, scores, weights)
    assert_same(SUITE.cells, found, SUITE.per_list(labels, scores))


# Bounds


@LAW
@given(batch=batches())
def test_values_are_from_0_to_1(batch):
    """Under weights of items, only where the row says so."""
    for weighted in (False, True):
        values = SUITE.per_list(*batch[: 2 + weighted])
        for cell, of_lists in zip(SUITE.cells, values, strict=True):
            there = of_lists[~np.isnan(of_lists)]
            assert np.all(there >= cell.row.lowest), cell
            within_1 = cell.row.bounded
            if weighted and not cell.row.bounded_if_weighted:
                within_1 = False
            assert not within_1 or np.all(there <= 1.0 + 1e-6), cell


def perfect(cell, labels):
    """What the row says of the perfect order."""
    items = oracle.valid_items(labels, [0.0] * len(labels), None, None)
    relevant = cell.row.relevant(items)
    if not items:
        return NAN
    if not cell.row.has_value(items):
        return 0.0
    k = cell.cutoff or len(items)
    return cell.row.perfect(k, len(items), relevant)


@LAW
@given(batch=batches(), rng=randoms)
def test_the_perfect_order_gives_1_where_that_is_promised(batch, rng):
    """Without weights, where no items tie and all are retrieved.

    Elsewhere it gives what the row says, and no order gives more.
    """
    labels = batch[0]
    by_label = np.argsort(np.argsort(labels, axis=1), axis=1)
    found = SUITE.per_list(labels, by_label.astype("float32"))
    expected = [
        [
            perfect(cell, of_list) if cell.row.bounded else NAN
            for of_list in labels
        ]
        for cell in SUITE.cells
    ]
    assert_same(SUITE.cells, found, expected, lambda cell: cell.row.bounded)
    others = SUITE.per_list(
        labels, rng.permuted(by_label, axis=1).astype("float32")
    )
    for cell, best, other in zip(SUITE.cells, found, others, strict=True):
        better = best < other if cell.row.less_is_better else best > other
        there = ~np.isnan(best)
        assert np.all(better[there] | np.isclose(best, other)[there]), cell


BEYOND = Suite(
    (
        *cells(NOT_BY_K, (500, None), ("average",)),
        *cells(PLAIN_ROWS, (7, None), ("stable",)),
        *cells(STRICT_ROWS, (7, None), ("optimistic",)),
    )
)


@LAW
@given(batch=batches((LISTS, 6)))
def test_k_beyond_the_list_is_as_none(batch):
    """For all policies; not where the row divides by k."""
    values = BEYOND.per_list(*batch)
    assert_same(BEYOND.cells[1::2], values[0::2], values[1::2])


# Lists without anything


@LAW
@given(batch=batches())
def test_results_are_finite(batch):
    """Lists without items or without relevant ones included."""
    labels, scores, weights = batch
    assert np.isfinite(RESULTS.result(batch)).all()
    values = SUITE.per_list(*batch)
    nothing = np.all((labels < 0) | (weights == 0), axis=1)
    np.testing.assert_array_equal(
        np.isnan(values), np.tile(nothing, (len(values), 1))
    )
    masked = np.full_like(labels, -1.0), scores, weights
    assert np.all(RESULTS.result(masked) == 0.0)
    found = RESULTS.result(batch, masked)
    assert_same(RESULTS.cells, found, RESULTS.result(batch))
