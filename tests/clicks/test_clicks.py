"""Metrics of clicks against sums over all orders, and against reference values.

`expected` computes the two sums of IPS and SNIPS with numpy, for every order of
the tied items in turn.
"""

import itertools
import math

import keras
import numpy as np
import pytest
from given import compiled

from keras_rankmetrics import (
    IPS,
    NDCG,
    SNIPS,
    EffectiveClicks,
    SampledRanks,
    compare,
    evaluate,
)

# Clicks as they were shown, with values computed by hand.
CLICKS = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
SCORES = [[0.2, 0.9, 0.5], [0.7, 0.1, 0.3], [0.3, 0.2, 0.1]]
BY_POSITION = [1.0, 1 / 2, 1 / 3]
KINDS = (IPS, SNIPS, EffectiveClicks)


def log2(rank):
    return 1.0 / math.log2(rank + 1.0)


def of_list(clicks, chances, scores, k, value):
    """Return Σ (c / π) λ(rank), the mean over orders, and Σ c / π."""
    weights = [
        c / p if c > 0 else 0.0 for c, p in zip(clicks, chances, strict=True)
    ]
    places = range(len(scores))
    found = []
    for order in itertools.permutations(places):
        ordered = [scores[i] for i in order]
        if ordered == sorted(ordered, reverse=True):
            found.append(
                sum(
                    weights[i] * value(rank)
                    for rank, i in enumerate(order, 1)
                    if rank <= k
                )
            )
    return np.mean(found), sum(weights)


def expected(clicks, chances, scores, k, clip=0.0, value=log2):
    chances = np.maximum(chances, clip)
    sums = np.array(
        [
            of_list(*each, k, value)
            for each in zip(clicks, chances, scores, strict=True)
        ]
    )
    return sums[:, 0].mean(), sums[:, 0].sum() / sums[:, 1].sum()


def drawn(seed, lists=12, items=5):
    rng = np.random.default_rng(seed)
    clicks = rng.integers(0, 3, (lists, items)) * (rng.random((lists, 1)) < 0.8)
    chances = rng.uniform(0.1, 1.0, (lists, items))
    scores = rng.integers(0, 4, (lists, items)).astype(float)
    return clicks.astype(float), chances, scores


def test_the_values_of_lists():
    metric = IPS(propensities=BY_POSITION)
    values = keras.ops.convert_to_numpy(metric.per_list(CLICKS, SCORES))
    assert values == pytest.approx([2.3927893, 1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("k", [1, 2, 4, None])
@pytest.mark.parametrize("clip", [0.0, 0.4])
def test_equals_the_mean_over_all_orders(k, clip):
    clicks, chances, scores = drawn(1)
    y_true = {"labels": clicks, "propensities": chances}
    ips, snips = expected(clicks, chances, scores, k or 5, clip)
    found = [
        float(metric(k, clip=clip)(y_true, scores)) for metric in (IPS, SNIPS)
    ]
    assert found == pytest.approx([ips, snips], rel=2e-6)


@pytest.mark.parametrize(
    ("discount", "value"),
    [
        (lambda rank: keras.ops.ones_like(rank) / 3, lambda rank: 1 / 3),
        (lambda rank: rank, float),
        (lambda rank: 0.2 * 0.8 ** (rank - 1), lambda r: 0.2 * 0.8 ** (r - 1)),
    ],
    ids=["precision", "ranks", "rbp"],
)
def test_any_metric_that_sums_over_items(discount, value):
    clicks, chances, scores = drawn(2)
    y_true = {"labels": clicks, "propensities": chances}
    ips, snips = expected(clicks, chances, scores, 3, value=value)
    options = {"k": 3, "rank_discount_fn": discount}
    assert float(IPS(**options)(y_true, scores)) == pytest.approx(ips, rel=1e-5)
    found = float(SNIPS(**options)(y_true, scores))
    assert found == pytest.approx(snips, rel=1e-5)


@pytest.mark.parametrize("metric", KINDS)
def test_four_ways_to_say_the_propensities(metric):
    table, given = metric(propensities=BY_POSITION), metric()
    chances = np.array([BY_POSITION] * 3)
    places = [[1, 2, 3]] * 3
    scores = np.array(SCORES)
    cases = [
        (table, CLICKS, scores),
        (table, {"labels": CLICKS, "positions": places}, scores),
        (table, np.stack([CLICKS, places], -1), scores),
        (given, {"labels": CLICKS, "propensities": chances}, scores),
        (given, np.stack([CLICKS, chances], -1), scores),
        (given, np.stack([CLICKS, chances], -1), scores[..., None]),
    ]
    found = []
    for each, y_true, y_pred in cases:
        each.reset_state()
        found.append(float(each(y_true, y_pred)))
    assert found == pytest.approx([found[0]] * len(cases), rel=1e-6)


@pytest.mark.parametrize("metric", KINDS)
def test_a_propensity_that_float32_rounded_above_1_is_1(metric):
    clicks, scores, found = [[1, 1]], [[2.0, 1.0]], []
    for most in (1.0, 1.0000001):
        y_true = {"labels": clicks, "propensities": [[most, 0.5]]}
        found.append(float(metric()(y_true, scores)))
        found.append(float(metric(propensities=[most, 0.5])(clicks, scores)))
    assert found == [found[0]] * 4
    y_true["propensities"] = [[1.00001, 0.5]]
    with pytest.raises(ValueError, match="at most 1"):
        metric()(y_true, scores)
    with pytest.raises(ValueError, match="at most 1"):
        metric(propensities=[1.00001, 0.5])


def test_positions_need_not_be_those_of_the_array():
    metric = IPS(propensities=[1.0, 0.5, 0.25])
    turned = {"labels": [[0, 1, 1]], "positions": [[2, 3, 1]]}
    plain = float(metric([[1, 0, 1]], [[1.0, 3.0, 2.0]]))
    metric.reset_state()
    assert float(metric(turned, [[3.0, 2.0, 1.0]])) == pytest.approx(plain)


def test_an_item_that_is_not_retrieved_counts_below_the_line_only():
    y_true = {"labels": [[1, 1]], "propensities": [[0.5, 0.25]]}
    scores = [[1.0, -math.inf]]
    assert float(IPS()(y_true, scores)) == pytest.approx(2.0)
    assert float(SNIPS()(y_true, scores)) == pytest.approx(2.0 / 6.0)


def test_the_error_of_snips_is_that_of_the_linearised_ratio():
    clicks, chances, scores = drawn(4, lists=60)
    metric = SNIPS(k=3)
    metric.update_state({"labels": clicks, "propensities": chances}, scores)
    sums = np.array(
        [
            of_list(*each, 3, log2)
            for each in zip(clicks, chances, scores, strict=True)
        ]
    )
    sums = sums[sums[:, 1] > 0]
    top, below = sums.T
    rest = top - top.sum() / below.sum() * below
    n = len(rest)
    error = math.sqrt((rest**2).sum() * n / (n - 1)) / below.sum()
    estimate = metric.estimate()
    assert estimate.standard_error == pytest.approx(error, rel=1e-4)
    assert estimate.lists == n


@pytest.mark.parametrize("metric", KINDS)
def test_lists_without_clicks(metric):
    empty = metric(propensities=BY_POSITION)
    assert float(empty([[0, 0, 0]], [[1.0, 2.0, 3.0]])) == 0.0
    one = {"labels": [[0, 1, 0]], "propensities": [[0.0, 0.5, np.nan]]}
    assert np.isfinite(float(metric()(one, [[3.0, 2.0, 1.0]])))


def clicked(**more):
    return {"labels": CLICKS, **more}


@pytest.mark.parametrize(
    ("propensities", "y_true", "message"),
    [
        (None, CLICKS, "Received: clicks alone"),
        (
            None,
            clicked(propensities=[[1.0, 2.0, 3.0]] * 3),
            "above 0 and at most 1. Received: 3",
        ),
        (
            None,
            clicked(propensities=[[1.5, 0.5, 1.0], [0.5] * 3, [0.5] * 3]),
            "Received: 1.5",
        ),
        (None, clicked(propensities=[[0.0, 0.5, 0.5]] * 3), "Received: 0"),
        (None, clicked(propensities=[1.0, 0.5, 0.5]), "shape of the clicks"),
        (
            None,
            clicked(propensities=CLICKS, positions=CLICKS),
            'either "propensities" or "positions"',
        ),
        (BY_POSITION, clicked(positions=[[0, 1, 2]] * 3), "from 1 to 3"),
        (
            BY_POSITION,
            clicked(positions=[[-3, 2, -3]] * 3),
            "a position from 1 to 3, .* Received: -3",
        ),
        (
            BY_POSITION[:2],
            CLICKS,
            "a position from 1 to 2, .* Received: 3",
        ),
    ],
)
@pytest.mark.parametrize("kind", [IPS, SNIPS])
def test_bad_input_is_an_error_and_leaves_the_state(
    kind, propensities, y_true, message
):
    metric = kind(propensities=propensities)
    with pytest.raises(ValueError, match=message):
        metric.update_state(y_true, SCORES)
    assert metric.count() == 0


@pytest.mark.parametrize(
    "options", [{"clip": 2.0}, {"propensities": [0.0]}, {"inputs": "ids"}]
)
def test_bad_options(options):
    with pytest.raises(ValueError, match=r"should|needs"):
        IPS(**options)


def test_sampled_ranks_refuse_clicks():
    with pytest.raises(ValueError, match="clicks"):
        SampledRanks(IPS(k=3), catalogue=10, negatives=2)


def test_compare_and_evaluate():
    clicks, chances, scores = drawn(6, lists=40)
    truth = np.stack([clicks, chances], -1)
    systems = {"old": scores, "new": -scores}
    metrics = [IPS(3), SNIPS(3)]
    compared = compare(truth, systems, metrics)
    for name, system in systems.items():
        of_system = evaluate(truth, system, metrics)
        assert dict(of_system) == pytest.approx(
            {
                "ips@3": float(IPS(3)(truth, system)),
                "snips@3": float(SNIPS(3)(truth, system)),
            },
            rel=1e-5,
        )
        assert name in str(compared)


@pytest.mark.each_backend
@pytest.mark.not_on("torch", "numpy", reason="they compile nothing")
def test_invalid_numbers_in_compiled_code_make_nan():
    metric = IPS()
    y = np.array([[[1.0, 0.0], [0.0, 0.5]]], "f4")
    scores = np.array([[2.0, 1.0]], "f4")
    found = compiled(metric.per_list, jit_compile=False)(y, scores)
    found = keras.ops.convert_to_numpy(found)
    assert np.isnan(found).all()


def test_ndcg_is_not_a_sum_over_items():
    """The pages say so: NDCG of clicks is not what IPS estimates."""
    ndcg = NDCG(gain_fn=lambda label: label)
    both = float(ndcg([[1, 1]], [[2.0, 1.0]]))
    ndcg.reset_state()
    one = float(ndcg([[1, 0]], [[2.0, 1.0]]))
    ndcg.reset_state()
    other = float(ndcg([[0, 1]], [[2.0, 1.0]]))
    assert both != pytest.approx(one + other)


def test_propensities_that_were_divided_by_their_sum():
    rng = np.random.default_rng(0)
    clicks, scores = rng.integers(0, 2, (9, 8)), rng.normal(size=(9, 8))
    right = 1 / np.arange(1.0, 9.0)
    expected = float(IPS(propensities=right)(clicks, scores))
    wrong = right / right.sum()
    with pytest.warns(UserWarning, match="divided by their sum") as said:
        metric = IPS(propensities=wrong)
    assert "`propensities / propensities[0]`" in str(said[0].message)
    assert float(metric(clicks, scores)) == pytest.approx(
        expected * right.sum(), rel=1e-5
    )
    found = float(IPS(propensities=wrong / wrong[0])(clicks, scores))
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "metric, table",
    [
        (SNIPS, np.full(8, 1 / 8)),  # no factor changes it
        (IPS, [0.5, 0.3, 0.2]),
        (IPS, 1 / np.arange(1.0, 9.0)),
    ],
)
def test_other_propensities_are_quiet(metric, table):
    metric(propensities=table)  # a warning is an error
