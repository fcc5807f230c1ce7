"""The table in each format, from values that nobody measured."""

import csv
import dataclasses
import io
import itertools
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from pytest import approx
from runs import drawn

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import formats
from keras_rankmetrics.comparing.measured import Measure
from keras_rankmetrics.comparing.report import Cell, Report

NAN = float("nan")


def cell(value, mark=None, best=False, lists=50):
    against = ()
    if mark is not None:
        p = 0.2 if mark == "" else 0.001
        against = 0.1, 0.02, 0.04, 5.0, p / 4, p, 0.7, 30, 5, 15, mark
    return Cell(value, 0.01, 0.02, lists, best, *against)


REPORT = Report(
    keys=(("bm25", ""), ("ours_v2 & co|", ""), ("100%", "")),
    columns=(
        Measure("ndcg@10", "NDCG@10|gain:linear|my_fn", True, True),
        Measure("mean_rank", "MeanRank|empty:skip", False, False),
    ),
    cells=(
        (cell(0.5), cell(3.0, lists=48)),
        (cell(0.6, "better", True), cell(2.0, "", True, lists=47)),
        (cell(0.4, "worse"), cell(4.0, "", lists=48)),
    ),
    baseline="bm25",
    confidence=0.95,
    lists=50,
    comparisons=4,
    gaps=("100%: 2 of 50 queries have no rows.",),
)


def test_text():
    assert formats.as_text(REPORT) == (
        "                       ndcg@10          mean_rank\n"
        "bm25           0.5000 ± 0.0200    3.0000 ± 0.0200\n"
        "ours_v2 & co|  0.6000 ± 0.0200 ▲  2.0000 ± 0.0200\n"
        "100%           0.4000 ± 0.0200 ▼  4.0000 ± 0.0200\n"
        "Means over the lists that count, 47 to 50 of 50 lists; ± is half the "
        "95%\nconfidence interval.\n"
        "▲ is better and ▼ is worse than bm25: two-sided paired t test over "
        "the lists, at\nthe level of 5%, with the Holm correction for all 4 "
        "comparisons of this table.\n"
        "100%: 2 of 50 queries have no rows.\n"
        "ndcg@10: NDCG@10|gain:linear|my_fn\n"
        "mean_rank: MeanRank|empty:skip"
    )


def test_markdown():
    table, notes, _, signatures = formats.as_markdown(REPORT).split("\n\n")
    assert table == (
        "|  | ndcg@10 | mean\\_rank |\n"
        "| --- | ---: | ---: |\n"
        "| bm25 | 0.5000 ± 0.0200 | 3.0000 ± 0.0200 |\n"
        "| ours\\_v2 & co\\| | **0.6000** ± 0.0200 ▲ | **2.0000** ± 0.0200 |\n"
        "| 100% | 0.4000 ± 0.0200 ▼ | 4.0000 ± 0.0200 |"
    )
    assert "The best of each column is bold. ▲ is better" in notes
    assert notes.endswith("100%: 2 of 50 queries have no rows.")
    assert signatures == (
        "- ndcg@10: `NDCG@10|gain:linear|my_fn`\n"
        "- mean\\_rank: `MeanRank|empty:skip`"
    )


def test_latex():
    found = formats.as_latex(REPORT, label="tab:us")
    body = found[found.index(r"\begin{tabular}") : found.index(r"\par")]
    assert body == (
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "System & ndcg@10 & mean\\_rank \\\\\n"
        "\\midrule\n"
        "bm25 & 0.5000$^{\\phantom{+}}$ $\\pm$ 0.0200 & "
        "3.0000$^{\\phantom{+}}$ $\\pm$ 0.0200 \\\\\n"
        "ours\\_v2 \\& co\\textbar{} & \\textbf{0.6000}$^{+}$ $\\pm$ 0.0200 & "
        "\\textbf{2.0000}$^{\\phantom{+}}$ $\\pm$ 0.0200 \\\\\n"
        "100\\% & 0.4000$^{-}$ $\\pm$ 0.0200 & "
        "4.0000$^{\\phantom{+}}$ $\\pm$ 0.0200 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )
    [caption] = re.findall(r"\\caption\{(.*)\}", found)
    assert "47 to 50 of 50 lists" in caption
    assert "paired t test" in caption and "Holm correction" in caption
    assert r"at the level of 5\%" in caption
    assert r"\label{tab:us}" in found
    assert r"\texttt{my\_fn}" in found and r"\texttt{empty:skip}" in found
    assert r"\label" not in formats.as_latex(REPORT)


def test_latex_is_balanced():
    found = formats.as_latex(REPORT).replace(r"\{", "").replace(r"\}", "")
    opened = re.findall(r"\\begin\{(\w+)\}", found)
    closed = re.findall(r"\\end\{(\w+)\}", found)
    assert opened == closed[::-1] == ["table", "tabular"]
    assert found.count("{") == found.count("}")
    rows = [line for line in found.splitlines() if line.endswith(r" \\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [2] * 4
    plain = re.sub(r"\\[%&_$#]|\$\^\{[^$]*\}\$|\$\\pm\$", "", found)
    lines = plain.splitlines()[1:]  # the first one is a comment
    assert not re.search(r"[%_#$^~±▲]", "\n".join(lines))


def test_latex_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    source = (
        "\\documentclass{article}\\usepackage{booktabs}\n"
        f"\\begin{{document}}\n{formats.as_latex(REPORT)}\n\\end{{document}}\n"
    )
    (tmp_path / "table.tex").write_text(source)
    ran = subprocess.run(
        ["pdflatex", "-halt-on-error", "table.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("letter", ["[", "*"])
def test_latex_takes_no_name_for_an_option(letter):
    keys = ((f"{letter}2pt]", ""), *REPORT.keys[1:])
    columns = (REPORT.columns[0], REPORT.columns[1]._replace(name=f"{letter}m"))
    odd = dataclasses.replace(REPORT, keys=keys, columns=columns)
    lines = formats.as_latex(odd).splitlines()
    after = [
        line
        for before, line in itertools.pairwise(lines)
        if before.endswith(("\\\\", "\\midrule"))
    ]
    assert f"{{}}{letter}2pt] & " in "\n".join(after)
    assert f"{{}}{letter}m: " in "\n".join(after)
    assert not [line for line in after if line.startswith(letter)]


def test_a_single_comparison_is_told_in_words():
    single = dataclasses.replace(REPORT, comparisons=1)
    assert single.about_marks("+", "-").endswith(
        "at the level of 5%; it is the only comparison of this table, so "
        "nothing is corrected."
    )


@pytest.fixture(scope="module")
def compared():
    truth, systems = drawn(0)
    return krm.compare(systems, truth, [krm.NDCG(k=5), krm.MeanRank()])


def test_csv(compared):
    rows = list(csv.DictReader(io.StringIO(compared.to_csv())))
    assert [(row["system"], row["metric"]) for row in rows] == [
        ("old", "ndcg@5"),
        ("old", "mean_rank"),
        ("new", "ndcg@5"),
        ("new", "mean_rank"),
    ]
    [first, *_] = compared.report.cells
    assert float(rows[0]["value"]) == first[0].value
    assert rows[0]["p"] == "" and float(rows[2]["p"]) < 1
    assert rows[2]["signature"] == compared.signatures["ndcg@5"]


def test_pandas(compared):
    pytest.importorskip("pandas", reason="of the extra [interop]")
    frame = compared.to_pandas()
    rows = list(csv.DictReader(io.StringIO(compared.to_csv())))
    assert list(frame.columns) == list(rows[0])
    assert list(frame["p"].dropna()) == [float(r["p"]) for r in rows if r["p"]]
    by_metric = frame.pivot(index="system", columns="metric", values="value")
    assert by_metric.loc["old", "ndcg@5"] == compared.report.cells[0][0].value


def test_json_is_all_of_it(compared):
    found = compared.to_json(indent=2)
    values = json.loads(found, parse_constant=lambda name: pytest.fail(name))
    assert values == compared.to_dict()
    again = krm.Compared.from_json(found)
    assert again.report == compared.report
    assert again.to_dict() == compared.to_dict()
    assert again.per_list() == approx_columns(compared.per_list())
    short = compared.to_dict(per_list=False)
    assert short == {k: v for k, v in values.items() if k != "per_list"}
    cell = short["systems"]["new"]["ndcg@5"]
    assert {"value", "standard_error", "margin", "lists", "difference", "p"} < {
        *cell
    }
    assert short["metrics"]["ndcg@5"]["signature"] == krm.NDCG(k=5).signature


def approx_columns(columns):
    return {
        name: column
        if isinstance(column[0], str)
        else approx(column, nan_ok=True)
        for name, column in columns.items()
    }


def test_what_is_not_known_is_null():
    truth = {"a": {"x": 1}, "b": {"x": 0}}
    run = {"a": {"x": 1.0}, "b": {"x": 1.0}}
    skips = krm.HitRateAtK(k=1, empty="skip")
    compared = krm.compare({"s": run, "t": run}, truth, skips)
    values = json.loads(compared.to_json())
    cell = values["systems"]["t"]["hit_rate@1"]
    assert cell["standard_error"] is None and cell["p"] is None
    [row] = values["per_list"]["systems"]["s"]["values"]
    assert row == [1.0, None]
    assert "▲" not in str(compared)  # nothing could be compared


def test_ids_of_bytes_become_text():
    truth = {b"q": {b"x": 1}}
    compared = krm.compare({"s": {b"q": {b"x": 1.0}}}, truth, krm.NDCG())
    assert compared.per_list()["query"] == ["q"]
    again = krm.Compared.from_json(compared.to_json())
    assert again.to_dict() == compared.to_dict()
    # The error of a single list is not known.
    assert str(again).splitlines()[1] == "s  1.0000"
    assert "| s | 1.0000 |" in again.to_markdown()


def test_joined_is_what_is_compared_at_once(compared):
    truth, systems = drawn(0)
    metrics = [krm.NDCG(k=5), krm.MeanRank()]
    turned = dict(reversed(truth.items()))  # the lists in another order
    parts = [
        krm.compare({"old": systems["old"]}, truth, metrics),
        krm.compare({"new": systems["new"]}, turned, metrics),
    ]
    saved = [krm.Compared.from_json(part.to_json()) for part in parts]
    for old, new in (parts, saved):
        assert old.join(new).report == compared.report
    assert new.join(old).baseline == "new"


def test_joined_arrays_know_their_labels():
    labels = np.array([[1, 0, 2], [0, 1, 0]])
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])

    def of(name, labels):
        return krm.compare({name: scores}, labels, krm.NDCG())

    assert of("a", labels).join(of("b", labels.tolist())).systems == ["a", "b"]
    with pytest.raises(ValueError, match="the same truth"):
        of("a", labels).join(of("b", labels[::-1]))


def test_it_does_not_change(compared):
    for name in ("baseline", "confidence", "measured"):
        with pytest.raises(AttributeError):
            setattr(compared, name, getattr(compared, name))
    turned = krm.Compared(compared.measured, "new")
    assert "worse than new" in str(turned)


def test_notebooks_show_markdown(compared):
    assert compared._repr_markdown_() == compared.to_markdown()
    assert repr(compared) == (
        "<Compared: the systems ['old', 'new'] by ['ndcg@5', 'mean_rank'] on "
        "12 lists>"
    )


def test_plot(compared):
    matplotlib = pytest.importorskip("matplotlib", reason="draws the plot")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = compared.plot()
    assert [panel.get_title() for panel in axes] == ["ndcg@5", "mean_rank"]
    names = [label.get_text() for label in axes[0].get_yticklabels()]
    assert names == ["old", "new"]
    for panel, cells in zip(
        axes, zip(*compared.report.cells, strict=True), strict=True
    ):
        for bar, each in zip(panel.containers, cells, strict=True):
            assert bar.lines[0].get_xdata()[0] == each.value
            [[(low, _), (high, _)]] = bar.lines[2][0].get_segments()
            assert high - low == approx(2 * each.margin)
    assert axes[0].figure.patch.get_alpha() == 0
    pyplot.close(axes[0].figure)
    _, panel = pyplot.subplots()
    with pytest.raises(ValueError, match=r"2 in all\. Received: 1"):
        compared.plot(panel)
    pyplot.close("all")


@pytest.mark.parametrize(
    "package, method", [("pandas", "to_pandas"), ("matplotlib", "plot")]
)
def test_what_is_not_installed_is_named(compared, monkeypatch, package, method):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(compared, method)()
