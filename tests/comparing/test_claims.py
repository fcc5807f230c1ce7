"""Tables and estimates say where their intervals do not hold."""

import math
import re

import numpy as np
import pytest
from given import Value, lists_of
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import Estimate


def of(values, metric=None):
    labels, scores = lists_of(values)
    scores += np.random.default_rng(0).normal(size=scores.shape)
    return krm.evaluate(labels, scores, metric or Value())


# Few lists that carry a mean


def test_a_mean_that_few_lists_carry_is_told():
    ranks = np.random.default_rng(0).integers(1, 1001, 200)
    found = of(1 / ranks)
    note = (
        "all: 20 of 200 lists carry 71% of value, so that its interval may be "
        "too short. Use more lists."
    )
    assert found.report.notes == (note,)
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        assert note in " ".join(text.split())


@pytest.mark.parametrize(
    "values",
    [
        np.arange(200) % 20 == 0,  # a coin, which has an exact interval
        np.linspace(0, 1, 200),
        np.full(200, 0.01),
        np.zeros(200),
        [1.0, 0, 0, 0, 0, 0, 0, 0, 0],
        1 / np.tile(np.arange(1, 101), 100),  # enough lists
    ],
)
def test_other_means_are_not(values):
    assert not of(values).report.notes


def clicked(lists, share, power, seed=0):
    """A metric of a log, and its arguments."""
    rng, positions = np.random.default_rng(seed), np.arange(1, 11)
    relevant = rng.random((lists, 10)) < share
    clicks = relevant & (rng.random((lists, 10)) < 1.0 / positions**power)
    scores = rng.random((lists, 10)).astype("float32")
    return 1.0 / positions**power, (clicks.astype("float32"), scores)


@pytest.mark.parametrize("kind", [krm.IPS, krm.SNIPS])
def test_estimates_of_few_clicks_say_so(kind):
    propensities, arrays = clicked(400, 0.03, 2)
    metric = kind(propensities=propensities)
    metric.update_state(*arrays)
    estimate = metric.estimate()
    assert estimate.rests_on_few and estimate.carriers < 20
    said = f", {estimate.carriers:.0f} of which carry the sum: do not trust ±)"
    assert str(metric).endswith(said)
    [note] = krm.evaluate(*arrays, metric.remade()).report.notes
    assert f"of {metric.name}, so that its interval may be too short" in note


def test_carriers_are_the_lists_of_equal_value_with_that_sum():
    propensities, (clicks, scores) = clicked(400, 0.3, 1)
    metric = krm.IPS(propensities=propensities)
    metric.update_state(clicks, scores)
    values = np.array(metric.per_list(clicks, scores))
    expected = values.sum() ** 2 / (values**2).sum()
    assert metric.estimate().carriers == approx(expected, rel=1e-5)
    assert not metric.estimate().rests_on_few
    assert str(metric).endswith("(95%, 400 lists)")


# Small spreads


@pytest.mark.parametrize("middle", [0.0, 0.7, 1.0])
def test_a_small_spread_has_a_short_interval(middle):
    spread = np.abs(np.random.default_rng(1).normal(0, 1e-4, 200))
    values = np.float32(np.abs(middle - spread)).astype(float)
    estimate = of(values).estimates["value"]
    error = values.std(ddof=1) / math.sqrt(200)
    assert estimate.standard_error == approx(error, rel=1e-3)
    # The skewness of a half of a normal distribution adds 4%.
    assert estimate.margin() == approx(1.97 * error, rel=0.05)


def test_values_that_do_not_vary_have_the_interval_of_a_coin():
    estimate = of(np.full(200, 0.7)).estimates["value"]
    coin = Estimate(0.7, 0.0, 200, 200.0, 200, bounded=True)
    assert estimate.interval() == approx(coin.interval(), abs=1e-6)


# Judges


def judged(rng, human, judge, lists=400):
    """Labels by humans on some lists and by a judge, of one item in two."""
    labels = {"human": rng.random(lists) < human, "judge": judge}
    labels = {k: np.stack([x, ~x], -1).astype(int) for k, x in labels.items()}
    labels["human"][60:] = -1
    return labels


def test_tables_name_both_numbers_of_lists():
    rng = np.random.default_rng(2)
    labels = judged(rng, 0.7, rng.random(400) < 0.8)
    metric = krm.JudgeCorrected(krm.HitRateAtK(k=1))
    systems = {name: rng.normal(size=(400, 2)) for name in ("old", "new")}
    compared = krm.compare(labels, systems, metric)
    text = " ".join(str(compared).split())
    over = "400 lists, 60 with human labels and 400 with labels of the judge"
    assert f"Means over {over}; " in text
    these = over.replace("lists", "lists like these", 1)
    assert f"With {these}, a true difference of" in text
    assert f" (new) on {over}, " in str(compared.gate(tolerance=0.9))
    assert over in str(krm.evaluate(labels, systems["old"], metric))


def test_a_loss_that_the_judge_alone_sees_does_not_pass():
    """No list with human labels differs, and half of the others lose."""
    lists = np.arange(400)
    labels = judged(np.random.default_rng(3), 1.1, lists % 2 == 0)
    labels["human"][:60] = [1, 1]  # humans find both items relevant
    old = np.tile([2.0, 1.0], (400, 1))
    systems = {"old": old, "new": old[:, ::-1]}
    metric = krm.JudgeCorrected(krm.HitRateAtK(k=1))
    verdict = krm.compare(labels, systems, metric).gate(tolerance=0.01)
    assert verdict.outcome == "undecided"
    low, high = verdict.interval
    assert verdict.difference.estimate.value == 0 and low < -0.05 < 0.05 < high
    assert verdict.bounds[0] <= -verdict.unseen


def test_a_judge_has_no_confidence_sequence():
    rng = np.random.default_rng(2)
    labels = judged(rng, 0.7, rng.random(400) < 0.8)
    metric = krm.JudgeCorrected(krm.HitRateAtK(k=1))
    metric.update_state(labels, rng.normal(size=(400, 2)))
    with pytest.raises(ValueError, match="needs a plain mean"):
        metric.estimate().anytime_interval()


# Lower means


def test_a_lower_mean_contains_those_of_neighbouring_shares():
    """A tenth of all lists may be 0, and fewer in the sample."""
    values = np.where(np.arange(200) < 14, 0.0, 0.5)
    metric = krm.LowerMean(Value(), share=0.1)
    metric.update_state(*lists_of(values))
    low, high = metric.confidence_interval()
    table = of(values, krm.LowerMean(Value(), share=0.1)).estimates
    assert table["value/lowest10"].interval() == approx((low, high), abs=1e-4)
    assert low == approx(0.0, abs=1e-9)  # of the lowest 12.4 of 200
    assert high > 0.5 * (1 - 14 / 30)  # of the lowest 30


# Notes on few lists


def reciprocals(lists, seed=0, items=10):
    """Labels of one relevant item, and two systems that rank at random."""
    rng = np.random.default_rng(seed)
    labels = np.eye(items)[rng.integers(0, items, lists)]
    return labels, {x: rng.random(labels.shape) for x in ("old", "new")}


def skewed(found):
    return [x for x in found.report.untested if "skewed" in x]


def test_a_note_names_the_skewness_of_few_lists():
    mrr = krm.MeanReciprocalRank()
    labels, systems = reciprocals(20)
    [note] = skewed(krm.compare(labels, systems, mrr))
    assert re.fullmatch(
        r"mrr: the values are skewed \(old \+[12]\.\d, new \+[12]\.\d\), so "
        r"that intervals may be too short with 20 lists\. Use 50 or more\.",
        note,
    )
    [note] = skewed(krm.evaluate(labels, systems["old"], mrr))
    assert "skewed (+" in note
    assert not skewed(krm.compare(labels, systems, krm.HitRateAtK(k=1)))
    assert not skewed(krm.compare(*reciprocals(50), mrr))


def test_the_note_names_lists_of_equal_weight():
    labels, systems = reciprocals(200)
    weights = np.where(np.arange(200) < 20, 50.0, 0.1)
    mrr = krm.MeanReciprocalRank(list_weight="mean")
    [note] = skewed(krm.compare(labels, systems, mrr, sample_weight=weights))
    assert "with 200 lists that count as 21. Use more lists, or less" in note


def test_weights_alone_are_no_heavy_tail():
    labels, systems = reciprocals(1000, items=2)
    weights = 1.0 / np.arange(1.0, 1001.0)
    found = krm.compare(
        labels,
        systems,
        krm.MeanReciprocalRank(list_weight="mean"),
        sample_weight=weights,
    )
    assert not any("carry" in x for x in found.report.untested)


def test_a_group_with_few_human_labels_has_no_value():
    rng = np.random.default_rng(3)
    labels = judged(rng, 0.7, rng.random(400) < 0.8)
    systems = {name: rng.normal(size=(400, 2)) for name in ("old", "new")}
    groups = np.where(np.arange(400) % 40 == 3, "few", "many")
    metric = krm.JudgeCorrected(krm.HitRateAtK(k=1))
    found = krm.compare(labels, systems, metric, groups=groups)
    table = found.to_dict()["systems"]
    name = "hit_rate@1/judge_corrected"
    assert table["few: new"][name]["value"] is None
    assert table["few: new"][name]["mark"] == ""
    assert table["many: new"][name]["value"] > 0
    assert (
        f"few: {name} has no value, since 2 of 10 lists have labels by humans "
        "and by the judge, and 10 are needed."
    ) in found.report.untested
    assert found.report.comparisons == 2


def test_a_difference_that_is_not_that_of_the_values_is_explained():
    rng = np.random.default_rng(36)
    labels = judged(rng, 0.7, rng.random(400) < 0.8)
    systems = {name: rng.normal(size=(400, 2)) for name in ("old", "new")}
    metric = krm.JudgeCorrected(krm.HitRateAtK(k=1))
    found = krm.compare(labels, systems, metric)
    said = "a difference is estimated on its own, so that it may not be one"
    assert any(said in x for x in found.report.untested)
    assert any(said in x for x in found.gate(tolerance=0.5).notes)
