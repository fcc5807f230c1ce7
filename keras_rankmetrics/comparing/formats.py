"""Reports as text, Markdown, LaTeX, CSV, data frames and plots."""

from __future__ import annotations

import csv
import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.engine.naming import as_table

_BEST = "The best of each column is bold."
_Marks = dict[str | None, str]


def _number(cell: Cell, bold: str = "{}") -> str:
    value = f"{cell.value:.4f}"
    return bold.format(value) if cell.best else value


def _interval(cell: Cell, sign: str = "±") -> str:
    """Return the margin after a sign; an empty string if it is NaN."""
    return "" if math.isnan(cell.margin) else f" {sign} {cell.margin:.4f}"


# A plain table.

_WIDTH = 80  # the width of the notes; the table and signatures do not wrap
_TEXT_MARKS: _Marks = {"better": "▲", "worse": "▼"}


def as_text(report: Report) -> str:
    """Return the table, with notes and signatures below it."""
    has_marks = report.comparisons > 0
    room = "  " if has_marks else ""
    table = as_table(
        ("", *(column.name + room for column in report.columns)),
        [
            (system, *(_text_cell(cell, has_marks) for cell in cells))
            for system, cells in report.rows()
        ],
    )
    legend = report.legend(_TEXT_MARKS["better"], _TEXT_MARKS["worse"])
    lines = [textwrap.fill(sentence, _WIDTH) for sentence in legend]
    signatures = [f"{c.name}: {c.signature}" for c in report.columns]
    return "\n".join([table, *lines, *signatures])


def _text_cell(cell: Cell, has_marks: bool) -> str:
    mark = f" {_TEXT_MARKS.get(cell.mark, ' ')}" if has_marks else ""
    return f"{_number(cell)}{_interval(cell)}{mark}"


# A table in GitHub's Markdown.


def as_markdown(report: Report) -> str:
    """Return the table with the best values in bold, and notes below it."""
    names = [in_markdown(column.name) for column in report.columns]
    rows = [
        ["", *names],
        ["---", *["---:"] * len(names)],
        *(
            [in_markdown(system), *map(_markdown_cell, cells)]
            for system, cells in report.rows()
        ),
    ]
    legend = report.legend(_TEXT_MARKS["better"], _TEXT_MARKS["worse"], _BEST)
    return "\n".join(
        [
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            in_markdown(" ".join(legend)),
            "",
            "Signatures:",
            "",
            *(
                f"- {name}: `{column.signature}`"
                for name, column in zip(names, report.columns, strict=True)
            ),
        ]
    )


def _markdown_cell(cell: Cell) -> str:
    mark = _TEXT_MARKS.get(cell.mark, "")
    return f"{_number(cell, '**{}**')}{_interval(cell)} {mark}".rstrip()


def in_markdown(text: str) -> str:
    """Return the text in one line, without letters that Markdown reads."""
    for letter in "\\|*_`<[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


# A LaTeX table, for the package `booktabs`.

_LATEX_MARKS: _Marks = {"better": "$^{+}$", "worse": "$^{-}$"}
_LATEX_SPACE = r"$^{\phantom{+}}$"
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


def as_latex(report: Report, label: str | None = None) -> str:
    """Return a `table` with its caption, and the signatures below.

    Args:
        report: the table.
        label: the label of the table, for references; none by default.
    """
    caption = _to_latex(" ".join(report.legend("+", "-", _BEST)))
    rows = [
        ["System", *(_to_latex(column.name) for column in report.columns)],
        *(
            [_first(system), *map(_latex_cell, cells)]
            for system, cells in report.rows()
        ),
    ]
    [head, *body] = [" & ".join(row) + r" \\" for row in rows]
    signatures = [
        f"{_first(column.name)}: {_breakable(column.signature)}"
        for column in report.columns
    ]
    return "\n".join(
        [
            r"% In the preamble: \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            *([] if label is None else [rf"\label{{{label}}}"]),
            rf"\begin{{tabular}}{{l{'r' * len(report.columns)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip",
            r"\raggedright\footnotesize Signatures.",
            "\\\\\n".join(signatures),
            r"\end{table}",
        ]
    )


def _latex_cell(cell: Cell) -> str:
    mark = _LATEX_MARKS.get(cell.mark, _LATEX_SPACE)
    return _number(cell, r"\textbf{{{}}}") + mark + _interval(cell, r"$\pm$")


def _first(text: str) -> str:
    r"""Return the start of a line, protected from the options of `\\`.

    LaTeX reads `[` and `*` after `\\` as its options.
    """
    return ("{}" if text.startswith(("[", "*")) else "") + _to_latex(text)


def _to_latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _breakable(signature: str) -> str:
    """Return the signature with line breaks allowed between its parts."""
    return r"\textbar\allowbreak{}".join(
        rf"\texttt{{{_to_latex(part)}}}" for part in signature.split("|")
    )


# A pandas data frame.


def as_frame(report: Report) -> Any:
    """Return a `pandas.DataFrame` with a row for each system and metric.

    Raises:
        ImportError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "`to_pandas` needs pandas: `pip install pandas`. `to_dict` and "
            "`to_csv` need nothing."
        ) from error
    return pandas.DataFrame(report.records())


# Comma-separated values.


def as_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as CSV; None becomes an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


# Plain values for JSON.


def as_plain(report: Report) -> dict[str, Any]:
    """Return the numbers of each system by metric, None for unknown ones."""
    return {
        "baseline": report.baseline,
        "confidence": report.confidence,
        "lists": report.lists,
        "test": "two-sided paired t test over the lists",
        "correction": f"Holm, for {report.comparisons} comparisons",
        "notes": list(report.notes),
        "metrics": {
            c.name: {
                "signature": c.signature,
                "more_is_better": c.more_is_better,
            }
            for c in report.columns
        },
        "systems": {
            system: {
                c.name: cell.numbers()
                for c, cell in zip(report.columns, cells, strict=True)
            }
            for system, cells in report.rows()
        },
    }


# A matplotlib plot.

# Colours that are legible on white and on black.
_GREY, _BLUE = "#808080", "#4f86c6"
_COLOURS: _Marks = {"better": "#2a9d5c", "worse": "#d1495b"}


def plotted(report: Report, axes: Any = None) -> Any:
    """Plot the value of each system with its interval, a panel for each metric.

    Args:
        report: the table.
        axes: matplotlib axes, one for each metric; new ones by default.

    Returns:
        The axes; an array of them if there are several metrics.

    Raises:
        ImportError: if matplotlib is not installed.
        ValueError: if there are not as many axes as metrics.
    """
    axes = _new_axes(report) if axes is None else axes
    panels = list(getattr(axes, "flat", [axes]))
    if len(panels) != len(report.columns):
        raise ValueError(
            "`axes` should have an entry for each metric, "
            f"{len(report.columns)} in all. Received: {len(panels)}."
        )
    columns = zip(*report.cells, strict=True)
    for panel, measure, cells in zip(
        panels, report.columns, columns, strict=True
    ):
        _draw(panel, cells)
        panel.set_title(measure.name, color=_GREY, fontsize="medium")
        panel.set_yticks(range(len(cells)), labels=report.systems)
    return axes


def _new_axes(report: Report) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "`plot` needs matplotlib: `pip install matplotlib`. `print` and "
            "`to_markdown` need nothing."
        ) from error
    number = len(report.columns)
    size = (3.2 * number + 1.0, 0.4 * len(report.systems) + 1.1)
    figure, axes = pyplot.subplots(
        1, number, sharey=True, figsize=size, layout="constrained"
    )
    figure.patch.set_alpha(0.0)
    return axes


def _draw(panel: Any, cells: Sequence[Cell]) -> None:
    for row, cell in enumerate(cells):
        panel.errorbar(
            [cell.value],
            [row],
            xerr=[cell.margin],
            fmt="o",
            capsize=3,
            color=_COLOURS.get(cell.mark, _BLUE),
        )
    panel.set_ylim(len(cells) - 0.5, -0.5)
    panel.tick_params(colors=_GREY)
    panel.set_facecolor("none")
    panel.grid(axis="x", color=_GREY, alpha=0.3)
    for name, spine in panel.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(_GREY)
