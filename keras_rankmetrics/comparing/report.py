"""The records of a report: columns, cells and marks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from keras_rankmetrics.comparing import statistics
from keras_rankmetrics.comparing.systems import Measure, Measured
from keras_rankmetrics.engine.aggregates.paired import Difference

# `Report`: the table of a comparison as plain values, for any format.

Mark = Literal["better", "worse", ""]


class Column(NamedTuple):
    """A metric of the table.

    Attributes:
        name: of the metric.
        signature: all that its numbers depend on.
        more_is_better: whether a higher value is a better one.
    """

    name: str
    signature: str
    more_is_better: bool


class Against(NamedTuple):
    """How a system compares to the baseline.

    Attributes:
        difference: the mean of value(system) - value(baseline) over the lists.
        difference_error: its standard error.
        difference_margin: half its confidence interval.
        t: the difference over its standard error.
        p: of the paired t test.
        p_corrected: the same, corrected for all comparisons of the table.
        effect_size: the difference over the standard deviation of differences.
        wins: on how many lists the system is better.
        ties: on how many it is as good.
        losses: on how many it is worse.
        mark: `"better"` or `"worse"`, where p_corrected is below the level.
    """

    difference: float
    difference_error: float
    difference_margin: float
    t: float
    p: float
    p_corrected: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    mark: Mark


class Cell(NamedTuple):
    """What a metric says of a system.

    Attributes:
        value: the mean over the lists.
        standard_error: of the value.
        margin: half the confidence interval of the value.
        lists: how many lists count.
        best: whether no system has a better value.
        against: how it compares to the baseline; None of the baseline.
    """

    value: float
    standard_error: float
    margin: float
    lists: int
    best: bool
    against: Against | None = None

    @property
    def mark(self) -> Mark:
        """Whether it differs from the baseline."""
        return "" if self.against is None else self.against.mark

    def half_interval(self, sign: str) -> str:
        """The margin after a sign; empty where it is not known."""
        is_known = not math.isnan(self.margin)
        return f" {sign} {self.margin:.4f}" if is_known else ""

    def numbers(self) -> dict[str, Any]:
        """All of it by name, None for what is not known."""
        own = self._asdict()
        del own["against"]
        nothing = dict.fromkeys(Against._fields)
        against = nothing if self.against is None else self.against._asdict()
        return {name: _known(x) for name, x in {**own, **against}.items()}


@dataclasses.dataclass(frozen=True)
class Report:
    """A row for each system, and a column for each metric.

    Attributes:
        systems: the names of the rows.
        columns: what is measured.
        cells: by system, and then by metric.
        baseline: the system to which the others are compared.
        confidence: of the intervals and of the test.
        lists: how many lists there are.
        comparisons: for how many comparisons p is corrected.
        unjudged: sentences about systems few of whose items are judged.
        gaps: sentences about queries that a system or the truth lacks.
        untested: sentences about differences that the t test cannot judge.
    """

    systems: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    baseline: str
    confidence: float
    lists: int
    comparisons: int
    unjudged: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know beside the numbers."""
        return (*self.unjudged, *self.untested, *self.gaps)

    def rows(self) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Each system with its cells."""
        return zip(self.systems, self.cells, strict=True)

    def records(self) -> dict[str, list[Any]]:
        """Columns with a row for each system and metric."""
        found: dict[str, list[Any]] = {"system": [], "metric": []}
        for system, cells in self.rows():
            for column, cell in zip(self.columns, cells, strict=True):
                row = {"system": system, "metric": column.name}
                row |= {**cell.numbers(), "signature": column.signature}
                for name, value in row.items():
                    found.setdefault(name, []).append(value)
        return found

    def about_means(self) -> str:
        """What the numbers are, in a sentence."""
        counts = {cell.lists for row in self.cells for cell in row}
        number = _number(self.lists, "list")
        if counts == {self.lists}:
            over = number
        else:
            some = " to ".join(f"{n:,}" for n in sorted(_ends(counts)))
            over = f"the lists that count, {some} of {number}"
        interval = f"half the {_percent(self.confidence)} confidence interval"
        return f"Means over {over}; ± is {interval}."

    def about_marks(self, better: str, worse: str) -> str:
        """What the marks mean, in a sentence; empty without comparisons.

        Args:
            better: the mark of what is better than the baseline.
            worse: that of what is worse.
        """
        if not self.comparisons:
            return ""
        level = _percent(1.0 - self.confidence)
        if self.comparisons == 1:
            correction = (
                "; it is the only comparison of this table, so nothing is "
                "corrected"
            )
        else:
            correction = (
                ", with the Holm correction for all "
                f"{self.comparisons} comparisons of this table"
            )
        return (
            f"{better} is better and {worse} is worse than {self.baseline}: "
            "two-sided paired t test over the lists, at the level of "
            f"{level}{correction}."
        )


def _ends(counts: set[int]) -> set[int]:
    return {min(counts), max(counts)}


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g}%"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _known(x: Any) -> Any:
    is_number = not isinstance(x, float) or math.isfinite(x)
    return x if is_number else None


# From values of lists to a `Report`.


def reported(measured: Measured, baseline: str, confidence: float) -> Report:
    """The table of what was measured.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: of the intervals, and of the test.
    """
    names, measures = list(measured.systems), measured.measures
    found = statistics.of_metrics(
        [system.values for system in measured.systems.values()],
        names,
        names.index(baseline),
        [measure.bounded for measure in measures],
        [measure.more_is_better for measure in measures],
    )
    columns = [
        _cells(of_metric, measure, names, confidence)
        for of_metric, measure in zip(found, measures, strict=True)
    ]
    return Report(
        systems=tuple(names),
        columns=tuple(
            Column(m.name, m.signature, m.more_is_better) for m in measures
        ),
        cells=tuple(zip(*columns, strict=True)),
        baseline=baseline,
        confidence=confidence,
        lists=len(measured.lists),
        comparisons=sum(
            not math.isnan(d.p) for of in found for d in of.differences
        ),
        unjudged=tuple(unjudged(measured)),
        gaps=tuple(_gaps(measured)),
        untested=tuple(_untested(found, measures)),
    )


def unjudged(measured: Measured) -> Iterator[str]:
    """Yield a sentence for each system few of whose items are judged."""
    for name, system in measured.systems.items():
        overlap = system.overlap
        if overlap.is_low:
            number = f"{overlap.judged:,}" if overlap.judged else "none"
            could = f", and {overlap.possible:,} could be" * bool(
                overlap.judged
            )
            yield (
                f"{name}: {number} of its {overlap.retrieved:,} retrieved "
                f"items are judged ({overlap.share:.2%}){could}. "
                f"{overlap.example}"
            )


def _cells(
    found: statistics.OfMetric,
    measure: Measure,
    names: list[str],
    confidence: float,
) -> list[Cell]:
    by_system = {d.system: d for d in found.differences}
    values = [e.value for e in found.estimates if e.lists]
    known = [value for value in values if not math.isnan(value)]
    best = (max if measure.more_is_better else min)(known, default=math.nan)
    return [
        Cell(
            value=e.value,
            standard_error=e.standard_error,
            margin=e.margin(confidence),
            lists=e.lists,
            best=e.value == best,
            against=_against(by_system.get(name), measure, confidence),
        )
        for name, e in zip(names, found.estimates, strict=True)
    ]


def _against(
    d: Difference | None, measure: Measure, confidence: float
) -> Against | None:
    if d is None:
        return None
    return Against(
        difference=d.estimate.value,
        difference_error=d.estimate.standard_error,
        difference_margin=d.estimate.margin(confidence),
        t=d.t,
        p=d.p,
        p_corrected=d.p_holm,
        effect_size=d.effect_size,
        wins=d.wins,
        ties=d.ties,
        losses=d.losses,
        mark=_mark(d, measure, confidence),
    )


def _mark(d: Difference, measure: Measure, confidence: float) -> Mark:
    if not d.p_holm < 1.0 - confidence:
        return ""
    is_better = (d.estimate.value > 0) == measure.more_is_better
    return "better" if is_better else "worse"


def _untested(
    found: Sequence[statistics.OfMetric], measures: Sequence[Measure]
) -> Iterator[str]:
    for of_metric, measure in zip(found, measures, strict=True):
        for d in of_metric.differences:
            if d.system in of_metric.without_spread:
                yield (
                    f"{d.system}: {measure.name} differs from that of "
                    f"{d.baseline} by {d.estimate.value:.4g} on each of "
                    f"{d.estimate.lists:,} lists. A t test needs differences "
                    "that vary, so there is no test, and no mark."
                )


def _gaps(measured: Measured) -> Iterator[str]:
    for name, system in measured.systems.items():
        missing, unknown = system.gaps
        if missing:
            yield (
                f"{name}: {missing:,} of {len(measured.lists):,} queries have "
                "no rows, and count as lists that retrieve nothing."
            )
        if unknown:
            yield (
                f"{name}: {unknown:,} of its queries are not in the truth, and "
                "are left out."
            )
