"""All numbers as tables in Markdown: a section for each scenario."""

import statistics
from collections.abc import Iterable, Sequence

from tests.tools.benchmarks.circumstances import Circumstances
from tests.tools.benchmarks.comparisons import Comparison
from tests.tools.benchmarks.contenders import CONTENDERS
from tests.tools.benchmarks.markdown import bullets, table
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.ratios import ratios
from tests.tools.benchmarks.scenarios import SCENARIOS

READING = (
    "Values are medians of the rounds. `a / b` is the time or memory of `a` as "
    "a multiple of that of `b`: peers below 1 take less than we do."
)


def tables(
    runs: Sequence[Run], circumstances: Circumstances, rows: str = ""
) -> str:
    """The page of all tables.

    Args:
        rows: the file that has every measurement, if there is one.
    """
    parts = ["# Benchmarks: full tables", circumstances.listed(runs)]
    if rows:
        parts.append(f"[`{rows}`]({rows}) has a row for each measurement.")
    parts += [
        "## Contenders",
        _contenders(runs),
        "[Run the benchmarks](benchmarking.md) explains what is timed.",
        "## All ratios",
        READING,
        ratios(runs),
    ]
    for name in _distinct(run.scenario for run in runs):
        parts += _scenario([run for run in runs if run.scenario == name])
    return "\n\n".join(parts) + "\n"


def _scenario(runs: Sequence[Run]) -> list[str]:
    scenario = SCENARIOS[runs[0].scenario]
    present = _distinct(m.contender for run in runs for m in run.measurements)
    names = [name for name in scenario.contenders if name in present]
    sizes = " and ".join(_distinct(run.size for run in runs))
    parts = [
        f"## {scenario.name}: {sizes}",
        f"{scenario.about} {scenario.unit.name.capitalize()}.",
        _medians(runs, names),
    ]
    if comparisons := scenario.comparisons(names):
        parts.append(_comparisons(runs, comparisons))
        parts += filter(None, [scenario.reading])
    if remarks := _remarks(runs):
        parts.append(bullets(remarks))
    return parts


def _medians(runs: Sequence[Run], names: Sequence[str]) -> str:
    rows = (
        [_with_cover(name, runs), *(_median(run, name) for run in runs)]
        for name in names
    )
    return table(["", *_modes(runs)], rows)


def _comparisons(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> str:
    rows = (
        [comparison.title, *(comparison.of(run.values) for run in runs)]
        for comparison in comparisons
    )
    return table(["median ratio within rounds", *_modes(runs)], rows)


def _modes(runs: Sequence[Run]) -> list[str]:
    return [MODES[run.mode].title for run in runs]


def _with_cover(name: str, runs: Sequence[Run]) -> str:
    """The contender's name, and how much of the suite it has."""
    found = [run.of(name) for run in runs]
    covers = _distinct(m.covers for m in found if m is not None)
    return f"{name} ({', '.join(covers)})" if covers else name


def _median(run: Run, name: str) -> str:
    measurement = run.of(name)
    if run.failure or (measurement and measurement.failure):
        return "failed"
    values = run.values(name)
    if not values:
        return ""
    return SCENARIOS[run.scenario].unit.text(statistics.median(values))


def _remarks(runs: Sequence[Run]) -> list[str]:
    """What failed, and why; what else is to be known."""
    remarks = []
    for run in runs:
        if run.failure:
            remarks.append(f"{run.mode}: failed: {run.failure}")
        for m in run.measurements:
            says = [f"failed: {m.failure}"] if m.failure else []
            says = says or _distinct([m.head_start, m.note])
            if says:
                remarks.append(f"{m.contender}, {run.mode}: {'; '.join(says)}")
    return remarks


def _contenders(runs: Sequence[Run]) -> str:
    present = _distinct(m.contender for run in runs for m in run.measurements)
    return bullets(
        f"{name}: {CONTENDERS[name].about}"
        for name in CONTENDERS
        if name in present
    )


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each that is not empty, once, in the order in which they come."""
    return list(dict.fromkeys(filter(None, texts)))
