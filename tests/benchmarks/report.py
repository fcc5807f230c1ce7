"""The numbers as Markdown."""

import datetime
import platform
import statistics
from collections.abc import Iterable, Sequence

from tests.benchmarks import machine
from tests.benchmarks.contenders import CONTENDERS, OURS
from tests.benchmarks.markdown import bullets, table
from tests.benchmarks.measurement import Measurement, Run
from tests.benchmarks.modes import MODES
from tests.benchmarks.scenarios import SCENARIOS


def report(runs: Sequence[Run], command: str, picture: str = "") -> str:
    """The whole report.

    Args:
        picture: the file to show at the top, if there is one.
    """
    accelerators = _distinct(run.accelerator for run in runs)
    parts = [" on ".join(["# Benchmarks", *accelerators])]
    parts.append(_circumstances(runs, command))
    if picture:
        parts.append(
            f"![Bars for each contender, scenario and mode]({picture})"
        )
        parts.append("The scale is logarithmic, and one for each scenario.")
    parts += [
        "## Who is who",
        _contenders(runs),
        "[What is timed, what is not, and how](benchmarking.md).",
    ]
    for name in _distinct(run.scenario for run in runs):
        parts += _scenario([run for run in runs if run.scenario == name])
    parts += [
        "## Every measurement",
        f"The results agree with those of {OURS} to the part of their size "
        "that is stated.",
        _details(runs),
    ]
    return "\n\n".join(parts) + "\n"


def _circumstances(runs: Sequence[Run], command: str) -> str:
    versions: dict[str, str] = {}
    for run in runs:
        versions |= run.versions
    packages = ", ".join(f"{k} {v}" for k, v in sorted(versions.items()))
    today = datetime.date.today().isoformat()
    loads = [run.load for run in runs if not run.failure]
    busy = f"{min(loads):.1f} to {max(loads):.1f}" if loads else "unknown"
    sources = _distinct(run.source for run in runs)
    changed = "" if len(sources) < 2 else " (**changed on the way**)"
    on = [machine.in_words(), *_distinct(run.accelerator for run in runs)]
    return bullets(
        [
            f"Command: `{command}`, {today}",
            f"Machine: {'; '.join(on)}",
            f"Load average: {busy}. Above the number of cores, other work was "
            "timed too.",
            f"Versions: Python {platform.python_version()}, {packages}",
            f"Source of {OURS}: {', '.join(sources) or 'none'}{changed}",
        ]
    )


def _scenario(runs: Sequence[Run]) -> list[str]:
    scenario = SCENARIOS[runs[0].scenario]
    unit = scenario.unit
    present = _distinct(m.contender for run in runs for m in run.measurements)
    names = [name for name in scenario.contenders if name in present]
    comparisons = scenario.comparisons(names)
    modes = [MODES[run.mode].title for run in runs]
    parts = [
        f"## {scenario.name}: {' and '.join(_distinct(r.size for r in runs))}",
        f"{scenario.about} {unit.name.capitalize()}, medians of the rounds.",
        table(
            ["", *modes],
            [
                [_with_cover(name, runs), *(_median(r, name) for r in runs)]
                for name in names
            ],
        ),
    ]
    if comparisons:
        rows = [
            [comparison.title]
            + [
                comparison.of(
                    _values(run, comparison.one), _values(run, comparison.other)
                )
                for run in runs
            ]
            for comparison in comparisons
        ]
        parts.append(table(["medians within the rounds", *modes], rows))
        parts.append(scenario.reading)
    if remarks := _remarks(runs):
        parts.append(bullets(remarks))
    return parts


def _with_cover(name: str, runs: Sequence[Run]) -> str:
    """The contender's name, and how much of the suite it has."""
    found = [run.of(name) for run in runs]
    covers = _distinct(m.covers for m in found if m is not None)
    return f"{name} ({', '.join(covers)})" if covers else name


def _median(run: Run, name: str) -> str:
    measurement = run.of(name)
    if run.failure or (measurement and measurement.failure):
        return "failed"
    values = _values(run, name)
    if not values:
        return ""
    return SCENARIOS[run.scenario].unit.text(statistics.median(values))


def _values(run: Run, name: str) -> list[float]:
    """One value per round; none, if anything went wrong."""
    measurement = run.of(name)
    if measurement is None or measurement.failure or run.failure:
        return []
    return measurement.values


def _remarks(runs: Sequence[Run]) -> list[str]:
    """What failed, and why; what else is to be known."""
    remarks = []
    for run in runs:
        if run.failure:
            remarks.append(f"{run.mode}: failed: {run.failure}")
        for m in run.measurements:
            if m.failure:
                remarks.append(
                    f"{m.contender}, {run.mode}: failed: {m.failure}"
                )
            elif m.note:
                remarks.append(f"{m.contender}, {run.mode}: {m.note}")
    return remarks


def _contenders(runs: Sequence[Run]) -> str:
    present = _distinct(m.contender for run in runs for m in run.measurements)
    return bullets(
        f"{name}: {CONTENDERS[name].about}"
        for name in CONTENDERS
        if name in present
    )


def _details(runs: Sequence[Run]) -> str:
    header = [
        *("scenario", "mode", "contender"),
        *("median", "least", "most", "unit", "rounds", "results"),
    ]
    rows = [
        [run.scenario, run.mode, m.contender, *_summary(run, m)]
        for run in runs
        for m in run.measurements
        if m.values and not m.failure
    ]
    return table(header, rows, left=(0, 1, 2, 6, 8))


def _summary(run: Run, measurement: Measurement) -> list[str]:
    unit = SCENARIOS[run.scenario].unit
    values = measurement.values
    of_values = (statistics.median(values), min(values), max(values))
    return [
        *map(unit.text, of_values),
        unit.name,
        str(len(values)),
        measurement.check,
    ]


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each that is not empty, once, in the order in which they come."""
    return list(dict.fromkeys(filter(None, texts)))
