"""A table of text."""

from __future__ import annotations

import textwrap

from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.engine.naming.tables import as_table

_WIDTH = 80  # of the notes; the table and signatures take what they need
MARKS = {"better": "▲", "worse": "▼", "": " "}


def as_text(report: Report) -> str:
    """The table, and below it what it shows and the signatures."""
    has_marks = report.comparisons > 0
    room = "  " if has_marks else ""
    table = as_table(
        ("", *(column.name + room for column in report.columns)),
        [
            (system, *(_cell(cell, has_marks) for cell in cells))
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


def _cell(cell: Cell, has_marks: bool) -> str:
    number = f"{cell.value:.4f}{cell.half_interval('±')}"
    return f"{number} {MARKS[cell.mark]}" if has_marks else number
