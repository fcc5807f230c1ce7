"""`krm gate`: verdicts on runs in files, and exit codes."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import keras_rankmetrics as krm
from krm_command import main

QUERIES = 60
OPTIONS = ["-m", "NDCG@5", "--tolerance", "0.02"]


def run_of(noise, queries=range(QUERIES)):
    """A run with an error of this size for each judgement, the same always."""
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(QUERIES, 8))
    lines = [
        f"q{q} Q0 d{d} 1 {(q * d) % 3 + noise * errors[q, d]:.6f} tag\n"
        for q in queries
        for d in range(8)
    ]
    return "".join(lines)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = [
        f"q{q} 0 d{d} {(q * d) % 3}\n" for q in range(QUERIES) for d in range(8)
    ]
    texts = {
        "qrels": "".join(qrels),
        "old.txt": run_of(1.0),
        "same.txt": run_of(1.001),
        "near.txt": run_of(1.2),
        "bad.txt": run_of(4.0),
        "short.txt": run_of(1.0, range(QUERIES - 3)),
        "upper.txt": run_of(1.0).replace(" d", " D"),
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    return tmp_path


def gated(capsys, *arguments):
    """The exit code, what is printed, and the error."""
    code = main(["gate", "qrels", *arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("candidate", "outcome", "code", "said"),
    [
        ("same", "pass", 0, "stays at 0.5767 (same against old)"),
        ("bad", "fail", 1, "fell from 0.5767 (old) to 0.4199 (bad)"),
        ("near", "undecided", 3, "fell from 0.5767 (old) to 0.5521 (near)"),
    ],
)
def test_exit_codes(files, capsys, candidate, outcome, code, said):
    found, out, error = gated(capsys, f"{candidate}.txt", "old.txt", *OPTIONS)
    assert (found, error) == (code, "")
    assert out.startswith(f"{outcome}: NDCG@5 {said} on 60 lists, ")
    assert ", with the 95% interval " in out
    command = ["--markdown", *OPTIONS]
    found, line, _ = gated(capsys, f"{candidate}.txt", "old.txt", *command)
    assert (found, line.count("\n")) == (code, 1)
    assert line.startswith(f"**{outcome}**: NDCG@5 {said} on 60 lists, ")


@pytest.mark.parametrize("option", ["--level", "--confidence"])
def test_the_numbers_are_those_of_compare(files, capsys, option):
    level = [option, "0.9"]
    _, out, _ = gated(capsys, "near.txt", "old.txt", *OPTIONS, *level, "--json")
    systems = {"old": "old.txt", "near": "near.txt"}
    compared = krm.compare("qrels", systems, "NDCG@5", confidence=0.9)
    verdict = compared.gate(tolerance=0.02)
    assert json.loads(out) == [json.loads(verdict.to_json())]
    _, out, _ = gated(capsys, "near.txt", "old.txt", *OPTIONS, *level)
    assert out == f"{verdict}\n"


@pytest.mark.parametrize(
    ("candidate", "baseline", "tolerance", "outcomes", "code"),
    [
        ("bad", "old", 0.3, ["fail", "pass"], 1),
        ("bad", "old", 0.99, ["pass", "pass"], 0),
        ("near", "old", 0.1, ["undecided", "pass"], 3),
        ("near", "old", 0.02, ["fail", "undecided"], 1),
    ],
)
def test_the_worst_verdict_of_several_metrics_decides(
    files, capsys, candidate, baseline, tolerance, outcomes, code
):
    """The mean rank is better if it is lower, and in other units."""
    runs = [f"{candidate}.txt", f"{baseline}.txt"]
    metrics = ["-m", "MeanRank NDCG@5"]
    found, out, _ = gated(
        capsys, *runs, *metrics, "--tolerance", str(tolerance)
    )
    lines = out.splitlines()
    assert [line.partition(":")[0] for line in lines] == outcomes
    assert "rise of more than" in lines[0] and "drop of more" in lines[1]
    assert found == code


def test_a_number_is_a_baseline(files, capsys):
    code, out, _ = gated(capsys, "old.txt", "0.3", *OPTIONS)
    assert code == 0
    assert out.startswith("pass: NDCG@5 rose from 0.3 to 0.5767 (old) on 60 ")
    value = 0.3 + float(re.search(r"[+-]0\.\d{4}", out)[0])
    options = ["--lists", "250", *OPTIONS]
    code, out, _ = gated(capsys, "old.txt", f"{value:.4f}", *options)
    assert code == 3 and "cannot be decided with 250 lists" in out
    code, out, error = gated(capsys, "old.txt", "near.txt", *options)
    assert code == 2 and "`--lists` should come with a number" in error
    Path("0.3").write_text(run_of(1.0))  # a file is no number
    code, out, _ = gated(capsys, "old.txt", "0.3", *OPTIONS)
    assert code == 0 and "alike" in out


@pytest.mark.parametrize("metrics", ["NDCG@5", "MeanRank"])
@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (["upper.txt", "old.txt"], "'upper' should retrieve judged items"),
        (
            ["old.txt", "old.txt"],
            "should be two files. Received: old.txt for both",
        ),
        (["old.txt", "./old.txt"], "should be two files. Received: "),
        (["gone.txt", "old.txt"], "gone.txt: The file should exist"),
        (["old.txt", "gone.json"], "gone.json: The file should exist"),
        (["old.txt", "qrels"], "line 1"),
    ],
)
def test_what_is_refused(files, capsys, runs, said, metrics):
    options = ["-m", metrics, "--tolerance", "0.9"]
    code, out, error = gated(capsys, *runs, *options)
    assert (code, out) == (2, "")
    assert error.startswith("krm: ") and said in error


def test_distances(files, capsys):
    """Only the order of the lines can show that scores are distances."""
    for name in ("old", "bad"):
        rows = [x.split() for x in Path(f"{name}.txt").read_text().splitlines()]
        rows.sort(key=lambda row: (row[0], -float(row[4])))
        lines = [f"{q} Q0 {d} 1 {-float(x)} t\n" for q, _, d, _, x, _ in rows]
        Path(f"{name}_l2.txt").write_text("".join(lines))
    metrics = ["-m", "NDCG@5", "--tolerance", "0.02"]
    code, expected, _ = gated(capsys, "bad.txt", "old.txt", *metrics)
    runs = ["bad_l2.txt", "old_l2.txt"]
    found, out, error = gated(capsys, *runs, *metrics, "--lower-is-better")
    assert (found, error) == (code, "")
    assert out == expected.replace("bad", "bad_l2").replace("old", "old_l2")
    one = ["--lower-is-better", "bad_l2"]
    found, out, error = gated(capsys, "bad_l2.txt", "old.txt", *metrics, *one)
    assert (found, error) == (code, "")
    assert out == expected.replace("bad", "bad_l2")


@pytest.mark.parametrize("option", ["tolerance", "equivalent"])
def test_usage_errors(files, capsys, option):
    runs = ["near.txt", "old.txt", "-m", "RR"]
    for change in ("-1", "x", "1%", "0,01", "1", "nan"):
        code, out, error = gated(capsys, *runs, f"--{option}", change)
        assert (code, out) == (2, "")
        assert f"`{option}` should be a number of at least 0" in error
        assert "in units of the metric, such as 0.01 for 1%" in error
        assert f"Received: '{change}'." in error
    both = ["--tolerance", "0.1", "--equivalent", "0.1"]
    for options in ([], both, [f"--{option}", "1", "--level", "2"]):
        with pytest.raises(SystemExit) as stopped:
            gated(capsys, *runs, *options)
        assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert "one of the arguments --tolerance --equivalent is required" in error
    assert "--equivalent: not allowed with argument --tolerance" in error


@pytest.mark.parametrize(
    ("candidate", "baseline", "change", "code", "said"),
    [
        ("near", "old", "0.1", 0, "the same within 0.1"),
        ("bad", "old", "0.02", 1, "not the same within 0.02"),
        ("old", "bad", "0.02", 1, "not the same within 0.02"),
        ("near", "old", "0.02", 3, "not shown to be the same within 0.02"),
    ],
)
def test_equivalence(files, capsys, candidate, baseline, change, code, said):
    """A gain of `old` against `bad` fails, too."""
    runs = [f"{candidate}.txt", f"{baseline}.txt", "-m", "NDCG@5"]
    found, out, _ = gated(capsys, *runs, "--equivalent", change)
    assert found == code and f"on 60 lists, {said}." in out


def with_file(text):
    """The verdict against the run that `base.json` has saved."""
    return re.sub(r"(?<=[( ])old(?=\)| and )", "old of base.json", text)


@pytest.mark.parametrize("candidate", ["same", "bad", "near"])
@pytest.mark.parametrize("saved_by", ["eval", "gate", "python"])
def test_a_saved_baseline_has_the_verdict_of_its_run(
    files, capsys, candidate, saved_by
):
    if saved_by == "eval":
        runs = ["qrels", "old.txt", "near.txt"]
        assert main(["eval", *runs, "-m", "NDCG@5", "--save", "base.json"]) == 0
    elif saved_by == "gate":  # the candidate becomes the baseline
        gated(capsys, "old.txt", "bad.txt", *OPTIONS, "--save", "base.json")
    else:
        gated(capsys, "old.txt", "bad.txt", *OPTIONS, "--save", "again.json")
        found = krm.Compared.from_json(Path("again.json").read_text())
        Path("base.json").write_text(found.to_json(indent=2))
    capsys.readouterr()
    code, expected, _ = gated(capsys, f"{candidate}.txt", "old.txt", *OPTIONS)
    Path("old.txt").unlink()
    found, out, error = gated(
        capsys, f"{candidate}.txt", "base.json", *OPTIONS, "--save", "next.json"
    )
    assert (found, error) == (code, "")
    assert out == with_file(expected)
    # A run may have the name of the saved one.
    Path("old.txt").write_text(Path(f"{candidate}.txt").read_text())
    found, _, _ = gated(capsys, "old.txt", "base.json", *OPTIONS)
    assert found == code
    # What is saved next has the candidate alone.
    [system] = krm.Compared.from_json(Path("next.json").read_text()).systems
    assert system == candidate
    found, out, _ = gated(capsys, f"{candidate}.txt", "next.json", *OPTIONS)
    assert found == 0 and "rank all items of these lists alike" in out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "metric",
            "the baseline .*ties:average.*, only the other side .*ties:stable",
        ),
        ("version", r"baseline has .*metrics:0\.0\.0'\], only .*metrics:0\.1"),
        ("label", "the same labels. Received: others for the same queries"),
        ("query", r"same queries.*baseline has \['q0'\], .* has nothing"),
        ("new query", r"baseline has nothing, .* side has \['new'\]"),
        ("per_list", "with the values of each list.*Save it again: `krm eval"),
        ("cut", "base.json is no baseline: .*char.*Save it again: `krm ev"),
        ("overwritten", "`--save` should be a file of its own."),
    ],
)
def test_a_saved_baseline_of_something_else_is_refused(
    files, capsys, change, said
):
    arguments = ["qrels", "old.txt", "-m", "NDCG@5"]
    assert main(["eval", *arguments, "--save", "base.json"]) == 0
    options, base, qrels = OPTIONS, Path("base.json"), Path("qrels")
    if change == "metric":
        options = ["-m", "NDCG(ties=stable)@5", "--tolerance", "0.1"]
    if change == "version":
        text = base.read_text()
        changed = re.sub(r"(keras_rankmetrics:)[^\"]*", r"\g<1>0.0.0", text)
        base.write_text(changed)
        assert changed != text
    if change == "label":
        qrels.write_text(qrels.read_text().replace("q1 0 d1 1", "q1 0 d1 2"))
    if change == "query":
        lines = qrels.read_text().splitlines(keepends=True)
        qrels.write_text("".join(lines[8:]))
    if change == "new query":
        qrels.write_text(qrels.read_text() + "new 0 d1 1\n")
    if change == "cut":
        base.write_text(base.read_text()[:-40])
    if change == "per_list":
        found = json.loads(base.read_text())
        del found["per_list"]
        base.write_text(json.dumps(found))
    if change == "overwritten":
        options = [*OPTIONS, "--save", "base.json"]
    before = base.read_text()
    capsys.readouterr()
    code, out, error = gated(capsys, "near.txt", "base.json", *options)
    assert (code, out) == (2, "")
    assert re.search(said, error, re.DOTALL)
    if change != "overwritten":
        assert error.startswith("krm: base.json is no baseline: ")
        remedy = "Save it again: `krm eval QRELS RUN -m ... --save base.json`."
        assert error.endswith(f"{remedy}\n")
    assert base.read_text() == before


@pytest.mark.parametrize(
    ("saved", "wanted"),
    [
        ("NDCG@5 MeanRank", "MeanRank NDCG@5"),
        ("P@1 ndcg@5 MAP MeanRank", "MeanRank NDCG@5"),
        ("P@1 MRR", "RR"),
        ("RR P@1", "mrr reciprocal_rank"),
    ],
)
def test_a_saved_baseline_is_matched_by_signatures(
    files, capsys, saved, wanted
):
    save = ["-m", saved, "--save", "base.json"]
    assert main(["eval", "qrels", "old.txt", *save]) == 0
    capsys.readouterr()
    options = ["-m", wanted, "--tolerance", "0.02"]
    code, expected, _ = gated(capsys, "near.txt", "old.txt", *options)
    found, out, error = gated(capsys, "near.txt", "base.json", *options)
    assert (found, error) == (code, "")
    assert out == with_file(expected)


def test_a_metric_that_a_saved_baseline_lacks(files, capsys):
    save = ["-m", "RR P@1", "--save", "base.json"]
    assert main(["eval", "qrels", "old.txt", *save]) == 0
    capsys.readouterr()
    code, _, error = gated(capsys, "near.txt", "base.json", *OPTIONS)
    assert code == 2
    held, missing = error.split(", only the other side has ")
    assert "RR: MeanRecip" in held and "P@1: PrecisionAtK@1|" in held
    assert "NDCG@5: NDCG@5|gain:exponential" in missing


@pytest.mark.parametrize("side", ["eval", "gate"])
def test_weights_on_one_side_alone(files, capsys, side):
    rows = [f"q{q},{1 + q % 3}\n" for q in range(QUERIES)]
    Path("w.csv").write_text("query,weight\n" + "".join(rows))
    weights = {side: ["--weights", "w.csv"]}
    save = ["-m", "NDCG@5 RR", "--save", "base.json", *weights.get("eval", [])]
    assert main(["eval", "qrels", "old.txt", *save]) == 0
    capsys.readouterr()
    options = [*OPTIONS, *weights.get("gate", [])]
    code, out, error = gated(capsys, "near.txt", "base.json", *options)
    assert (code, out) == (2, "")
    assert "Both sides should have weights of queries, or none" in error
    option = " --weights ..." * (side == "gate")
    remedy = f"krm eval QRELS RUN -m ...{option} --save base.json"
    assert error.endswith(f"Save it again: `{remedy}`.\n")


def test_a_table_of_json_is_no_baseline(files, capsys):
    arguments = ["qrels", "old.txt", "-m", "NDCG@5", "--format", "json"]
    assert main(["eval", *arguments, "--output", "table.json"]) == 0
    code, out, error = gated(capsys, "near.txt", "table.json", *OPTIONS)
    assert (code, out) == (2, "")
    assert error.startswith("krm: table.json is no baseline: ")
    assert error.endswith("--save table.json`.\n")


def test_a_saved_baseline_goes_last(files, capsys):
    save = ["-m", "NDCG@5", "--save", "base.json"]
    assert main(["eval", "qrels", "old.txt", *save]) == 0
    capsys.readouterr()
    said = "Saved baselines go last: `krm gate QRELS CANDIDATE BASELINE`."
    for command in (
        ["gate", "qrels", "base.json", "old.txt", *OPTIONS],
        ["gate", "base.json", "near.txt", "old.txt", *OPTIONS],
        ["eval", "qrels", "base.json", "-m", "RR"],
        ["doctor", "qrels", "base.json"],
    ):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert f"krm: base.json: {said}" in error
        assert "All other arguments are judgements and runs." in error


def test_an_error_is_a_line_of_markdown_too(files, capsys):
    options = [*OPTIONS, "--markdown"]
    code, out, error = gated(capsys, "gone_1.txt", "old.txt", *options)
    assert code == 2
    assert error.startswith("krm: gone_1.txt: ")
    assert out.startswith(r"**error**: gone\_1.txt: ")
    assert out.count("\n") == 1


def test_a_run_of_json_lines_is_no_saved_baseline(files, capsys):
    for name in ("old", "near"):
        lines = Path(f"{name}.txt").read_text().splitlines()
        fields = map(str.split, lines)
        Path(f"{name}.jsonl").write_text(
            "".join(
                json.dumps({"query": q, "item": d, "score": float(score)})
                + "\n"
                for q, _, d, _, score, _ in fields
            )
        )
    _, expected, _ = gated(capsys, "near.txt", "old.txt", *OPTIONS)
    assert gated(capsys, "near.jsonl", "old.jsonl", *OPTIONS)[1] == expected


def test_a_baseline_from_standard_input(files, capsys, monkeypatch):
    with open("old.txt") as old:
        monkeypatch.setattr(sys, "stdin", old)
        code, out, _ = gated(capsys, "bad.txt", "-", *OPTIONS)
    assert code == 1
    assert out.startswith(
        "fail: NDCG@5 fell from 0.5767 (stdin) to 0.4199 (bad) on 60 lists, "
    )
