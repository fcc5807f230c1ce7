"""`krm doctor`: what it prints of files, and its exit codes."""

import gzip
from pathlib import Path

import pytest

from krm_command import main

QRELS = "".join(
    f"q{q} 0 d{d} {int(d < 2)}\n" for q in range(4) for d in range(5)
)
LINES = [
    f"q{q} Q0 d{d} {d + 1} {9.5 - d} tag\n" for q in range(4) for d in range(5)
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text("".join(LINES))


def printed(capsys, code, *arguments):
    assert main(["doctor", *arguments]) == code
    out, error = capsys.readouterr()
    assert not error
    return out


def test_clean_files(capsys):
    out = printed(capsys, 0, "qrels", "run", "-k", "5")
    assert out == "No mistakes were found.\n"


def test_notes_are_no_failure(capsys):
    Path("short").write_text("".join(LINES[:17]))
    out = printed(capsys, 0, "qrels", "short", "-k", "3")
    assert out == (
        "note: 1 of 4 queries retrieve fewer than 3 items (25.0%).\n"
        "  Example: query 'q3'\n"
        "  Retrieve more, unless there are no more.\n"
    )


def test_each_mistake_is_printed(capsys):
    Path("bad").write_text("".join([*LINES[:15], *LINES[2:4]]))
    out = printed(capsys, 1, "qrels", "bad", "-k", "5")
    assert out == (
        "error: 2 of 17 rows of the run repeat an item of their query "
        "(11.8%).\n"
        "  Example: query 'q0', item 'd2', value 7.5\n"
        "  Keep one row of each item.\n"
        "warning: 1 of 4 queries of the truth have no rows in the run, and "
        "count as lists that retrieve nothing (25.0%).\n"
        "  Example: query 'q3'\n"
        "  Is the run complete?\n"
    )


def test_distances(capsys):
    fields = [line.split() for line in LINES]
    lines = (f"{q} Q0 {d} {r} {r} tag\n" for q, _, d, r, _, _ in fields)
    Path("l2").write_text("".join(lines))
    out = printed(capsys, 1, "qrels", "l2", "-k", "5")
    assert out == (
        "warning: 4 of 4 lists look as if lower scores were better (100.0%).\n"
        "  Example: query 'q0'\n"
        "  If the scores are distances, pass `--lower-is-better`.\n"
    )
    out = printed(capsys, 0, "qrels", "l2", "-k", "5", "--lower-is-better")
    assert out == "No mistakes were found.\n"


def test_metrics_decide_on_grades(capsys):
    Path("graded").write_text(QRELS.replace("d1 1", "d1 3"))
    start = "graded", "run", "-k", "5"
    assert "labels are above 1" in printed(capsys, 0, *start)
    assert "labels are above 1" in printed(capsys, 0, *start, "-m", "RR")
    assert "above" not in printed(capsys, 0, *start, "-m", "NDCG@5 DCG")


def test_tables_and_compressed_files(capsys):
    with gzip.open("run.gz", "wt") as file:
        file.writelines(LINES)
    rows = [line.split() for line in QRELS.splitlines()]
    Path("qrels.csv").write_text(
        "who,what,liked\n" + "".join(f"{q},{d},{x}\n" for q, _, d, x in rows)
    )
    columns = "query=who,item=what,label=liked"
    files = "qrels.csv", "run.gz", "-k", "5", "--columns", columns
    assert printed(capsys, 0, *files) == "No mistakes were found.\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("qrels", "missing"), "missing"),
        (("qrels", "run", "-k", "0"), "`k` should be a positive integer"),
        (("qrels", "run", "-m", "NGCD"), "The metric `NGCD`"),
        (("run", "qrels"), "judgements first"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error(capsys, arguments, message):
    assert main(["doctor", *arguments]) == 2
    out, error = capsys.readouterr()
    assert not out
    assert error.startswith("krm: ") and message in error
