"""Reports as text, Markdown, LaTeX, CSV and data frames."""

from __future__ import annotations

import csv
import io
import textwrap
from typing import Any

from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.engine.naming.signature import as_table

# Comma-separated values.


def as_csv(report: Report) -> str:
    """A row for each system and metric. What is not known is empty."""
    columns = report.records()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


# A table of LaTeX, for the package `booktabs`.

_MARKS = {"better": "$^{+}$", "worse": "$^{-}$", "": "$^{\\phantom{+}}$"}
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
    """A `table` with its caption, and the signatures below.

    Args:
        report: what is shown.
        label: of the table, for references; none by default.
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
    return value + _MARKS[cell.mark] + cell.half_interval(r"$\pm$")


def _first(text: str) -> str:
    r"""Of a line: `\\` reads `[` and `*` that follow it as its own."""
    return ("{}" if text.startswith(("[", "*")) else "") + _to_latex(text)


def _to_latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _breakable(signature: str) -> str:
    """A line may end where a part of the signature does."""
    return r"\textbar\allowbreak{}".join(
        rf"\texttt{{{_to_latex(part)}}}" for part in signature.split("|")
    )


# A table of text.

_WIDTH = 80  # of the notes; the table and signatures take what they need
MARKS = {"better": "▲", "worse": "▼", "": " "}


def as_text(report: Report) -> str:
    """The table, and below it what it shows and the signatures."""
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
        report.about_marks(MARKS["better"], MARKS["worse"]),
        *report.notes,
    ]
    lines = (textwrap.fill(note, _WIDTH) for note in notes if note)
    signatures = [f"{c.name}: {c.signature}" for c in report.columns]
    return "\n".join([table, *lines, *signatures])


def _text_cell(cell: Cell, has_marks: bool) -> str:
    number = f"{cell.value:.4f}{cell.half_interval('±')}"
    return f"{number} {MARKS[cell.mark]}" if has_marks else number


# A table of GitHub's Markdown.


def as_markdown(report: Report) -> str:
    """The table, the best of each column in bold, and notes below it."""
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
        report.about_marks(MARKS["better"], MARKS["worse"]),
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
    return f"{value}{cell.half_interval('±')} {MARKS[cell.mark]}".rstrip()


def _to_markdown(text: str) -> str:
    for letter in "\\|*_`<[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


# A frame of pandas.


def as_frame(report: Report) -> Any:
    """A `pandas.DataFrame` with a row for each system and metric.

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


# Plain values, as JSON has them.


def as_plain(report: Report) -> dict[str, Any]:
    """The numbers of each system by metric. None stands for an unknown one."""
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
