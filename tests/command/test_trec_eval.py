"""`krm eval --convention trec_eval` against trec_eval, to the printed digit."""

import csv
import pathlib
from typing import NamedTuple

import pytest

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.from_text import metrics_of
from krm_command import main

DATA = pathlib.Path(__file__).parents[1] / "files" / "data"


class Given(NamedTuple):
    """Files of judgements, of a run, and of what trec_eval prints of them."""

    qrels: str
    run: str
    printed: str


DRAWN = Given("qrels.txt", "run.txt", "trec_eval.txt")
PUBLISHED = Given("qrels-302.txt", "results-302.txt", "out-302.txt")

# It prints these without the values of queries.
OF_ALL = "gm_map", "num_q"

# ir_measures calls version 9, which rounds scores to float32.
OF_VERSION_9 = {
    f"iprec_at_recall_{tenths / 10:.2f}": f"IPrec@{tenths / 10}"
    for tenths in range(11)
}


def printed(given):
    """Return the text of each value, by measure and query."""
    lines = (DATA / given.printed).read_text().splitlines()
    return {(name, query): text for name, query, text in map(str.split, lines)}


def measures(given):
    return sorted({name for name, _ in printed(given)})


def values_and_means(given, convention, asked, folder):
    """Return the values by measure and query, as the command writes them."""
    arguments = [
        "eval",
        str(DATA / given.qrels),
        str(DATA / given.run),
        *("-m", " ".join(asked)),
        *("--convention", convention),
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
        (measure, row["query"]): float(row[measure] or "nan")
        for row in values
        for measure in asked
    }
    of_all = {(row["metric"], "all"): float(row["value"]) for row in means}
    return {**found, **of_all}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return {
        given: values_and_means(
            given,
            "trec_eval",
            measures(given),
            tmp_path_factory.mktemp("found"),
        )
        for given in (DRAWN, PUBLISHED)
    }


@pytest.mark.parametrize("given", [DRAWN, PUBLISHED], ids=lambda x: x.run)
def test_every_value_is_that_of_trec_eval(found, given):
    # 50 queries, two of which have no run, and the mean; or one query.
    number = {DRAWN: 51, PUBLISHED: 1}[given]
    for measure in measures(given):
        expected = {k: x for k, x in printed(given).items() if k[0] == measure}
        assert len(expected) == (1 if measure in OF_ALL else number)
        digits = 0 if measure.startswith("num_") else 4
        values = {key: f"{found[given][key]:.{digits}f}" for key in expected}
        assert values == expected


def test_means_without_c_are_over_the_queries_of_the_run(tmp_path):
    """The values of queries are the same as with `-c`."""
    names = [*measures(DRAWN)]
    found = values_and_means(DRAWN, "trec_eval_without_c", names, tmp_path)
    queries = {
        line.split()[0] for line in (DATA / DRAWN.run).read_text().splitlines()
    }
    assert found["num_q", "all"] == 48
    for name in sorted({*names} - {*OF_ALL}):
        values = [
            float(text)
            for (measure, query), text in printed(DRAWN).items()
            if measure == name and query in queries
        ]
        assert len(values) == 48
        if name.startswith("num_"):
            assert found[name, "all"] == sum(values)
            continue
        mean = sum(values) / len(values)
        assert found[name, "all"] == pytest.approx(mean, abs=6e-5)
        assert mean == 0 or mean > float(printed(DRAWN)[name, "all"])


def test_interpolated_precision_of_version_9(tmp_path):
    of_9 = DRAWN._replace(printed="trec_eval_9.txt")
    found = values_and_means(
        of_9, "ir_measures", OF_VERSION_9.values(), tmp_path
    )
    expected = printed(of_9)
    assert set(measures(of_9)) == set(OF_VERSION_9)
    values = {
        (measure, query): f"{found[OF_VERSION_9[measure], query]:.4f}"
        for measure, query in expected
    }
    assert values == expected
    assert expected != {key: printed(DRAWN)[key] for key in expected}


def test_every_metric_of_the_convention_is_compared():
    convention = conventions.trec_eval
    asked = metrics_of(" ".join(measures(DRAWN)), convention)
    assert {type(metric).__name__ for metric in asked} == set(
        convention.presets
    )
    # `tests/peers/test_peers.py` compares the other one.
    assert {
        measure.rstrip("0123456789.").rstrip("_") for measure in measures(DRAWN)
    } == set(convention.measures) - {"relative_P"}


def test_a_persistence_follows_the_name():
    """As trec_eval takes it: `-m rbp.p=0.8`."""
    for name in ("rbp", "rbp_resid"):
        for asked, p in ((name, 0.9), (f"{name}.p=0.8", 0.8)):
            metric = conventions.trec_eval.of_source(asked)
            assert (
                metric.signature
                == conventions.trec_eval.presets[type(metric).__name__](
                    p=p
                ).signature
            )
