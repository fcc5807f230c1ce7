"""`JudgeCorrected`: few human labels, and many of a judge."""

import math

import numpy as np
import pytest
from given import Value, assert_same_state, lists_of
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import JudgeCorrected
from keras_rankmetrics.metrics.judge_corrected import (
    JudgeCorrectedEstimate,
    corrected,
    sums_of,
)

HUMAN = [1, 0.63, 0, 0.5, 1, 0.39, 0, 1]
JUDGE = [1, 0.63, 0.39, 0.63, 1, 0.5, 0, 0.63]
OTHERS = [0.63, 1, 0.39, 0.5, 0.63, 1, 0, 0.5, 1, 0.63, 0.39, 1, 0.63, 0.5]
OTHERS += [1, 0.63]


def drawn(both, judge_only=0, human_only=0, seed=0):
    """Values of lists, NaN without labels: by humans, and by a judge."""
    rng = np.random.default_rng([26, seed])
    lists = both + judge_only + human_only
    y = rng.beta(1, 1, lists)
    f = np.clip(0.7 * y + 0.3 * rng.beta(3, 1, lists), 0, 1)
    y[both : both + judge_only] = math.nan
    f[both + judge_only :] = math.nan
    order = rng.permutation(lists)
    return y[order], f[order]


def sums(y, f):
    return sums_of(y, ~np.isnan(y), f, ~np.isnan(f))


def batch(y, f):
    """Labels of lists with these values, and their scores."""
    values = [np.where(np.isnan(x), -1, x) for x in (y, f)]
    (human, scores), (judge, _) = map(lists_of, values)
    return {"human": human, "judge": judge}, scores


def seen(*batches, metric=None):
    made = JudgeCorrected(metric or Value())
    for each in batches:
        made.update_state(*each)
    return made


def stacked(labels):
    return np.stack([labels["human"], labels["judge"]], axis=-1)


def by_hand(y, f):
    """The mean and its standard error by PPI++, without human-only lists."""
    has = ~np.isnan(y)
    yn, fn, rest = y[has], f[has], f[~has]
    n, more = len(yn), len(rest)
    weight = np.cov(yn, fn, ddof=0)[0, 1]
    weight = weight / ((1 + n / more) * np.var(f, ddof=1) + 3 / n)
    weight = min(max(weight, 0.0), 1.0)
    value = weight * rest.mean() + np.mean(yn - weight * fn)
    variance = np.var(yn - weight * fn) / (n - 2)
    if weight:
        variance += weight**2 * (np.var(rest) / (more - 1) + 3 / n**2)
    return weight, value, math.sqrt(variance)


# Numbers


@pytest.mark.parametrize(
    "weight, expected",
    [
        (None, (0.804511, 0.6087453)),
        (0.0, (0.0, 0.565)),
        (1.0, (1.0, 0.619375)),
    ],
)
def test_the_reference_numbers(weight, expected):
    y = np.array(HUMAN + [math.nan] * len(OTHERS))
    f = np.array(JUDGE + OTHERS)
    found = corrected(sums(y, f), weight, bounded=False)
    assert (found.weight, found.value) == approx(expected, abs=1e-6)
    # The reference divides by n. λ takes a degree of freedom, if it is not 0.
    freedom = 8 - 1 - (found.weight > 0)
    residuals = np.array(HUMAN) - found.weight * np.array(JUDGE)
    variance = residuals.var() / freedom
    variance += found.weight**2 * np.var(OTHERS) / 15
    assert found.variance == approx(variance)
    # Values in [0, 1] have three errors that no list of the sample has.
    cov = np.cov(HUMAN, JUDGE, ddof=0)[0, 1]
    best = cov / (1.5 * np.var(f, ddof=1) + 3 / 8)
    assert corrected(sums(y, f)).weight == approx(best)


@pytest.mark.parametrize("both, judge_only", [(10, 2), (12, 300), (400, 60)])
def test_the_estimate_is_that_of_the_definition(both, judge_only):
    y, f = drawn(both, judge_only)
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    numbers = found.weight, found.value, found.standard_error
    assert numbers == approx(by_hand(y, f), abs=1e-9)
    assert found.lists == both + judge_only
    assert found.rows == found.both == both
    assert found.human_mean == approx(np.nanmean(y))
    assert found.judge_mean == approx(f.mean())


def test_the_estimate_is_that_of_ppi_py():
    ppi = pytest.importorskip("ppi_py", reason="a peer")
    y, f = drawn(50, 600)
    has = ~np.isnan(y)
    args = y[has], f[has], f[~has]
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    value = ppi.ppi_mean_pointestimate(*args, lam=found.weight)
    assert found.value == approx(float(np.squeeze(value)), abs=1e-9)
    low, high = ppi.ppi_mean_ci(*args, alpha=0.05, lam=found.weight)
    error = float(np.squeeze(high - low)) / 2 / 1.959963984540054
    assert found.standard_error == approx(error, rel=0.02)  # it divides by n


def test_human_only_lists_count():
    y, f = drawn(40, 200, 15)
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    weight = found.weight
    both, human = ~np.isnan(y + f), ~np.isnan(y)
    rest, alone = f[~human], y[human & ~both]
    theta = (y[both] - weight * f[both]).mean() + weight * rest.mean()
    own = (y[both] - weight * f[both]).var() / 38
    varies = y[human].var(ddof=1) - y[both].var(ddof=1)
    own = max(own + (1 - weight) ** 2 * varies / 40, 0)
    own += weight**2 * (rest.var() / 199 + 3 / 40**2)
    other = y[human].var(ddof=1) / 15
    share = other / (own + other)
    value = share * theta + (1 - share) * alone.mean()
    variance = share**2 * own + (1 - share) ** 2 * other
    assert found.value == approx(value, abs=1e-12)
    assert found.standard_error == approx(math.sqrt(variance), abs=1e-12)
    assert (found.both, found.judge_only, found.human_only) == (40, 200, 15)
    assert (found.lists, found.rows) == (255, 55)


@pytest.mark.parametrize("alone", [1, 15, 150])
def test_human_only_lists_do_not_raise_the_error(alone):
    y, f = drawn(40, 2000, alone)
    more = JudgeCorrectedEstimate.of_sums(sums(y, f))
    has = ~(np.isnan(f) & ~np.isnan(y))
    fewer = JudgeCorrectedEstimate.of_sums(sums(y[has], f[has]))
    assert more.standard_error < fewer.standard_error


def test_without_further_lists_or_a_judge_that_says_anything_humans_decide():
    y, f = drawn(30)
    for judge in (f, np.full(30, 0.3)):
        found = JudgeCorrectedEstimate.of_sums(sums(y, judge))
        assert found.weight == 0
        assert found.value == approx(y.mean())
        assert found.standard_error == approx(y.std(ddof=1) / math.sqrt(30))
        assert found.effective_lists == approx(30)
        error = found.standard_error
        plain = krm.Estimate(y.mean(), error, 30, 30.0, 30, bounded=True)
        assert found.interval() == approx(plain.interval())


def test_lists_that_do_not_vary_do_not_outweigh_human_only_ones():
    y, f = np.ones(110), np.ones(110)
    y[10:60], f[10:] = 0.0, math.nan
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    assert found.value == approx(y.mean())
    assert found.standard_error == approx(y.std(ddof=1) / math.sqrt(110))


def test_all_lists_count_alike_without_any_variance():
    y, f = np.ones(500), np.ones(500)
    y[100:], f[80:100] = math.nan, math.nan
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    plain = krm.Estimate(1.0, 0.0, 100, 100.0, 100, bounded=True)
    assert found.value == 1 and found.interval() == approx(plain.interval())


@pytest.mark.parametrize("hits", [0, 1])
def test_lists_that_do_not_vary_have_the_interval_of_humans(hits):
    y, f = np.full(400, float(hits)), np.full(400, float(hits))
    f[50:150] = 1 - hits
    y[10:] = math.nan
    low, high = JudgeCorrectedEstimate.of_sums(sums(y, f)).interval()
    plain = krm.Estimate(hits, 0.0, 10, 10.0, 10, bounded=True)
    assert (low, high) == approx(plain.interval())
    assert high - low > 0.3


def test_a_judge_that_disagrees_has_no_weight():
    y, f = drawn(50, 500)
    assert JudgeCorrectedEstimate.of_sums(sums(y, 1 - f)).weight == 0


def test_equal_values_have_no_error():
    y, f = np.full(3000, 0.3), np.full(3000, 0.7)
    y[100:] = math.nan
    made = seen(batch(y, f))
    estimate = made.estimate()
    assert estimate.value == approx(0.3)
    assert 0 <= estimate.standard_error < 1e-4


def test_effective_lists_are_those_that_humans_would_need():
    y, f = drawn(60, 3000)
    found = JudgeCorrectedEstimate.of_sums(sums(y, f))
    alone = JudgeCorrectedEstimate.of_sums(sums(y, f), weight=0.0)
    assert found.effective_lists == approx(
        60 * (alone.standard_error / found.standard_error) ** 2
    )
    assert found.effective_lists > 90


# The metric


def test_the_metric_is_the_estimate_of_its_values():
    y, f = drawn(30, 100, 5)
    y, f = (x.astype("float32").astype("float64") for x in (y, f))
    made = seen(batch(y, f))
    expected = JudgeCorrectedEstimate.of_sums(sums(y, f))
    estimate = made.estimate()
    for name in ("value", "standard_error", "weight", "judge_mean"):
        found = getattr(estimate, name)
        assert found == approx(getattr(expected, name), abs=1e-5), name
    assert estimate.lists == 135
    assert float(made.result()) == approx(expected.value, abs=1e-6)
    assert made.standard_error() == estimate.standard_error
    assert made.confidence_interval(0.9) == estimate.interval(0.9)
    assert made.name == "value/judge_corrected"


def test_a_stacked_tensor_is_the_dict():
    labels, scores = batch(*drawn(20, 30, 4))
    made = seen((stacked(labels), scores))
    assert_same_state(made, seen((labels, scores)).get_state())


def test_lists_without_labels_or_value_have_none_of_that_kind():
    y, f = drawn(20, 30, 4)
    metric = Value(empty="skip")
    labels, scores = batch(y, f)
    y[np.nanargmin(y)] = 0.0
    skipped = seen(batch(y, f), metric=metric).estimate()
    y[y == 0.0] = math.nan
    assert seen(batch(y, f), metric=metric).estimate() == skipped
    # Items that nobody judged are no labels.
    made = seen((labels, scores)).estimate()
    for x in labels.values():
        x[x.max(axis=-1) < 0] = krm.UNJUDGED
    assert seen((labels, scores)).estimate() == made


def test_masks_hold_for_both():
    labels, scores = batch(*drawn(20, 30, 4))
    expected = seen((labels, scores))
    more = {k: np.append(x, np.ones_like(x), 1) for k, x in labels.items()}
    mask = np.append(np.ones_like(scores), np.zeros_like(scores), 1) > 0
    made = seen(({**more, "mask": mask}, np.append(scores, scores + 1, 1)))
    assert_same_state(made, expected.get_state())


def test_a_list_without_a_valid_value_makes_the_result_nan():
    labels, scores = batch(*drawn(20, 30))
    labels["human"][np.argmax(labels["human"][:, 0]), 0] = math.nan
    made = seen((labels, scores))
    assert math.isnan(float(made.result()))
    assert math.isnan(made.estimate().value)


def test_fewer_than_ten_lists_with_both_have_no_result():
    labels, scores = batch(*drawn(9, 100, 50))
    made = seen((labels, scores))
    assert math.isnan(float(made.result()))
    with pytest.raises(ValueError, match=r"at least 10 lists .* Received: 9"):
        made.estimate()
    assert "Received: 9. Let humans label more" in str(made)
    made.update_state(*batch(*drawn(1, seed=2)))
    assert made.estimate().both == 10
    assert math.isnan(float(JudgeCorrected(Value()).result()))


def test_the_values_of_lists():
    y, f = drawn(12, 5, 3)
    found = JudgeCorrected(Value()).per_list(*batch(y, f))
    for kind, expected in (("human", y), ("judge", f)):
        values = ops.convert_to_numpy(found[kind])
        np.testing.assert_allclose(values, expected, rtol=1e-6)


def test_it_prints_the_numbers_of_lists():
    text = str(seen(batch(*drawn(30, 1000, 4))))
    assert text.startswith("value/judge_corrected = 0.")
    assert "1,034 lists" in text
    assert "34 with human labels and 1,030 with labels of the judge" in text


# As a metric of Keras


def test_name_and_signature():
    made = JudgeCorrected(Value(name="mine"))
    assert made.name == "mine/judge_corrected"
    assert made.signature.endswith("|judge_corrected:ppi++")


# Errors


def test_errors_leave_the_state():
    labels, scores = batch(*drawn(20, 30))
    made = seen((labels, scores))
    state = made.get_state()
    human, both = labels["human"], stacked(labels)
    for y_true, y_pred, weight, message in [
        (labels, scores, np.ones(50), "all lists the same weight"),
        ({"human": human}, scores, None, "Received: the keys"),
        (human[..., :1], scores[..., :1], None, "items, 2"),
        ({**labels, "labels": human}, scores, None, "Received: the keys"),
        ({**labels, "judge": human[:3]}, scores, None, "same shape"),
        (both[None], scores[None], None, "Reshape"),
    ]:
        with pytest.raises(ValueError, match=message):
            made.update_state(y_true, y_pred, weight)
        assert_same_state(made, state)
    with pytest.raises(ValueError) as error:
        made.update_state({**labels, "judge": human[:3]}, scores)
    assert "judge labels" in "".join(error.value.__notes__)


def test_metrics_that_it_cannot_correct():
    with pytest.raises(ValueError, match='Received: `inputs="ids"`'):
        JudgeCorrected(krm.NDCG(3, inputs="ids"))
    with pytest.raises(TypeError, match="ranking metric"):
        JudgeCorrected("ndcg")
    with pytest.raises(TypeError, match="Keep it outside the collection"):
        krm.MetricCollection([JudgeCorrected(krm.NDCG(3))])
