"""`Report`: the table of a comparison with its marks, for any format.

A column of the table is a statistic. `_STATISTICS` has the function of each: it
returns an estimate for every system, a difference from the baseline for every
other one, and sentences about differences without a test.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Measured, Values
from keras_rankmetrics.conventions.rules import ORDERS, Rules
from keras_rankmetrics.engine.aggregates import Estimate, PerList
from keras_rankmetrics.engine.aggregates.estimate import is_symmetric
from keras_rankmetrics.engine.aggregates.paired import (
    LEAST_LISTS,
    ROUNDING,
    Difference,
    Findings,
    Statistic,
    carriers_of,
    few_carry,
    means,
    with_holm,
)
from keras_rankmetrics.metrics.judge_corrected import (
    LEAST_WITH_BOTH,
    TooFewListsError,
    corrected_means,
)
from keras_rankmetrics.metrics.summaries import geometric_means, totals
from keras_rankmetrics.metrics.tails import lower_means, quantiles

Mark = Literal["better", "worse", ""]
POWER = 0.8  # of the differences that a table calls detectable
# In few lists, values of more skewness, if their variance is below this share
# of that of hits, may make an interval too short. Samples of fewer than ten
# lists do not show the skewness.
_FEW, _SKEWED, _LIKE_HITS = 10, 1.0, 0.9
_LEAST_IN_LIMITS = 100  # lists of equal value that may carry a mean in [0, 1]
_STATISTICS: dict[str, Callable[..., Findings]] = {
    "mean": means,
    "quantile": quantiles,
    "lower mean": lower_means,
    "judge-corrected mean": corrected_means,
    "total": totals,
    "geometric mean": geometric_means,
}
_NAMES = 5  # of columns that were not read, at most
_SAME = 10  # lists, that two systems do not rank alike by accident
# The estimate of each system with its difference, and sentences.
_Pairs = list[tuple[Estimate, Difference | None]]
_Found = tuple[_Pairs, list[str]]


class Cell(NamedTuple):
    """The value of a metric for a system, compared to the baseline.

    Attributes:
        estimate: the mean over the lists, with its error.
        difference: the difference from the baseline, whose `p_holm` and
            `alpha_holm` are corrected for all comparisons of the table; None
            for the baseline.
        mark: `"better"` or `"worse"` if the interval of the difference, at the
            corrected level, excludes 0, or `""`; None for the baseline.
        best: True if no system has a better value, and there are several.
        confidence: the level of the intervals.
    """

    estimate: Estimate
    difference: Difference | None
    mark: Mark | None
    best: bool
    confidence: float

    @property
    def value(self) -> float:
        """The mean over the lists."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the value."""
        return self.estimate.interval(self.confidence)

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that so many lists detect.

        They detect it 80% of the time, in an interval of the table's level. NaN
        if all lists have the same difference, None for the baseline.
        """
        d = self.difference
        return None if d is None else d.detectable(self.confidence, POWER)

    def numbers(self) -> dict[str, Any]:
        """Return all values by name, None for unknown ones."""
        e, d = self.estimate, self.difference
        low, high = self.interval
        ends = d.interval(self.confidence) if d else (None, None)
        found = {
            "value": e.value,
            "standard_error": e.standard_error,
            "low": low,
            "high": high,
            "margin": (high - low) / 2.0,
            "lists": e.lists,
            "best": self.best,
            "difference": d and d.estimate.value,
            "difference_error": d and d.estimate.standard_error,
            "difference_low": ends[0],
            "difference_high": ends[1],
            "difference_margin": d and d.estimate.margin(self.confidence),
            "t": d and d.t,
            "p": d and d.p,
            "p_corrected": d and d.p_holm,
            "alpha": d and d.alpha,
            "alpha_corrected": d and d.alpha_holm,
            "effect_size": d and d.effect_size,
            "wins": d and d.wins,
            "ties": d and d.ties,
            "losses": d and d.losses,
            "mark": self.mark,
            "detectable": self.detectable,
        }
        return {
            name: None if isinstance(x, float) and not math.isfinite(x) else x
            for name, x in found.items()
        }


@dataclasses.dataclass(frozen=True)
class Report:
    """A row for each system and group, and a column for each metric.

    Attributes:
        keys: the system and the group of each row; the group is empty in rows
            over all lists.
        statistics: the means of metrics, or others.
        cells: the cells of each row, in the order of the metrics.
        baseline: the system to which the others are compared.
        confidence: the level of the intervals.
        lists: the number of lists.
        comparisons: the number of comparisons that p is corrected for.
        sizes: the number of lists of each group.
        unjudged: sentences about systems few of whose items are judged.
        gaps: sentences about queries that a system or the truth lacks, about
            dropped items, about labels, and about the columns that were read.
        untested: sentences about differences that a t test cannot judge, and
            about means whose intervals are too short.
        rows_are: what lists belong together in, `"rows"` or `"clusters"`.
    """

    keys: tuple[tuple[str, str], ...]
    statistics: tuple[Statistic, ...]
    cells: tuple[tuple[Cell, ...], ...]
    baseline: str
    confidence: float
    lists: int
    comparisons: int
    sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    unjudged: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    rows_are: str = "rows"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader needs in addition to the numbers."""
        return (*self.unjudged, *self.untested, *self.gaps)

    @property
    def names(self) -> list[str]:
        """The names of the statistics."""
        return [statistic.name for statistic in self.statistics]

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
                "metric": statistic.name,
                **cell.numbers(),
                "signature": statistic.signature,
            }
            for (system, group), cells in zip(
                self.keys, self.cells, strict=True
            )
            for statistic, cell in zip(self.statistics, cells, strict=True)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    @property
    def over(self) -> str:
        """The number of lists, in words."""
        first, kind = self.cells[0][0].estimate, self.statistics[0].kind
        is_of_all = kind == "mean" and first.lists == self.lists
        if is_of_all or kind == "judge-corrected mean":
            return first.over.replace(" rows", f" {self.rows_are}")
        return f"{self.lists:,} list{'s' * (self.lists != 1)}"

    @property
    def few(self) -> bool:
        """True if the lists are too few to say what they detect."""
        return self.lists < LEAST_LISTS

    def about_means(self, errors: bool = True) -> str:
        """Return a sentence about the lists, and about the margins if shown."""
        counts = {
            cell.estimate.lists
            for (_, group), row in zip(self.keys, self.cells, strict=True)
            for cell in row
            if not group
        }
        over = self.over
        if counts != {self.lists}:
            ends = sorted({min(counts), max(counts)})
            some = " to ".join(f"{n:,}" for n in ends)
            over = f"the lists that count, {some} of {over}"
        totals = [x.kind == "total" for x in self.statistics]
        means = "Means and totals" if any(totals) else "Means"
        means = "Totals" if all(totals) else means
        if not errors or all(totals):
            return f"{means} over {over}."
        interval = f"the {percent(self.confidence)} confidence interval"
        kinds = {
            is_symmetric(cell.value, low, high)
            for row in self.cells
            for cell, is_total in zip(row, totals, strict=True)
            for low, high in [cell.interval]
            if not is_total and not math.isnan(low)
        }
        if not kinds:
            return f"{means} over {over}."
        about = {
            frozenset({True}): f"± is half {interval}",
            frozenset({False}): f"[ ] is {interval}",
        }.get(frozenset(kinds), f"± is half {interval}, and [ ] all of it")
        return f"{means} over {over}; {about}."

    def about_groups(self) -> str:
        """Return the number of lists of each group."""
        if not self.sizes:
            return ""
        sizes = ", ".join(f"{group} {n:,}" for group, n in self.sizes.items())
        return f"The lists of each group: {sizes}."

    def about_power(self) -> str:
        """Return a sentence about the differences that so many lists detect.

        It names, for each metric, the system that needs the most lists. An
        empty string if there are no differences, or too few lists to say.
        """
        largest: dict[str, float] = {}
        for (_, group), cells in zip(self.keys, self.cells, strict=True):
            for statistic, cell in zip(self.statistics, cells, strict=True):
                found = cell.detectable or 0.0
                if found > largest.get(statistic.name, 0.0) and not group:
                    largest[statistic.name] = found
        several = " ({})" if len(self.statistics) > 1 else ""
        of_metrics = " or ".join(
            f"{x:.4f}{several.format(name)}" for name, x in largest.items()
        )
        these = self.over.replace("lists", "lists like these", 1)
        alone = ", before the correction" * (self.comparisons > 1)
        return of_metrics and (
            f"With {these}, a true difference of {of_metrics} from "
            f"{self.baseline} is detected {percent(POWER)} of the time: its "
            f"{percent(self.confidence)} interval excludes 0{alone}. Half of "
            "it needs about 4 times as many lists."
        )

    def about_marks(self, better: str, worse: str) -> str:
        """Return a sentence about the marks; an empty string if there are none.

        Args:
            better: the mark of a system that is better than the baseline.
            worse: the mark of a system that is worse.
        """
        if not self.comparisons:
            return ""
        logs = [x.name for x in self.statistics if x.kind == "geometric mean"]
        of_logs = f" (for {', '.join(logs)}, of their logarithms)" * bool(logs)
        return (
            f"{better} is better and {worse} is worse than {self.baseline}: "
            f"the {percent(self.confidence)} interval of the mean difference "
            f"of the lists{of_logs} excludes 0{self.corrected}."
        )

    @property
    def corrected(self) -> str:
        """The correction for the comparisons of the table, in words."""
        if self.comparisons == 1:
            return (
                "; it is the only comparison of this table, so nothing is "
                "corrected"
            )
        return (
            f", with the Holm correction for all {self.comparisons} "
            "comparisons of this table"
        )


def percent(share: float) -> str:
    """Return the share in percent, such as 95%."""
    return f"{100.0 * share:.6g}%"


def differences_of(measured: Measured, at: int, baseline: str) -> _Found:
    """Return the estimate of each system with its difference, and sentences.

    The difference of the baseline is None.

    Args:
        measured: the values of each list.
        at: the position of the statistic.
        baseline: the name of the system to which the others are compared.
    """
    statistic = measured.shown[at]
    names = [baseline, *(x for x in measured.systems if x != baseline)]
    systems = [measured.systems[name] for name in names]
    rows = measured.rows if measured.clusters else None
    of_metrics = (
        _of_metric(systems, place, rows) for place in statistic.metrics
    )
    estimates, differences, notes = _STATISTICS[statistic.kind](
        statistic, names, *of_metrics
    )
    if statistic.kind != "total":
        estimates = [*map(_nan_without_lists, estimates)]
        differences = [
            dataclasses.replace(d, estimate=_nan_without_lists(d.estimate))
            for d in differences
        ]
    pairs = zip(estimates, [None, *differences], strict=True)
    by_name = dict(zip(names, pairs, strict=True))
    return [by_name[name] for name in measured.systems], notes


def _of_group(part: Measured, group: str, at: int, baseline: str) -> _Found:
    """Return `differences_of` a group; NaN if few of its lists have labels.

    Args:
        part: the values of the lists of the group.
        group: the name of the group; "" for all lists.
        at: as for `differences_of`.
        baseline: as for `differences_of`.
    """
    try:
        return differences_of(part, at, baseline)
    except TooFewListsError as error:
        if not group:
            raise
        both = error.both
    lists, nan = len(part.lists), math.nan
    blank = Estimate(nan, nan, lists, lists, lists)
    pairs: _Pairs = [
        (
            blank,
            None
            if name == baseline
            else Difference(name, baseline, blank, nan, nan, nan, nan, 0, 0, 0),
        )
        for name in part.systems
    ]
    return pairs, [
        f"{group}: {part.shown[at].name} has no value, since {both:,} of "
        f"{lists:,} lists have labels by humans and by the judge, and "
        f"{LEAST_WITH_BOTH} are needed."
    ]


def _number_of_lists(measured: Measured) -> int:
    """Return the number of lists, without the padding of rows of lists."""
    first, *_ = measured.systems.values()
    if first.lists_of_row == 1:
        return len(measured.lists)
    valid = [x.valid.any(axis=0) for x in measured.systems.values()]
    return int(np.any(valid, axis=0).sum())


def _nan_without_lists(estimate: Estimate) -> Estimate:
    """Return the estimate, whose value over no lists is no number."""
    if estimate.lists:
        return estimate
    return dataclasses.replace(estimate, value=math.nan)


def _of_metric(
    systems: Sequence[Values], place: int, of_clusters: np.ndarray | None
) -> PerList:
    """Return the values of a metric, with systems in place of metrics.

    Args:
        systems: the systems.
        place: the position of the metric.
        of_clusters: `[clusters, most]`, the lists of each; None without any.
    """
    values = np.stack([system.values[place] for system in systems])
    valid = np.stack([system.valid[place] for system in systems])
    weights = np.stack([system.weights[place] for system in systems])
    if of_clusters is not None:
        lists = of_clusters.ravel()
        arrays = values, weights, ~np.isnan(weights), valid
        values, weights, own, valid = (x[:, lists] for x in arrays)
        return PerList(
            values, weights, own, valid & (lists >= 0), of_clusters.shape
        )
    per_row = systems[0].lists_of_row
    rows = None if per_row == 1 else (values.shape[1] // per_row, per_row)
    return PerList(values, weights, ~np.isnan(weights), valid, rows)


def reported(measured: Measured, baseline: str, confidence: float) -> Report:
    """Return the table of the values.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: the level of the intervals.
    """
    statistics = measured.shown
    groups = ["", *dict.fromkeys(measured.groups)]
    found = [
        _of_group(part, group, at, baseline)
        for group, part in zip(
            groups, map(measured.of_group, groups), strict=True
        )
        for at in range(len(statistics))
    ]
    all_of_table = [d for pairs, _ in found for _, d in pairs if d]
    tested = iter(with_holm(all_of_table))
    cells = [
        list(_cells(pairs, statistic, tested, confidence))
        for (pairs, _), statistic in zip(
            found, statistics * len(groups), strict=True
        )
    ]
    starts = range(0, len(cells), len(statistics))
    tables = [cells[start : start + len(statistics)] for start in starts]
    return Report(
        keys=tuple((name, x) for x in groups for name in measured.systems),
        statistics=statistics,
        cells=tuple(
            row for table in tables for row in zip(*table, strict=True)
        ),
        sizes=collections.Counter(measured.groups),
        baseline=baseline,
        confidence=confidence,
        lists=_number_of_lists(measured),
        rows_are="clusters" if measured.clusters else "rows",
        comparisons=sum(not math.isnan(d.p) for d in all_of_table),
        unjudged=tuple(measured.notes_of_unjudged()),
        gaps=(
            *gaps(measured),
            *(_same_systems(measured) if len(measured.systems) > 1 else ()),
        ),
        untested=(
            *dict.fromkeys(note for _, notes in found for note in notes),
            *(
                note
                for statistic, (pairs, _) in zip(
                    statistics, found, strict=False
                )
                if statistic.kind == "mean"
                for note in _skewed(measured.systems, pairs, statistic)
            ),
            *_heavy_tails(measured),
        ),
    )


def _cells(
    pairs: _Pairs,
    statistic: Statistic,
    tested: Iterator[Difference],
    confidence: float,
) -> Iterator[Cell]:
    """Yield the cells of a statistic, one for each system.

    Args:
        pairs: the estimate of each system with its difference.
        statistic: the statistic.
        tested: yields the differences, corrected for those of the table.
        confidence: the level of the intervals.
    """
    values = [e.value for e, _ in pairs if e.lists and not math.isnan(e.value)]
    pick = max if statistic.more_is_better else min
    # More items or lists are not better.
    has_best = len(pairs) > 1 and statistic.kind != "total"
    best = pick(values, default=math.nan) if has_best else math.nan
    for e, d in pairs:
        mark: Mark | None = None
        if d is not None:
            d = next(tested)
            is_better = (d.estimate.value > 0) == statistic.more_is_better
            mark = "better" if is_better else "worse"
            mark = mark if d.alpha_holm < 1.0 - confidence else ""
        is_best = math.isclose(e.value, best, rel_tol=ROUNDING)
        yield Cell(e, d, mark, is_best, confidence)


def _skewed(
    systems: Iterable[str], pairs: _Pairs, statistic: Statistic
) -> Iterator[str]:
    """Yield a sentence if means of few lists have skewed values.

    Their intervals are too short in samples without those that differ most.
    Hits are no such values: the interval holds for them.
    """
    found = {
        name: x
        for name, (x, _) in zip(systems, pairs, strict=True)
        if _FEW <= x.independent < LEAST_LISTS
        and abs(x.skewness) > _SKEWED
        and x.deviation**2 < _LIKE_HITS * x.value * (1.0 - x.value)
    }
    if found:
        several = len(pairs) > 1
        each = (
            f"{k} " * several + f"{x.skewness:+.1f}" for k, x in found.items()
        )
        number = min(found.values(), key=lambda x: x.independent)
        lists, more = f"{number.lists:,} lists", f"{LEAST_LISTS} or more"
        if number.lists >= LEAST_LISTS:
            lists += f" that count as {number.independent:,.0f}"
            more = "more lists, or less unequal weights"
        yield (
            f"{statistic.name}: the values are skewed ({', '.join(each)}), so "
            f"that intervals may be too short with {lists}. Use {more}."
        )


def _heavy_tails(measured: Measured) -> Iterator[str]:
    """Yield a sentence for each mean that few lists carry.

    Lists of such values, which the sample lacks, make its interval too short.
    """
    for statistic in measured.shown:
        if statistic.kind != "mean":
            continue
        for name, system in measured.systems.items():
            values, valid, weights = (
                array[statistic.metrics[0]] for array in system[:3]
            )
            # In [0, 1], the interval holds for a few lists of much weight.
            weights = (
                1.0 if statistic.bounded else np.nan_to_num(weights, nan=1)
            )
            parts = np.abs(values * weights)[valid & (values != 0)]
            top = math.ceil(len(parts) / 10)
            most = np.sort(parts)[::-1][:top].sum()
            carriers = carriers_of(parts)
            # It does so for a few hits of equal value, too.
            few = carriers < _LEAST_IN_LIMITS and 2.0 * most > parts.sum()
            few = few and len(parts) >= 10
            if not statistic.bounded:
                few = few_carry(carriers, valid.sum())
            if few:
                yield (
                    f"{name}: {top:,} of {valid.sum():,} lists carry "
                    f"{most / parts.sum():.0%} of {statistic.name}, so that "
                    "its interval may be too short. Use more lists."
                )


def gaps(measured: Measured) -> Iterator[str]:
    """Yield sentences on what is left out, missing, dropped, or read how.

    They are about queries that a system or the truth lacks, about dropped
    items, about labels, and about the columns that were read.
    """
    yield from measured.notes
    rules = _rules_of(measured)
    for name, system in measured.systems.items():
        lost, overlap = np.isnan(system.values) & system.valid, system.overlap
        none = [
            metric.name
            for metric, lacks in zip(measured.metrics, lost, strict=True)
            if lacks.any() and not metric.more_is_better
        ]
        left_out = overlap.left_out
        of_all = f"of {len(measured.lists):,} queries have no rows"
        if overlap.missing > left_out:
            yield (
                f"{name}: {overlap.missing - left_out:,} {of_all}, and count "
                "as lists that retrieve nothing."
                + f" They have no value of {', '.join(none)}."
                * bool(none)
            )
        if left_out:
            yield f"{name}: {left_out:,} {of_all}, and are left out."
        if overlap.unknown:
            yield (
                f"{name}: {overlap.unknown:,} of its queries are not in the "
                "truth, and are left out."
            )
        if overlap.same_id:
            yield (
                f"{name}: {overlap.same_id:,} of its items have the id of "
                "their query, and are dropped."
            )
        if overlap.unranked:
            single = rules.get("score_dtype") == "float32"
            yield (
                f"{name}: {overlap.unranked:,} of its items have the score "
                f"-inf{' in float32' * single}, and count as not retrieved."
            )
        if overlap.hidden:
            yield (
                f"{name}: {overlap.hidden:,} of the relevant items have the "
                "score -inf, or are dropped or excluded, and count as not "
                "retrieved. If they should not count, as a query among its own "
                "results, remove them from the truth, or in arrays pass a mask."
            )
    dropped = max(x.overlap.same_id_judged for x in measured.systems.values())
    if dropped:
        yield (
            f"truth: {dropped:,} of its labels are of items with the id of "
            "their query, and are dropped."
        )
    if order := order_of_ties(measured):
        is_one = rules.keys() <= {*Rules._fields}
        dtype = rules.get("score_dtype") if is_one else None
        of_dtype = f"{dtype} " if dtype else ""
        yield f"Items of equal {of_dtype}score are in the order of {order}."
    yield from _borrowed(measured)
    yield from _read_as(measured)


def _same_systems(measured: Measured) -> Iterator[str]:
    """Yield a sentence on each system that ranks like one before it.

    The systems of a few lists may, and those of a gate, which is made for it.
    """
    if len(measured.lists) < _SAME:
        return
    known: dict[str, str] = {}
    for name, system in measured.systems.items():
        first = known.setdefault(system.ranking, name)
        if system.ranking and first != name:
            yield (
                f"{name}: ranks all items of all lists as {first} does. If it "
                "is another system, look whether its run is there twice."
            )


def order_of_ties(measured: Measured) -> str:
    """Return what orders tied items, or "" if their ids have no say."""
    has_ids = any(x.overlap.retrieved for x in measured.systems.values())
    if has_ids and any("ties:stable" in x.signature for x in measured.metrics):
        rules = _rules_of(measured)
        own = (
            f"; those of {names} in that of {ORDERS[ties]}"
            for names, ties in rules.items()
            if names not in Rules._fields
        )
        return ORDERS[rules.get("ties", "last_id_first")] + "".join(own)
    return ""


def _borrowed(measured: Measured) -> Iterator[str]:
    """Yield a sentence on lists that have the mean weight of the others."""
    of_systems = [
        np.sum(x.valid & np.isnan(x.weights) & ~np.isnan(x.values), axis=1)
        for x in measured.systems.values()
    ]
    lists = np.max(of_systems, axis=0)
    for number in sorted({*lists.tolist()} - {0}):
        names = (
            metric.name
            for metric, borrowed in zip(measured.metrics, lists, strict=True)
            if borrowed == number
        )
        have = "list has" if number == 1 else "lists have"
        counts = "it has" if number == 1 else "they have"
        yield (
            f"{', '.join(names)}: {number:,} {have} no relevant items, so "
            f"{counts} the mean weight of the others. To use the weights that "
            'were passed, set the option `list_weight="mean"`.'
        )


def _rules_of(measured: Measured) -> dict[str, str]:
    rules = (x.rpartition(":") for x in measured.rules.split("|") if x)
    return {name: value for name, _, value in rules}


def _read_as(measured: Measured) -> Iterator[str]:
    """Yield a sentence on the columns of the truth and the systems, if any.

    It names each role once, unless the sides have different columns.
    """
    sides = measured.read_as
    of_all = {role: x for side in sides.values() for role, x in side.items()}
    if all(side.items() <= of_all.items() for side in sides.values()):
        sides = {"": of_all}
    texts = [
        f"{name}: ".removeprefix(": ") + _columns(**side)
        for name, side in sides.items()
    ]
    if measured.read_as:
        yield f"Read as: {'; '.join(texts)}."


def _columns(not_read: Sequence[str] = (), **roles: str) -> str:
    """Return the column of each role, and some of those that have none."""
    names = ", ".join(not_read[:_NAMES])
    more = f" and {len(not_read) - _NAMES} more" * (len(not_read) > _NAMES)
    return ", ".join(f"{role}={x}" for role, x in roles.items()) + (
        f"; not read: {names}{more}" * bool(not_read)
    )
