"""Metrics of what is known of the items that lists show."""

import math
import re

import given
import items
import keras
import numpy as np
import oracle_of_items as oracle
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from tests.fuzz import rows_of_items

POPULARITY = [9, 0, 4, 4, 1, 2]
TAIL = [0, 1, 1, 0, 1, 0]
GROUPS = [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 0], [0, 0, 1], [1, 0, 0]]
TARGET = [2, 1, 1]
# The fuzzer tries them with further options.
ROWS = [
    row
    for row in rows_of_items.rows(items.ITEMS)
    if not row.is_counter
    and not row.options.keys() & {"unjudged", "relevance_threshold"}
]
all_rows = pytest.mark.parametrize("row", ROWS, ids=str)
with_tables = pytest.mark.parametrize(
    "row", [row for row in ROWS if row.metric.of_catalogue], ids=str
)
all_forms = pytest.mark.parametrize("form", items.FORMS)


def right(row, lists, k):
    """The value of each list, NaN for those that do not count."""
    return np.array(
        [
            row.value(of, k) if of.weight and row.has_value(of, k) else np.nan
            for of in lists
        ]
    )


def mean(values, lists):
    weights = np.array([of.weight for of in lists]) * ~np.isnan(values)
    return np.average(np.nan_to_num(values), weights=weights)


@pytest.mark.each_backend
@pytest.mark.long
@all_rows
@all_forms
def test_two_thousand_lists(form, row):
    passed, lists = items.lists_in(form, 2000)
    ks = (2, None, 3, 5)
    k = ks[(ROWS.index(row) + items.FORMS.index(form)) % len(ks)]
    values = right(row, lists, k)
    metric = row.make(k, inputs=form)
    found = ops.convert_to_numpy(metric.per_list(*passed))
    assert found == approx(values, abs=2e-6, rel=1e-6, nan_ok=True)
    halves = [
        keras.tree.map_structure(lambda x, s=s: x[s], passed)
        for s in (slice(0, 1000), slice(1000, 2000))
    ]
    assert given.in_a_program(metric, *halves) == approx(
        mean(values, lists), rel=2e-6
    )


@all_rows
@all_forms
def test_the_first_rank(form, row):
    passed, lists = items.lists_in(form, 100, seed=1)
    found = ops.convert_to_numpy(row.make(1, inputs=form).per_list(*passed))
    values = right(row, lists, 1)
    assert found == approx(values, abs=2e-6, rel=1e-6, nan_ok=True)


def constant(number, row):
    """The options for so many items: those of the first six again and again."""
    table = row.options[row.metric.of_catalogue]
    many = np.resize(table, (number, *np.shape(table)[1:]))
    return {**row.options, row.metric.of_catalogue: many}


# Of the others, the value is not the mean of the values of orders.
means_over_orders = pytest.mark.parametrize(
    "row",
    [
        row
        for row in ROWS
        if row.metric
        not in (krm.AttentionWeightedFairness, krm.ExpectedExposureLoss)
    ],
    ids=str,
)


@pytest.mark.each_backend
@pytest.mark.long
@means_over_orders
@pytest.mark.parametrize("form", ["scores", "sparse"])
def test_groups_beyond_the_first_ranks(form, row):
    """Most items tie, and more of them than the first ranks that are read."""
    number, k = 48, 4
    options = constant(number, row)
    scores = np.zeros((1, number), "float32")
    scores[0, 7] = 1
    labels = np.zeros_like(scores)
    labels[0, [7, 13, 22]] = 1
    y_true = labels if form == "scores" else np.array([[7, 13, 22]])
    metric = row.metric(k, inputs=form, **options)
    exact = float(metric(y_true, scores))
    shuffled = row.metric(k, inputs=form, ties="shuffle", **options)
    many = np.repeat(y_true, 3000, axis=0), np.repeat(scores, 3000, axis=0)
    found = float(shuffled(*many))
    assert abs(found - exact) < 4 * shuffled.standard_error() + 1e-6
    program = given.in_a_program(metric, (y_true, scores))
    assert program == approx(exact, rel=1e-5)


def test_fairness_where_groups_go_on_beyond_the_first_ranks():
    number, k = 48, 4
    labels = np.zeros((1, number), "float32")
    labels[0, [7, 20]] = 1
    scores = labels[:, ::-1] * 0
    scores[0, 7] = 1
    mean = sum(oracle.log2_discount(rank) for rank in (2, 3, 4)) / 47
    due = (1 + oracle.log2_discount(2)) / 2
    rest = (oracle.log2_discount(3) + oracle.log2_discount(4)) / 46
    loss = (1 - due) ** 2 + (mean - due) ** 2 + 46 * (mean - rest) ** 2
    metric = krm.ExpectedExposureLoss(k)
    assert float(metric(labels, scores)) == approx(loss, rel=1e-5)
    groups = np.eye(3)[np.arange(number) % 3]
    exposure = groups[7] + mean * (groups.sum(0) - groups[7])
    value = oracle.attention_weighted_fairness(np.eye(3), TARGET, float)
    of = oracle.List([[0], [1], [2]])
    object.__setattr__(
        of, "exposures", lambda k, d: dict(enumerate(exposure.tolist()))
    )
    metric = krm.AttentionWeightedFairness(k, groups=groups, target=TARGET)
    assert float(metric(labels, scores)) == approx(value(of, k), rel=1e-5)


def test_published_numbers():
    """Those of the docstrings of RecTools."""
    share = [2 / 3, 1 / 3, 1 / 3]
    recommended = [[1, 0], [2, 1], [0, -1]]
    novelty = krm.Novelty(1, popularity=share, inputs="ids")
    found = novelty.per_list([[0]] * 3, recommended)
    assert ops.convert_to_numpy(found) == approx(
        [math.log2(3), math.log2(3), math.log2(3 / 2)]
    )
    recommended = [[0, 1], [1, 2], [0, -1], [1, 2]]
    relevant = [[0, 1], [1, 2], [1, -1], [1, -1]]
    for k, expected in [(1, [0, 0.25, 0, 0.25]), (2, [0, 0.5, 0, 0.125])]:
        metric = krm.Serendipity(k, popularity=[3, 2, 0, 0], inputs="ids")
        found = ops.convert_to_numpy(metric.per_list(relevant, recommended))
        assert found == approx(expected)


# Errors and states


CATALOGUES = {krm.CatalogueCoverage: {"num_items": 6}}
CATALOGUES |= {row.metric: row.options for row in ROWS}
del CATALOGUES[krm.ExpectedExposureLoss]


@pytest.mark.parametrize("metric", CATALOGUES)
@pytest.mark.parametrize(
    "form, passed, received",
    [
        ("scores", ([[1.0, 0]], [[1.0, 2]]), "2 scores in a list"),
        ("sparse", ([1], [[1.0, 2]]), "2 scores in a list"),
        ("ids", ([[1]], [[0, 6]]), "the id 6"),
    ],
)
def test_items_of_another_catalogue(metric, form, passed, received):
    made = metric(2, inputs=form, **CATALOGUES[metric])
    text = (
        f"The metric {made.name} expects a catalogue of 6 items, by its "
        f"`{metric.of_catalogue}`: each list should have 6 scores, or ids from "
        f"0 to 5. Received: {received}."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        made.update_state(*passed)
    assert float(made.result()) == 0.0


@pytest.mark.only_on("tensorflow", "jax", reason="they have programs")
@pytest.mark.parametrize("metric", [krm.CatalogueCoverage, krm.Novelty])
def test_items_of_another_catalogue_in_a_program(metric):
    made = metric(2, inputs="ids", **CATALOGUES[metric])
    ids = np.array([[1]]), np.array([[0, 6]])
    with pytest.raises(ValueError, match=r"Received: the id 6"):
        made.update_state(*ids)
    assert math.isnan(given.in_a_program(made, ids))


def test_a_relevant_item_of_another_catalogue():
    metric = krm.CatalogueCoverage(1, 3, inputs="ids")
    with pytest.raises(ValueError, match="Received: the id 7"):
        metric.update_state([[7]], [[0, 1]])


@with_tables
def test_a_table_is_a_copy(row):
    option = row.metric.of_catalogue
    table = np.array(row.options[option], "float32")
    metric = row.make(2, inputs="ids", **{option: table})
    table[:] = 1
    kept = getattr(metric, option)
    assert np.array_equal(kept, np.array(row.options[option], "float32"))


OF_ITEMS = "one for each item of the catalogue. Received: "
WRONG_POPULARITY = [
    (
        None,
        "`popularity` should hold the popularity of items: finite numbers at "
        f"least 0, {OF_ITEMS}None.",
    ),
    ([1, -2.5], f"{OF_ITEMS}the number -2.5."),
    ([1, math.nan], f"{OF_ITEMS}the number nan."),
    ([[1], [2]], f"{OF_ITEMS}the shape (2, 1)."),
    ([], f"{OF_ITEMS}the shape (0,)."),
    (["a"], "Received: ['a']."),
]
FAIRNESS, AS_GROUPS = krm.AttentionWeightedFairness, {"groups": GROUPS}


@pytest.mark.parametrize(
    "metric, options, text",
    [
        *(
            (krm.AveragePopularity, {"popularity": wrong}, text)
            for wrong, text in WRONG_POPULARITY
        ),
        (
            krm.AveragePopularity,
            {"popularity": POPULARITY, "adjusted": "chance"},
            "AveragePopularity does not have 1 as its best value",
        ),
        (
            krm.Novelty,
            {"popularity": [0.5, 0]},
            f"finite numbers at most 1, above 0, {OF_ITEMS}the number 0.0.",
        ),
        (
            krm.TailShare,
            {"is_tail": [2]},
            f"at least 0, at most 1, {OF_ITEMS}the number 2.0.",
        ),
        (
            krm.IntraListDiversity,
            {"vectors": [[1], [1, 2]]},
            "`vectors` should hold vectors of items: finite numbers, a row for "
            "each item of the catalogue. Received: not an array",
        ),
        (
            FAIRNESS,
            AS_GROUPS,
            "`target` should hold shares of the attention: finite numbers at "
            "least 0, one for each group. Received: None.",
        ),
        (
            FAIRNESS,
            {**AS_GROUPS, "target": [1, 1]},
            "`target` should hold one number for each of the 3 groups, at "
            "least one above 0. Received: [1.0, 1.0].",
        ),
    ],
)
def test_wrong_tables(metric, options, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        metric(3, **options)


# As other metrics


def test_tail_share_beyond_chance():
    labels = np.ones((1, 6))
    share = krm.TailShare(2, is_tail=TAIL, adjusted="chance")
    assert float(share(labels, labels)) == approx(0.0, abs=1e-6)
    best = krm.TailShare(2, is_tail=TAIL, adjusted="chance")
    assert float(best(labels, [[0, 3, 2, 0, 1, 0]])) == approx(1.0)


def test_a_table_in_another_order():
    """What `value_counts` makes is in the order of the counts."""
    pandas = pytest.importorskip("pandas")
    counts = pandas.Series([5, 3, 1], index=[2, 0, 1])
    with pytest.raises(ValueError, match=r"read by position.*reindex"):
        krm.AveragePopularity(popularity=counts)
    metric = krm.AveragePopularity(k=1, popularity=counts.reindex(range(3)))
    assert float(metric([[0, 0, 0]], [[1.0, 2.0, 3.0]])) == 5.0
    named = pandas.Series([5, 3, 1], index=["a", "b", "c"])
    krm.AveragePopularity(popularity=named)  # by position, as it says


def test_fairness_of_mean_exposure_is_no_level_of_chance():
    with pytest.raises(ValueError, match="no mean over their orders"):
        krm.AttentionWeightedFairness(
            groups=[[1, 0], [0, 1]], target=[1, 1], adjusted="chance"
        )


@pytest.mark.parametrize(
    "part, direction",
    [("loss", "down"), ("disparity", "down"), ("relevance", "up")],
)
def test_callbacks_know_what_is_better_of_each_part(part, direction):
    metric = krm.ExpectedExposureLoss(k=3, part=part)
    assert metric._direction == direction
    again = krm.ExpectedExposureLoss.from_config(metric.get_config())
    assert again._direction == direction


def test_a_table_is_a_fingerprint_in_the_signature():
    metric = krm.TailShare(3, is_tail=[0, 1])
    name, table, *rest = metric.signature.split("|")
    assert name == "TailShare@3"
    assert table == f"is_tail:{table[-8:]}"
    assert rest[:4] == [
        "ties:average",
        "empty:skip",
        "list_weight:mean",
        "inputs:scores",
    ]


UNITS = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0][:, :4]


@pytest.mark.parametrize(
    ("vectors", "received"),
    [
        (
            UNITS @ UNITS.T + np.diag(1 - (UNITS**2).sum(1)),
            "for each two items",
        ),
        (1e-9 * (0.2 + 0.8 * np.eye(6)), "for each two items"),
        (1 - np.eye(6) * 0.8, ""),  # distances, or counts
        (np.eye(6)[::-1], ""),
        (np.ones((6, 6)), ""),
        (1e-9 * np.random.default_rng(1).normal(size=(6, 6)), ""),
        (np.arange(6.0)[:, None], "one number for each item"),
        (UNITS, ""),
        (np.eye(6), ""),
        ((np.arange(6) % 2.0)[:, None], ""),
    ],
)
def test_vectors_that_may_be_similarities_or_codes(vectors, received):
    if received:
        with pytest.warns(UserWarning, match=received):
            krm.IntraListDiversity(3, vectors=vectors)
    else:
        krm.IntraListDiversity(3, vectors=vectors)


_TABLE = np.random.default_rng(0).random((20, 3))
_NUMBERED = np.concatenate([np.arange(20.0)[:, None], _TABLE], 1)


@pytest.mark.parametrize(
    "metric, options, received",
    [
        ("IntraListDiversity", {"vectors": _NUMBERED}, "row in column 0"),
        ("IntraListDiversity", {"vectors": 0 * _TABLE}, "0 for each"),
        ("AveragePopularity", {"popularity": [0] * 20}, "0 for each"),
        ("PopularityLift", {"popularity": [0.0] * 20}, "0 for each"),
        ("Serendipity", {"popularity": [0] * 20}, "0 for each"),
        ("TailShare", {"is_tail": [False] * 20}, "0 for each"),
        ("TailShare", {"is_tail": [1] * 20}, "1 for each"),
        ("IntraListDiversity", {"vectors": _NUMBERED[::-1]}, ""),
        ("IntraListDiversity", {"vectors": _TABLE}, ""),
        ("AveragePopularity", {"popularity": [0] * 19 + [1]}, ""),
        ("AveragePopularity", {"popularity": [0]}, ""),
        ("TailShare", {"is_tail": [1] * 19 + [0]}, ""),
    ],
)
def test_tables_that_tell_no_items_apart(metric, options, received):
    made = getattr(krm, metric)
    if received:
        with pytest.raises(ValueError, match=received):
            made(3, **options)
    else:
        made(3, **options)


def test_groups_are_shares():
    groups = np.array([[1, 2], [3, 4]])
    with pytest.raises(
        ValueError, match=r"should hold shares of groups.*at most 1"
    ):
        krm.AttentionWeightedFairness(2, groups=groups, target=[1, 1])


@pytest.mark.parametrize("metric", [krm.AveragePopularity, krm.PopularityLift])
def test_popularity_that_is_ranks(metric):
    rng = np.random.default_rng(0)
    counts = rng.permutation(np.arange(3, 90, 4))
    ranks = (-counts).argsort().argsort() + 1
    with pytest.warns(UserWarning, match="once each, as ranks are") as said:
        metric(3, popularity=ranks, inputs="ids")
    advice = "pass the counts that were ranked, or `len(ranks) + 1 - ranks`"
    assert advice in str(said[0].message)
    ordinary = counts, rng.integers(0, 40, 22), np.arange(1, 23), ranks[:9] % 3
    for popularity in (*ordinary, ranks - 1, ranks / len(ranks)):
        metric(3, popularity=popularity, inputs="ids")  # a warning is an error
    # What follows the advice has the order of the counts.
    assert ((len(ranks) + 1 - ranks).argsort() == counts.argsort()).all()
