"""The batches as a picture: how many times as long as our plain list."""

import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from tests.tools.benchmarks.comparisons import Ratio
from tests.tools.benchmarks.contenders import OURS
from tests.tools.benchmarks.marks import MARKS, OUR_COLOUR, Mark
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.scenarios import is_batch
from tests.tools.benchmarks.scheme import LIGHT, follow_the_scheme

# Of matplotlib, which is imported once there is something to draw.
Figure = Any
Axes = Any

# On a phone the width is 360 pixels: there a letter is 12 pixels high.
WIDTH_INCHES, ROW_INCHES, REST_INCHES, POINTS = 480 / 72, 0.38, 1.75, 16
STYLE = {
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": POINTS,
    "text.color": LIGHT,
    "axes.labelcolor": LIGHT,
    "xtick.labelcolor": LIGHT,
    "ytick.labelcolor": LIGHT,
    "svg.fonttype": "none",
    "svg.hashsalt": "",
}
GRID_COLOUR = "#7d808780"


def draw(runs: Sequence[Run], file: pathlib.Path) -> bool:
    """A row for each batch, one logarithmic axis, as SVG without background.

    Returns:
        Whether there was anything to draw.
    """
    from matplotlib import pyplot

    scenarios = [
        name
        for name in dict.fromkeys(run.scenario for run in runs)
        if is_batch(name) and any(_points(runs, name))
    ]
    if not scenarios:
        return False
    height = REST_INCHES + ROW_INCHES * len(scenarios)
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(
            figsize=(WIDTH_INCHES, height), layout="constrained"
        )
        for row, scenario in enumerate(scenarios):
            for mark, ratio in _points(runs, scenario):
                _dot(axes, mark, [ratio], [row])
        _draw_axes(axes, scenarios)
        _draw_legend(figure, axes)
        figure.savefig(file, transparent=True, metadata={"Date": None})
        pyplot.close(figure)
    follow_the_scheme(file)
    return True


def _points(runs: Sequence[Run], scenario: str) -> Iterator[tuple[Mark, float]]:
    """All who begin where we do, in all modes."""
    for run in runs:
        for mark in MARKS:
            for name in mark.contenders:
                measurement = run.of(name)
                ratio = Ratio(name, OURS).value(run.values)
                if (
                    run.scenario == scenario
                    and measurement
                    and not measurement.head_start
                    and ratio is not None
                ):
                    yield mark, ratio


def _dot(axes: Axes, mark: Mark, x: Sequence[float], y: Sequence[float]) -> Any:
    return axes.plot(
        x,
        y,
        linestyle="",
        marker=mark.shape,
        markersize=11,
        markeredgewidth=2,
        markeredgecolor=mark.colour,
        markerfacecolor=mark.colour if mark.is_filled else "none",
    )[0]


def _draw_axes(axes: Axes, scenarios: Sequence[str]) -> None:
    from matplotlib import ticker

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("times as long as our plain list")
    axes.set_yticks(range(len(scenarios)), scenarios)
    axes.set_ylim(len(scenarios) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.grid(color=GRID_COLOUR)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)


def _draw_legend(figure: Figure, axes: Axes) -> None:
    ours = axes.axvline(1, color=OUR_COLOUR, linewidth=4, zorder=1)
    others = [_dot(axes, mark, [], []) for mark in MARKS]
    figure.legend(
        [ours, *others],
        [OURS, *(mark.name for mark in MARKS)],
        loc="outside upper center",
        ncols=3,
        frameon=False,
        handletextpad=0.3,
        columnspacing=0.8,
        handlelength=1,
    )
