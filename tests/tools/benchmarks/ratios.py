"""The table of ratios on the page: scenarios down, modes across."""

import dataclasses
from collections.abc import Mapping, Sequence

from tests.tools.benchmarks.comparisons import Ratio
from tests.tools.benchmarks.contenders import (
    KERAS_RS,
    OURS,
    PEERS,
    RAX,
    REFERENCE,
    TORCHMETRICS,
)
from tests.tools.benchmarks.markdown import table
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.scenarios import SCENARIOS
from tests.tools.benchmarks.units import ratio

# Who is beside us wherever it takes part.
NEAREST = (KERAS_RS, RAX, TORCHMETRICS)
OTHERS = tuple(name for name in PEERS if name not in NEAREST)
BETWEEN, NOTHING = " · ", "–"
# A cell stays on one line.
UNBROKEN = BETWEEN.replace(" ", "\N{NO-BREAK SPACE}")


@dataclasses.dataclass(frozen=True)
class Place:
    """One of the numbers of each cell in a column.

    Args:
        title: what the head of the column says.
        contenders: of whom the cell has the one that takes least.
        other: beside whom.
    """

    title: str
    contenders: tuple[str, ...]
    other: str = OURS

    def value(self, run: Run) -> float | None:
        """The least ratio of those who begin where we do."""
        values = [
            value
            for name in self.contenders
            if (value := _ratio(run, name, self.other)) is not None
        ]
        return min(values, default=None)


PLACES = (
    Place("ours", (OURS,), REFERENCE),
    *(Place(name, (name,)) for name in NEAREST),
    Place("best other", OTHERS),
)


def ratios(runs: Sequence[Run]) -> str:
    """The table."""
    by_place = {(run.scenario, run.mode): run for run in runs}
    modes = [mode for mode in MODES if any(run.mode == mode for run in runs)]
    columns = {mode: _places(runs, mode) for mode in modes}
    rows = (
        [name, *_row(name, columns, by_place)]
        for name in dict.fromkeys(run.scenario for run in runs)
    )
    titles = [
        f"{MODES[mode].title}: {BETWEEN.join(p.title for p in places)}"
        for mode, places in columns.items()
    ]
    return table([f"ours / reference{BETWEEN}others / ours", *titles], rows)


def _row(
    scenario: str,
    columns: Mapping[str, Sequence[Place]],
    by_place: Mapping[tuple[str, str], Run],
) -> list[str]:
    return [
        _cell(by_place[scenario, mode], places)
        if (scenario, mode) in by_place
        else ""
        for mode, places in columns.items()
    ]


def _cell(run: Run, places: Sequence[Place]) -> str:
    ours = run.of(OURS)
    if run.failure or (ours and ours.failure):
        return "failed"
    values = [place.value(run) for place in places]
    return UNBROKEN.join(NOTHING if v is None else ratio(v) for v in values)


def _places(runs: Sequence[Run], mode: str) -> list[Place]:
    """Those that have a number in some scenario."""
    of_mode = [run for run in runs if run.mode == mode]
    return [
        place
        for place in PLACES
        if any(place.value(run) is not None for run in of_mode)
    ]


def _ratio(run: Run, name: str, other: str) -> float | None:
    """Where the scenario compares the two, and neither had a head start."""
    measurement = run.of(name)
    if measurement is None or measurement.head_start:
        return None
    present = [m.contender for m in run.measurements]
    compared = Ratio(name, other)
    is_compared = compared in SCENARIOS[run.scenario].comparisons(present)
    return compared.value(run.values) if is_compared else None
