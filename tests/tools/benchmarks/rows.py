"""Every measurement as a row of a file."""

import csv
import io
import statistics
from collections.abc import Iterable

import numpy as np

from tests.tools.benchmarks.measurement import Measurement, Run
from tests.tools.benchmarks.scenarios import SCENARIOS
from tests.tools.benchmarks.units import Unit

HEADER = (
    *("scenario", "mode", "contender", "unit"),
    *("median", "least", "most", "rounds", "covers", "results"),
    *("head start", "note", "failure", "values"),
)


def as_csv(runs: Iterable[Run]) -> str:
    """A row for each contender in each scenario and mode."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_row(run, m) for run in runs for m in run.measurements)
    return file.getvalue()


def _row(run: Run, measurement: Measurement) -> list[str]:
    unit = SCENARIOS[run.scenario].unit
    return [
        run.scenario,
        run.mode,
        measurement.contender,
        unit.name,
        *_summary(measurement.values, unit),
        str(len(measurement.values)),
        measurement.covers,
        measurement.check,
        measurement.head_start,
        measurement.note,
        run.failure or measurement.failure,
        " ".join(_plain(value, unit) for value in measurement.values),
    ]


def _summary(values: list[float], unit: Unit) -> list[str]:
    """The median, the least and the most."""
    if not values:
        return ["", "", ""]
    of_values = (statistics.median(values), min(values), max(values))
    return [_plain(value, unit) for value in of_values]


def _plain(value: float, unit: Unit) -> str:
    """For programs: four digits that mean something, and no comma."""
    return np.format_float_positional(
        value * unit.scale, precision=4, fractional=False, trim="-"
    )
