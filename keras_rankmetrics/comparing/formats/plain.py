"""Plain values, as JSON has them."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.comparing.report import Report


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
