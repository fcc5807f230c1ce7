"""What the README says that no doctest shows: its numbers and its commands."""

import pathlib
import re

from keras_rankmetrics import metrics
from keras_rankmetrics.metrics.multi_value import MultiValueMetric
from tests.tools.pages import gallery
from tests.tools.pictures.time_per_batch import medians

README = (pathlib.Path(__file__).parents[2] / "README.md").read_text()


def cells_of(name):
    """The cells of the row of the times that begins so."""
    [row] = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", README, re.M)
    return [cell.strip(" *") for cell in row.split("|")]


def test_the_times_are_those_of_the_benchmarks():
    times = medians()
    rows = {
        "**keras_rankmetrics**": ["keras_rankmetrics"] * 3,
        "keras_rs": ["keras_rs"] * 3,
        "Rax, torchmetrics": [None, "rax", "torchmetrics"],
    }
    for name, contenders in rows.items():
        expected = [
            contender and f"{times[mode, contender]:,.0f}"
            for mode, contender in zip(
                ("tf-graph", "jax", "torch"), contenders, strict=True
            )
        ]
        assert cells_of(name) == [cell or "" for cell in expected]


def test_the_first_command_prints_what_is_shown():
    [shown] = re.findall(r"^```text\n(.*?)^```", README, re.M | re.S)
    lines = [line for line in shown.splitlines() if line != "..."]
    printed = gallery.stored("learning_to_rank").read_text().splitlines()
    assert gallery.RUNS["learning_to_rank"].options == ()
    assert lines == [line for line in printed if line in lines]
    assert "▲" in shown and "ranker.keras" in shown


def test_the_number_of_metrics():
    several = [
        name
        for name in metrics.__all__
        if issubclass(getattr(metrics, name), MultiValueMetric)
    ]
    number = len(metrics.__all__) - len(several)
    assert f"NDCG, MAP, MRR, recall and {number - 4} others" in README
    assert f"[all {number} metrics]" in README
    index = (
        pathlib.Path(__file__).parents[2] / "docs" / "index.md"
    ).read_text()
    assert index.count(f"NDCG, MAP, MRR, recall and {number - 4} others") == 2


def test_there_is_one_command_that_runs_the_tests():
    # `.ci/run` looks for it so.
    assert len(re.findall(r"^python3 -m venv .*pytest$", README, re.M)) == 1
