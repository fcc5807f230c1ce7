"""Reports as text, Markdown, LaTeX, CSV, data frames and plots."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.engine.naming import as_table

# A plain table.

_WIDTH = 80  # the width of the notes; the table and signatures do not wrap
_TEXT_MARKS = {"better": "▲", "worse": "▼", "": " "}


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
    notes = [
        report.about_means(),
        report.about_marks(_TEXT_MARKS["better"], _TEXT_MARKS["worse"]),
        *report.notes,
    ]
    lines = (textwrap.fill(note, _WIDTH) for note in notes if note)
    signatures = [f"{c.name}: {c.signature}" for c in report.columns]
    return "\n".join([table, *lines, *signatures])


def _text_cell(cell: Cell, has_marks: bool) -> str:
    number = f"{cell.value:.4f}{cell.half_interval('±')}"
    return f"{number} {_TEXT_MARKS[cell.mark]}" if has_marks else number


# A table in GitHub's Markdown.


def as_markdown(report: Report) -> str:
    """Return the table with the best values in bold, and notes below it."""
    head = [
        "",
        *(_to_markdown(column.name) for column in report.columns),
    ]
    rule = ["---", *["---:"] * len(report.columns)]
    rows = [
        [_to_markdown(system), *map(_markdown_cell, cells)]
        for system, cells in report.rows()
    ]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    notes = [
        report.about_means() + " The best of each column is bold.",
        report.about_marks(_TEXT_MARKS["better"], _TEXT_MARKS["worse"]),
        *report.notes,
    ]
    notes = [_to_markdown(note) for note in notes if note]
    signatures = [
        f"- {_to_markdown(c.name)}: `{c.signature}`" for c in report.columns
    ]
    return "\n".join(
        [*lines, "", " ".join(notes), "", "Signatures:", "", *signatures]
    )


def _markdown_cell(cell: Cell) -> str:
    value = f"{cell.value:.4f}"
    if cell.best:
        value = f"**{value}**"
    return f"{value}{cell.half_interval('±')} {_TEXT_MARKS[cell.mark]}".rstrip()


def _to_markdown(text: str) -> str:
    for letter in "\\|*_`<[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


# A LaTeX table, for the package `booktabs`.

_LATEX_MARKS = {"better": "$^{+}$", "worse": "$^{-}$", "": "$^{\\phantom{+}}$"}
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
    caption = [
        report.about_means() + " The best of each column is bold.",
        report.about_marks("+", "-"),
        *report.notes,
    ]
    signatures = [
        f"{_first(column.name)}: {_breakable(column.signature)}"
        for column in report.columns
    ]
    labelled = [] if label is None else [rf"\label{{{label}}}"]
    names = [_to_latex(column.name) for column in report.columns]
    return "\n".join(
        [
            r"% In the preamble: \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_to_latex(' '.join(filter(None, caption)))}}}",
            *labelled,
            rf"\begin{{tabular}}{{l{'r' * len(report.columns)}}}",
            r"\toprule",
            " & ".join(["System", *names]) + r" \\",
            r"\midrule",
            *(
                " & ".join([_first(system), *map(_latex_cell, cells)]) + r" \\"
                for system, cells in report.rows()
            ),
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip",
            r"\raggedright\footnotesize Signatures.",
            *(rf"{line}\\" for line in signatures[:-1]),
            signatures[-1],
            r"\end{table}",
        ]
    )


def _latex_cell(cell: Cell) -> str:
    value = f"{cell.value:.4f}"
    if cell.best:
        value = rf"\textbf{{{value}}}"
    return value + _LATEX_MARKS[cell.mark] + cell.half_interval(r"$\pm$")


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
            column.name: {
                "signature": column.signature,
                "more_is_better": column.more_is_better,
            }
            for column in report.columns
        },
        "systems": {
            system: {
                column.name: cell.numbers()
                for column, cell in zip(report.columns, cells, strict=True)
            }
            for system, cells in report.rows()
        },
    }


# A matplotlib plot.

# Colours that are legible on white and on black.
_GREY = "#808080"
_COLOURS = {"better": "#2a9d5c", "worse": "#d1495b", "": "#4f86c6"}


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
    axes = _new(report) if axes is None else axes
    panels = list(getattr(axes, "flat", [axes]))
    if len(panels) != len(report.columns):
        raise ValueError(
            "`axes` should have an entry for each metric, "
            f"{len(report.columns)} in all. Received: {len(panels)}."
        )
    for place, panel in enumerate(panels):
        _draw(panel, report, place)
    return axes


def _new(report: Report) -> Any:
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


def _draw(panel: Any, report: Report, column: int) -> None:
    for row, (_, cells) in enumerate(report.rows()):
        _draw_cell(panel, row, cells[column])
    places = range(len(report.systems))
    panel.set_yticks(places, labels=report.systems)
    panel.set_ylim(len(report.systems) - 0.5, -0.5)
    panel.set_title(report.columns[column].name, color=_GREY, fontsize="medium")
    panel.tick_params(colors=_GREY)
    panel.set_facecolor("none")
    panel.grid(axis="x", color=_GREY, alpha=0.3)
    for name, spine in panel.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(_GREY)


def _draw_cell(panel: Any, row: int, cell: Cell) -> None:
    panel.errorbar(
        [cell.value],
        [row],
        xerr=[cell.margin],
        fmt="o",
        capsize=3,
        color=_COLOURS[cell.mark],
    )
