"""Comma-separated values."""

from __future__ import annotations

import csv
import io

from keras_rankmetrics.comparing.report import Report


def as_csv(report: Report) -> str:
    """A row for each system and metric. What is not known is empty."""
    columns = report.records()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
