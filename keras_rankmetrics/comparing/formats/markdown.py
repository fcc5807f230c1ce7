"""A table of GitHub's Markdown."""

from __future__ import annotations

from keras_rankmetrics.comparing.formats.text import MARKS
from keras_rankmetrics.comparing.report import Cell, Report


def as_markdown(report: Report) -> str:
    """The table, the best of each column in bold, and notes below it."""
    head = ["", *(_escaped(column.name) for column in report.columns)]
    rule = ["---", *["---:"] * len(report.columns)]
    rows = [
        [_escaped(system), *map(_cell, cells)]
        for system, cells in report.rows()
    ]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    notes = [
        report.about_means() + " The best of each column is bold.",
        report.about_marks(MARKS["better"], MARKS["worse"]),
        *report.notes,
    ]
    notes = [_escaped(note) for note in notes if note]
    signatures = [
        f"- {_escaped(c.name)}: `{c.signature}`" for c in report.columns
    ]
    return "\n".join(
        [*lines, "", " ".join(notes), "", "Signatures:", "", *signatures]
    )


def _cell(cell: Cell) -> str:
    value = f"{cell.value:.4f}"
    if cell.best:
        value = f"**{value}**"
    return f"{value}{cell.half_interval('±')} {MARKS[cell.mark]}".rstrip()


def _escaped(text: str) -> str:
    for letter in "\\|*_`<[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")
