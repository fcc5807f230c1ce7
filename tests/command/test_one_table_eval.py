"""`krm eval` of one table that has both labels and scores."""

import csv
import json
import re
from pathlib import Path

import pytest
from table_files import written

import keras_rankmetrics as krm
from krm_command import main

ROWS = [
    (f"q{query}", query * item % 3, item % 4 / 4, item * 7 % 5 / 8)
    for query in range(1, 7)
    for item in range(8)
]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = [*zip(*ROWS, strict=True)]
    names = "qid", "label", "old", "new"
    written(Path("table.csv"), dict(zip(names, columns, strict=True)))
    names = "query", "rel", "score"
    apart = [x[::2] + x[1::2] for x in columns[:3]]
    written(Path("apart.tsv"), dict(zip(names, apart, strict=True)))


def said(capsys, *arguments):
    code = main(["eval", *arguments, "-m", "NDCG@3 RR"])
    return code, *capsys.readouterr()


def test_a_column_of_scores(capsys):
    code, out, error = said(capsys, "table.csv", "--columns", "score=new")
    assert (code, error) == (0, "")
    query, label, _, new = zip(*ROWS, strict=True)
    expected = krm.evaluate_rows(query, label, new, "NDCG@3 RR")
    assert out.splitlines()[1].split()[:2] == [
        "table",
        f"{expected['NDCG@3']:.4f}",
    ]
    assert "Read as: query=qid" in out


def test_several_columns_of_scores_are_compared(capsys):
    scores = "score=old,score=new"
    more = ("--format", "json", "--baseline", "new", "--save", "saved.json")
    more += ("--confidence", "0.9")
    code, out, _ = said(capsys, "table.csv", "--columns", scores, *more)
    found = json.loads(out)
    assert code == 0
    assert (found["baseline"], found["confidence"]) == ("new", 0.9)
    query, label, old, _ = zip(*ROWS, strict=True)
    expected = krm.evaluate_rows(query, label, old, "RR")["RR"]
    assert found["systems"]["old"]["RR"]["value"] == pytest.approx(expected)
    assert Path("saved.json").exists()
    again = ("--columns", "score=old", "--columns", "score=new")
    assert (
        said(capsys, "table.csv", *again)[1]
        == (said(capsys, "table.csv", "--columns", scores)[1])
    )
    code, lower, _ = said(
        capsys, "table.csv", "--columns", scores, "--lower-is-better", "old"
    )
    assert code == 0
    assert lower != said(capsys, "table.csv", "--columns", scores)[1]


@pytest.mark.parametrize("command", ["explain", "doctor"])
def test_warnings_of_other_commands_are_lines_too(capsys, command):
    ids = [str(1000 + n) for n in range(40)]
    rows = [(x[:2], x, int(n % 4 == 0), 40 - n) for n, x in enumerate(ids)]
    ids[3] = "1.23E+10"
    rows[3] = ("10", ids[3], 0, 37)
    names = "query", "item", "label", "score"
    columns = zip(*rows, strict=True)
    written(Path("cut.csv"), dict(zip(names, columns, strict=True)))
    asked = ["0.5", "--truth", "cut.csv", "-m", "RR"]
    main([command, *(asked if command == "explain" else ["cut.csv"])])
    out, error = capsys.readouterr()
    assert "1.23E+10" in out + error
    assert all(line.startswith("krm: ") for line in error.splitlines())


def test_rows_of_a_query_apart_are_noted(capsys):
    code, out, _ = said(capsys, "apart.tsv", "--per-list", "values.csv")
    assert code == 0
    assert "not together in apart.tsv" in out
    query, label, score = zip(*(row[:3] for row in ROWS), strict=True)
    expected = krm.evaluate_rows(query, label, score, "RR")["RR"]
    with open("values.csv") as file:
        values = [float(row["RR"]) for row in csv.DictReader(file)]
    assert sum(values) / len(values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table.csv"], r"one column for the score.*--columns query=qid"),
        (
            ["table.csv", "--columns", "score=odd"],
            r"--columns score=odd` should name a column",
        ),
        (["apart.tsv", "--baseline", "x"], r"one of the systems \['apart'\]"),
        (
            ["table.csv", "table.csv", "--columns", "score=old,score=new"],
            r"one column of scores for the systems",
        ),
        (
            ["apart.tsv", "--lower-is-better", "x"],
            r"one of the runs \['apart'\]",
        ),
    ],
)
def test_what_is_wrong(capsys, arguments, message):
    code, _, error = said(capsys, *arguments)
    assert code == 2
    assert re.search(message, error, re.DOTALL), error
