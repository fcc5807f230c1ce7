"""`krm eval --convention trec_eval` beside trec_eval, to the printed digit."""

import csv
import pathlib
from typing import NamedTuple

import pytest

from keras_rankmetrics import conventions
from keras_rankmetrics.command import main
from keras_rankmetrics.command.specs import metrics_of

DATA = pathlib.Path(__file__).parents[1] / "files" / "data"


class Given(NamedTuple):
    """Files of judgements, of a run, and of what trec_eval prints of them."""

    qrels: str
    run: str
    printed: str


DRAWN = Given("qrels.txt", "run.txt", "trec_eval.txt")
PUBLISHED = Given("qrels-302.txt", "results-302.txt", "out-302.txt")

# trec_eval 9 asks for floor(0.3 * 77 + 0.9) of 77 relevant items, which doubles
# round down to 23: see docs/conventions.md. What trec_eval published for the
# same files before that is what 24 of 77 give, as here.
BEFORE = {
    ("iprec_at_recall_0.30", "302"): "0.7059",
    ("11pt_avg", "302"): "0.4327",
}


def printed(given):
    """The text of each value, by measure and query."""
    lines = (DATA / given.printed).read_text().splitlines()
    return {(name, query): text for name, query, text in map(str.split, lines)}


def measures(given):
    return sorted({name for name, _ in printed(given)})


def values_and_means(given, folder):
    """By measure and query, as the command writes them."""
    arguments = [
        "eval",
        str(DATA / given.qrels),
        str(DATA / given.run),
        *("-m", " ".join(measures(given))),
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
    found = {
        (measure, row["query"]): float(row[measure])
        for row in values
        for measure in measures(given)
    }
    of_all = {(row["metric"], "all"): float(row["value"]) for row in means}
    return {**found, **of_all}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return {
        given: values_and_means(given, tmp_path_factory.mktemp("found"))
        for given in (DRAWN, PUBLISHED)
    }


@pytest.mark.parametrize(
    "given, measure",
    [(given, m) for given in (DRAWN, PUBLISHED) for m in measures(given)],
    ids=lambda x: x.run if isinstance(x, Given) else x,
)
def test_every_value_is_that_of_trec_eval(found, given, measure):
    expected = {k: x for k, x in printed(given).items() if k[0] == measure}
    # 48 queries with a run, and the mean; or one query.
    assert len(expected) == {DRAWN: 49, PUBLISHED: 1}[given]
    values = {key: f"{found[given][key]:.4f}" for key in expected}
    assert values == {key: BEFORE.get(key, x) for key, x in expected.items()}


@pytest.mark.parametrize("measure", measures(DRAWN))
def test_queries_without_a_run_are_0(found, measure):
    judged = {query for _, query in found[DRAWN]}
    missing = judged - {query for _, query in printed(DRAWN)}
    assert len(missing) == 2
    assert {found[DRAWN][measure, query] for query in missing} == {0.0}


@pytest.mark.parametrize("given", [DRAWN, PUBLISHED], ids=lambda x: x.run)
def test_every_metric_of_the_convention_is_compared(given):
    convention = conventions.trec_eval
    asked = metrics_of(" ".join(measures(given)), convention)
    assert {type(metric).__name__ for metric in asked} == set(
        convention.presets
    )
