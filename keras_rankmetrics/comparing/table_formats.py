"""Reports as text, Markdown, LaTeX, CSV and data frames."""

from __future__ import annotations

import csv
import importlib
import io
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.engine.aggregates.estimate import spread_as_text
from keras_rankmetrics.engine.aggregates.paired import Statistic
from keras_rankmetrics.engine.definition.options import check_choice
from keras_rankmetrics.engine.messages import as_html_table, as_table

_BEST = "The best of each column is bold."
_P = "p is that of the two-sided paired t test{}."
_Marks = dict[str | None, str]


def _p_value(cell: Cell) -> str:
    """Return `p = 0.012` or `p < 0.001`; "" if there was no test."""
    p = cell.difference.p_holm if cell.difference else math.nan
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _legend(
    report: Report,
    marks: _Marks,
    p_values: bool = False,
    errors: bool = True,
    bold: bool = True,
) -> list[str]:
    """Return the sentences below a table.

    Args:
        report: the table.
        marks: the marks of better and worse systems.
        p_values: True if the table shows p values.
        errors: True if the table shows the margins.
        bold: True if the best values are bold.
    """
    has_best = any(cell.best for cells in report.cells for cell in cells)
    sentences = [
        report.about_means(errors),
        report.about_groups(),
        _BEST * (bold and has_best),
        _P.format(report.corrected) * (p_values and report.comparisons > 0),
        # A caption in LaTeX is long enough without the power.
        report.about_power() * (marks is _TEXT_MARKS),
        report.about_marks(*marks.values()),
        *report.notes,
    ]
    return list(filter(None, sentences))


# A plain table.

_WIDTH = 80  # the width of the notes; the table and signatures do not wrap
_TEXT_MARKS: _Marks = {"better": "▲", "worse": "▼"}
_MARK_ROOM, _P_ROOM = " " * len(" ▲"), " " * len(" (p = 0.012)")


def as_plain_text(report: Report, p_values: bool = False) -> str:
    """Return the table, with notes and signatures below it.

    Args:
        report: the table.
        p_values: True to show the p value of each difference.
    """
    aligned = report.comparisons > 0
    room = (_MARK_ROOM + _P_ROOM * p_values) * aligned
    table = as_table(
        ["", *(name + room for name in report.names)],
        [
            *report.rows(
                lambda cell: _shown(cell, p_values=p_values, aligned=aligned)
            )
        ],
    )
    legend = _legend(report, _TEXT_MARKS, p_values, bold=False)
    lines = [textwrap.fill(sentence, _WIDTH) for sentence in legend]
    signatures = [f"{c.name}: {c.signature}" for c in report.statistics]
    return "\n".join([table, *lines, *signatures])


def _shown(
    cell: Cell,
    bold: str = "{}",
    p_values: bool = False,
    aligned: bool = False,
) -> str:
    """Return the value with its margin, its mark, and perhaps its p value.

    Args:
        cell: the cell.
        bold: the format of the best value of a column.
        p_values: True to show the p value.
        aligned: True to leave room for what this cell lacks and others have.
    """
    value = cell.estimate.as_text()
    value = bold.format(value) if cell.best else value
    text = f"{value} {spread_as_text(cell.value, *cell.interval)}".rstrip()
    p = _p_value(cell) if p_values else ""
    mark = f" {_TEXT_MARKS[cell.mark]}" if cell.mark else _MARK_ROOM * aligned
    return text + mark + (f" ({p})" if p else _P_ROOM * (aligned and p_values))


# A table in GitHub's Markdown.


def as_markdown(report: Report, p_values: bool = False) -> str:
    """Return the table with the best values in bold, and notes below it.

    Args:
        report: the table.
        p_values: True to show the p value of each difference.
    """
    names = [*map(in_markdown, report.names)]
    rows = [
        ["", *names],
        ["---", *["---:"] * len(names)],
        *(
            [in_markdown(system), *cells]
            for system, *cells in report.rows(
                lambda cell: _shown(cell, "**{}**", p_values)
            )
        ),
    ]
    return "\n".join(
        [
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            in_markdown(" ".join(_legend(report, _TEXT_MARKS, p_values))),
            "",
            "Signatures:",
            "",
            *(
                f"- {name}: `{x.signature}`"
                for name, x in zip(names, report.statistics, strict=True)
            ),
        ]
    )


def in_markdown(text: str) -> str:
    """Return the text in one line, without letters that Markdown reads."""
    for letter in "\\|*_`<[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


# A table in HTML.


def as_html(report: Report) -> str:
    """Return the table for a notebook, with notes and signatures below it.

    It sets no colours, so it is legible on any background.
    """
    return as_html_table(
        ["", *report.names],
        report.rows(lambda cell: _shown(cell, "<b>{}</b>")),
        _legend(report, _TEXT_MARKS),
        {x.name: x.signature for x in report.statistics},
    )


# A LaTeX table, for the package `booktabs`.

_LATEX_MARKS: _Marks = {"better": "$^{+}$", "worse": "$^{-}$"}
_LATEX_SPACE = r"$^{\phantom{+}}$"
_LONG_HEAD = 12  # longer names of metrics get several lines
_LONG_PART = 40  # longer parts of signatures may break
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
Place = Literal["footnote", "caption", None]


def as_latex(
    report: Report,
    digits: int,
    errors: bool,
    signatures: Place,
    caption: str | None,
    label: str | None,
    wide: bool,
    p_values: bool,
) -> str:
    """Return a `table` that fits one of two columns. See `Results.to_latex`.

    Raises:
        ValueError: if `digits` or `signatures` is invalid.
    """
    check_choice("digits", digits, tuple(range(10)))
    check_choice("signatures", signatures, get_args(Place))
    marks: _Marks = {"better": "+", "worse": "-"}
    legend = _legend(report, marks, p_values, errors)
    of_metrics = f"Signatures: {_signatures(report)}."
    caption = caption or _to_latex(" ".join(legend))
    if signatures == "caption":
        caption += f" {of_metrics}"
    label = rf"\label{{{label}}}" if label else ""
    table = "table*" if wide else "table"
    rows = [["System", *map(_head, report.names)]]
    for system, *cells in report.rows():
        pairs = zip(cells, report.statistics, strict=True)
        texts = [_latex_cell(*pair, digits, errors) for pair in pairs]
        rows.append([_first(system), *texts])
        p = [_latex_p(cell) for cell in cells]
        if p_values and any(p):
            rows.append(["", *p])
    [head, *body] = [" & ".join(row) + r" \\" for row in rows]
    lines = [
        r"% In the preamble: \usepackage{booktabs}",
        rf"\begin{{{table}}}",
        rf"\centering\caption{{{caption}}}{label}",
        r"\footnotesize" + r"\setlength{\tabcolsep}{3pt}" * (not wide),
        rf"\begin{{tabular}}{{@{{}}l{'r' * len(report.statistics)}@{{}}}}",
        rf"\toprule {head} \midrule",
        *body,
        r"\bottomrule\end{tabular}",
    ]
    if signatures == "footnote":
        lines += [r"\par\smallskip\raggedright", of_metrics]
    return "\n".join([*lines, rf"\end{{{table}}}"])


def _latex_cell(
    cell: Cell, statistic: Statistic, digits: int, errors: bool
) -> str:
    spread = spread_as_text(cell.value, *cell.interval, digits)
    value = cell.estimate.as_text(digits)
    if statistic.bounded:  # as usual in print, without the 0 before the point
        value, spread = (re.sub(r"\b0\.", ".", x) for x in (value, spread))
    value = rf"\textbf{{{value}}}" if cell.best else value
    value += _LATEX_MARKS.get(cell.mark, _LATEX_SPACE)
    if not errors or not spread:
        return value
    return rf"{value}{{\scriptsize{_to_latex(spread).replace(' ', '')}}}"


def _latex_p(cell: Cell) -> str:
    p = _p_value(cell).replace(" 0.", ".").replace(" ", "")
    return p and rf"{{\scriptsize${p}$}}"


def _head(name: str) -> str:
    """Return the name of a metric, in several lines if it is long."""
    if len(name) <= _LONG_HEAD:
        return _to_latex(name)
    lines = r"\\".join(map(_first, re.split(r"(?<=[_/ ])", name)))
    return rf"\shortstack[r]{{{lines}}}"


def _signatures(report: Report) -> str:
    """Return the signatures, with the parts that all share only at the end."""
    every = [x.signature.split("|") for x in report.statistics]
    others = every if len(every) > 1 else [[]]
    shared = [x for x in every[0] if all(its.count(x) == 1 for its in others)]
    own = [[x for x in its if x not in shared] for its in every]
    names = [*report.names, "all metrics"]
    return "; ".join(
        rf"\emph{{{_to_latex(name)}}}: {', '.join(map(_breakable, parts))}"
        for name, parts in zip(names, [*own, shared], strict=True)
        if parts
    )


def _first(text: str) -> str:
    r"""Return the start of a line, protected from the options of `\\`.

    LaTeX reads `[` and `*` after `\\` as its options.
    """
    return ("{}" if text.startswith(("[", "*")) else "") + _to_latex(text)


def _to_latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _breakable(part: str) -> str:
    """Return a part of a signature; a long one may break at punctuation."""
    long = len(part) > _LONG_PART
    pieces = re.split(r"(?<=[\W_])", part) if long else [part]
    return r"\allowbreak{}".join(map(_to_latex, pieces))


# Comma-separated values.


def as_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as CSV; None becomes an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def imported(module: str, method: str, instead: str) -> Any:
    """Return a module that the package does not depend on.

    Args:
        module: its name.
        method: the method that needs it.
        instead: what needs nothing, for the error.

    Raises:
        ImportError: if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"`{method}` needs {package}: `pip install {package}`. {instead} "
            "nothing."
        ) from error
