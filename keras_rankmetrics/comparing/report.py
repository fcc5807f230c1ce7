"""`Report`: the table of a comparison as plain values, for any format."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from keras_rankmetrics.comparing import statistics
from keras_rankmetrics.comparing.systems import Measure, Measured
from keras_rankmetrics.engine.aggregates.paired import Difference

Mark = Literal["better", "worse", ""]

_OF_DIFFERENCE = (
    "difference",
    "difference_error",
    "difference_margin",
    "t",
    "p",
    "p_corrected",
    "effect_size",
    "wins",
    "ties",
    "losses",
    "mark",
)


class Against(NamedTuple):
    """The comparison of a system to the baseline.

    Attributes:
        difference: the mean difference with its test. `p_holm` is corrected for
            all comparisons of the table.
        margin: half the confidence interval of the difference.
        mark: `"better"` or `"worse"` if `p_holm` is below the level.
    """

    difference: Difference
    margin: float
    mark: Mark


class Cell(NamedTuple):
    """The value of a metric for a system.

    Attributes:
        value: the mean over the lists.
        standard_error: the standard error of the value.
        margin: half the confidence interval of the value.
        lists: the number of valid lists.
        best: True if no system has a better value.
        against: the comparison to the baseline; None for the baseline itself.
    """

    value: float
    standard_error: float
    margin: float
    lists: int
    best: bool
    against: Against | None = None

    @property
    def mark(self) -> Mark:
        """The mark of a significant difference, empty without one."""
        return "" if self.against is None else self.against.mark

    def half_interval(self, sign: str) -> str:
        """Return the margin after a sign; an empty string if it is NaN."""
        return "" if math.isnan(self.margin) else f" {sign} {self.margin:.4f}"

    def numbers(self) -> dict[str, Any]:
        """Return all values by name, None for unknown ones."""
        found = self._asdict()
        del found["against"]
        found |= dict.fromkeys(_OF_DIFFERENCE)
        if self.against is not None:
            d, margin, mark = self.against
            values = d.estimate.value, d.estimate.standard_error, margin
            tests = d.t, d.p, d.p_holm, d.effect_size, d.wins, d.ties, d.losses
            found |= zip(_OF_DIFFERENCE, (*values, *tests, mark), strict=True)
        return {
            name: None if isinstance(x, float) and not math.isfinite(x) else x
            for name, x in found.items()
        }


@dataclasses.dataclass(frozen=True)
class Report:
    """A row for each system, and a column for each metric.

    Attributes:
        systems: the names of the rows.
        columns: the metrics.
        cells: the cells of each system, in the order of the metrics.
        baseline: the system to which the others are compared.
        confidence: the level of the intervals.
        lists: the number of lists.
        comparisons: the number of comparisons that p is corrected for.
        unjudged: sentences about systems few of whose items are judged.
        gaps: sentences about queries that a system or the truth lacks.
        untested: sentences about differences that a t test cannot judge.
    """

    systems: tuple[str, ...]
    columns: tuple[Measure, ...]
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
        """Sentences that a reader needs in addition to the numbers."""
        return (*self.unjudged, *self.untested, *self.gaps)

    def rows(self) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Return each system with its cells."""
        return zip(self.systems, self.cells, strict=True)

    def records(self) -> dict[str, list[Any]]:
        """Return columns with a row for each system and metric."""
        found: dict[str, list[Any]] = {"system": [], "metric": []}
        for system, cells in self.rows():
            for column, cell in zip(self.columns, cells, strict=True):
                row = {"system": system, "metric": column.name}
                row |= {**cell.numbers(), "signature": column.signature}
                for name, value in row.items():
                    found.setdefault(name, []).append(value)
        return found

    def about_means(self) -> str:
        """Return a sentence about the means and intervals."""
        counts = {cell.lists for row in self.cells for cell in row}
        number = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        if counts == {self.lists}:
            over = number
        else:
            ends = sorted({min(counts), max(counts)})
            some = " to ".join(f"{n:,}" for n in ends)
            over = f"the lists that count, {some} of {number}"
        interval = f"half the {_percent(self.confidence)} confidence interval"
        return f"Means over {over}; ± is {interval}."

    def about_marks(self, better: str, worse: str) -> str:
        """Return a sentence about the marks; an empty string if there are none.

        Args:
            better: the mark of a system that is better than the baseline.
            worse: the mark of a system that is worse.
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


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g}%"


# From the values of lists to a report.


def reported(measured: Measured, baseline: str, confidence: float) -> Report:
    """Return the table of the values.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: the level of the intervals.
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
        columns=measures,
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
    values = [
        e.value for e in found.estimates if e.lists and not math.isnan(e.value)
    ]
    best = (max if measure.more_is_better else min)(values, default=math.nan)
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
    mark: Mark = ""
    if d.p_holm < 1.0 - confidence:
        is_better = (d.estimate.value > 0) == measure.more_is_better
        mark = "better" if is_better else "worse"
    return Against(d, d.estimate.margin(confidence), mark)


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
