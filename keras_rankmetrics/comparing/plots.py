"""Plots of results with matplotlib, which is imported once one is drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import Cell, Report
from keras_rankmetrics.comparing.table_formats import imported

# Colours that are legible on white and on black.
_GREY, _BLUE = "#808080", "#4f86c6"
_COLOURS: Mapping[str | None, str] = {"better": "#2a9d5c", "worse": "#d1495b"}
_LINES = (_BLUE, "#c2710c", "#2a9d5c", "#d1495b", "#8d6cab", _GREY)
_DASHES = ("-", "--", ":", "-.")
# A signature with a cutoff: the metric, the cutoff and the options.
_CUTOFF = re.compile(r"(\w+)@(\d+)(\|.*)?")
# Cutoffs of which the highest is so many times the lowest have a log axis.
_WIDE = 20


def values_plotted(report: Report, axes: Any = None) -> Any:
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
    number = len(report.statistics)
    size = (3.2, 0.4 * len(report.systems) + 1.1)
    if axes is None:
        axes = _new_axes("plot", number, size, sharey=True)
    columns = zip(*report.cells, strict=True)
    panels = _panels(axes, number, "metric")
    for panel, name, cells in zip(panels, report.names, columns, strict=True):
        _style(panel, name, "x")
        for row, cell in enumerate(cells):
            colour = _COLOURS.get(cell.mark, _BLUE)
            error = [[each] for each in _error(cell)]
            bar = {"fmt": "o", "capsize": 3, "color": colour}
            panel.errorbar([cell.value], [row], xerr=error, **bar)
        panel.set_ylim(len(cells) - 0.5, -0.5)
        panel.set_yticks(range(len(cells)), labels=report.systems)
    return axes


def cutoffs_plotted(report: Report, axes: Any = None) -> Any:
    """Plot the value of each system by cutoff, a panel for each metric.

    Args:
        report: the table.
        axes: matplotlib axes, one for each metric with cutoffs; new ones by
            default.

    Returns:
        The axes; an array of them if there are several such metrics.

    Raises:
        ImportError: if matplotlib is not installed.
        ValueError: if no metric has two cutoffs, or there are not as many axes
            as such metrics.
    """
    metrics = _by_cutoff(report)
    if axes is None:
        axes = _new_axes("plot_cutoffs", len(metrics), (4.2, 3.0))
    panels = _panels(axes, len(metrics), "metric with cutoffs")
    for panel, (name, places) in zip(panels, metrics, strict=True):
        _style(panel, name, "y")
        cutoffs = sorted(places)
        lines = []
        for row, (_, *cells) in enumerate(report.rows()):
            found = [cells[places[k]] for k in cutoffs]
            colour = _LINES[row % len(_LINES)]
            below, above = zip(*map(_error, found), strict=True)
            values = np.array([cell.value for cell in found])
            band = values - below, values + above
            dashes = _DASHES[row // len(_LINES) % len(_DASHES)]
            style = {"color": colour, "marker": "o", "linestyle": dashes}
            lines += panel.plot(cutoffs, values, **style)
            panel.fill_between(cutoffs, *band, color=colour, alpha=0.2, lw=0)
        if cutoffs[-1] > _WIDE * cutoffs[0]:
            panel.set_xscale("log")
        panel.set_xticks(cutoffs, labels=map(str, cutoffs), minor=False)
        panel.set_xticks([], minor=True)
        panel.set_xlabel("k", color=_GREY)
        if len(lines) > 1:
            _legend(panel, lines, report.systems)
    return axes


def lists_plotted(measured: Measured, baseline: str, axes: Any = None) -> Any:
    """Plot the difference of each list from the baseline, the highest first.

    There is a row of panels for each other system, and a column for each
    metric. Lists that do not count for both systems are left out.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        axes: matplotlib axes, one for each panel; new ones by default.

    Returns:
        The axes; an array of them if there are several panels.

    Raises:
        ImportError: if matplotlib is not installed.
        ValueError: if there is no other system, or there are not as many axes
            as panels.
    """
    others = [name for name in measured.systems if name != baseline]
    if not others:
        raise ValueError(
            "`plot_lists` should compare two systems. Received: one, "
            f"{baseline!r}. Pass both to `compare`, or `join` a saved result."
        )
    shape = len(others), len(measured.metrics)
    if axes is None:
        axes = _new_axes("plot_lists", shape[1], (3.6, 2.6), rows=shape[0])
    panels = _panels(axes, shape[0] * shape[1], "other system and metric")
    first = measured.systems[baseline]
    cells = np.ndindex(shape)
    for panel, (row, place) in zip(panels, cells, strict=True):
        metric, other = measured.metrics[place], measured.systems[others[row]]
        both = first.valid[place] & other.valid[place]
        found = (other.values[place] - first.values[place])[both]
        _style(panel, f"{metric.name}: {others[row]} - {baseline}", "y")
        _draw_differences(panel, -np.sort(-found), metric.more_is_better)
    return axes


def _draw_differences(
    panel: Any, found: np.ndarray, more_is_better: bool
) -> None:
    """Draw differences in order, those that are better in another colour."""
    better = found > 0 if more_is_better else found < 0
    worse = found < 0 if more_is_better else found > 0
    areas, labels = [], []
    for mark, chosen in (("better", better), ("worse", worse)):
        heights, x = np.where(chosen, found, 0.0), np.arange(len(found) + 1)
        areas.append(panel.stairs(heights, x, fill=True, color=_COLOURS[mark]))
        labels.append(f"{mark} on {chosen.sum():,} lists")
    _legend(panel, areas, labels)
    unknown = int(np.isnan(found).sum())
    note = f", NaN on {unknown:,}" if unknown else ""
    panel.set_xlabel(f"{len(found):,} lists{note}", color=_GREY)


def _by_cutoff(report: Report) -> list[tuple[str, dict[int, int]]]:
    """Return the name of each metric, and the column of each cutoff."""
    found: dict[tuple[str, ...], tuple[str, dict[int, int]]] = {}
    for place, statistic in enumerate(report.statistics):
        if match := _CUTOFF.fullmatch(statistic.signature):
            metric, k, options = match.groups("")
            key = statistic.kind, str(statistic.option), metric, options
            name = re.sub(
                rf"(?<=[@_]){k}(?![\d.])", "k", statistic.name, count=1
            )
            title = name if name != statistic.name else f"{metric}@k"
            found.setdefault(key, (title, {}))[1][int(k)] = place
    several = [(title, each) for title, each in found.values() if len(each) > 1]
    if not several:
        raise ValueError(
            "`plot_cutoffs` should have a metric at several cutoffs. Received: "
            f"{report.names}. Pass such as `NDCG.at(1, 5, 10)`."
        )
    return several


def _error(cell: Cell) -> tuple[float, float]:
    """Return the lengths of the interval below and above the value."""
    low, high = cell.interval
    return cell.value - low, high - cell.value


def _new_axes(
    method: str,
    columns: int,
    size: tuple[float, float],
    rows: int = 1,
    sharey: bool = False,
) -> Any:
    """Return new axes, each of that size in inches."""
    instead = "`print` and `to_markdown` need"
    pyplot = imported("matplotlib.pyplot", method, instead)
    figure, axes = pyplot.subplots(
        rows,
        columns,
        sharey=sharey,
        figsize=(size[0] * columns + 1.0, size[1] * rows),
        layout="constrained",
    )
    figure.patch.set_alpha(0.0)
    return axes


def _panels(axes: Any, number: int, each: str) -> Sequence[Any]:
    """Return the axes as a list.

    Raises:
        ValueError: if there are not that many.
    """
    panels = list(getattr(axes, "flat", [axes]))
    if len(panels) != number:
        raise ValueError(
            f"`axes` should have an entry for each {each}, {number} in all. "
            f"Received: {len(panels)}. Leave `axes` out for new ones."
        )
    return panels


def _legend(panel: Any, artists: Sequence[Any], labels: Sequence[str]) -> None:
    style = {"frameon": False, "labelcolor": _GREY, "fontsize": "small"}
    panel.legend(artists, labels, **style)


def _style(panel: Any, title: str, grid: str) -> None:
    panel.set_title(title, color=_GREY, fontsize="medium")
    panel.tick_params(colors=_GREY)
    panel.set_facecolor("none")
    panel.grid(axis=grid, color=_GREY, alpha=0.3)
    panel.set_axisbelow(True)
    shown = ("bottom",) if grid == "x" else ("bottom", "left")
    for name, spine in panel.spines.items():
        spine.set_visible(name in shown)
        spine.set_color(_GREY)
