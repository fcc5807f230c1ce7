"""`Quantiles` and `LowerMean`: what the worst lists get."""

import math

import numpy as np
import pytest
from given import Value, lists_of, per_list
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import LowerMean, Quantiles
from keras_rankmetrics.metrics.tails import (
    BinnedQuantiles,
    Distribution,
    linearised,
    lower_mean,
    lower_mean_error,
    quantile,
    quantile_interval,
)
from tests.tools.simulations.tails import DRAWS

VALUES = np.array([0, 0, 0.2, 0.35, 0.5, 0.5, 0.63, 0.8, 1, 1])
ONES = np.ones(10)
LEVELS = [0.1, 0.25, 0.5, 0.999]
BIN = 1 / 4093


def seen(metric, values, weights=None):
    metric.update_state(*lists_of(values), weights)
    return metric


def by_name(metric):
    return {name: float(value) for name, value in metric.result().items()}


def lowest_by_hand(values, times, share):
    """The lower mean of values that are each there so many times."""
    parts = np.sort(np.repeat(values, np.asarray(times) * 1000))
    return parts[: round(share * len(parts))].mean()


# Numbers


@pytest.mark.parametrize("xp", [np, ops])
def test_the_reference_numbers(xp):
    values, ones = (x.astype("float32") for x in (VALUES, ONES))
    if xp is ops:
        values, ones = ops.array(values), ops.array(ones)
    for level, expected in [(0.25, 0.2), (0.5, 0.5), (0.3, 0.2)]:
        found = float(quantile(values, ones, level, xp))
        assert found == approx(expected, abs=1e-6)
    for share, expected in [(0.3, 0.0666667), (0.5, 0.21)]:
        found = float(lower_mean(values, ones, share, xp))
        assert found == approx(expected, abs=1e-6)


def test_the_reference_numbers_of_metrics():
    found = by_name(seen(Quantiles(Value(), [0.25, 0.5]), VALUES))
    assert found == approx({"value/p25": 0.2, "value/p50": 0.5}, abs=1e-6)
    for share, expected in [(0.3, 0.0666667), (0.5, 0.21)]:
        found = seen(LowerMean(Value(), share), VALUES)
        assert float(found.result()) == approx(expected, abs=1e-6)
        assert found.estimate().value == approx(expected, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40),
    st.floats(0.01, 0.99),
    st.data(),
)
def test_they_are_those_of_numpy(values, level, data):
    each = st.integers(1, 4)
    times = data.draw(
        st.lists(each, min_size=len(values), max_size=len(values))
    )
    order = np.argsort(values)
    values, times = np.array(values)[order], np.array(times)[order]
    found = quantile(values, times, level)
    repeated = np.repeat(values, times)
    near = [level * (1 - 2e-6), level]
    assert found in np.quantile(repeated, near, method="inverted_cdf")
    # A list of weight 2 is two lists.
    ones = np.ones(len(repeated))
    assert quantile(repeated, ones, level) == found
    lowest = lower_mean(values, times, level)
    assert lowest == approx(lower_mean(repeated, ones, level), abs=1e-9)
    terms = linearised(values, times, level)
    assert np.average(terms, weights=times) == approx(lowest, abs=1e-5)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.77])
def test_the_lower_mean_is_the_mean_of_the_lowest(share):
    rng = np.random.default_rng(1)
    values, weights = rng.random(57), rng.integers(1, 4, 57)
    made = seen(LowerMean(Value(), share), values, weights.astype("float32"))
    expected = lowest_by_hand(values, weights, share)
    assert float(made.result()) == approx(expected, abs=BIN)


@pytest.mark.parametrize("name", DRAWS)
def test_bins_are_narrow(name):
    rng = np.random.default_rng(2)
    values = DRAWS[name](rng, 5000)
    made = seen(Quantiles(Value(), LEVELS), values)
    exact = np.quantile(values, LEVELS, method="inverted_cdf")
    found = list(by_name(made).values())
    np.testing.assert_allclose(found, exact, rtol=0, atol=BIN)
    assert list(by_name(made)) == [
        "value/p10",
        "value/p25",
        "value/p50",
        "value/p99.9",
    ]


def test_the_error_is_that_of_the_jackknife():
    rng = np.random.default_rng(3)
    values = np.sort(rng.random(4000))
    ones = np.ones(4000)
    error = lower_mean_error(values, ones, 0.1, 4000)
    without = [
        lower_mean(np.delete(values, i), ones[1:], 0.1)
        for i in range(0, 4000, 4)
    ]
    jackknife = math.sqrt(3999**2 / 4000 * np.var(without))
    assert error == approx(jackknife, rel=0.01)


@pytest.mark.parametrize("n, p", [(10, 0.5), (50, 0.1), (200, 0.9)])
def test_ranks_of_intervals_are_binomial(n, p):
    values = np.arange(1, n + 1) / (n + 1)
    low, high = quantile_interval(values, np.ones(n), p, n, 0.95)
    low, high = round(low * (n + 1)), round(high * (n + 1))
    chances = [math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n)]
    assert sum(chances[:low]) <= 0.025 < sum(chances[: low + 1])
    above = 1 - sum(chances[:high])
    assert above <= 0.025 < above + chances[high - 1]


def test_too_few_lists_have_the_limits_0_and_1():
    made = seen(Quantiles(Value(), [0.1, 0.5]), [0.4, 0.5, 0.6])
    assert made.intervals()["value/p50"] == (0.0, 1.0)
    assert made.intervals()["value/p10"] == approx((0.0, 0.6))
    assert seen(made, [0.5] * 40).intervals()["value/p50"] == approx((0.5, 0.5))


def test_no_lists():
    made, lowest = Quantiles(Value(), [0.5]), LowerMean(Value())
    assert by_name(made) == {"value/p50": 0}
    assert np.isnan(made.intervals()["value/p50"]).all()
    assert float(lowest.result()) == 0
    assert lowest.estimate().lists == 0
    assert math.isnan(lowest.standard_error())
    assert "value/p50" in str(made)
    assert str(lowest) == "value/lowest10 = 0.0000 (0 lists)"


def test_a_list_without_a_valid_value_makes_results_nan():
    values = [0.1, math.nan, 0.5]
    made, lowest = Quantiles(Value(), [0.5]), LowerMean(Value())
    assert math.isnan(by_name(seen(made, values))["value/p50"])
    assert math.isnan(float(seen(lowest, values).result()))
    assert math.isnan(lowest.estimate().value)
    assert np.isnan(made.intervals()["value/p50"]).all()
    assert str(made)


# Weights and rows


def test_lists_without_their_own_weight_have_the_mean_weight():
    own = np.arange(10) > 1
    weights = np.where(own, np.arange(10.0), 99.0)
    x = per_list([VALUES], [weights], own[None])
    sums = ops.convert_to_numpy(BinnedQuantiles((0.5,)).of_batch(x))
    found = Distribution.of_sums(sums[0].astype("float64"))
    weights[:2] = weights[2:].mean()
    assert found.weights.sum() == approx(weights.sum())
    assert found.weights[0] == approx(weights[:2].sum())
    kish = weights.sum() ** 2 / np.square(weights).sum()
    assert found.effective_lists == approx(kish)
    assert found.lists == 10


def test_excluded_lists_do_not_count():
    counts = np.arange(12) < 10
    values = np.append(VALUES, [0.1, math.nan])
    found, expected = (
        ops.convert_to_numpy(BinnedQuantiles((0.5,)).of_batch(x))
        for x in (per_list([values], valid=counts[None]), per_list([VALUES]))
    )
    np.testing.assert_array_equal(found, expected)


def test_lists_of_a_row_are_dependent():
    values = np.random.default_rng(5).random((30, 4))
    made = seen(LowerMean(Value(), 0.5), values)
    estimate = made.estimate()
    assert (estimate.lists, estimate.rows) == (120, 15)
    assert estimate.effective_lists == approx(30)
    whole = seen(LowerMean(Value(), 0.5), values.reshape(-1)).estimate()
    assert estimate.value == approx(whole.value)
    assert estimate.standard_error == approx(
        whole.standard_error * math.sqrt(119 / 29), rel=1e-5
    )


# As metrics of Keras


def test_states_are_small():
    for made in (Quantiles(Value(), LEVELS), LowerMean(Value())):
        assert made.get_state()[0].nbytes <= 65_536


@pytest.mark.parametrize(
    "made, signature",
    [
        (Quantiles(Value(name="mine"), [0.1, 0.5]), "|quantiles:0.1,0.5"),
        (LowerMean(Value(name="mine"), 0.25), "|lowest:0.25"),
    ],
)
def test_signatures_and_directions(made, signature):
    assert made.signature.endswith(signature)
    assert made._direction == Value()._direction == "up"


def test_members_of_a_collection():
    quantiles = Quantiles(Value(), [0.1, 0.5], name="q")
    with pytest.raises(TypeError, match="should have a standard error"):
        krm.MetricCollection([quantiles], errors=True)
    together = krm.MetricCollection([quantiles])
    assert together.per_list(*lists_of(VALUES))["q"].shape == (10,)
    metrics = [LowerMean(Value(), 0.3), LowerMean(krm.NDCG(1), 0.3)]
    errors = krm.MetricCollection(metrics, errors=True)
    errors.update_state(*lists_of(VALUES))
    for metric in metrics:
        error = float(errors.result()[f"{metric.name}_se"])
        assert error == approx(metric.standard_error(), abs=1e-5)


def test_tables():
    made = seen(Quantiles(Value(), [0.5]), np.tile(VALUES, 10))
    low, high = made.intervals(0.9)["value/p50"]
    assert f"[{low:.4f}, {high:.4f}]" in made.table(0.9)
    assert "90%" in made.table(0.9)
    assert "0.5000" in str(made)
    lowest = seen(LowerMean(Value(), 0.5), np.tile(VALUES, 10))
    assert lowest.confidence_interval(0.9) == lowest.estimate().interval(0.9)
    assert "value/lowest50" in lowest.table()


# Errors


def test_metrics_whose_values_are_not_in_bins():
    for made in (lambda x: Quantiles(x, [0.5]), LowerMean):
        for metric in (krm.DCG(3), krm.NDCG(3, adjusted="chance")):
            with pytest.raises(ValueError, match=r"values in \[0, 1\]"):
                made(metric)
        with pytest.raises(TypeError, match="ranking metric"):
            made("ndcg")


@pytest.mark.parametrize(
    "levels", [[], 0.5, [0.0], [1], [0.5, math.nan], ["0.5"], "0.5", [0.1, 0.1]]
)
def test_levels_that_are_none(levels):
    with pytest.raises(ValueError, match="Received: "):
        Quantiles(Value(), levels)


@pytest.mark.parametrize("share", [0, 1, -0.1, math.nan, "0.1", None])
def test_shares_that_are_none(share):
    with pytest.raises(ValueError, match="`share` should be a number"):
        LowerMean(Value(), share)


def test_levels_of_confidence():
    made = seen(Quantiles(Value(), [0.5]), VALUES)
    with pytest.raises(ValueError, match="`level` should be a number"):
        made.intervals(95)
