"""Intervals to read after each list, and how many lists a difference needs."""

import dataclasses
import math

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import Comparison, Difference, Estimate
from keras_rankmetrics.engine.aggregates import distributions

# Numbers of a program of its own, for alpha = .05 and planned = 500.
RHO, MARGINS = 0.1259854, {100: 0.1009166, 500: 0.0407216, 10_000: 0.0100106}


def estimate(value=0.5, error=0.01, rows=100, bounded=True):
    return Estimate(value, error, rows, float(rows), rows, bounded)


def difference(error=0.01, rows=100, value=0.02):
    return Difference(
        "new", "old", estimate(value, error, rows, False), *[0.0] * 4, 9, 0, 0
    )


def test_the_reference_numbers():
    assert distributions.rho(0.05, 500) == approx(RHO, abs=1e-6)
    for rows, expected in MARGINS.items():
        found = distributions.margin(0.3, rows, 0.05, 500)
        assert found == approx(expected, abs=1e-6)
    many = distributions.margin(0.3, np.array([*MARGINS]), 0.05, 500)
    assert many == approx(np.array([*MARGINS.values()]), abs=1e-6)


def test_an_estimate_of_many_lists_has_the_sequence_of_the_paper():
    rows = 10**7
    found = estimate(0.5, 0.3 / math.sqrt(rows), rows).anytime_interval()
    half = distributions.margin(0.3, rows, 0.05, 500)
    assert found == approx((0.5 - half, 0.5 + half), abs=1e-7)
    assert all(type(end) is float for end in found)


def test_values_within_bounds_count_those_not_seen_yet():
    found = estimate(1.0, 0.0, 30, bounded=True).anytime_interval()
    # The rule of three: -ln .05 of 30 lists could have the value 0.
    half = distributions.margin(math.sqrt(-math.log(0.05) / 30), 30, 0.05, 500)
    assert found == approx((1 - half, 1.0))
    assert 0.5 < found[0] < 0.9
    low, high = estimate(0.5, 0.05, 100, bounded=True).anytime_interval()
    deviation = math.sqrt(0.5**2 - math.log(0.05) / 100 * 0.5**2)
    half = distributions.margin(deviation, 100, 0.05, 500)
    assert (low, high) == approx((0.5 - half, 0.5 + half))


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_without_bounds_there_is_no_sequence(error):
    for made in (estimate(3.0, error, 40, False), difference(error)):
        with pytest.raises(ValueError, match="needs a plain mean of values"):
            made.anytime_interval()


def test_a_variance_lost_in_rounding_counts_as_none():
    found = estimate(0.5, math.nan, 40, bounded=True).anytime_interval()
    assert found == estimate(0.5, 0.0, 40, bounded=True).anytime_interval()
    ends = estimate(math.nan, math.nan, 40, bounded=True).anytime_interval()
    assert all(map(math.isnan, ends))


@pytest.mark.parametrize("rows", [0, 1])
def test_fewer_than_two_rows_have_no_interval(rows):
    ends = estimate(1.0, math.nan, rows).anytime_interval()
    assert all(map(math.isnan, ends))


@pytest.mark.parametrize("level", [0, 1, 1.5, "high", None, [0.5]])
def test_invalid_levels(level):
    with pytest.raises(ValueError, match="`level` should be a number between"):
        estimate().anytime_interval(level)


@pytest.mark.parametrize("planned", [0, -1, math.inf, math.nan])
def test_invalid_plans(planned):
    with pytest.raises(ValueError, match="`planned` should be a number of"):
        estimate().anytime_interval(planned=planned)


def test_it_is_narrowest_where_it_is_planned():
    for planned in (100, 1000, 10_000):
        widths = {
            plan: distributions.margin(1.0, planned, 0.05, plan)
            for plan in (planned / 5, planned, planned * 5)
        }
        assert min(widths, key=widths.get) == planned


def metric_of(metric, lists, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, (lists, 5)).astype("float32")
    metric.update_state(labels, rng.random((lists, 5)).astype("float32"))
    return metric


def test_metrics_know_if_their_values_are_bounded():
    metric = metric_of(krm.NDCG(k=3), 200)
    assert metric.estimate().bounded
    low, high = metric.anytime_interval(level=0.9, planned=200)
    again = metric.estimate().anytime_interval(level=0.9, planned=200)
    assert (low, high) == again
    fixed_low, fixed_high = metric.confidence_interval(0.9)
    assert low < fixed_low < float(metric.result()) < fixed_high < high
    assert not metric_of(krm.DCG(k=3), 10).estimate().bounded
    adjusted = krm.NDCG(k=3, adjusted="chance")
    assert not metric_of(adjusted, 10).estimate().bounded


def compared(metric, lists=60):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, (lists, 5)).astype("float32")
    comparison = Comparison(metric, ["old", "new"])
    scores = {"old": rng.random(labels.shape), "new": labels}
    comparison.update_state(labels, scores)
    [found] = comparison.differences()
    return found


def test_differences_are_between_minus_one_and_one():
    found = compared(krm.NDCG(k=3))
    assert found.bounded and not found.estimate.bounded
    assert found.interval(0.9) == found.estimate.interval(0.9)
    low, high = found.anytime_interval()
    assert found.estimate.anytime_interval() == (low, high)
    e = found.estimate
    deviation = e.standard_error * math.sqrt(e.rows)
    far = 1 + e.value
    guarded = math.sqrt(deviation**2 - math.log(0.05) / e.rows * far**2)
    half = distributions.margin(guarded, e.rows, 0.05, 500)
    assert (low, high) == approx((e.value - half, min(e.value + half, 1)))
    assert low < found.interval()[0] < found.interval()[1] < high


def test_differences_without_bounds_have_no_sequence():
    found = compared(krm.DCG(k=3))
    assert not found.bounded
    for each in (found, found.estimate):
        with pytest.raises(ValueError, match="needs a plain mean of values"):
            each.anytime_interval()


# Power


@pytest.mark.parametrize("rows", [50, 100, 1000])
@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_detectable_is_close_to_the_exact_power(rows, level, power):
    power_of = pytest.importorskip("statsmodels.stats.power").TTestPower()
    exact = power_of.solve_power(nobs=rows, alpha=1 - level, power=power)
    found = difference(1 / math.sqrt(rows), rows).detectable(level, power)
    assert found == approx(abs(exact), rel=4e-3)


@pytest.mark.parametrize("size", [0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_lists_needed_are_those_of_statsmodels(size, power):
    power_of = pytest.importorskip("statsmodels.stats.power").TTestPower()
    exact = power_of.solve_power(effect_size=size, alpha=0.05, power=power)
    found = difference(0.1, 100).lists_needed(size, power=power)
    assert found == approx(exact, rel=5e-3, abs=1.5)


@pytest.mark.parametrize("rows", [50, 51, 1000, 10**6])
def test_the_lists_needed_are_the_fewest_that_detect(rows):
    deviation = 0.3
    detectable = {
        n: difference(deviation / math.sqrt(n), n).detectable()
        for n in (rows, rows + 1)
    }
    pilot = difference(deviation / math.sqrt(80), 80)
    assert pilot.lists_needed(detectable[rows]) == rows
    between = (detectable[rows] + detectable[rows + 1]) / 2
    assert pilot.lists_needed(between) == rows + 1
    assert pilot.lists_needed(1e3) == 2
    assert 1e12 < pilot.lists_needed(1e-7) < 1e14


@pytest.mark.parametrize(
    "size", [0, -0.1, math.inf, math.nan, "a", None, True, [0.1]]
)
def test_sizes_that_nothing_detects(size):
    with pytest.raises(ValueError, match="should be a positive number"):
        difference().lists_needed(size)
    with pytest.raises(ValueError, match=r"`difference` should .* for ndcg@3"):
        tables(old=2.0, new=1.0).lists_needed(size)


def test_sizes_within_the_bounds_of_a_metric():
    """NDCG cannot change by 1, but a mean rank can."""
    with pytest.raises(ValueError, match="above 0 and below 1 for ndcg@3"):
        tables(old=2.0, new=1.0).lists_needed(1.0)
    ranks = tables(krm.MeanRank(), old=2.0, new=1.0)
    assert ranks.lists_needed(1.0)["mean_rank"]["new"] >= 2


@pytest.mark.parametrize("error", [0.0, math.nan])
def test_differences_without_variance(error):
    found = difference(error)
    assert math.isnan(found.detectable())
    with pytest.raises(ValueError, match="lists should have different"):
        found.lists_needed(0.1)
    single = difference(math.nan, rows=1)
    assert math.isnan(single.detectable())


@pytest.mark.parametrize("power", [0, 1, 80])
def test_invalid_powers(power):
    with pytest.raises(ValueError, match="`power` should be a number between"):
        difference().detectable(power=power)
    with pytest.raises(ValueError, match="`power` should be a number between"):
        difference().lists_needed(0.1, power=power)


def test_few_lists_or_few_that_differ_detect_nothing_known():
    found = difference()
    assert found.detectable() > 0
    few = dataclasses.replace(found, wins=2, losses=2)
    assert math.isnan(few.detectable())
    assert math.isnan(difference(rows=49).detectable())
    # Nor is more detected than values in [0, 1] can differ by.
    assert difference(0.5).detectable() > 1
    bounded = dataclasses.replace(difference(0.5), bounded=True)
    assert math.isnan(bounded.detectable())


def tables(*metrics, **systems):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (80, 8))
    noise = rng.normal(size=labels.shape)
    scores = {name: labels + s * noise for name, s in systems.items()}
    metrics = metrics or (krm.NDCG(k=3), krm.MeanRank())
    return krm.compare(labels, scores, list(metrics))


def test_a_comparison_says_how_many_lists_are_needed():
    compared = tables(old=2.0, new=1.0, same=2.0)
    found = compared.lists_needed(0.01)
    assert list(found) == ["ndcg@3", "mean_rank"]
    for metric, of_metric in found.items():
        assert list(of_metric) == ["new", "same"]
        assert of_metric["same"] is None
        cell = compared.to_dict()["systems"]["new"][metric]
        margin = cell["difference_margin"]
        assert cell["detectable"] == approx(margin * 1.4254, rel=0.1)
        exact = 80 * (cell["detectable"] / 0.01) ** 2
        assert of_metric["new"] == approx(exact, rel=0.03)
        assert compared.lists_needed(cell["detectable"])[metric]["new"] == 80
    assert compared.lists_needed(0.01, level=0.99) != found
    assert tables(old=1.0).lists_needed(0.01) == {"ndcg@3": {}, "mean_rank": {}}


def test_the_report_says_what_so_many_lists_detect():
    compared = tables(old=2.0, new=1.0, other=1.5)
    cells = compared.to_dict()["systems"]
    largest = [
        max(cells[name][metric]["detectable"] for name in ("new", "other"))
        for metric in ("ndcg@3", "mean_rank")
    ]
    sentence = (
        f"With 80 lists like these, a true difference of {largest[0]:.4f} "
        f"(ndcg@3) or {largest[1]:.4f} (mean_rank) from old is detected 80% of "
        "the time: its 95% interval excludes 0, before the correction. Half of "
        "it needs about 4 times as many lists."
    )
    assert sentence in " ".join(str(compared).split())
    assert sentence in compared.to_markdown().replace("\\", "")
    assert sentence in compared._repr_html_()
    assert "like these" not in compared.to_latex()
    assert "detectable" in compared.to_csv().partition("\n")[0].split(",")


def test_a_report_without_differences_says_nothing_of_power():
    assert "like these" not in str(tables(old=2.0))
    assert "like these" not in str(tables(old=2.0, same=2.0))


def test_a_level_is_no_alpha():
    """It would be a tenth as wide, and stop at the first accident."""
    estimate = Estimate(0.5, 0.1, 100, 100.0, 100, (0.0, 1.0))
    with pytest.raises(ValueError, match=r"between 0\.5 and 1, such"):
        estimate.anytime_interval(level=0.05)
    assert estimate.anytime_interval(level=0.95)
