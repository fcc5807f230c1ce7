"""A plot of matplotlib."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.comparing.report import Cell, Report

# Legible on white and on black.
_GREY = "#808080"
_COLOURS = {"better": "#2a9d5c", "worse": "#d1495b", "": "#4f86c6"}


def plotted(report: Report, axes: Any = None) -> Any:
    """A panel for each metric: the value of each system with its interval.

    Args:
        report: what is shown.
        axes: of matplotlib, one for each metric; new ones by default.

    Returns:
        The axes: one, or an array where there are several metrics.

    Raises:
        ImportError: if matplotlib is not installed.
        ValueError: if there are not as many axes as metrics.
    """
    axes = _new(report) if axes is None else axes
    panels = list(getattr(axes, "flat", [axes]))
    if len(panels) != len(report.columns):
        raise ValueError(
            "`axes` should be one for each metric, "
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
