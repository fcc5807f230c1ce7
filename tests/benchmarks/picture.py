"""The numbers as a picture: a row for each scenario, a column for each mode."""

import pathlib
import statistics
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.contenders import CONTENDERS, OURS, REFERENCE
from tests.benchmarks.measurement import Run
from tests.benchmarks.modes import MODES
from tests.benchmarks.scenarios import SCENARIOS
from tests.benchmarks.units import Unit

Axes = Any  # of matplotlib, which is imported once there is something to draw.

BAR_INCHES, PANEL_INCHES, NAMES_INCHES = 0.2, 2.2, 2.2
REFERENCE_COLOUR, OUR_COLOUR, PEER_COLOUR = "#9a9a9a", "#d1495b", "#8fb8de"


def draw(runs: Sequence[Run], file: pathlib.Path) -> None:
    """Bars on a logarithmic scale, one scale in each row, as SVG."""
    from matplotlib import pyplot

    scenarios = list(dict.fromkeys(run.scenario for run in runs))
    modes = [mode for mode in MODES if any(run.mode == mode for run in runs)]
    names = [_names(scenario, runs) for scenario in scenarios]
    heights = [max(len(of_row), 1) + 2.5 for of_row in names]
    pyplot.rcParams.update(
        {
            "font.sans-serif": ["DejaVu Sans"],
            "font.size": 8,
            "svg.fonttype": "none",
            "svg.hashsalt": "",
        }
    )
    figure, grid = pyplot.subplots(
        len(scenarios),
        len(modes),
        squeeze=False,
        sharex="row",
        figsize=(
            NAMES_INCHES + PANEL_INCHES * len(modes),
            BAR_INCHES * sum(heights),
        ),
        height_ratios=heights,
        layout="constrained",
    )
    for row, scenario, of_row in zip(grid, scenarios, names, strict=True):
        unit = SCENARIOS[scenario].unit
        for axes, mode in zip(row, modes, strict=True):
            _draw_panel(axes, _medians(runs, scenario, mode), of_row, unit)
            axes.set_title(MODES[mode].title, fontsize=8)
        row[0].set_yticks(range(len(of_row)), of_row)
        row[0].set_title(
            f"{scenario}, {unit.name}\n",
            loc="left",
            fontsize=9,
            fontweight="bold",
        )
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def _draw_panel(
    axes: Axes, medians: dict[str, float], names: Sequence[str], unit: Unit
) -> None:
    """The bars of one scenario in one mode, the first name at the top."""
    from matplotlib import ticker

    there = [name for name in names if name in medians]
    values = [unit.scale * medians[name] for name in there]
    bars = axes.barh(
        [names.index(name) for name in there],
        values,
        color=[_colour(name) for name in there],
        height=0.75,
    )
    axes.bar_label(
        bars, [unit.text(medians[name]) for name in there], padding=2
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.NullLocator())
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.margins(x=0.35)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def _names(scenario: str, runs: Sequence[Run]) -> list[str]:
    """Those who have a number in some mode, in the order of the report."""
    present = {
        name
        for mode in {run.mode for run in runs}
        for name in _medians(runs, scenario, mode)
    }
    return [n for n in SCENARIOS[scenario].contenders if n in present]


def _medians(runs: Sequence[Run], scenario: str, mode: str) -> dict[str, float]:
    return {
        m.contender: statistics.median(m.values)
        for run in runs
        if (run.scenario, run.mode) == (scenario, mode)
        for m in run.measurements
        if m.values and not m.failure
    }


def _colour(name: str) -> str:
    if name == REFERENCE or name not in CONTENDERS:
        return REFERENCE_COLOUR
    return OUR_COLOUR if name.startswith(OURS) else PEER_COLOUR
