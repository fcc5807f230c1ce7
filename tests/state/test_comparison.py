"""`Comparison`: systems on the same lists, beside a baseline."""

import math

import given
import keras
import numpy as np
import pytest
from given import assert_same_state
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import Comparison
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.aggregates.paired import (
    Paired,
    differences,
    holm,
)

SYSTEMS = ["old", "new", "other"]


def batch(seed, *shape, items=10):
    """Labels, what each system predicts, and weights."""
    rng = np.random.default_rng([23, seed])
    labels = rng.integers(0, 3, (*shape, items)).astype("float32")
    labels[rng.random(shape) < 0.2] = 0
    noise = {"old": 2.0, "new": 1.0, "other": 2.5}
    scores = {
        name: (labels + rng.normal(0, noise[name], labels.shape)).astype(
            "float32"
        )
        for name in SYSTEMS
    }
    weights = rng.integers(1, 5, shape).astype("float32")
    return labels, scores, weights


def compared(*batches, metric=None, systems=SYSTEMS, **options):
    comparison = Comparison(metric or krm.NDCG(3), systems, **options)
    for each in batches:
        comparison.update_state(*each)
    return comparison


def values_of(labels, scores, metric=None):
    """The value of each list, under each system."""
    metric = metric or krm.NDCG(3)
    return {
        name: ops.convert_to_numpy(metric.per_list(labels, x)).astype("float64")
        for name, x in scores.items()
    }


def flat(comparison):
    """All that it says of the differences."""
    return {
        (d.system, name): getattr(x, name)
        for d in comparison.differences()
        for x, names in (
            (d, ("t", "p", "p_holm", "effect_size", "wins", "ties", "losses")),
            (d.estimate, ("value", "standard_error", "lists", "rows")),
        )
        for name in names
    }


# What it says


def test_t_and_p_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    labels, scores, _ = batch(1, 60)
    values = values_of(labels, scores)
    for found in compared((labels, scores)).differences():
        expected = stats.ttest_rel(values[found.system], values["old"])
        assert found.t == approx(expected.statistic, rel=1e-5)
        assert found.p == approx(expected.pvalue, rel=1e-4)


def test_values_and_differences():
    labels, scores, weights = batch(2, 60)
    comparison = compared((labels, scores, weights))
    results = given.numbers(comparison.result())
    for name, each in scores.items():
        alone = krm.NDCG(3)
        alone.update_state(labels, each, weights)
        assert results[f"ndcg@3/{name}"] == approx(float(alone.result()))
        error = comparison.estimates()[name].standard_error
        assert error == approx(alone.standard_error(), rel=1e-4)
    for name in ("new", "other"):
        expected = results[f"ndcg@3/{name}"] - results["ndcg@3/old"]
        assert results[f"ndcg@3/{name}-old"] == approx(expected, abs=1e-6)
    assert len(results) == 5


@pytest.mark.parametrize("shape", [(60,), (20, 3)])
def test_weights_and_rows(shape):
    """Lists without relevant items take the mean weight of the others."""
    labels, scores, weights = batch(3, *shape)
    values = values_of(labels, scores)
    own = (labels > 0).any(axis=-1)
    for found in compared((labels, scores, weights)).differences():
        d = values[found.system] - values["old"]
        times = np.ones(shape)
        mean = given.mean(d, weights, own, times)
        error = given.standard_error(d, weights, own)
        squares = given.mean(d * d, weights, own, times)
        n = d.size
        deviation = math.sqrt((squares - mean**2) * n / (n - 1))
        assert found.estimate.value == approx(mean, rel=1e-5)
        assert found.estimate.standard_error == approx(error, rel=1e-4)
        assert found.estimate.rows == shape[0]
        assert found.t == approx(mean / error, rel=1e-4)
        assert found.effect_size == approx(mean / deviation, rel=1e-4)


@pytest.mark.parametrize("shape", [(6,), (3, 5), (4, 3, 2)])
def test_p_has_a_degree_of_freedom_less_than_rows(shape):
    """Rows are clusters; a row without a list that counts is none."""
    labels, scores, weights = batch(25, *shape)
    labels[0] = -1
    metric = krm.NDCG(3, empty="skip")
    for found in compared(
        (labels, scores, weights), metric=metric
    ).differences():
        assert found.estimate.rows == shape[0] - 1
        t = found.estimate.value / found.estimate.standard_error
        assert found.t == approx(t, rel=1e-5)
        expected = given.two_sided(found.t, shape[0] - 2)
        assert found.p == approx(expected, rel=1e-5)


def shown(seed, *shape):
    """Return relevant items, what two systems show, and weights.

    Lists may have no relevant item, and systems may show nothing: one of them,
    the other, or both.
    """
    rng = np.random.default_rng([24, seed])
    relevant = rng.integers(0, 9, (*shape, 3))
    relevant[rng.random(shape) < 0.3] = -1
    systems = {}
    for name in ("old", "new"):
        systems[name] = rng.permuted(
            np.broadcast_to(np.arange(9), (*shape, 9)), axis=-1
        )[..., :4]
        systems[name][rng.random(shape) < 0.3] = -1
    return relevant, systems, 1.0 + 4.0 * rng.random(shape)


@pytest.mark.parametrize("list_weight", ["mean", "relevance"])
@pytest.mark.parametrize("shape", [(60,), (20, 3)])
@pytest.mark.parametrize("by", ["Comparison", "compare"])
def test_values_that_systems_lack_and_lists_of_the_mean_weight(
    by, shape, list_weight
):
    """A list counts where both show something, relevant items or not.

    Lists without relevant items take the mean weight of those with some, and
    have values that differ: Σ w d² needs their weight, too.
    """
    relevant, systems, weights = shown(1, *shape)
    popularity = np.arange(9.0) ** 2
    metric = krm.AveragePopularity(
        3, popularity=popularity, inputs="ids", list_weight=list_weight
    )
    values = {
        name: np.where(
            ids[..., 0] >= 0, popularity[ids[..., :3]].mean(-1), np.nan
        )
        for name, ids in systems.items()
    }
    d = values["new"] - values["old"]
    counts = ~np.isnan(d)
    old, new = (np.isnan(of_system) for of_system in values.values())
    assert min((old & new).sum(), (old & ~new).sum(), (new & ~old).sum()) > 0
    own = np.ones(shape, bool)
    if list_weight == "relevance":
        own = (relevant >= 0).any(axis=-1)
    known = d[counts], weights[counts], own[counts], np.ones(counts.sum())
    mean = given.mean(*known)
    error = given.standard_error(d, weights, own)
    n = counts.sum()
    variance = given.mean((known[0] - mean) ** 2, *known[1:]) * n / (n - 1)
    rows = counts.reshape(shape[0], -1).any(axis=1).sum()
    expected = {
        "difference": mean,
        "difference_error": error,
        "t": mean / error,
        "p": given.two_sided(mean / error, rows - 1),
        "effect_size": mean / math.sqrt(variance),
        "wins": (d[counts] < 0).sum(),  # of popularity, less is better
        "ties": (d[counts] == 0).sum(),
        "losses": (d[counts] > 0).sum(),
    }
    if by == "compare":
        cell = krm.compare(relevant, systems, metric, sample_weight=weights)
        found = cell.to_dict()["systems"]["new"][metric.name]
        found = {name: found[name] for name in expected}
    else:
        batches = relevant, systems, weights
        [of] = compared(
            batches, metric=metric, systems=["old", "new"]
        ).differences()
        assert of.estimate.lists == n
        assert of.estimate.rows == rows
        found = {name: getattr(of, name, None) for name in expected}
        found["difference"] = of.estimate.value
        found["difference_error"] = of.estimate.standard_error
    assert found == approx(expected, rel=1e-4)


@pytest.mark.parametrize("metric", [krm.NDCG(3), krm.MeanRank(empty="zero")])
@pytest.mark.parametrize("weighted", [False, True])
def test_at_alpha_an_end_of_the_interval_is_0(metric, weighted):
    labels, scores, weights = batch(8, 60)
    arguments = labels, scores, weights**2 if weighted else None
    found = compared(arguments, metric=metric).differences()
    for each in found:
        assert 1e-9 < each.alpha < 0.99
        ends = map(abs, each.interval(1 - each.alpha))
        assert min(ends) < 1e-6 * abs(each.estimate.value)
    alphas = [each.alpha for each in found]
    assert [each.alpha_holm for each in found] == holm(alphas)
    if not found[0].bounded and not weighted:  # the interval of the t test
        assert alphas == approx([each.p for each in found], rel=1e-4)


def test_alpha_where_there_is_no_difference_or_no_doubt():
    labels, scores, _ = batch(8, 400)
    scores["new"] = labels
    new, same = compared(
        (labels, {**scores, "other": scores["old"]})
    ).differences()
    assert (new.alpha, same.alpha) == (0.0, 1.0)
    assert math.isnan(compared(batch(9, 1)).differences()[0].alpha)


@pytest.mark.parametrize("weighted", [False, True])
def test_wins_ties_and_losses(weighted):
    labels, scores, weights = batch(5, 60)
    values = values_of(labels, scores)
    batches = (labels, scores, weights if weighted else None)
    for found in compared(batches).differences():
        d = values[found.system] - values["old"]
        assert found.wins == (d > 1e-6).sum()
        assert found.losses == (d < -1e-6).sum()
        assert found.wins + found.ties + found.losses == 60
        assert min(found.wins, found.ties, found.losses) > 0


def test_another_baseline_turns_the_sign():
    each = batch(7, 60)
    first, _ = compared(each).differences()
    again = compared(each, baseline="new")
    assert [d.system for d in again.differences()] == ["old", "other"]
    turned = again.differences()[0]
    assert turned.baseline == "new"
    assert turned.t == approx(-first.t, rel=1e-4)
    assert turned.p == approx(first.p, rel=1e-4)
    assert (turned.wins, turned.losses) == (first.losses, first.wins)
    assert "ndcg@3/old-new" in again.result()


def test_a_system_that_is_the_baseline_differs_in_nothing():
    labels, scores, _ = batch(8, 20)
    both = {"old": scores["old"], "same": scores["old"]}
    [found] = compared((labels, both), systems=list(both)).differences()
    assert (found.t, found.p, found.p_holm, found.effect_size) == (0, 1, 1, 0)
    assert (found.wins, found.ties, found.losses) == (0, 20, 0)


def test_a_system_that_is_better_by_as_much_on_each_list():
    """The differences have no spread: what is seen is certain."""
    labels = np.float32([[1, 0]] * 5)
    worse, better = np.float32([[1, 2]] * 5), np.float32([[2, 1]] * 5)
    [found] = compared(
        (labels, (worse, better)),
        metric=krm.HitRateAtK(1),
        systems=["worse", "better"],
    ).differences()
    assert found.t == found.effect_size == math.inf
    assert found.p == 0.0


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("lists", [0, 1])
def test_fewer_than_two_lists_tell_nothing(lists):
    comparison = compared(*[batch(9, 1)] * lists)
    for found in comparison.differences():
        assert math.isnan(found.estimate.standard_error)
        assert math.isnan(found.p) and math.isnan(found.p_holm)


def test_a_nan_of_one_system_stays_there():
    labels, scores, _ = batch(10, 60)
    labels[0, :2] = 1
    clean = compared((labels, scores))
    scores["other"][0, 0] = math.nan
    new, other = compared((labels, scores)).differences()
    assert new.t == approx(clean.differences()[0].t)
    assert new.p_holm == new.p == approx(clean.differences()[0].p)
    for number in (other.t, other.p, other.p_holm, other.estimate.value):
        assert math.isnan(number)


def test_a_nan_of_the_baseline_is_in_each_difference():
    labels, scores, _ = batch(10, 60)
    labels[0, :2] = 1
    scores["old"][0, 0] = math.nan
    comparison = compared((labels, scores))
    assert all(math.isnan(found.p) for found in comparison.differences())
    assert math.isnan(comparison.estimates()["old"].value)
    assert not math.isnan(comparison.estimates()["new"].value)


# Chances


@pytest.mark.parametrize(
    "p, expected",
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.04, 0.02, 0.005, 0.9], [0.08, 0.06, 0.02, 0.9]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.2], [0.2]),
        ([0.02, math.nan, 0.01], [0.02, math.nan, 0.02]),
        ([], []),
    ],
)
def test_holm_by_hand(p, expected):
    assert holm(p) == approx(expected, nan_ok=True)


@pytest.mark.long
def test_holm_of_statsmodels():
    tests = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(0).random(20) ** 4
    expected = tests.multipletests(p, method="holm")[1]
    assert holm(list(p)) == approx(list(expected))


def test_chances_are_corrected_for_the_number_of_systems():
    found = compared(batch(11, 20)).differences()
    assert [d.p_holm for d in found] == approx(holm([d.p for d in found]))
    assert min(d.p_holm for d in found) == approx(2 * min(d.p for d in found))


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [None, (40, 5)])
def test_where_nothing_differs_one_in_twenty_is_below_5_percent(weighted, rows):
    """Two systems that differ by noise alone, evaluated 2,000 times."""
    rng = np.random.default_rng(12)
    lists = 200 if rows is None else math.prod(rows)
    noise = rng.normal(0, 0.1, (2_000, lists))
    if rows is not None:
        noise += np.repeat(rng.normal(0, 0.1, (2_000, rows[0])), rows[1], -1)
    weights = rng.uniform(0.5, 1.5, noise.shape) if weighted else None
    paired = Paired(2_000, WeightedMean(bounded=False))
    sums = paired.of_batch(given.per_list(noise, weights, rows=rows))[0]
    sums = ops.convert_to_numpy(sums).astype("float64")
    names = list(map(str, range(2_000)))
    # For p, gains and losses do not matter.
    found = differences(sums, names, "baseline", bounded=False)
    p = np.array([d.p for d in found])
    chance = 4 * math.sqrt(0.05 * 0.95 / 2_000)
    assert np.mean(p < 0.05) == approx(0.05, abs=chance)
    assert np.mean(p < 0.5) == approx(0.5, abs=4 * 0.5 / math.sqrt(2_000))


# What it takes


def test_predictions_by_name_or_in_order():
    labels, scores, _ = batch(13, 20)
    expected = flat(compared((labels, scores)))
    turned = dict(reversed(scores.items()))
    assert flat(compared((labels, turned))) == expected
    for kind in (tuple, list):
        assert flat(compared((labels, kind(scores.values())))) == expected


def test_other_forms_of_input():
    y_true = [[0], [2], [1]]
    y_pred = {"old": [[0, 1], [0, 1], [1, 0]], "new": [[0, 1], [2, 1], [0, 1]]}
    comparison = compared(
        (y_true, y_pred),
        metric=krm.MeanReciprocalRank(inputs="ids"),
        systems=["old", "new"],
    )
    assert given.numbers(comparison.result()) == approx(
        {"mrr/old": 2 / 3, "mrr/new": 5 / 6, "mrr/new-old": 1 / 6}
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda scores: {name: scores[name] for name in ("old", "new")},
        lambda scores: {**scores, "more": scores["old"]},
        lambda scores: {"old": 1, "new": 2, "another": 3},
        lambda scores: list(scores.values())[:2],
        lambda scores: [*scores.values(), scores["old"]],
        lambda scores: np.stack(list(scores.values())),
        lambda scores: scores["old"],
        lambda scores: None,
        lambda scores: [],
    ],
)
def test_predictions_of_other_systems_leave_the_state(change):
    labels, scores, _ = batch(14, 8)
    comparison = compared((labels, scores))
    before = comparison.get_state()
    with pytest.raises(ValueError, match=r"`y_pred` should be a dict.*'other'"):
        comparison.update_state(labels, change(scores))
    assert_same_state(comparison, before)


def test_an_error_says_whose_prediction_it_is_and_leaves_the_state():
    labels, scores, _ = batch(14, 8)
    comparison = compared((labels, scores))
    before = comparison.get_state()
    with pytest.raises(ValueError) as raised:
        comparison.update_state(labels, {**scores, "other": [[1.0, 2.0]]})
    assert raised.value.__notes__ == [
        "The error is in the input of system 'other'."
    ]
    assert_same_state(comparison, before)


NAMES = r"^`systems` should be a list of at least two different names\. Re"


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((krm.NDCG, ["a", "b"]), TypeError, "should be a ranking metric"),
        ((keras.metrics.Mean(), ["a", "b"]), TypeError, "a ranking metric"),
        ((krm.NDCG(), ["a"]), ValueError, NAMES),
        ((krm.NDCG(), ["a", "a"]), ValueError, NAMES),
        ((krm.NDCG(), ["a", 1]), ValueError, NAMES),
        ((krm.NDCG(), "ab"), ValueError, NAMES),
        (
            (krm.NDCG(), ["a", "b"], "c"),
            ValueError,
            r"^`baseline` should be one of the systems .*\. Received: 'c'\.$",
        ),
    ],
)
def test_what_it_does_not_take(arguments, error, message):
    with pytest.raises(error, match=message):
        Comparison(*arguments)


def test_it_is_no_member_of_a_collection():
    with pytest.raises(TypeError, match="its own `update_state`"):
        krm.MetricCollection([compared()])


# State


def test_draws_are_the_same_for_each_system():
    """So that systems that predict the same are the same, also by chance."""
    labels, scores, _ = batch(18, 20)
    ties = {name: np.zeros_like(x) for name, x in scores.items()}
    metric = krm.NDCG(3, ties="shuffle")
    comparison = compared((labels, ties), (labels, ties), metric=metric)
    assert [d.ties for d in comparison.differences()] == [40, 40]
    assert int(comparison.state.draws) == 2


# As text


def test_table():
    """By hand: the differences of `new` are 0, 1, 1, 0, and t is √3."""
    labels = np.float32([[1, 0]] * 4)
    hit, miss = [2.0, 1.0], [1.0, 2.0]
    scores = {
        "old": [hit, miss, miss, miss],
        "new": [hit, hit, hit, miss],
        "same": [hit, miss, miss, miss],
    }
    comparison = compared(
        (labels, scores), metric=krm.HitRateAtK(1), systems=list(scores)
    )
    assert comparison.table().splitlines() == [
        "hit_rate@1   value          interval    diff           interval"
        "  p of t  effect  wins  ties  losses",
        "old         0.2500  [0.0000, 0.9898]",
        "new         0.7500  [0.0102, 1.0000]  0.5000  [-0.5397, 0.9991]"
        "  0.3634    0.87     2     2       0",
        "same        0.2500  [0.0000, 0.9898]  0.0000           ± 0.9121"
        "  1.0000    0.00     0     4       0",
    ]


def test_a_table_of_another_level():
    """One gain of three lists: that of a hit rate, and of no losses."""
    labels = np.float32([[1, 0]] * 3)
    hit, miss = [2.0, 1.0], [1.0, 2.0]
    scores = {"old": [hit, miss, miss], "new": [hit, hit, miss]}
    comparison = compared(
        (labels, scores), metric=krm.HitRateAtK(1), systems=list(scores)
    )
    found = comparison.table(level=0.5)
    assert "old         0.3333  [0.0223, 0.8460]\n" in found
    third, none = (
        krm.Estimate(x, e, 3, 3, 3, True).interval(0.5)
        for x, e in ((1 / 3, 1 / 3), (0.0, 0.0))
    )
    low = 1 / 3 - math.hypot(1 / 3 - third[0], none[1])
    assert f"  0.3333  [{low:.4f}, {third[1]:.4f}]  " in found


def test_lists_without_a_value_are_no_ties():
    comparison = Comparison(krm.NDCG(), ["a", "b"])
    scores = np.float32([[2, 1]] * 3)
    broken = scores.copy()
    broken[0] = math.nan
    labels = np.float32([[0, 1], [1, 0], [1, 0]])
    comparison.update_state(labels, {"a": scores, "b": broken})
    [found] = comparison.differences()
    assert (found.wins, found.ties, found.losses) == (0, 2, 0)


def test_a_system_has_no_name_of_a_difference():
    with pytest.raises(ValueError, match="result name of a difference"):
        Comparison(krm.NDCG(), ["a", "b", "b-a"])


def test_per_list_of_each_system():
    comparison = Comparison(krm.MeanReciprocalRank(), ["a", "b"])
    found = comparison.per_list([[1, 0]], ([[2, 1]], [[1, 2]]))
    values = {name: ops.convert_to_numpy(x) for name, x in found.items()}
    assert values == {"a": [1.0], "b": [0.5]}


def test_wins_of_a_metric_of_which_less_is_better():
    comparison = Comparison(krm.MeanRank(), ["old", "new"])
    labels = np.array([[1, 0, 0]] * 4)
    old, new = np.array([[1.0, 3.0, 2.0]] * 4), np.array([[3.0, 2.0, 1.0]] * 4)
    comparison.update_state(labels, {"old": old, "new": new})
    [difference] = comparison.differences()
    assert difference.estimate.value == -2.0
    assert (difference.wins, difference.ties, difference.losses) == (4, 0, 0)
