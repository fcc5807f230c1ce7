"""The page of one screen: a picture, a table of ratios, five sentences."""

from collections.abc import Mapping, Sequence

from tests.benchmarks import ahead, gpu
from tests.benchmarks.circumstances import Circumstances
from tests.benchmarks.comparisons import Ratio
from tests.benchmarks.contenders import (
    COLLECTION,
    KERAS_RS,
    OURS,
    RAX,
    REFERENCE,
    TORCHMETRICS,
)
from tests.benchmarks.markdown import bullets, table
from tests.benchmarks.measurement import Run
from tests.benchmarks.modes import MODES
from tests.benchmarks.scenarios import SCENARIOS, is_batch
from tests.benchmarks.units import rounded

# Who is beside us wherever it takes part; of the others, who is furthest ahead.
NEAREST = (KERAS_RS, RAX, TORCHMETRICS)
PACKAGES = {"keras", OURS, *NEAREST, *(m.backend for m in MODES.values())}


def summary(
    runs: Sequence[Run],
    circumstances: Circumstances,
    full: str,
    picture: str = "",
) -> str:
    """The whole page.

    Args:
        full: the file of the full tables.
        picture: the file to show at the top, if there is one.
    """
    parts = [" on ".join(["# Benchmarks", *gpu.used(runs)])]
    if picture:
        parts.append(f"![How many times as long others take]({picture})")
    parts += [
        _ratios(runs),
        bullets(
            [
                _what(),
                circumstances.in_brief(runs, PACKAGES),
                _ranges(runs),
                ahead.sentence(OURS, "our plain list", runs),
                ahead.sentence(COLLECTION, "our `MetricCollection`", runs),
            ]
        ),
        f"[The full tables]({full}) have the numbers, of all contenders.",
    ]
    return "\n\n".join(parts) + "\n"


def _ratios(runs: Sequence[Run]) -> str:
    modes = [mode for mode in MODES if any(r.mode == mode for r in runs)]
    by_place = {(run.scenario, run.mode): run for run in runs}
    rows = (
        [name, *(_cell(by_place.get((name, mode))) for mode in modes)]
        for name in dict.fromkeys(run.scenario for run in runs)
    )
    header = ["ours / reference; others / ours"]
    header += [MODES[mode].title for mode in modes]
    return table(header, rows, left=range(len(header)))


def _cell(run: Run | None) -> str:
    """One scenario in one mode: we beside the reference, others beside us."""
    if run is None:
        return ""
    ours = run.of(OURS)
    if run.failure or (ours and ours.failure):
        return "failed"
    present = [m.contender for m in run.measurements]
    beside = Ratio(OURS, REFERENCE)
    is_compared = beside in SCENARIOS[run.scenario].comparisons(present)
    first = beside.of(run.values) if is_compared else ""
    peers = [
        f"{name} {text}"
        for name in _shown(run)
        if (text := Ratio(name, OURS).of(run.values))
    ]
    return "; ".join(filter(None, [first, ", ".join(peers)]))


def _shown(run: Run) -> list[str]:
    """Those beside us in the table."""
    leaders = [
        one
        for one in ahead.ahead_of(OURS, [run])
        if one.contender not in NEAREST and not one.has_head_start
    ]
    leaders.sort(key=lambda one: one.ratio)
    return [*NEAREST, *(one.contender for one in leaders[:1])]


def _what() -> str:
    return (
        "A [batch](benchmarking.md#what-is-measured) is timed until the "
        "results of all its metrics are numbers on the host, each ratio is the "
        "median of those within the rounds, and each mark of the picture is a "
        "package in one column of the table."
    )


def _ranges(runs: Sequence[Run]) -> str:
    """What the numbers of the batches say."""
    batches = [run for run in runs if is_batch(run.scenario)]
    ours = {OURS: "our plain list", COLLECTION: "our `MetricCollection`"}
    says = [
        _spans(ours, REFERENCE, "the reference", batches),
        _spans({n: n for n in NEAREST}, OURS, "our plain list", batches),
    ]
    if not any(says):
        return "No batch was measured in which we take part."
    return f"In the batches, {'; '.join(filter(None, says))}."


def _spans(
    titles: Mapping[str, str], other: str, beside: str, runs: Sequence[Run]
) -> str:
    """From where to where the ratios of some to another go."""
    spans = {
        title: span
        for name, title in titles.items()
        if (span := _span(Ratio(name, other), runs))
    }
    if not spans:
        return ""
    (first, span), *others = spans.items()
    return ", ".join(
        [
            f"{first} takes {span} times as long as {beside}",
            *(f"{title} {span}" for title, span in others),
        ]
    )


def _span(ratio: Ratio, runs: Sequence[Run]) -> str:
    """The least and the most, over all batches and modes."""
    values = [v for r in runs if (v := ratio.value(r.values)) is not None]
    if not values:
        return ""
    ends = rounded(min(values)), rounded(max(values))
    return " to ".join(dict.fromkeys(ends))
