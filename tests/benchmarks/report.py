"""The numbers as Markdown."""

import datetime
import os
import pathlib
import platform
import statistics
from collections.abc import Iterable, Sequence

from tests.benchmarks.contenders import CONTENDERS, FLOOR, OURS
from tests.benchmarks.modes import MODES
from tests.benchmarks.scenarios import SCENARIOS
from tests.benchmarks.worker import Measurement, Run


def report(runs: Sequence[Run], command: str) -> str:
    """The whole report: the machine, then two tables for each scenario."""
    parts = ["# Benchmarks", _machine(runs, command)]
    for name in dict.fromkeys(run.scenario for run in runs):
        parts += _scenario([run for run in runs if run.scenario == name])
    return "\n\n".join(parts) + "\n"


def _machine(runs: Sequence[Run], command: str) -> str:
    versions: dict[str, str] = {}
    for run in runs:
        versions |= run.versions
    packages = ", ".join(f"{k} {v}" for k, v in sorted(versions.items()))
    cores = len(os.sched_getaffinity(0)) if _LINUX else os.cpu_count()
    today = datetime.date.today().isoformat()
    loads = [run.load for run in runs if not run.failure]
    busy = f"{min(loads):.1f} to {max(loads):.1f}" if loads else "unknown"
    sources = list(dict.fromkeys(run.source for run in runs if run.source))
    changed = "" if len(sources) < 2 else " (**changed between the modes**)"
    return "\n".join(
        [
            f"- Command: `{command}`, {today}",
            f"- Machine: {_processor()}, {cores} cores, {platform.system()}",
            f"- Load average: {busy}. Above 1 or so, other work was timed too.",
            f"- Versions: Python {platform.python_version()}, {packages}",
            f"- Source of {OURS}: {', '.join(sources) or 'none'}{changed}",
        ]
    )


_LINUX = hasattr(os, "sched_getaffinity")


def _processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _scenario(runs: Sequence[Run]) -> list[str]:
    scenario = SCENARIOS[runs[0].scenario]
    shapes = {f"{run.lists:,} x {run.items:,}" for run in runs}
    heading = f"## {scenario.name}: {' and '.join(sorted(shapes))}"
    metrics = ", ".join(scenario.metric_names)
    text = (
        f"{scenario.title.capitalize()}. {len(scenario.suite)} metrics, one "
        f"after the other: {metrics}. The floor is {scenario.floor_title}, "
        "nothing else. Milliseconds for one batch, medians; the ratios are "
        "medians of those of each round."
    )
    return [heading, text, _summary(runs), _details(runs)]


def _summary(runs: Sequence[Run]) -> str:
    present = {m.contender for run in runs for m in run.measurements}
    names = [name for name in CONTENDERS if name in present]
    peers = [name for name in names if name not in (FLOOR, OURS)]
    ratios = [(OURS, FLOOR)] if {OURS, FLOOR} <= present else []
    if OURS in present:
        ratios += [(peer, OURS) for peer in peers]
    rows = []
    for run in runs:
        found = {m.contender: m for m in run.measurements}
        cells = [_median_cell(run, found.get(name)) for name in names]
        cells += [_ratio(found.get(a), found.get(b)) for a, b in ratios]
        rows.append([MODES[run.mode].title, *cells])
    header = ["", *names, *(f"{a} / {b}" for a, b in ratios)]
    return _table(header, rows)


def _median_cell(run: Run, measurement: Measurement | None) -> str:
    if run.failure or (measurement and measurement.failure):
        return "failed"
    return _milliseconds(_median(measurement))


def _details(runs: Sequence[Run]) -> str:
    header = [
        *("mode", "contender", "median ms", "fastest ms", "slowest ms"),
        *("calls", "first call s", "results"),
    ]
    rows = []
    for run in runs:
        if run.failure:
            failed = f"**failed**: {_cell(run.failure)}"
            rows.append([run.mode, "all", *[""] * 5, failed])
        for m in run.measurements:
            if m.failure:
                failed = f"**failed**: {_cell(m.failure)}"
                rows.append([run.mode, m.contender, *[""] * 5, failed])
                continue
            times = (_median(m), min(m.seconds), max(m.seconds))
            rows.append(
                [
                    run.mode,
                    m.contender,
                    *(_milliseconds(t) for t in times),
                    str(len(m.seconds)),
                    _seconds(m.first_call),
                    m.check,
                ]
            )
    return _table(header, rows, left=(0, 1, 7))


def _median(measurement: Measurement | None) -> float | None:
    if measurement is None or measurement.failure or not measurement.seconds:
        return None
    return statistics.median(measurement.seconds)


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    value = seconds * 1e3
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def _ratio(a: Measurement | None, b: Measurement | None) -> str:
    """The median of the ratios in the rounds that both took part in.

    Not the ratio of the medians: a slow contender has few rounds, and on a busy
    machine the others' median would be of other moments.
    """
    if _median(a) is None or _median(b) is None:
        return ""
    pairs = zip(a.seconds, b.seconds, strict=False)
    ratio = statistics.median(above / below for above, below in pairs)
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Sequence[int] = (0,),
) -> str:
    ruler = ["---" if i in left else "--:" for i in range(len(header))]
    lines = [header, ruler, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
