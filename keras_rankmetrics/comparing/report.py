"""`Report`: the table of a comparison as plain values, for any format."""

from __future__ import annotations

import collections
import dataclasses
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from keras_rankmetrics.comparing.measured import Column, Measured
from keras_rankmetrics.comparing.statistics import differences_of
from keras_rankmetrics.engine.aggregates import Estimate, paired
from keras_rankmetrics.engine.aggregates.estimate import is_symmetric

Entry = TypeVar("Entry")
Mark = Literal["better", "worse", ""]
POWER = 0.8  # of the differences that a table calls detectable


class Cell(NamedTuple):
    """The value of a metric for a system, compared to the baseline.

    The fields from `difference` on are None for the baseline itself.

    Attributes:
        value: the mean over the lists.
        standard_error: the standard error of the value.
        low: the lower end of the confidence interval of the value.
        high: its upper end.
        margin: half its length.
        lists: the number of valid lists.
        best: True if no system has a better value, and there are several.
        difference: the mean difference to the baseline.
        difference_error: the standard error of the difference.
        difference_margin: half the confidence interval of the difference.
        t: the difference divided by its standard error.
        p: the two-sided p value of t.
        p_corrected: p, corrected for all comparisons of the table.
        effect_size: the difference divided by the standard deviation of the
            differences.
        wins: the number of lists on which the system is better.
        ties: the number of lists on which both are equal.
        losses: the number of lists on which the system is worse.
        mark: `"better"` or `"worse"` if `p_corrected` is below the level.
        detectable: the smallest true difference that so many lists detect 80%
            of the time, in an interval of the table's level; NaN if all lists
            have the same difference.
    """

    value: float
    standard_error: float
    low: float
    high: float
    margin: float
    lists: int
    best: bool
    difference: float | None = None
    difference_error: float | None = None
    difference_margin: float | None = None
    t: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    effect_size: float | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    mark: Mark | None = None
    detectable: float | None = None

    def numbers(self) -> dict[str, Any]:
        """Return all values by name, None for unknown ones."""
        return {
            name: None if isinstance(x, float) and not math.isfinite(x) else x
            for name, x in self._asdict().items()
        }


@dataclasses.dataclass(frozen=True)
class Report:
    """A row for each system and group, and a column for each metric.

    Attributes:
        keys: the system and the group of each row; the group is empty in rows
            over all lists.
        columns: the metrics.
        cells: the cells of each row, in the order of the metrics.
        baseline: the system to which the others are compared.
        confidence: the level of the intervals.
        lists: the number of lists.
        comparisons: the number of comparisons that p is corrected for.
        estimates: the estimate of each cell, in the same order.
        sizes: the number of lists of each group.
        unjudged: sentences about systems few of whose items are judged.
        gaps: sentences about queries that a system or the truth lacks, about
            dropped items, and about the columns that were read.
        untested: sentences about differences that a t test cannot judge.
    """

    keys: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    baseline: str
    confidence: float
    lists: int
    comparisons: int
    estimates: tuple[tuple[Estimate, ...], ...] = ()
    sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    unjudged: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader needs in addition to the numbers."""
        return (*self.unjudged, *self.untested, *self.gaps)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the rows."""
        if len({system for system, _ in self.keys}) == 1:
            return tuple(group or system for system, group in self.keys)
        return tuple(
            f"{group}: {system}" if group else system
            for system, group in self.keys
        )

    def rows(
        self, shown: Callable[[Cell], Any] = lambda cell: cell
    ) -> Iterator[list[Any]]:
        """Yield the name of each row with its cells, as `shown` has them."""
        for name, cells in zip(self.systems, self.cells, strict=True):
            yield [name, *map(shown, cells)]

    def records(self) -> dict[str, list[Any]]:
        """Return columns with a row for each system, group and metric."""
        has_groups = any(group for _, group in self.keys)
        rows = [
            {
                "system": system,
                **({"group": group or "all"} if has_groups else {}),
                "metric": column.name,
                **cell.numbers(),
                "signature": column.signature,
            }
            for (system, group), cells in zip(
                self.keys, self.cells, strict=True
            )
            for column, cell in zip(self.columns, cells, strict=True)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def legend(
        self, better: str, worse: str, *more: str, errors: bool = True
    ) -> list[str]:
        """Return the sentences below the table.

        Args:
            better: the mark of a system that is better than the baseline.
            worse: the mark of a system that is worse.
            *more: sentences about anything else that the table shows.
            errors: True if the table shows the margins.
        """
        means, marks = self._about_means(), self.about_marks(better, worse)
        if not errors:
            means = f"{means.partition(';')[0]}."
        found = [means, self._about_groups(), *more, marks]
        return [*filter(None, found), *self.notes]

    def _about_means(self) -> str:
        counts = {
            cell.lists
            for (_, group), row in zip(self.keys, self.cells, strict=True)
            for cell in row
            if not group
        }
        over = f"{self.lists:,} list{'s' * (self.lists != 1)}"
        if counts != {self.lists}:
            ends = sorted({min(counts), max(counts)})
            some = " to ".join(f"{n:,}" for n in ends)
            over = f"the lists that count, {some} of {over}"
        interval = f"the {percent(self.confidence)} confidence interval"
        kinds = {
            is_symmetric(cell.value, cell.low, cell.high)
            for row in self.cells
            for cell in row
        }
        about = {
            frozenset({True}): f"± is half {interval}",
            frozenset({False}): f"[ ] is {interval}",
        }.get(frozenset(kinds), f"± is half {interval}, and [ ] all of it")
        return f"Means over {over}; {about}."

    def _about_groups(self) -> str:
        """Return the number of lists of each group."""
        if not self.sizes:
            return ""
        sizes = ", ".join(f"{group} {n:,}" for group, n in self.sizes.items())
        return f"The lists of each group: {sizes}."

    def about_power(self) -> str:
        """Return a sentence about the differences that so many lists detect.

        It names, for each metric, the system that needs the most lists. An
        empty string if there are no differences.
        """
        largest: dict[str, float] = {}
        for (_, group), cells in zip(self.keys, self.cells, strict=True):
            for column, cell in zip(self.columns, cells, strict=True):
                found = cell.numbers()["detectable"] or 0.0
                if found > largest.get(column.name, 0.0) and not group:
                    largest[column.name] = found
        several = " ({})" if len(self.columns) > 1 else ""
        of_metrics = " or ".join(
            f"{x:.4f}{several.format(name)}" for name, x in largest.items()
        )
        return of_metrics and (
            f"With {self.lists:,} lists like these, a true difference of "
            f"{of_metrics} from {self.baseline} is detected {percent(POWER)} "
            "of the time; half of it needs about 4 times as many lists."
        )

    def about_marks(self, better: str, worse: str) -> str:
        """Return a sentence about the marks; an empty string if there are none.

        Args:
            better: the mark of a system that is better than the baseline.
            worse: the mark of a system that is worse.
        """
        if not self.comparisons:
            return ""
        correction = (
            f", with the Holm correction for all {self.comparisons} "
            "comparisons of this table"
        )
        if self.comparisons == 1:
            correction = (
                "; it is the only comparison of this table, so nothing is "
                "corrected"
            )
        return (
            f"{better} is better and {worse} is worse than {self.baseline}: "
            "two-sided paired t test over the lists, at the level of "
            f"{percent(1.0 - self.confidence)}{correction}."
        )


def percent(share: float) -> str:
    """Return the share in percent, such as 95%."""
    return f"{100.0 * share:.6g}%"


def reported(measured: Measured, baseline: str, confidence: float) -> Report:
    """Return the table of the values.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: the level of the intervals.
    """
    columns = measured.columns
    groups = ["", *dict.fromkeys(measured.groups)]
    parts = [measured.of_group(group) for group in groups]
    places = range(len(columns))
    found = [differences_of(x, at, baseline) for x in parts for at in places]
    p = [d.p for _, differences, _ in found for d in differences if d]
    corrected = iter(paired.holm(p))
    cells = [
        _cells(means, differences, corrected, measure, confidence)
        for (means, differences, _), measure in zip(
            found, columns * len(parts), strict=True
        )
    ]
    return Report(
        keys=tuple((name, x) for x in groups for name in measured.systems),
        columns=columns,
        cells=_by_row(cells, len(columns)),
        estimates=_by_row([means for means, _, _ in found], len(columns)),
        sizes=collections.Counter(measured.groups),
        baseline=baseline,
        confidence=confidence,
        lists=len(measured.lists),
        comparisons=len(p) - sum(map(math.isnan, p)),
        unjudged=tuple(unjudged(measured)),
        gaps=(*gaps(measured), *read_as(measured)),
        untested=tuple(note for _, _, notes in found for note in notes),
    )


def _by_row(
    columns: Sequence[Sequence[Entry]], number: int
) -> tuple[tuple[Entry, ...], ...]:
    """Return the rows of tables below each other, of `number` columns each."""
    tables = zip(*[iter(columns)] * number, strict=True)
    return tuple(row for table in tables for row in zip(*table, strict=True))


def _cells(
    means: Sequence[Estimate],
    differences: Sequence[paired.Difference | None],
    corrected: Iterator[float],
    measure: Column,
    confidence: float,
) -> list[Cell]:
    """Return the cells of a metric, one for each system.

    Args:
        means: the estimate of each system.
        differences: the difference of each system, None for the baseline.
        corrected: yields the corrected p value of each difference.
        measure: the metric.
        confidence: the level of the intervals.
    """
    values = [e.value for e in means if e.lists and not math.isnan(e.value)]
    pick = max if measure.more_is_better else min
    best = pick(values, default=math.nan) if len(means) > 1 else math.nan
    return [
        _cell(e, best, d, corrected, measure, confidence)
        for e, d in zip(means, differences, strict=True)
    ]


def _cell(
    e: Estimate,
    best: float,
    d: paired.Difference | None,
    corrected: Iterator[float],
    measure: Column,
    confidence: float,
) -> Cell:
    is_best = e.value == best
    low, high = e.interval(confidence)
    margin = (high - low) / 2.0
    cell = Cell(e.value, e.standard_error, low, high, margin, e.lists, is_best)
    if d is None:
        return cell
    mark: Mark = ""
    p_corrected = next(corrected)
    if p_corrected < 1.0 - confidence:
        is_better = (d.estimate.value > 0) == measure.more_is_better
        mark = "better" if is_better else "worse"
    return cell._replace(
        difference=d.estimate.value,
        difference_error=d.estimate.standard_error,
        difference_margin=d.estimate.margin(confidence),
        t=d.t,
        p=d.p,
        p_corrected=p_corrected,
        effect_size=d.effect_size,
        wins=d.wins,
        ties=d.ties,
        losses=d.losses,
        mark=mark,
        detectable=d.detectable(confidence, POWER),
    )


def warn_of_unjudged(measured: Measured) -> None:
    """Warn of systems few of whose items are judged."""
    for sentence in unjudged(measured):
        warnings.warn(sentence, UserWarning, stacklevel=3)


def unjudged(measured: Measured) -> Iterator[str]:
    """Yield a sentence for each system few of whose items are judged."""
    for name, system in measured.systems.items():
        found = system.overlap
        if found.is_low:
            number, could = "none", ""
            if found.judged:
                number = f"{found.judged:,}"
                could = f", and {found.possible:,} could be"
            yield (
                f"{name}: {number} of its {found.retrieved:,} retrieved items "
                f"are judged ({found.share:.2%}){could}. {found.example}"
            )


def gaps(measured: Measured) -> Iterator[str]:
    """Yield sentences on queries of one side alone, and on dropped items."""
    for name, system in measured.systems.items():
        missing, unknown = system.overlap[:2]
        same_id = system.overlap.same_id
        unknown_values = np.isnan(system.values.values) & system.values.counts
        none = [
            measure.name
            for measure, lacks in zip(
                measured.measures, unknown_values.any(axis=1), strict=True
            )
            if lacks and not measure.more_is_better
        ]
        left_out = system.overlap.left_out
        of_all = f"of {len(measured.lists):,} queries have no rows"
        if missing > left_out:
            yield (
                f"{name}: {missing - left_out:,} {of_all}, and count as lists "
                "that retrieve nothing."
                + f" They have no value of {', '.join(none)}."
                * bool(none)
            )
        if left_out:
            yield f"{name}: {left_out:,} {of_all}, and are left out."
        if unknown:
            yield (
                f"{name}: {unknown:,} of its queries are not in the truth, and "
                "are left out."
            )
        if same_id:
            yield (
                f"{name}: {same_id:,} of its items have the id of their query, "
                "and are dropped."
            )


def read_as(measured: Measured) -> Iterator[str]:
    """Yield a sentence on the columns of the truth and the systems, if any.

    It names each role once, unless the sides have different columns.
    """
    texts = measured.read_as
    pairs = dict.fromkeys(", ".join(texts.values()).split(", "))
    roles = {pair.partition("=")[0] for pair in pairs}
    if len(roles) == len(pairs):
        texts = {"": ", ".join(pairs)}
    sides = [
        f"{name}: {text}" if name else text for name, text in texts.items()
    ]
    if measured.read_as:
        yield f"Read as: {'; '.join(sides)}."
