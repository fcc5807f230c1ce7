"""What is made of the rounds of contenders."""

import math

import pytest
from recorded import batches

from tests.tools.benchmarks.comparisons import (
    IN_THE_NOISE,
    ExtraRatio,
    Ratio,
    Share,
)
from tests.tools.benchmarks.scenarios import SCENARIOS
from tests.tools.benchmarks.units import ratio

ROUNDS = {
    "ours": [4.0, 9.0, 5.0],
    "theirs": [2.0, 3.0, 1.0],
    "none": [1.0, 1.0, 0.9],
    "short": [8.0],
    "nobody": [],
    "zero": [0.0, 0.0, 0.0],
}
VALUES = ROUNDS.__getitem__


def test_a_ratio_is_the_median_of_those_within_rounds():
    # Not 5 / 2, which is that of the medians.
    assert Ratio("ours", "theirs").value(VALUES) == 3.0


def test_only_the_rounds_that_both_took_part_in_count():
    assert Ratio("short", "ours").value(VALUES) == 2.0
    assert Ratio("ours", "nobody").of(VALUES) == ""


def test_a_ratio_to_nothing_is_infinite():
    assert Ratio("ours", "zero").value(VALUES) == math.inf


def test_a_share_is_what_would_be_gone():
    assert Share("ours", "none").of(VALUES) == "82%"


def test_an_extra_ratio_is_that_of_the_median_differences():
    # Ours adds 3, 8 and 4.1; theirs 1, 2 and 0.1. Of the ratios within rounds
    # the median would be 4.
    extra = ExtraRatio("ours", "theirs", without="none")
    assert extra.value(VALUES) == pytest.approx(4.1)
    assert extra.title == "(ours - none) / (theirs - none)"


@pytest.mark.parametrize("pair", [("ours", "zero"), ("zero", "ours")])
def test_where_metrics_add_nothing_there_is_no_extra_ratio(pair):
    assert ExtraRatio(*pair, without="none").of(VALUES) == IN_THE_NOISE


def test_an_extra_ratio_needs_all_three():
    assert ExtraRatio("ours", "theirs", without="nobody").of(VALUES) == ""
    assert ExtraRatio("ours", "nobody", without="none").of(VALUES) == ""


@pytest.mark.parametrize("name", ["catalogue", "ltr", "ids"])
def test_batches_set_our_lists_beside_each_other(name):
    scenario = SCENARIOS[name]
    titles = [c.title for c in scenario.comparisons(scenario.contenders)]
    assert "keras_rankmetrics / reference" in titles
    assert "keras_rankmetrics / keras_rankmetrics-collection" in titles
    assert "keras_rankmetrics / keras_rankmetrics-stable" in titles
    assert "rax / keras_rankmetrics-collection" in titles
    assert len(titles) == len(set(titles))


def test_only_who_is_there_is_compared():
    present = ["keras_rankmetrics", "keras_rs"]
    found = SCENARIOS["ltr"].comparisons(present)
    assert found == [Ratio("keras_rs", "keras_rankmetrics")]


def test_memory_is_not_compared_with_next_to_nothing():
    memory = SCENARIOS["memory"]
    found = memory.comparisons(memory.contenders)
    assert [c.title for c in found] == [
        "keras_rs / keras_rankmetrics",
        "keras_rs / keras_rankmetrics-collection",
    ]


def test_fit_says_what_our_metrics_add_beside_what_those_of_keras_add():
    fit = SCENARIOS["fit"]
    assert fit.rounds == 9
    found = fit.comparisons(fit.contenders)
    assert Ratio("keras_rankmetrics", "reference") in found
    extra = ExtraRatio("keras_rankmetrics", "reference", without="no metrics")
    assert extra in found
    assert Share("keras_rankmetrics", "no metrics") in found


def test_fit_without_one_of_the_others():
    found = SCENARIOS["fit"].comparisons(["no metrics", "keras_rankmetrics"])
    assert found == [Share("keras_rankmetrics", "no metrics")]
    found = SCENARIOS["fit"].comparisons(["reference", "keras_rankmetrics"])
    assert found == [Ratio("keras_rankmetrics", "reference")]


def test_a_run_has_no_values_of_what_failed():
    ltr, ids = batches()
    assert ltr.values("rax") == [40.0, 40.0]
    assert ltr.values("ranx") == []
    assert ids.values("replay") == []


def test_a_ratio_to_almost_nothing_has_no_digits():
    assert [ratio(x) for x in (1.234, 10_000, 52_548)] == [
        "1.23",
        "10,000",
        "> 10,000",
    ]
