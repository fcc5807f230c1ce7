"""The files beside each other, the full tables and the rows."""

import csv
import io

import pytest
from recorded import HERE, batches, measured, run

from tests.tools.benchmarks.pages import write
from tests.tools.benchmarks.rows import HEADER, as_csv
from tests.tools.benchmarks.tables import tables


def rows(runs):
    return list(csv.DictReader(io.StringIO(as_csv(runs))))


def test_all_files_are_named_after_the_page(tmp_path):
    pytest.importorskip("matplotlib")
    write(batches(), HERE, tmp_path / "speed.v2.md")
    assert {file.name for file in tmp_path.iterdir()} == {
        "speed.v2.md",
        "speed.v2.svg",
        "speed.v2.csv",
        "speed.v2_full.md",
    }
    page = (tmp_path / "speed.v2.md").read_text()
    assert "](speed.v2.svg)" in page
    assert "](speed.v2_full.md)" in page
    assert "](speed.v2.csv)" in (tmp_path / "speed.v2_full.md").read_text()


def test_without_a_picture_the_page_shows_none(tmp_path):
    pytest.importorskip("matplotlib")
    fit = measured(run("fit", "jax"), "keras_rankmetrics", 1.0)
    write([fit], HERE, tmp_path / "page.md")
    assert "![" not in (tmp_path / "page.md").read_text()
    assert not (tmp_path / "page.svg").exists()


def test_every_measurement_is_a_row():
    found = rows(batches())
    assert len(found) == sum(len(run.measurements) for run in batches())
    assert tuple(found[0]) == HEADER
    rax = next(row for row in found if row["contender"] == "rax")
    assert (rax["scenario"], rax["mode"]) == ("ltr", "jax")
    # Milliseconds, as in the tables, but for programs.
    assert (rax["median"], rax["rounds"]) == ("40000", "2")
    assert rax["values"] == "40000 40000"


@pytest.mark.parametrize(
    ("seconds", "milliseconds"),
    [
        (0.0, "0"),
        (1.23456e-6, "0.001235"),
        (2 / 3, "666.7"),
        (26.4521, "26450"),
    ],
)
def test_rows_have_four_digits_that_mean_something(seconds, milliseconds):
    (row,) = rows([measured(run("ltr", "jax"), "rax", seconds)])
    assert row["least"] == row["median"] == row["most"] == milliseconds


def test_a_failure_is_a_row_too():
    replay = next(r for r in rows(batches()) if r["contender"] == "replay")
    assert (replay["failure"], replay["median"]) == ("not installed", "")


def test_the_full_tables_have_all_contenders_and_say_what_failed():
    text = tables(batches(), HERE, rows="rows.csv")
    assert "## ltr: 2 x 3" in text
    assert "| rax | 40,000 |" in text
    assert "| keras_rankmetrics / keras_rankmetrics-stable | 2.00 |" in text
    assert "| torch_geometric (8 of 9 metrics) | 1,000 |" in text
    assert "- replay, torch: failed: not installed" in text
    assert "- ranx, torch: ranked before" in text
    assert "](rows.csv)" in text


def test_printed_tables_name_no_file():
    assert "csv" not in tables(batches(), HERE)
