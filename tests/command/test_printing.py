"""What is printed where stdout has few letters, and in the command's words."""

import io
import json
import re
import shlex
import sys

import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.printing import in_letters_of
from krm_command import main

QRELS = "".join(f"q{q} 0 a 1\nq{q} 0 b 0\n" for q in range(9))


def run_with(best):
    """A run with the same best item in all queries but one."""
    return "".join(f"q{q} Q0 {best if q else 'a'} 1 2 t\n" for q in range(9))


@pytest.mark.parametrize(
    "encoding, marks", [("cp1252", "±v"), ("ascii", "~v"), ("utf-8", "±▼")]
)
def test_stdout_of_any_encoding(tmp_path, monkeypatch, encoding, marks):
    for name, text in [
        ("qrels", QRELS),
        ("one", run_with("a")),
        ("two", run_with("b")),
    ]:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    stdout = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stdout)
    assert main(["eval", "qrels", "one", "two", "-m", "MeanRank RR"]) == 0
    printed = stdout.buffer.getvalue().decode(encoding)
    error, worse = marks
    assert f"1.8889 {error} 0.2562" in printed and f" {worse}\n" in printed
    assert "?" not in printed and f"{worse} is worse than one" in printed


def test_letters_that_an_encoding_lacks():
    assert in_letters_of("utf-8", "▲ ± \udce9 é") == "▲ ± ? é"
    assert in_letters_of("cp1252", "▲ ± 日 é") == "^ ± ? é"
    assert in_letters_of("ascii", "(r + 1)²") == "(r + 1)2"


@pytest.mark.parametrize(
    "names", ["query_id,item,doc,score", "query_id,doc id,doc-id,score"]
)
def test_errors_name_columns_as_the_command_takes_them(tmp_path, names, capsys):
    qrels, run = tmp_path / "qrels", tmp_path / "run.csv"
    qrels.write_text("q 0 d 1\n")
    run.write_text(f"{names}\nq,d,e,1\n")
    arguments = ["eval", str(qrels), str(run), "-m", "RR"]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert "`columns=" not in error
    option, _ = re.findall(r"`(--columns [^`]+)`", error)
    assert main([*arguments, *shlex.split(option)]) == 0
    with pytest.raises(
        ValueError, match=re.escape('`columns={"item": "')
    ) as caught:
        krm.evaluate(qrels, run, "RR")
    columns, _ = re.findall(r"`columns=([^`]+)`", str(caught.value))
    krm.evaluate(qrels, run, "RR", columns=json.loads(columns))
