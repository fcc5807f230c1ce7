"""The table in each format, from values that nobody measured."""

import csv
import dataclasses
import inspect
import io
import json
import math
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from pytest import approx
from runs import drawn

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import table_formats as formats
from keras_rankmetrics.comparing.measured import Statistic
from keras_rankmetrics.comparing.report import Cell, Report

NAN = float("nan")


@dataclasses.dataclass(frozen=True)
class Spread(krm.Estimate):
    """An estimate whose interval is given."""

    ends: tuple[float, float] = (0.0, 0.0)

    def interval(self, level=0.95):
        return self.ends


def cell(value, mark=None, best=False, lists=50, ends=None):
    difference = None
    if mark is not None:
        p = 0.2 if mark == "" else 0.001
        # Without an error, the notes have no detectable difference.
        mean = krm.Estimate(0.1, 0.0, lists, float(lists), lists)
        numbers = 5.0, p / 4, p, 0.7, 30, 5, 15
        difference = krm.Difference("ours", "bm25", mean, *numbers)
    ends = ends or (value - 0.02, value + 0.02)
    estimate = Spread(value, 0.01, lists, float(lists), lists, ends=ends)
    return Cell(estimate, difference, mark, best, 0.95)


def with_p(cell, p):
    difference = dataclasses.replace(cell.difference, p_holm=p)
    return cell._replace(difference=difference)


REPORT = Report(
    keys=(("bm25", ""), ("ours_v2 & co|", ""), ("100%", "")),
    statistics=(
        Statistic("ndcg@10", "NDCG@10|gain:linear|my_fn", True, True),
        Statistic("mean_rank", "MeanRank|empty:skip", False, False),
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

ALONE = dataclasses.replace(
    REPORT,
    keys=(("all", ""),),
    cells=((cell(0.5), cell(3.0)),),
    baseline="all",
    comparisons=0,
)


P = (
    "p is that of the two-sided paired t test, with the Holm correction for "
    "all 4 comparisons of this table."
)


def test_text():
    assert formats.as_plain_text(REPORT) == (
        "                       ndcg@10          mean_rank\n"
        "bm25           0.5000 ± 0.0200    3.0000 ± 0.0200\n"
        "ours_v2 & co|  0.6000 ± 0.0200 ▲  2.0000 ± 0.0200\n"
        "100%           0.4000 ± 0.0200 ▼  4.0000 ± 0.0200\n"
        "Means over the lists that count, 47 to 50 of 50 lists; ± is half the "
        "95%\nconfidence interval.\n"
        "▲ is better and ▼ is worse than bm25: the 95% interval of the mean "
        "difference of\nthe lists excludes 0, with the Holm correction for all "
        "4 comparisons of this\ntable.\n"
        "100%: 2 of 50 queries have no rows.\n"
        "ndcg@10: NDCG@10|gain:linear|my_fn\n"
        "mean_rank: MeanRank|empty:skip"
    )


def test_text_has_p_values_on_request():
    found = formats.as_plain_text(REPORT, p_values=True)
    space = " " * len(" (p = 0.001)")
    assert found.splitlines()[:4] == [
        f"                       ndcg@10  {space}        mean_rank",
        f"bm25           0.5000 ± 0.0200  {space}  3.0000 ± 0.0200",
        "ours_v2 & co|  0.6000 ± 0.0200 ▲ (p = 0.001)  2.0000 ± 0.0200   "
        "(p = 0.200)",
        "100%           0.4000 ± 0.0200 ▼ (p = 0.001)  4.0000 ± 0.0200   "
        "(p = 0.200)",
    ]
    text = " ".join(found.split())
    assert f"{P} ▲ is" in text
    assert "bold" not in found and "p is" not in formats.as_plain_text(REPORT)
    assert formats.as_plain_text(ALONE, p_values=True) == formats.as_plain_text(
        ALONE
    )


def test_intervals_that_are_not_symmetric():
    skewed = cell(0.98, ends=(0.93, 1.0))
    cells = ((skewed, cell(3.0)),)
    report = dataclasses.replace(ALONE, cells=cells, gaps=())
    assert formats.as_plain_text(report).splitlines()[1:4] == [
        "all  0.9800 [0.9300, 1.0000]  3.0000 ± 0.0200",
        "Means over 50 lists; ± is half the 95% confidence interval, and [ ] "
        "all of it.",
        "ndcg@10: NDCG@10|gain:linear|my_fn",
    ]
    assert "| 0.9800 [0.9300, 1.0000] |" in formats.as_markdown(report)
    assert r"{\scriptsize[.9300,1.0000]}" in latex(report)
    alone = dataclasses.replace(
        report, statistics=report.statistics[:1], cells=((skewed,),)
    )
    found = formats.as_plain_text(alone)
    assert "; [ ] is the 95% confidence interval." in found
    assert "±" not in found


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


def test_markdown_has_p_values_on_request():
    found = formats.as_markdown(REPORT, p_values=True)
    assert "| 0.5000 ± 0.0200 | 3.0000 ± 0.0200 |" in found
    assert "| **0.6000** ± 0.0200 ▲ (p = 0.001) | **2.0000**" in found
    assert "**2.0000** ± 0.0200 (p = 0.200) |" in found
    assert P in found
    assert "p is" not in formats.as_markdown(REPORT)
    assert "p " not in formats.as_markdown(ALONE, p_values=True)


# LaTeX


def latex(report=REPORT, **layout):
    """The table of a report, with the default layout of `to_latex`."""
    defaults = inspect.signature(krm.Compared.to_latex).parameters.values()
    found = {p.name: p.default for p in defaults if p.name != "self"}
    return formats.as_latex(report, **{**found, **layout})


def rows_of(table):
    """The cells of each row of a LaTeX table, without the head."""
    body = table.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    lines = [line.removesuffix(r" \\") for line in body.splitlines()]
    return [re.split(r"(?<!\\)&", line) for line in lines]


def test_latex():
    found = latex(label="tab:us")
    assert found[found.index(r"\footnotesize") :] == (
        "\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
        "\\begin{tabular}{@{}lrr@{}}\n"
        "\\toprule System & ndcg@10 & mean\\_rank \\\\ \\midrule\n"
        "bm25 & .5000$^{\\phantom{+}}${\\scriptsize$\\pm$.0200} & "
        "3.0000$^{\\phantom{+}}${\\scriptsize$\\pm$0.0200} \\\\\n"
        "ours\\_v2 \\& co\\textbar{} & "
        "\\textbf{.6000}$^{+}${\\scriptsize$\\pm$.0200} & "
        "\\textbf{2.0000}$^{\\phantom{+}}${\\scriptsize$\\pm$0.0200} \\\\\n"
        "100\\% & .4000$^{-}${\\scriptsize$\\pm$.0200} & "
        "4.0000$^{\\phantom{+}}${\\scriptsize$\\pm$0.0200} \\\\\n"
        "\\bottomrule\\end{tabular}\n"
        "\\par\\smallskip\\raggedright\n"
        "Signatures: \\emph{ndcg@10}: NDCG@10, gain:linear, my\\_fn; "
        "\\emph{mean\\_rank}: MeanRank, empty:skip.\n"
        "\\end{table}"
    )
    [caption] = re.findall(r"\\caption\{(.*)\}\\label\{tab:us\}", found)
    assert "47 to 50 of 50 lists" in caption
    assert r"$\pm$ is half the 95\% confidence interval." in caption
    assert r"the 95\% interval of the mean difference" in caption
    assert "Holm correction" in caption and "t test" not in caption
    assert r"\label" not in latex()


def test_means_that_differ_by_rounding_are_both_the_best():
    """0.2 + 0.6 and 0.4 + 0.4 differ in the last digits of float32."""
    hits = {"one": (1, 3), "other": (2, 2)}
    labels = [[1] * 3 + [0] * 5] * 2
    systems = {
        name: [[3] * n + [1] * (3 - n) + [2] * 5 for n in several]
        for name, several in hits.items()
    }
    compared = krm.compare(labels, systems, krm.PrecisionAtK(k=5))
    assert compared.report.records()["best"] == [True, True]


def test_a_single_system_is_not_the_best():
    for found in (formats.as_markdown(ALONE), latex(ALONE)):
        assert "0.5000" in found or ".5000" in found
        assert "best" not in found and "bold" not in found
    assert "best" not in formats.as_html(ALONE)


def test_latex_digits_and_errors():
    found = latex(digits=2, errors=False)
    assert rows_of(found)[1][1:] == [
        " \\textbf{.60}$^{+}$ ",
        " \\textbf{2.00}$^{\\phantom{+}}$",
    ]
    assert r"\pm" not in found
    assert "47 to 50 of 50 lists. The best" in found
    assert latex(digits=0).count(r"\textbf{1}") == 1  # 0.6, not an empty text


def test_latex_captions_and_widths():
    found = latex(caption=r"Ours is \emph{best}.", signatures="caption")
    assert (
        r"\caption{Ours is \emph{best}. Signatures: \emph{ndcg@10}: NDCG@10, "
        in found
    )
    assert found.endswith("\\bottomrule\\end{tabular}\n\\end{table}")
    assert "confidence interval" not in found
    assert "Signatures" not in latex(signatures=None)
    wide = latex(wide=True)
    assert r"\begin{table*}" in wide and wide.endswith(r"\end{table*}")
    assert "tabcolsep" not in wide


def test_latex_p_values():
    found = latex(p_values=True)
    systems = [row[0].strip() for row in rows_of(found)]
    assert systems == ["bm25", r"ours\_v2 \& co\textbar{}", "", r"100\%", ""]
    assert rows_of(found)[2] == [
        " ",
        r" {\scriptsize$p=.001$} ",
        r" {\scriptsize$p=.200$}",
    ]
    assert P in found
    small = with_p(REPORT.cells[1][0], 1e-9)
    none = with_p(REPORT.cells[1][1], NAN)
    cells = REPORT.cells[0], (small, none), REPORT.cells[2]
    found = latex(dataclasses.replace(REPORT, cells=cells), p_values=True)
    assert rows_of(found)[2][1:] == [r" {\scriptsize$p<.001$} ", " "]
    assert latex(ALONE, p_values=True) == latex(ALONE)


@pytest.mark.parametrize(
    "layout",
    [{"digits": -1}, {"digits": 2.5}, {"digits": True}, {"signatures": "top"}],
)
def test_latex_refuses(layout):
    [name] = layout
    with pytest.raises(ValueError, match=f"`{name}` should be one of"):
        latex(**layout)


def read_signatures(table):
    """The signatures that a reader of the table can put together again."""
    [text] = re.findall(r"Signatures: (.*)\.", table)
    text = re.sub(r"\\allowbreak\{\}", "", text).replace(r"\_", "_")
    found = {
        name: parts.split(", ")
        for name, parts in re.findall(r"\\emph\{(.*?)\}: ([^;]*)", text)
    }
    shared = found.pop("all metrics", [])
    return {name: {*parts, *shared} for name, parts in found.items()}


def test_latex_has_the_whole_signatures_and_no_part_twice():
    metrics = [krm.NDCG(k=10), krm.MeanReciprocalRank(), krm.RecallAtK(k=100)]
    for chosen in (metrics, metrics[:1], [*metrics, krm.NDCG(ties="stable")]):
        statistics = tuple(
            Statistic(m.name, m.signature, True, True) for m in chosen
        )
        cells = tuple((row[0],) * len(statistics) for row in REPORT.cells)
        table = latex(
            dataclasses.replace(REPORT, statistics=statistics, cells=cells)
        )
        assert read_signatures(table) == {
            m.name: set(m.signature.split("|")) for m in chosen
        }
        assert table.count("inputs:scores") == 1


def test_latex_breaks_long_names():
    long = "gain:my_company.ranking.gains.of_products.with_a_long_name"
    statistics = (
        Statistic("discounted_success@10", f"D|{long}", True, True),
        REPORT.statistics[1],
    )
    found = latex(dataclasses.replace(REPORT, statistics=statistics))
    assert r"\shortstack[r]{discounted\_\\success@10} & mean\_rank" in found
    assert r"ranking.\allowbreak{}gains.\allowbreak{}of\_\allowbreak" in found
    assert read_signatures(found)["discounted_success@10"] == {"D", long}


def test_latex_is_balanced():
    found = latex(p_values=True).replace(r"\{", "").replace(r"\}", "")
    opened = re.findall(r"\\begin\{(\w+)\}", found)
    closed = re.findall(r"\\end\{(\w+)\}", found)
    assert opened == closed[::-1] == ["table", "tabular"]
    assert found.count("{") == found.count("}")
    assert {len(row) for row in rows_of(found)} == {3}
    plain = re.sub(r"\\[%&_$#]|\$\^\{[^$]*\}\$|\$\\pm\$|\$p.*?\$", "", found)
    lines = plain.splitlines()[1:]  # the first one is a comment
    assert not re.search(r"[%_#$^~±▲]", "\n".join(lines))


THREE = Report(
    keys=(("BM25", ""), ("BM25+CE", ""), ("ColBERT", "")),
    statistics=tuple(
        Statistic(m.name, m.signature, True, True)
        for m in (
            krm.NDCG(k=10),
            krm.MeanReciprocalRank(),
            krm.RecallAtK(k=100),
        )
    ),
    cells=(
        (cell(0.5),) * 3,
        (cell(0.6, "better", True),) * 3,
        (cell(0.4, "worse"),) * 3,
    ),
    baseline="BM25",
    confidence=0.95,
    lists=50,
    comparisons=6,
)
COLUMN = 221.0  # pt: a column of `article` on A4, the narrowest of the classes


# Widths in pt of Computer Modern, as `\\wd` reports them: of 8 pt, of its bold
# face, and of the 7 pt of the margins. A letter has at most 8.
PLAIN = dict.fromkeys("0123456789", 4.26) | {".": 2.37}
BOLD = dict.fromkeys("0123456789", 4.91) | {".": 2.73}
SMALL = dict.fromkeys("0123456789", 3.99) | {".": 2.27, "±": 6.26}
NAMES = {
    "System": 26.8,
    "BM25": 22.5,
    "BM25+CE": 40.9,
    "ColBERT": 36.3,
    "ndcg@10": 32.6,
    "mrr": 13.8,
    "recall@100": 39.3,
}
MARK = 6.28


def width_of(text):
    """The width of a cell in pt, with the fonts of a 10 pt document."""
    text = text.strip()
    if text in NAMES:
        return NAMES[text]
    value, mark, margin = re.fullmatch(
        r"(.*?[\d.}]+)(\$\^\{.+?\}\$)(\{.*\})", text
    ).groups()
    plain = value.removeprefix(r"\textbf{").removesuffix("}")
    font = PLAIN if plain == value else BOLD
    small = margin.removeprefix(r"{\scriptsize$\pm$").removesuffix("}")
    assert mark in ("$^{+}$", "$^{-}$", r"$^{\phantom{+}}$")
    return sum(map(font.get, plain)) + MARK + sum(map(SMALL.get, "±" + small))


def test_three_metrics_of_three_systems_fit_one_column():
    table = latex(THREE)
    [head] = re.findall(r"\\toprule (.*) \\\\ \\midrule", table)
    rows = [head.split("&"), *rows_of(table)]
    assert width_of(rows[2][1]) == approx(52.9, abs=0.3)  # 52.9 in TeX
    columns = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    [space] = re.findall(r"\\tabcolsep\}\{(\d+)pt\}", table)
    assert "{@{}lrrr@{}}" in table and r"\footnotesize" in table
    assert sum(columns) + 6 * int(space) < COLUMN


def test_signatures_are_not_longer_than_the_table():
    [text] = re.findall("Signatures: .*", latex(THREE))
    lines = math.ceil(len(re.sub(r"\\emph|[{}\\]", "", text)) * 4.0 / COLUMN)
    assert lines <= 6  # of a table with 4 rows and 3 rules


CLASSES = {
    "letter": r"\documentclass[twocolumn]{article}",
    "a4": r"\documentclass[twocolumn,a4paper]{article}",
    "IEEEtran.cls": r"\documentclass[conference]{IEEEtran}",
}
LAYOUTS = {
    "default": {},
    "p": {"p_values": True},
    "caption": {"signatures": "caption", "digits": 3, "label": "tab:x"},
    "wide": {"wide": True},
}


def compiled(folder, start, table):
    """Compile a document with the table, and return the log."""
    source = f"{start}\\usepackage{{booktabs}}\n\\begin{{document}}\nText.\n"
    text = f"{source}{table}\n\\end{{document}}\n"
    (folder / "table.tex").write_text(text, encoding="utf-8")
    ran = subprocess.run(
        ["pdflatex", "-halt-on-error", "table.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    return (folder / "table.log").read_text(errors="replace")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CLASSES)
def test_latex_compiles_and_fits_a_column(tmp_path, name, layout):
    needed = [name] if name.endswith(".cls") else []
    for file in ["booktabs.sty", *needed]:
        if (
            not shutil.which("pdflatex")
            or not subprocess.run(
                ["kpsewhich", file], capture_output=True
            ).stdout
        ):
            pytest.skip(f"pdflatex with {file} is not installed")
    table = latex(THREE, **LAYOUTS[layout])
    log = compiled(tmp_path, CLASSES[name], table)
    assert "Output written" in log
    assert "Overfull" not in log


def test_latex_with_odd_names_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    compiled(tmp_path, CLASSES["a4"], latex())
    keys = ("[2pt]", ""), ("*", ""), (r"\x{}~^_%$#&", "")
    odd = Statistic("[mean_of_*_many@1]", r"a\b|{}~^_%$#& ±<>", True, True)
    report = dataclasses.replace(
        REPORT, keys=keys, statistics=(odd, odd), baseline="*"
    )
    compiled(tmp_path, CLASSES["a4"], latex(report, p_values=True))


@pytest.mark.parametrize("letter", ["[", "*"])
def test_latex_takes_no_name_for_an_option(letter):
    keys = ((f"{letter}2pt]", ""), *REPORT.keys[1:])
    long = f"a_long_{letter}name_"
    statistics = (
        REPORT.statistics[0],
        REPORT.statistics[1]._replace(name=long),
    )
    odd = dataclasses.replace(REPORT, keys=keys, statistics=statistics)
    found = latex(odd)
    assert f"{{}}{letter}2pt] & " in found
    assert rf"\\{{}}{letter}name\_\\" in found
    assert not re.search(r"(\\\\|\\midrule)\s*[\[*]", found)


# HTML


def test_html():
    found = formats.as_html(REPORT)
    root = ElementTree.fromstring(found)
    rows = [["".join(x.itertext()) for x in row] for row in root.iter("tr")]
    assert rows == [
        ["", "ndcg@10", "mean_rank"],
        ["bm25", "0.5000 ± 0.0200", "3.0000 ± 0.0200"],
        ["ours_v2 & co|", "0.6000 ± 0.0200 ▲", "2.0000 ± 0.0200"],
        ["100%", "0.4000 ± 0.0200 ▼", "4.0000 ± 0.0200"],
    ]
    assert [x.text for x in root.iter("b")] == ["0.6000", "2.0000"]
    assert root.find("p").text.endswith("100%: 2 of 50 queries have no rows.")
    assert "The best of each column is bold." in root.find("p").text
    details = root.find("details")
    assert [x.tag for x in details] == ["summary", "pre"]
    assert "open" not in details.attrib
    assert details.find("pre").text == (
        "ndcg@10: NDCG@10|gain:linear|my_fn\nmean_rank: MeanRank|empty:skip"
    )
    assert "color" not in found and "background" not in found


def test_html_is_escaped():
    bad = "<script>alert('1')</script>&\"$x$"
    odd = dataclasses.replace(
        REPORT,
        keys=((bad, ""), *REPORT.keys[1:]),
        statistics=(Statistic(bad, bad, True, True), REPORT.statistics[1]),
        baseline=bad,
        gaps=(bad,),
    )
    found = formats.as_html(odd)
    assert "<script" not in found
    root = ElementTree.fromstring(found)
    assert "".join(root.itertext()).count(bad) == 6
    assert "mathjax_ignore" in root.get("class")


def test_a_single_comparison_is_told_in_words():
    single = dataclasses.replace(REPORT, comparisons=1)
    assert single.about_marks("+", "-").endswith(
        "the 95% interval of the mean difference of the lists excludes 0; it "
        "is the only comparison of this table, so nothing is corrected."
    )


@pytest.fixture(scope="module")
def compared():
    truth, systems = drawn(0)
    return krm.compare(truth, systems, [krm.NDCG(k=5), krm.MeanRank()])


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
    compared = krm.compare(truth, {"s": run, "t": run}, skips)
    values = json.loads(compared.to_json())
    cell = values["systems"]["t"]["hit_rate@1"]
    assert cell["standard_error"] is None and cell["p"] is None
    [row] = values["per_list"]["systems"]["s"]["values"]
    assert row == [1.0, None]
    assert "▲" not in str(compared)  # nothing could be compared


def test_ids_of_bytes_become_text():
    truth = {b"q": {b"x": 1}}
    compared = krm.compare(truth, {"s": {b"q": {b"x": 1.0}}}, krm.NDCG())
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
        krm.compare(truth, {"old": systems["old"]}, metrics),
        krm.compare(turned, {"new": systems["new"]}, metrics),
    ]
    saved = [krm.Compared.from_json(part.to_json()) for part in parts]
    for old, new in (parts, saved):
        assert old.join(new).report == compared.report
    assert new.join(old).baseline == "new"


def test_joined_arrays_know_their_labels():
    labels = np.array([[1, 0, 2], [0, 1, 0]])
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])

    def of(name, labels):
        return krm.compare(labels, {name: scores}, krm.NDCG())

    assert of("a", labels).join(of("b", labels.tolist())).systems == ["a", "b"]
    with pytest.raises(ValueError, match="the same labels"):
        of("a", labels).join(of("b", labels[::-1]))


def test_it_does_not_change(compared):
    for name in ("baseline", "confidence", "measured"):
        with pytest.raises(AttributeError):
            setattr(compared, name, getattr(compared, name))
    turned = krm.Compared(compared.measured, "new")
    assert "worse than new" in str(turned)


def test_notebooks_show_html(compared):
    found = compared._repr_html_()
    assert found == formats.as_html(compared.report)
    assert "old" in found and "<table>" in found
    assert repr(compared) == (
        "<Compared: the systems ['old', 'new'] by ['ndcg@5', 'mean_rank'] on "
        "12 lists>"
    )


def test_layouts_reach_the_table(compared):
    assert compared.to_latex() == latex(compared.report)
    layout = {
        "digits": 2,
        "errors": False,
        "signatures": None,
        "caption": "Here.",
        "label": "tab:x",
        "wide": True,
        "p_values": True,
    }
    assert compared.to_latex(**layout) == latex(compared.report, **layout)
    assert compared.to_text() == str(compared)
    assert compared.to_text(p_values=True) == formats.as_plain_text(
        compared.report, p_values=True
    )
    assert compared.to_markdown(p_values=True) == formats.as_markdown(
        compared.report, p_values=True
    )
    with pytest.raises(TypeError):
        compared.to_latex("tab:x")


@pytest.mark.parametrize(
    "package, method", [("pandas", "to_pandas"), ("matplotlib", "plot")]
)
def test_what_is_not_installed_is_named(compared, monkeypatch, package, method):
    for module in (package, "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    needs = f"`{method}` needs {package}: `pip install {package}`. `.* need "
    with pytest.raises(ImportError, match=needs):
        getattr(compared, method)()
