"""How far a weighted mean may be from that of all lists."""

import dataclasses
import itertools
import math

import given
import keras
import numpy as np
import pytest
from given import batch, estimates, lists_of, seen
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection
from keras_rankmetrics.engine.aggregates import WeightedMean, distributions
from keras_rankmetrics.engine.aggregates.estimate import (
    Estimate,
    spread_as_text,
)

REPETITIONS = 2_000
# Four standard errors of a share of 95% of so many.
CHANCE = 4 * math.sqrt(0.95 * 0.05 / REPETITIONS)


def coverage(found, truth):
    """The share of the intervals of 95% that hold the truth."""
    assert len(found) == REPETITIONS
    intervals = [estimate.interval() for estimate in found]
    return np.mean([low <= truth <= high for low, high in intervals])


def naive_coverage(values, weights, truth):
    """That of the weighted mean ± 1.96 std / √n."""
    means = np.average(values, axis=-1, weights=weights)
    errors = values.std(axis=-1, ddof=1) / math.sqrt(values.shape[-1])
    return np.mean(abs(means - truth) < 1.96 * errors)


def truth_of(metric, labels, scores, weights, own):
    """The standard error of a metric, of what it says of each list."""
    values = ops.convert_to_numpy(metric.per_list(labels, scores))
    return given.standard_error(values, weights, own)


# Numbers by hand


@pytest.mark.parametrize(
    "weights, mean, error",
    [([1, 2, 1, 3], 0.4714286, 0.0913289), (None, 0.5, 0.1471960)],
)
def test_numbers_by_hand(weights, mean, error):
    metric = seen([0.2, 0.5, 0.9, 0.4], weights)
    assert float(metric.result()) == approx(mean, abs=1e-6)
    assert metric.standard_error() == approx(error, abs=1e-6)


def test_counts():
    metric = seen([0.2, 0.5, 0.9, 0.4], [1, 2, 1, 3])
    assert metric.count() == 4
    assert metric.effective_count() == approx(7**2 / 15)


def test_the_estimate_holds_what_the_methods_say():
    metric = seen([0.2, 0.5, 0.9, 0.4], [1, 2, 1, 3])
    estimate = metric.estimate()
    assert estimate.value == approx(float(metric.result()), rel=1e-6)
    assert estimate.standard_error == metric.standard_error()
    assert estimate.interval(0.8) == metric.confidence_interval(0.8)
    assert estimate.lists == estimate.rows == metric.count()
    assert estimate.effective_lists == metric.effective_count()


@pytest.mark.parametrize("values", [[], [0.4]])
def test_fewer_than_two_lists_have_no_error(values):
    metric = seen(values) if values else given.Value()
    assert metric.count() == len(values)
    assert math.isnan(metric.standard_error())
    assert all(map(math.isnan, metric.confidence_interval()))


def test_one_row_of_many_lists_has_no_error():
    assert math.isnan(seen([[0.2, 0.5, 0.9]]).standard_error())


def test_lists_of_one_value_tell_no_error():
    """That they are the same to the last digit, single precision cannot say."""
    assert math.isnan(seen([0.5] * 9, [1, 2, 3] * 3).standard_error())


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, True])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(ValueError, match="`level` should be a number between"):
        seen([0.2, 0.5]).confidence_interval(level)


def test_a_nan_makes_the_error_nan():
    metric = krm.NDCG()
    metric.update_state([[1.0, 0.0]] * 3, [[math.nan, 1.0], *[[1.0, 0.0]] * 2])
    assert math.isnan(metric.standard_error())
    assert math.isnan(metric.estimate().value)


# As text


def test_text():
    """Values of .25 and .75 are a coin, of 1,203 tosses."""
    metric = seen([0.25, 0.75] * 602, name="ndcg@10")
    assert str(metric) == "ndcg@10 = 0.5000 ± 0.0143 (95%, 1,204 lists)"


def test_text_without_an_error():
    assert str(given.Value()) == "value = 0.0000 (0 lists)"
    assert str(seen([0.25])) == "value = 0.2500 (1 list)"


def test_text_of_a_collection_is_a_line_for_each():
    one, other = seen([0.25], name="one"), seen([1.0, 1.0], name="other")
    assert str(MetricCollection([one, other], prefix="all ")) == (
        "one = 0.2500 (1 list)\nother = 1.0000 [0.0000, 1.0000] (95%, 2 lists)"
    )


# The interval of a share of hits, that of a coin, and Student's


LEVELS = (0.5, 0.9, 0.95, 0.999)


def share(p, tosses, level, shorter):
    """Return the interval of a share of hits by scipy."""
    stats = pytest.importorskip("scipy.stats")
    tail, hits, misses = (
        (1 - level) / 2,
        *(tosses * shorter * q for q in (p, 1 - p)),
    )
    low = stats.beta.ppf(tail, hits, misses + 1) if hits else 0.0
    high = stats.beta.isf(tail, hits + 1, misses) if misses else 1.0
    return np.array([low, high])


def by_scipy(
    mean, error, rows, level, deviation=0.0, skewness=math.nan, drawn=None
):
    """Return the interval of values in [0, 1]; without an error, of hits."""
    stats = pytest.importorskip("scipy.stats")
    tail = (1 - level) / 2
    shorter = (stats.norm.isf(tail) / stats.t.isf(tail, max(rows - 1, 1))) ** 2
    variance = max(error**2, deviation**2 / rows)
    k = mean * (1 - mean) / variance if error > 0 else rows
    ends = share(mean, k, level, shorter)
    if not math.isnan(skewness):
        # Heads of the share p have (1 - 2 p) / √(p (1 - p)) for skewness.
        p = (1 - skewness / math.sqrt(skewness**2 + 4)) / 2
        assert (1 - 2 * p) / math.sqrt(p * (1 - p)) == approx(skewness)
        tosses = rows * (drawn - 1) / drawn
        worth = math.sqrt(variance * tosses / (p * (1 - p)))
        coin = mean + worth * (share(p, tosses, level, shorter) - p)
        ends = min(ends[0], coin[0]), max(ends[1], coin[1])
    return tuple(np.clip(ends, 0, 1))


def skewness_of(values, weights):
    """The skewness of a row, or that of the mean times √rows, if larger."""
    s = np.asarray(weights, float)
    mean = np.average(values, weights=s)
    rows = s.sum() ** 2 / (s**2).sum()
    away = values - mean
    deviation = math.sqrt(np.average(away**2, weights=s))
    of_row = np.average(away**3, weights=s) / deviation**3
    error = max(s.sum() * deviation / rows**0.5, ((s * away) ** 2).sum() ** 0.5)
    of_mean = ((s * away) ** 3).sum() / error**3 * rows**0.5
    return max(of_row, of_mean, key=abs)


def student(mean, error, rows, level):
    """Return the symmetric interval by scipy."""
    stats = pytest.importorskip("scipy.stats")
    freedom = max(rows - 1, 1)
    return stats.t.interval(level, freedom, loc=mean, scale=error)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_is_that_of_scipy(level):
    metric = seen([0.2, 0.5, 0.9, 0.4], [1, 2, 1, 3])
    found = metric.estimate()
    lists = 7**2 / 15  # effective: (Σ w)² / Σ w²
    values, weights = np.array([0.2, 0.5, 0.9, 0.4]), [1, 2, 1, 3]
    away = values - np.average(values, weights=weights)
    deviation = math.sqrt(np.average(away**2, weights=weights))
    assert found.deviation == approx(deviation, rel=1e-5)
    skewness = skewness_of(values, weights)
    assert found.skewness == approx(skewness, rel=1e-4)
    numbers = found.value, found.standard_error, lists, level
    expected = by_scipy(*numbers, deviation, skewness, 4)
    assert metric.confidence_interval(level) == approx(expected, rel=1e-6)
    assert found.margin(level) == approx(np.diff(expected)[0] / 2, rel=1e-6)
    unbounded = dataclasses.replace(found, bounded=False)
    expected = student(*numbers)
    assert unbounded.interval(level) == approx(expected, rel=1e-6)


@pytest.mark.parametrize("mean", [0.0, 1e-4, 0.02, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("lists", [2, 20, 1_000, 10**6])
def test_intervals_of_shares_are_those_of_scipy(mean, lists):
    error = math.sqrt(mean * (1 - mean) / (lists - 1))
    made = Estimate(mean, error, lists, lists, lists, bounded=True)
    for level in LEVELS:
        low, high = made.interval(level)
        assert 0 <= low <= mean <= high <= 1
        expected = by_scipy(mean, error, lists, level)
        # With many lists, Student's interval takes its place.
        many = lists * mean * (1 - mean) > 1e5
        close = 1e-4 if many else 1e-7
        assert (low, high) == approx(expected, rel=close, abs=1e-12)


@pytest.mark.parametrize(
    "value, ends", [(1.0, (0.8103, 1)), (0.0, (0, 0.1897))]
)
def test_lists_that_are_all_hits_or_all_misses(value, ends):
    """20 of 20: the lower end is .025^(1 / k), where k is 20 (z / t)²."""
    found = seen([value] * 20).confidence_interval()
    assert found == approx(ends, abs=5e-5)


def test_unequal_weights_of_hits_alone_make_the_interval_longer():
    low, high = seen([1.0] * 20).confidence_interval()
    weights = [1] * 10 + [9] * 10
    weighted = seen([1.0] * 20, weights).confidence_interval()
    assert weighted[0] < low and weighted[1] == high == 1


def test_lists_of_one_weight_have_the_interval_without_weights():
    values = [0.2, 0.5, 0.9, 0.4]
    low, high = seen(values).confidence_interval()
    assert seen(values, [7] * 4).confidence_interval() == approx((low, high))
    deviation = seen(values, [7] * 4).estimate().deviation
    assert deviation == approx(np.std(values), rel=1e-5)


def test_a_symmetric_interval_is_printed_as_half_of_it():
    """Symmetric is up to a tenth of the margin."""
    assert spread_as_text(0.5, 0.4, 0.6) == "± 0.1000"
    assert spread_as_text(0.5, 0.401, 0.609, 2) == "± 0.10"
    assert spread_as_text(0.5, 0.41, 0.63) == "[0.4100, 0.6300]"
    assert spread_as_text(1.0, 0.9, 1.0, 2) == "[0.90, 1.00]"
    assert spread_as_text(1.0, 1.0, 1.0) == ""
    assert spread_as_text(0.5, math.nan, math.nan) == ""


@pytest.mark.parametrize("b", [0.03, 1, 1.7, 30, 2e3, 1e5])
@pytest.mark.parametrize("a", [0.03, 1, 1.7, 30, 2e3, 1e5])
def test_quantiles_of_the_beta_distribution(a, b):
    stats = pytest.importorskip("scipy.stats")
    chances = [0.0005, 0.025, 0.25, 0.5, 0.9, 0.975, 0.9995]
    found = [distributions.beta_quantile(chance, a, b) for chance in chances]
    assert found == approx(stats.beta.ppf(chances, a, b), rel=1e-6, abs=1e-12)


FREEDOMS = (1, 2, 3, 4, 5, 10, 29, 100, 1e3, 1e5, 1e6, 9.9e6, 1.1e7, 1e9)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_of_student(freedom):
    stats = pytest.importorskip("scipy.stats")
    chances = [0.5, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.9999, 1 - 1e-8]
    found = [distributions.t_quantile(chance, freedom) for chance in chances]
    assert found == approx(stats.t.ppf(chances, freedom), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    "freedom",
    FREEDOMS,
)
def test_chances_of_student(freedom):
    stats = pytest.importorskip("scipy.stats")
    t = np.array([0, 1e-6, 0.01, 0.5, 1, 1.96, 3, 6])
    found = [distributions.two_sided_p(x, freedom) for x in t]
    assert found == approx(2 * stats.t.sf(t, freedom), rel=1e-6, abs=1e-300)
    assert [distributions.two_sided_p(-x, freedom) for x in t] == found


# Degrees of freedom and the effective number of lists


def sessions(seed, *shape):
    """Return a batch whose first row counts nowhere, and the counted rows."""
    labels, scores, weights = batch(seed, *shape)
    labels[0] = -1
    return labels, scores, weights**3


def estimates_of(metric, labels, scores, weights):
    """Return what each way to an estimate reports for the same lists."""
    metric.update_state(labels, scores, weights)
    yield metric.estimate()
    together = MetricCollection([metric.remade()])
    together.update_state(labels, scores, weights)
    yield together.metrics[0].estimate()
    sliced = krm.Sliced(metric.remade(), ["all"])
    group = np.zeros(weights.shape, "int32")
    sliced.update_state({"labels": labels, "group": group}, scores, weights)
    yield from sliced.estimates().values()
    systems = ["one", "other"]
    comparison = krm.Comparison(metric.remade(), systems)
    comparison.update_state(labels, [scores, -scores], weights)
    yield comparison.estimates()["one"]


@pytest.mark.parametrize(
    "metric",
    [
        krm.NDCG(3, empty="one"),
        krm.NDCG(3, empty="skip"),
        krm.RecallAtK(2, list_weight="mean"),
        krm.MeanRank(empty="zero"),
    ],
    ids=lambda metric: f"{metric.name}-{metric.empty}",
)
@pytest.mark.parametrize("shape", [(7,), (3, 5), (5, 4, 2)])
def test_an_interval_has_a_degree_of_freedom_less_than_rows(metric, shape):
    """Rows are clusters; the effective ones may be fewer."""
    metric = metric.remade()
    arrays = labels, _, weights = sessions(21, *shape)
    counts = ~np.isnan(ops.convert_to_numpy(metric.per_list(*arrays)))
    rows = counts.reshape(shape[0], -1).any(axis=1).sum()
    assert 2 <= rows < shape[0]
    own = (labels >= 1).any(axis=-1) | (metric.list_weight == "mean")
    weights = np.where(own, weights, weights[counts & own].mean()) * counts
    of_rows = weights.reshape(shape[0], -1).sum(axis=1)
    effective = of_rows.sum() ** 2 / (of_rows**2).sum()
    for found in estimates_of(metric, *arrays):
        assert found.rows == rows
        assert found.bounded != isinstance(metric, krm.MeanRank)
        assert found.independent == approx(effective, rel=1e-5)
        numbers = found.value, found.standard_error, effective
        for level in (0.5, 0.95, 0.999):
            ends = student(*numbers, level)
            if found.bounded:
                more = found.deviation, found.skewness, rows
                ends = by_scipy(*numbers, level, *more)
            assert found.interval(level) == approx(ends, rel=1e-5)


@pytest.mark.parametrize(
    "metric",
    [
        krm.NDCG(3, empty="zero"),
        krm.NDCG(3, empty="one"),
        krm.NDCG(3, empty="skip"),
        krm.MeanRank(empty="zero"),
        krm.MeanRank(empty="skip"),
    ],
    ids=lambda metric: f"{metric.name}-{metric.empty}",
)
@pytest.mark.parametrize("shape", [(40,), (10, 4)])
def test_effective_lists_with_lists_of_the_mean_weight(metric, shape):
    """By Kish, (Σ w)² / Σ w²: an empty list weighs as much as the mean."""
    metric = metric.remade()
    arrays = sessions(22, *shape)
    counts = ~np.isnan(ops.convert_to_numpy(metric.per_list(*arrays)))
    labels, _, weights = arrays
    own = counts & (labels >= 1).any(axis=-1)
    weights = np.where(own, weights, weights[own].mean())[counts]
    expected = weights.sum() ** 2 / (weights**2).sum()
    assert expected < 0.9 * counts.sum()
    for found in estimates_of(metric, *arrays):
        assert found.lists == counts.sum()
        assert found.effective_lists == approx(expected, rel=1e-5)


@pytest.mark.parametrize("lists", [(1, 1, 1, 1), (1, 2, 3, 6), (1, 0, 40, 1)])
def test_effective_rows_of_sessions_of_unequal_number(lists):
    """By Kish, (Σ s)² / Σ s², where s is the number of lists of a session."""
    values = np.random.default_rng(31).random((4, 40))
    steps = np.arange(40) < np.array(lists)[:, None]
    labels, scores = lists_of(np.where(steps, values, -1))
    metric = given.Value(empty="skip")
    metric.update_state(labels, scores)
    found = metric.estimate()
    expected = sum(lists) ** 2 / sum(n**2 for n in lists)
    assert found.effective_rows == found.independent == approx(expected)
    assert (found.lists, found.rows) == (sum(lists), np.count_nonzero(lists))
    assert found.effective_lists == approx(sum(lists))


@pytest.mark.parametrize("power", [0, 1, 4])
@pytest.mark.parametrize("shape", [(30,), (10, 3)])
def test_deviation_and_skewness_are_those_of_rows(shape, power):
    """Weights are the same, unequal, or those of few lists."""
    rng = np.random.default_rng([37, power])
    values, weights = rng.beta(5, 1, shape), rng.uniform(0.5, 2, shape) ** power
    found = seen(values, weights).estimate()
    s = weights.reshape(shape[0], -1).sum(axis=1)
    means = (weights * values).reshape(shape[0], -1).sum(axis=1) / s
    deviation = np.sqrt(np.cov(means, aweights=s, ddof=0))
    assert found.deviation == approx(deviation, rel=1e-4)
    assert found.skewness == approx(skewness_of(means, s), rel=1e-3)
    if not power:
        stats = pytest.importorskip("scipy.stats")
        assert found.skewness == approx(stats.skew(means), rel=1e-3)


def test_an_interval_for_verdicts_is_longer_if_lists_have_weights():
    """It is `interval` without them, or where values have no bounds."""
    values = np.arange(50) % 10 == 0
    plain, weights = seen(values).estimate(), 1 + np.arange(50) % 7
    assert plain.guarded() == plain.interval()
    found = seen(values, weights).estimate()
    p = (1 - found.skewness / math.sqrt(found.skewness**2 + 4)) / 2
    rare = found.effective_rows * min(p, 1 - p)
    spread = 50 / found.effective_lists - 1
    longer = 1 + math.sqrt(spread / (1 + rare))
    ends = found.value + longer * (np.array(found.interval(0.9)) - found.value)
    assert found.guarded(0.9) == approx(tuple(ends.clip(0, 1)))
    assert found.guarded()[1] > found.interval()[1] + 0.005
    for change in ({"skewness": math.nan}, {"bounded": False}):
        other = dataclasses.replace(found, **change)
        assert other.guarded() == other.interval()
    ranks = Estimate(-2.0, 0.0, 9, 5.0, 9)  # all lists have the same value
    assert ranks.guarded() == ranks.interval() == (-2.0, -2.0)
    assert all(map(math.isnan, given.Value().estimate().guarded()))


# Coverage: of intervals of 95%, as many hold the truth


@pytest.mark.long
@pytest.mark.parametrize("lists, below", [(300, 0), (30, 0.01)])
def test_coverage_without_weights(lists, below):
    rng = np.random.default_rng(1)
    values = rng.beta(2, 3, (REPETITIONS, lists))
    found = coverage(estimates(values), 2 / 5)
    assert 0.95 - below - CHANCE < found < 0.95 + CHANCE


@pytest.mark.long
@pytest.mark.parametrize("lists", [300, 30])
def test_coverage_with_weights(lists):
    """Few large weights leave little to learn from: the interval is longer."""
    rng = np.random.default_rng(2)
    values = rng.beta(2, 3, (REPETITIONS, lists))
    weights = rng.lognormal(size=values.shape)
    found = coverage(estimates(values, weights), 2 / 5)
    assert 0.95 - CHANCE < found < 0.99
    assert naive_coverage(values, weights, 2 / 5) < 0.85


@pytest.mark.long
def test_coverage_of_correlated_steps():
    """200 users of 20 steps, in parts that fit into memory."""
    rng = np.random.default_rng(3)
    found, naive = [], []
    for _ in range(REPETITIONS // 100):
        users = rng.beta(2, 3, (100, 200, 1))
        values = 0.9 * users + 0.1 * rng.random((100, 200, 20))
        values = values.reshape(100, 4_000)
        found += estimates(values, rows=(200, 20))
        naive.append(naive_coverage(values, None, 0.9 * 2 / 5 + 0.05))
    assert coverage(found, 0.9 * 2 / 5 + 0.05) == approx(0.95, abs=CHANCE)
    assert np.mean(naive) < 0.5


@pytest.mark.long
@pytest.mark.parametrize(
    "empty, value", [("zero", 0.0), ("one", 1.0), ("skip", None)]
)
@pytest.mark.parametrize("lists, below", [(300, 0), (30, 0.03)])
def test_coverage_with_empty_lists(empty, value, lists, below):
    """A quarter of the lists is empty, and values go with the weights."""
    rng = np.random.default_rng(4)
    shape = REPETITIONS, lists
    weights = rng.uniform(0.5, 1.5, shape)
    values = 0.4 * weights + rng.uniform(0.01, 0.2, shape)
    is_empty = rng.random(shape) < 0.25
    labels, scores = lists_of(np.where(is_empty, 0, values).ravel())
    sliced = krm.Sliced(given.Value(empty=empty), groups=REPETITIONS)
    groups = np.repeat(np.arange(REPETITIONS), lists)
    sliced.update_state(
        {"labels": labels, "group": groups}, scores, weights.ravel()
    )
    _, *found = sliced.estimates().values()
    # E[w v] / E[w], where E[w²] is 1 + 1 / 12.
    truth = 0.4 * (1 + 1 / 12) + 0.105
    if value is not None:
        truth = 0.75 * truth + 0.25 * value
    assert found[0].lists == (
        lists if value is not None else lists - is_empty[0].sum()
    )
    # Intervals with the skewness of the lists are longer, on both sides.
    assert 0.95 - below - CHANCE < coverage(found, truth) < 0.97 + CHANCE


# Beside a bootstrap


def bootstrapped(values, weights, own, draws=2_000):
    """The spread of the mean over random draws of the rows."""
    rng = np.random.default_rng(5)
    rows = len(values)
    flat = [x.reshape(rows, -1) for x in (values, weights, own)]
    means = []
    for drawn in rng.integers(0, rows, (draws, rows)):
        means.append(given.mean(*(x[drawn] for x in flat), 1.0))
    return np.std(means)


@pytest.mark.parametrize(
    "case", ["plain", "weights", "steps", "mean weight", "steps, mean weight"]
)
def test_a_bootstrap_says_the_same(case):
    rng = np.random.default_rng(6)
    shape = (400, 5) if "steps" in case else (400,)
    values = 0.5 * rng.random(shape)
    if "steps" in case:
        values += 0.5 * rng.random((400, 1))
    weights, own = np.ones(shape), np.ones(shape, bool)
    if case != "plain":
        weights = rng.lognormal(0, 0.5, shape)
    if "mean weight" in case:
        own = rng.random(shape) < 0.7
        values = np.where(own, values, values / 4)
    [estimate] = estimates(
        values.reshape(1, -1),
        weights.reshape(1, -1),
        own.reshape(1, -1),
        rows=shape if "steps" in case else None,
    )
    expected = bootstrapped(values, weights, own)
    assert estimate.standard_error == approx(expected, rel=0.05)


# Precision


def close_values(lists, seed=0):
    rng = np.random.default_rng([7, seed])
    values = 0.999 + rng.uniform(-5e-4, 5e-4, lists)
    return values.astype("float32")


def error_of(values, lists=None):
    """That of the mean of these, or of so many like them."""
    values = values.astype("float64")
    lists = len(values) if lists is None else lists
    return values.std() / math.sqrt(lists - 1)


def test_a_million_values_that_hardly_differ():
    values = close_values(10**6)
    found = seen(values).standard_error()
    assert found == approx(error_of(values), rel=1e-2)


@pytest.mark.parametrize("value", [1 / 3, 0.5])
def test_values_that_hardly_differ_around_a_half_tell_no_error(value):
    """Single precision cannot tell their squares apart."""
    rng = np.random.default_rng(13)
    values = value + rng.uniform(-1e-5, 1e-5, 10**5)
    assert np.isnan(seen(values.astype("float32")).standard_error())


def test_values_that_are_all_0_or_all_1_have_no_error():
    assert seen(np.ones(10, "float32")).standard_error() == 0.0


@pytest.mark.long
def test_close_values_of_a_thousand_merged_states():
    values = close_values(10**5)
    states = [seen(part).state for part in np.split(values, 1_000)]
    whole = given.Value()
    whole.state = sum(states)
    assert whole.count() == 10**5
    assert whole.standard_error() == approx(error_of(values), rel=1e-2)


def test_close_values_of_a_thousand_million_lists():
    values = close_values(10**6)
    metric = seen(values)
    copies = [metric.state] * 1_000
    metric.state = sum(copies)
    assert metric.count() == 10**9
    expected = error_of(values, 10**9)
    assert metric.standard_error() == approx(expected, rel=1e-2)


def test_close_values_in_rows():
    """Those of a row are close to each other, too."""
    rng = np.random.default_rng(8)
    rows = close_values(20_000)[:, None]
    values = (rows + rng.uniform(-1e-4, 1e-4, (20_000, 5))).astype("float32")
    expected = error_of(values.astype("float64").mean(axis=1))
    assert seen(values).standard_error() == approx(expected, rel=1e-2)


# Beside the same by finite differences, in float64


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
@pytest.mark.parametrize("shape", [(60,), (20, 5), (20, 1), (12, 3, 2)])
def test_as_the_mean_moves_with_each_row(shape, empty):
    """Rows of unequal size, some empty, and lists that take the mean weight."""
    labels, scores, weights = batch(1, *shape)
    metric = krm.NDCG(3, empty=empty)
    metric.update_state(labels, scores, weights)
    own = (labels > 0).any(axis=-1)
    expected = truth_of(metric, labels, scores, weights, own)
    assert metric.standard_error() == approx(expected, rel=1e-4)
    assert 0.0 < expected < 0.2


@pytest.mark.parametrize("shape", [(60,), (20, 5)])
def test_under_the_mean_weight_of_items_each_list_has_its_own(shape):
    labels, scores, weights = batch(2, *shape)
    metric = krm.RecallAtK(3, list_weight="mean")
    metric.update_state(labels, scores, weights)
    expected = truth_of(metric, labels, scores, weights, None)
    assert metric.standard_error() == approx(expected, rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_lists_that_all_take_the_mean_weight():
    labels, scores, weights = batch(3, 60)
    metric = krm.NDCG(3, empty="one")
    metric.update_state(np.minimum(labels, 0), scores, weights)
    assert float(metric.result()) == 1.0
    assert metric.standard_error() == 0.0


def test_weights_of_items():
    """The weight of a list is what its relevant items weigh on average."""
    rng = np.random.default_rng(9)
    labels, scores, _ = batch(4, 60)
    weights = rng.integers(1, 5, labels.shape).astype("float32")
    metric = krm.HitRateAtK(2)
    metric.update_state(labels, scores, weights)
    relevant = labels >= 1
    own = relevant.any(axis=-1)
    of_lists = (weights * relevant).sum(-1) / np.maximum(relevant.sum(-1), 1)
    expected = truth_of(metric, labels, scores, of_lists, own)
    assert metric.standard_error() == approx(expected, rel=1e-4)


def test_a_row_is_a_cluster_and_a_list_of_a_plain_batch_is_one():
    """Ten steps that are all alike tell no more than one."""
    values = np.random.default_rng(10).uniform(0.1, 0.9, 30)
    steps = np.repeat(values[:, None], 10, axis=1)
    once, of_rows, of_lists = seen(values), seen(steps), seen(steps.ravel())
    assert of_rows.standard_error() == approx(once.standard_error(), rel=1e-5)
    assert of_rows.estimate().rows == 30
    assert of_rows.count() == of_lists.estimate().rows == 300
    assert of_lists.standard_error() == approx(
        once.standard_error() * math.sqrt(29 / 299), rel=1e-5
    )


# Batches, order and merging


def test_plain_batches_and_batches_of_steps_go_together():
    plain, steps = batch(6, 60), batch(7, 20, 5)
    metric = krm.NDCG(3)
    metric.update_state(*plain)
    metric.update_state(*steps)
    labels, scores, weights = (
        np.concatenate([a, b.reshape(-1, *b.shape[2:])])
        for a, b in zip(plain, steps, strict=True)
    )
    values = ops.convert_to_numpy(metric.per_list(labels, scores))
    rows = np.concatenate([np.arange(60), np.repeat(np.arange(60, 80), 5)])
    own = (labels > 0).any(axis=-1)
    expected = given.standard_error(values, weights, own, rows)
    assert metric.standard_error() == approx(expected, rel=1e-4)


# Among the results of a collection


def collection():
    return MetricCollection(
        [
            krm.NDCG(3),
            krm.RecallAtK(2, empty="skip"),
            krm.NDCG(3, inputs="scores", dtype="float64", name="double"),
        ],
        prefix="all ",
        errors=True,
    )


def errors_alone(metrics, *batches):
    for metric in metrics:
        for each in batches:
            metric.update_state(*each)
    return {f"all {m.name}_se": m.standard_error() for m in metrics}


def test_a_collection_has_the_errors_beside_the_values():
    batches = batch(1, 20), batch(2, 20)
    together = collection()
    for each in batches:
        together.update_state(*each)
    results = given.numbers(together.result())
    alone = errors_alone(collection().metrics, *batches)
    assert {name: results[name] for name in alone} == approx(alone, rel=1e-3)
    assert list(results)[:2] == ["all ndcg@3", "all ndcg@3_se"]


@pytest.mark.only_on(
    "jax", reason="elsewhere the state is known, or nothing is compiled"
)
def test_an_estimate_is_none_of_a_compiled_program():
    import jax

    metric = krm.NDCG(3)

    def traced(labels, scores):
        metric.update_state(labels, scores)
        return metric.standard_error()

    with pytest.raises(ValueError, match="errors=True"):
        jax.jit(traced)(*batch(1, 4)[:2])


@pytest.mark.each_backend
@pytest.mark.long
def test_errors_in_fit():
    """Ten lists in batches of four: the last one is short."""
    rng = np.random.default_rng(12)
    x = rng.standard_normal((10, 12)).astype("float32")
    y = rng.integers(0, 3, (10, 12)).astype("float32")
    weights = rng.integers(1, 5, 10).astype("float32")
    inputs = keras.Input((12,))
    model = keras.Model(inputs, keras.layers.Dense(12)(inputs))
    model.compile(
        "sgd",
        "mse",
        weighted_metrics=[MetricCollection([krm.NDCG(10)], errors=True)],
    )
    history = model.fit(
        x,
        y,
        sample_weight=weights,
        batch_size=4,
        epochs=2,
        verbose=0,
        validation_data=(x, y, weights),
    ).history
    metric = krm.NDCG(10)
    metric.update_state(y, model.predict(x, verbose=0), weights)
    assert history["val_ndcg@10"][-1] == approx(float(metric.result()))
    assert history["val_ndcg@10_se"][-1] == approx(
        metric.standard_error(), rel=1e-4
    )
    assert history["ndcg@10_se"][0] > 0


# The sums


@pytest.mark.each_backend
@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("rows", [None, (60, 1), (12, 5)])
def test_the_sums_are_what_their_names_say(rows, bounded):
    rng = np.random.default_rng(29)
    values, weights = rng.random((2, 3, 60))
    own, valid = rng.random((2, 3, 60)) < 0.8
    x = given.per_list(values, weights, own, valid, rows)
    sums = ops.convert_to_numpy(WeightedMean(bounded).of_batch(x))
    values, weights = (ops.convert_to_numpy(y).astype(float) for y in x[:2])
    own, other = (1.0 * (kind & valid) for kind in (own, ~own))
    value, rest = weights * values, weights * (1 - values if bounded else 1)
    other_rest = other * (1 - values if bounded else 1)
    terms = {
        "own": own,
        "own_value": own * value,
        "own_rest": own * rest,
        "other_value": other * values,
        "other_rest": other_rest,
    }
    expected = {
        **{name: terms[name] for name in ("own", "own_value", "other_value")},
        "lists": own + other,
        "own_weight": own * weights,
        "own_squares": own * weights**2,
    }
    expected = {name: x.sum(-1) for name, x in expected.items()}
    of_rows = {
        name: x.reshape(3, *(rows or (60, 1))).sum(-1)
        for name, x in {**terms, "rows": own + other}.items()
    }
    expected["rows"] = (of_rows.pop("rows") > 0).sum(-1)
    for pair in itertools.combinations_with_replacement(of_rows, 2):
        one, another = (of_rows[name] for name in pair)
        expected["*".join(pair)] = (one * another).sum(-1)
    v, r = of_rows["own_value"], of_rows["own_rest"]
    for some in itertools.combinations_with_replacement(("value", "rest"), 3):
        name = "*".join(f"own_{x}" for x in sorted(some, reverse=True))
        expected[name] = (
            v ** some.count("value") * r ** some.count("rest")
        ).sum(-1)
    for kind in ("own", "other"):
        v, r = of_rows[f"{kind}_value"], of_rows[f"{kind}_rest"]
        mean = v / np.maximum(v + r, 1e-30) if bounded else 0 * v
        each = (v + r) * mean * (1 - mean)
        expected[f"{kind}_variance"] = each.sum(-1)
        expected[f"{kind}_skewness"] = (each * (1 - 2 * mean)).sum(-1)
    assert set(expected) == set(WeightedMean.names)
    for name, found in zip(WeightedMean.names, sums.T, strict=True):
        assert found == approx(expected[name], rel=1e-5), name
