"""`krm eval --convention trec_eval` beside trec_eval, to the printed digit."""

import csv
import pathlib

import pytest

from keras_rankmetrics import conventions
from keras_rankmetrics.command import main
from keras_rankmetrics.command.specs import metrics_of

DATA = pathlib.Path(__file__).parents[1] / "files" / "data"


def printed():
    """What trec_eval printed: the text of each value, by measure and query."""
    lines = (DATA / "trec_eval.txt").read_text().splitlines()
    return {(name, query): text for name, query, text in map(str.split, lines)}


MEASURES = sorted({name for name, _ in printed()})


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Values by measure and query, and means, as the command writes them."""
    folder = tmp_path_factory.mktemp("found")
    arguments = [
        "eval",
        str(DATA / "qrels.txt"),
        str(DATA / "run.txt"),
        *("-m", " ".join(MEASURES)),
        *("--convention", "trec_eval"),
        *("--per-list", str(folder / "values.csv")),
        *("--format", "csv"),
        *("--output", str(folder / "means.csv")),
    ]
    assert main(arguments) == 0
    with (folder / "values.csv").open() as file:
        values = list(csv.DictReader(file))
    with (folder / "means.csv").open() as file:
        means = list(csv.DictReader(file))
    return {
        **{
            (m, row["query"]): float(row[m]) for row in values for m in MEASURES
        },
        **{(row["metric"], "all"): float(row["value"]) for row in means},
    }


@pytest.mark.parametrize("measure", MEASURES)
def test_every_value_is_that_of_trec_eval(found, measure):
    expected = {key: x for key, x in printed().items() if key[0] == measure}
    assert len(expected) == 49  # 48 queries with a run, and the mean
    values = {key: f"{found[key]:.4f}" for key in expected}
    assert values == expected


@pytest.mark.parametrize("measure", MEASURES)
def test_queries_without_a_run_are_0(found, measure):
    judged = {query for _, query in found}
    missing = judged - {query for _, query in printed()}
    assert len(missing) == 2
    assert {found[measure, query] for query in missing} == {0.0}


def test_every_metric_of_the_convention_is_compared():
    convention = conventions.trec_eval
    compared = {
        type(metric).__name__
        for metric in metrics_of(" ".join(MEASURES), convention)
    }
    assert compared == set(convention.presets)
