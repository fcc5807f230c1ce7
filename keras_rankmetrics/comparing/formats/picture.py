"""A plot of matplotlib."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.comparing.report import Report


def plotted(report: Report, axes: Any = None) -> Any:
    raise NotImplementedError
