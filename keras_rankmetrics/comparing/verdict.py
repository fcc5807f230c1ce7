"""`Verdict`: whether a system is worse than a baseline by more than allowed.

The baseline is a system, or a number.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import reprlib
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import differences_of, gaps, percent
from keras_rankmetrics.comparing.table_formats import in_markdown
from keras_rankmetrics.engine.aggregates.distributions import check_level, root
from keras_rankmetrics.engine.aggregates.estimate import Combined, Estimate
from keras_rankmetrics.engine.aggregates.paired import (
    ROUNDING,
    Difference,
    Statistic,
    carriers_of,
    few_carry,
)
from keras_rankmetrics.engine.backend.operations import as_integer

# The exit code of each outcome, and what it says about a loss, and about
# equivalence. 2 is a usage error.
_OUTCOMES = {
    "pass": (0, "no", "the same"),
    "fail": (1, "a", "not the same"),
    "undecided": (3, "perhaps a", "not shown to be the same"),
}
_NAMED = 3  # queries that a verdict names
_LOG_OF_MOST = math.log(1e9)  # times as many lists as needed at most
# The statistics whose differences have no standard error, and what to choose.
_WITHOUT_ERROR = {
    "quantile": "`LowerMean` in place of `Quantiles`",
    "total": "a mean, such as `RecallAtK`",
    "geometric mean": "`MeanAveragePrecision`, or `LowerMean` of it",
}


class Loss(NamedTuple):
    """The values of a query that lost.

    Attributes:
        query: the id of the query, or the number of the list.
        baseline: the value of the baseline.
        system: the value of the system.
        share: the share of the losses of all queries.
    """

    query: Any
    baseline: float
    system: float
    share: float


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer to whether a system is worse than the baseline, or the same.

    `Compared.gate` returns it. It is true in `if` and `assert` only if its
    outcome is `"pass"`, so an undecided one does not slip through.

    Attributes:
        metric: the name of the metric.
        difference: the difference of the system to the baseline. The standard
            error is 0 if all lists have the same difference.
        tolerance: the largest loss to accept, in units of the metric.
        level: the level of the interval.
        more_is_better: True if a loss is a drop, False if it is a rise.
        bounded: True if the values of the metric are in [0, 1].
        notes: sentences about queries that a system or the truth lacks.
        same: True if both systems have the same items at each rank of each
            list; for arrays, the same scores.
        losses: the queries that lost most, up to three.
        equivalent: True if a gain of more than the tolerance counts, too: the
            system is to be the same as the baseline.
        values: the values of the baseline and of the system.
        flipped: the queries that fell to 0, and those that rose from 0.
        carriers: the number of lists of equal difference that would carry the
            change d, `(Σ w |d|)² / Σ (w d)²`, for a metric without limits.

    Raises:
        ValueError: if a number is invalid, or there are fewer than two lists.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {q: {"tea": 1} for q in range(40)}
        >>> old = {q: {"tea": 2.0, "milk": 1.0} for q in truth}
        >>> new = {q: {"milk": 3.0, "tea": 2.0} for q in truth}
        >>> compared = krm.compare(truth, {"old": old, "new": new}, krm.NDCG())
        >>> verdict = compared.gate(tolerance=0.01)
        >>> verdict.outcome, verdict.exit_code, bool(verdict)
        ('fail', 1, False)
        >>> round(verdict.difference.estimate.value, 4)
        -0.3691

    Piaggio et al., Reporting of Noninferiority and Equivalence Randomized
    Trials, JAMA 308 (2012).

    Stability: stable.
    """

    metric: str
    difference: Difference
    tolerance: float
    level: float = 0.95
    more_is_better: bool = True
    bounded: bool = True
    notes: tuple[str, ...] = ()
    same: bool = False
    losses: tuple[Loss, ...] = ()
    equivalent: bool = False
    values: tuple[float, float] | None = None
    flipped: tuple[tuple[Any, ...], tuple[Any, ...]] = ((), ())
    carriers: float = math.inf

    def __post_init__(self) -> None:
        tolerance_of(self.tolerance)
        if not all(map(math.isfinite, self.interval)):
            raise ValueError(
                "A verdict needs a difference with a standard error. Received: "
                f"{_lack(self.difference)}"
            )

    @property
    def unseen(self) -> float:
        """The largest share of all lists that none of the sample is of.

        A sample lacks lists of a larger share than 1 - ((1 - level) / 2)^(1 /
        lists) with a probability of less than (1 - level) / 2.
        """
        return self._unseen(self.difference.estimate.independent)

    def _unseen(self, lists: float) -> float:
        """Return the `unseen` share for so many independent lists."""
        outside = (1.0 - self.level) / 2.0
        return float(1.0 - outside ** (1.0 / max(lists, 1.0)))

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided confidence interval of the difference."""
        return self.difference.interval(self.level)

    @functools.cached_property
    def bounds(self) -> tuple[float, float]:
        """The worst and the best change that decide, with losses below 0.

        They are the ends of the interval, or farther for a metric in [0, 1]:
        the `unseen` lists may lose or gain all, and few lists that lose say
        little about the weights of others, see `Estimate.guarded`. If rows have
        unequal weights or numbers of lists, the distances of both from the
        change are combined like standard errors. Without limits, lists that all
        have the same difference exclude nothing, nor does a change with fewer
        `carriers` than 50, or than a third of the lists.
        """
        return self._bounds(1.0)

    def _bounds(self, more: float) -> tuple[float, float]:
        """Return the bounds for `more` times as many lists like these."""
        found = self.difference.estimate.times(more)
        limits, ends = found.limits or (-1.0, 1.0), []
        both = math.hypot if found.is_weighted else max
        for end, limit in zip(found.guarded(self.level), limits, strict=True):
            farthest = distance = abs(end - found.value)
            if self.bounded:
                farthest = abs(limit - found.value)
                unseen = self._unseen(found.independent) * farthest
                distance = min(both(distance, unseen), farthest)
            elif not distance > 0.0 or self._rests_on_few(found.lists):
                distance = math.inf
            ends.append(distance)
        return self._with_losses_below(
            found.value - ends[0], found.value + ends[1]
        )

    def _rests_on_few(self, lists: float) -> bool:
        """Return True if few of so many lists like these carry the change."""
        more = lists / self.difference.estimate.lists
        return few_carry(self.carriers * more, lists)

    def _with_losses_below(
        self, low: float, high: float
    ) -> tuple[float, float]:
        """Return the ends of a change, with losses below 0."""
        return (low, high) if self.more_is_better else (-high, -low)

    @property
    def outcome(self) -> str:
        """The outcome: `"pass"`, `"fail"` or `"undecided"`.

        A system passes if no loss within the `bounds` exceeds the tolerance, or
        if it is the `same` as the baseline. It fails if all of them do. To be
        `equivalent`, no change may exceed it.
        """
        return "pass" if self.same else self._of(*self.bounds)

    def _of(self, worst: float, best: float) -> str:
        """Return the outcome for bounds of the change."""
        most = self.tolerance if self.equivalent else math.inf
        if worst >= -self.tolerance and best <= most:
            return "pass"
        is_out = best < -self.tolerance or worst > most
        return "fail" if is_out else "undecided"

    @property
    def detectable(self) -> float:
        """The smallest true loss that so many lists detect, at a power of 80%.

        See `Difference.detectable`. A loss is detected if the interval of the
        difference excludes 0.
        """
        return self.difference.detectable(self.level)

    @property
    def exit_code(self) -> int:
        """The exit code of `krm gate`: 0 for pass, 1 for fail, 3 otherwise."""
        return _OUTCOMES[self.outcome][0]

    def __bool__(self) -> bool:
        """Return True if the system passes."""
        return self.outcome == "pass"

    def __str__(self) -> str:
        """Return the verdict with what it rests on, and the notes."""
        d = self.difference
        of_both = f"of {d.system} against {d.baseline}"
        if self.values:
            old, new = self.values
            moved = "fell" if new < old else "rose"
            # A number as the baseline is its own name.
            start = f"{old:.4f} ({d.baseline})"
            start = d.baseline if d.baseline.startswith(f"{old:g}") else start
            of_both = f"{moved} from {start} to {new:.4f} ({d.system})"
            if (new - old) * d.estimate.value < 0.0:  # corrected on its own
                of_both = f"is {new:.4f} ({d.system}) against {start}"
            if f"{old:.4f}" == f"{new:.4f}":
                of_both = (
                    f"stays at {new:.4f} ({d.system} against {d.baseline})"
                )
        verdict = (
            f"{self.outcome}: {self.metric} {of_both} on {d.estimate.over}, "
            f"{self._claim}. {self._change}"
        )
        parts = [verdict, self.reason, self._remedy]
        parts += [self._won, self._lost, self._flips]
        return "\n".join([" ".join(filter(None, parts)), *self.notes])

    @property
    def _claim(self) -> str:
        """The answer about a loss or a change, in words."""
        _, loss, same = _OUTCOMES[self.outcome]
        if self.equivalent:
            return f"{same} within {self.tolerance:g}"
        kind = "drop" if self.more_is_better else "rise"
        return f"{loss} {kind} of more than {self.tolerance:g}"

    @property
    def _change(self) -> str:
        """The change with its interval, and the bounds if these are farther."""
        found = round(self.difference.estimate.value, 4) + 0.0  # no -0.0000
        low, high = self.interval
        text = (
            f"The change is {found:+.4f}, with the {percent(self.level)} "
            f"interval {low:+.4f} to {high:+.4f}"
        )
        worst, best = self._with_losses_below(*self.bounds)
        if (worst, best) == (low, high) or not math.isfinite(worst):
            return f"{text}."
        return f"{text} and the bounds {worst:+.4f} to {best:+.4f}."

    @property
    def _remedy(self) -> str:
        """The margin or number of lists that would decide, in a sentence."""
        worst, best = self.bounds
        if self.outcome != "undecided" or not math.isfinite(worst):
            return ""
        farthest = max(-worst, best) if self.equivalent else -worst
        tolerance, lists = math.ceil(1e4 * farthest) / 1e4, self.lists_needed
        if self.bounded and tolerance >= 1.0:
            return ""
        margin = "Equivalence within" if self.equivalent else "A tolerance of"
        more = ""
        if lists is not None:
            more = f"so would about {lists:,} lists like these"
        elif not self._room > 0.0:
            more = "more lists would not help"
        more = more and f"; {more}, if the change stays"
        return f"{margin} {tolerance:g} would pass{more}."

    @property
    def _room(self) -> float:
        """The distance of the change from the margin, below 0 if beyond it."""
        change = self.difference.estimate.value
        change, _ = self._with_losses_below(change, change)
        return self.tolerance - (abs(change) if self.equivalent else -change)

    @property
    def lists_needed(self) -> int | None:
        """About how many lists like these would pass, if the change stays.

        None if more lists would not help: if the change is larger than the
        tolerance, a published mean is over too few lists, or all lists have the
        same difference by a metric without limits.
        """
        found = self.difference.estimate
        if self:
            return found.lists
        if not math.isfinite(self.bounds[0]) or not self._room > 0.0:
            return None

        def room(log: float) -> float:
            """Return how far the bounds of more lists are within the margin."""
            worst, best = self._bounds(math.exp(log))
            most = self.tolerance - best if self.equivalent else math.inf
            return min(worst + self.tolerance, most)

        if not room(_LOG_OF_MOST) > 0.0:
            return None
        return math.ceil(found.lists * math.exp(root(room, 0.0, _LOG_OF_MOST)))

    def to_markdown(self) -> str:
        """Return the text in one line of Markdown, for a pull request."""
        text = in_markdown(str(self)).removeprefix(self.outcome)
        return f"**{self.outcome}**{text}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can contain."""
        d, detectable = self.difference, self.detectable
        names = ["outcome", "metric", "level", "tolerance", "reason", "same"]
        names += ["equivalent", "values", "flipped", "lists_needed"]
        names += ["bounds"] * math.isfinite(self.bounds[0])
        return {
            **{name: getattr(self, name) for name in names},
            "system": d.system,
            "baseline": d.baseline,
            "difference": d.estimate.value,
            "interval": list(self.interval),
            "lists": d.estimate.lists,
            "detectable": None if math.isnan(detectable) else detectable,
            "losses": [loss._asdict() for loss in self.losses],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    @property
    def reason(self) -> str:
        """The sentence on what the outcome rests on, or ""."""
        over = self.difference.estimate.over
        if self.same:
            return (
                "Both rank all items of these lists alike; nothing is known of "
                "other lists."
            )
        alone = self._of(*self._with_losses_below(*self.interval))
        found = self.difference.estimate
        if self.outcome == "undecided" != alone:
            if not self.bounded and self._rests_on_few(found.lists):
                return (
                    f"As few as {self.carriers:.0f} lists of equal difference "
                    "would carry the change: that says little of others."
                )
            if not self.bounded:
                return (
                    "All lists have the same difference: others may differ. "
                    "Choose a metric in [0, 1]."
                )
            guarded = self._with_losses_below(*found.guarded(self.level))
            if self._of(*guarded) == "undecided":
                return (
                    "The interval alone would decide, but the few lists that "
                    "lose say little about the weights of others that may."
                )
            return (
                f"The interval alone would decide, but up to {self.unseen:.1%} "
                "of all lists may be of a kind that these lack, and lose or "
                "gain all."
            )
        if not self.losses and math.isnan(self.difference.p):
            return ""
        if math.isnan(self.detectable):
            return (
                "Too few lists, or too few that differ, to say how small a "
                "change is noticed."
            )
        kind = "drop" if self.more_is_better else "rise"
        kind = "change" if self.equivalent else kind
        true = f"a true {kind} of {self.detectable:.4f}"
        these = over.replace("lists", "lists like these", 1)
        return f"With {these}, {true} is noticed 80% of the time."

    @property
    def _won(self) -> str:
        """The numbers of lists won and lost, in a sentence, or ""."""
        won, lost = self.difference.wins, self.difference.losses
        text = f"Won {won:,} and lost {lost:,} of the lists."
        return text * (won + lost > 0)

    @property
    def _lost(self) -> str:
        """The queries that lost most, in a sentence, or ""."""
        if not self.losses:
            return ""
        share = sum(loss.share for loss in self.losses)
        shown = ", ".join(
            f"{x.query} ({x.baseline:.4f} to {x.system:.4f})"
            for x in self.losses
        )
        return f"Lost most, {share:.0%} of all losses: {shown}."

    @property
    def _flips(self) -> str:
        """The queries that fell to 0 or rose from 0, in a sentence, or ""."""
        kinds = zip(("fell to 0", "rose from 0"), self.flipped, strict=True)
        found = [
            f"{len(names):,} {kind} ({', '.join(map(str, names[:_NAMED]))}"
            f"{', ...' * (len(names) > _NAMED)})"
            for kind, names in kinds
            if names
        ]
        return f"Of the queries, {' and '.join(found)}." if found else ""


def _lack(difference: Difference) -> str:
    """Say why a difference has no standard error, and what to do."""
    found, system = difference.estimate, difference.system
    if not math.isfinite(found.value):
        return (
            f"a difference of {found.value} for {system!r}, on "
            f"{found.lists:,} lists. Find those without a finite value by "
            "`per_list()`."
        )
    if found.rows < 2:
        return (
            f"{found.lists:,} lists that count for both systems, which by "
            f"their rows and weights are worth {found.rows} independent ones. "
            "Evaluate more."
        )
    return (
        f"lowest values that do not vary, with a mean of {found.value:+.4g} "
        f"against {difference.baseline} on {found.lists:,} lists. Use a larger "
        "`share`, or a verdict on the mean."
    )


def tolerance_of(
    x: Any, limit: float = math.inf, name: str = "tolerance"
) -> float:
    """Return a tolerance below the limit, from a number or text."""
    try:
        found = math.nan if isinstance(x, bool) else float(x)
    except (OverflowError, TypeError, ValueError):
        found = math.nan
    if not 0.0 <= found < limit:
        raise ValueError(
            f"`{name}` should be a number of at least 0, in units of the "
            "metric, such as 0.01 for 1%, and below 1 for a metric in [0, 1], "
            f"which cannot change by more. Received: {x!r}."
        )
    return found


class Margins(NamedTuple):
    """The margin of a verdict, and its level.

    Attributes:
        tolerance: the largest loss to accept; None for `equivalent`.
        equivalent: the largest change to accept, in either direction.
        level: the level of the interval.
    """

    tolerance: Any
    equivalent: Any
    level: float

    def limits(self, statistic: Statistic) -> dict[str, Any]:
        """Return the arguments of a `Verdict` on the statistic.

        Raises:
            ValueError: unless one of both changes is a valid number, or for a
                level at which most intervals would not hold.
        """
        check_level("level", self.level, lowest=0.5)
        if (self.tolerance is None) == (self.equivalent is None):
            raise ValueError(
                "A verdict needs either `tolerance`, the largest loss to "
                "accept, or `equivalent`, the largest change in either "
                f"direction. Received: {self.tolerance!r} and "
                f"{self.equivalent!r}. Pass one, such as `tolerance=0.01`."
            )
        is_same = self.tolerance is None
        limit = 1.0 if statistic.bounded else math.inf
        margin = (
            (self.equivalent, limit, "equivalent")
            if is_same
            else (self.tolerance, limit)
        )
        return {
            "metric": statistic.name,
            "tolerance": tolerance_of(*margin),
            "equivalent": is_same,
            "level": self.level,
            "more_is_better": statistic.more_is_better,
            "bounded": statistic.bounded,
        }


class _Given(Estimate):
    """A number, or a published mean, which further lists do not change."""

    def times(self, more: float) -> Estimate:
        """Return the same."""
        return self


# The verdicts on measured values.


def verdict_on_mean(
    measured: Measured,
    metric: str,
    mean: float,
    lists: int | None,
    margins: Margins,
) -> Verdict:
    """Return the verdict on the only system against a number.

    Of a mean over so many lists, nothing else is known. It has the widest
    interval of a mean in [0, 1], and so has the difference, for the worst
    correlation of both.

    Args:
        measured: the values of the system.
        metric: the name of the metric.
        mean: the number.
        lists: the number of lists that it is the mean of; None for a threshold.
        margins: the largest change to accept, and the level.
    """
    place, statistic = _statistic(measured, metric)
    _check(measured, metric, statistic.metrics[0])
    bounded = statistic.bounded
    [name] = measured.systems
    [(found, _)], _ = differences_of(measured, place, name)
    mean = _mean_of(mean, bounded)
    shown, baseline = f"{mean:g}", _Given(mean, 0.0, 2, 2.0, 2)
    limits = (-mean, 1.0 - mean)
    if lists is not None:
        if (
            (as_integer(lists) or 0) < 2
            or statistic.kind != "mean"
            or not bounded
        ):
            raise ValueError(
                "`lists` should be an integer of 2 or more, for a published "
                f"mean of a metric in [0, 1]. Received: {lists!r} for "
                f"{metric}. Leave it out for a threshold."
            )
        error = math.sqrt(mean * (1.0 - mean) / (lists - 1))
        baseline = _Given(mean, error, lists, lists, lists, bounded=True)
        shown, limits = f"{shown} (a mean over {lists:,} lists)", (-1.0, 1.0)
    # Without a variance, the error is lost in rounding, and NaN.
    error = found.standard_error if found.standard_error > 0.0 else 0.0
    found = dataclasses.replace(found, standard_error=error)
    estimate = Combined(
        value=found.value - mean,
        standard_error=error + baseline.standard_error,
        lists=found.lists,
        effective_lists=found.effective_lists,
        rows=found.rows,
        plus=found,
        minus=baseline,
        correlation=1.0,
        limits=limits if bounded else None,
    )
    nan = math.nan
    difference = Difference(name, shown, estimate, nan, nan, nan, nan, 0, 0, 0)
    verdict = Verdict(
        difference=difference,
        values=(mean, found.value),
        carriers=_carriers(measured, statistic.metrics[0]),
        **margins.limits(statistic),
    )
    notes = list(gaps(measured))
    if lists is not None and verdict.outcome == "undecided":
        low, high = baseline.interval(margins.level)
        notes.insert(
            0,
            f"This cannot be decided with {lists:,} lists of which the mean "
            f"alone is known: it may be {low:.4f} to {high:.4f}. Compare the "
            "values of the lists.",
        )
    return dataclasses.replace(verdict, notes=tuple(notes))


def _mean_of(x: Any, bounded: bool) -> float:
    """Return the number of a baseline, which the metric can have."""
    try:
        found = math.nan if isinstance(x, bool) else float(x)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found) or (bounded and not 0.0 <= found <= 1.0):
        raise ValueError(
            "The baseline should be a number that the metric can have, such as "
            "0.5, or the result of `evaluate` or `compare`. Received: "
            f"{reprlib.repr(x)}. Pass one of these; of a saved result, what "
            "`from_json` returns."
        )
    return found


def _statistic(measured: Measured, metric: str) -> tuple[int, Statistic]:
    """Return the position of a metric, and its statistic with an error."""
    place = [statistic.name for statistic in measured.shown].index(metric)
    statistic = measured.shown[place]
    remedy = _WITHOUT_ERROR.get(statistic.kind)
    if remedy is not None:
        raise ValueError(
            "A verdict needs a metric whose differences have a standard error, "
            f"a mean or a lower mean. Received: {metric}, a {statistic.kind}. "
            f"Choose {remedy}."
        )
    return place, statistic


def verdict_of(measured: Measured, metric: str, margins: Margins) -> Verdict:
    """Return the verdict on the second of two systems against the first."""
    place, statistic = _statistic(measured, metric)
    _check(measured, metric, statistic.metrics[0])
    first, _ = measured.systems
    pairs, notes = differences_of(measured, place, first)
    (old, _), (new, difference) = pairs
    assert difference is not None
    one, other = measured.systems.values()
    # Other statistics than means are not made of what single queries lose.
    place, up = statistic.metrics[0], statistic.more_is_better
    is_mean = statistic.kind == "mean"
    return Verdict(
        difference=difference,
        notes=(
            *notes,
            *("Rows are the clusters.",) * bool(measured.clusters),
            *gaps(measured),
        ),
        same=one.ranking == other.ranking != "",
        losses=_losses(measured, place, up) if is_mean else (),
        values=(old.value, new.value),
        flipped=_flipped(measured, place) if is_mean and up else ((), ()),
        carriers=_carriers(measured, place),
        **margins.limits(statistic),
    )


def _carriers(measured: Measured, place: int) -> float:
    """Return the carriers of a change, or of the values of a single system."""
    first, *others = measured.systems.values()
    values, valid = first.values[place], first.valid[place]
    for other in others:
        values, valid = values - other.values[place], valid & other.valid[place]
    values, weights = np.where(valid, values, 0.0), first.weights[place]
    if measured.clusters:
        rows, parts = measured.rows, values * np.nan_to_num(weights, nan=1.0)
        return carriers_of(np.where(rows >= 0, parts[rows], 0.0).sum(axis=1))
    return carriers_of(values, weights)


def _flipped(
    measured: Measured, place: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the queries whose value fell to 0, and those that rose from 0."""
    one, other = measured.systems.values()
    valid = one.valid[place] & other.valid[place]
    old, new = (x.values[place] > 0.0 for x in (one, other))
    fell, rose = (
        np.flatnonzero(valid & old & ~new),
        np.flatnonzero(valid & new & ~old),
    )
    return (
        tuple(measured.lists[i] for i in fell.tolist()),
        tuple(measured.lists[i] for i in rose.tolist()),
    )


def _losses(measured: Measured, place: int, up: bool) -> tuple[Loss, ...]:
    """Return the queries that lost most by a metric, with both values."""
    one, other = measured.systems.values()
    pairs = np.stack([one.values[place], other.values[place]])
    valid = one.valid[place] & other.valid[place]
    lost = (pairs[0] - pairs[1]) * (1 if up else -1)
    lost = np.where(valid & (lost > ROUNDING), lost, 0.0)
    lost = lost * np.nan_to_num(one.weights[place], nan=1.0)
    order = np.argsort(-lost, kind="stable")[:_NAMED]
    return tuple(
        Loss(
            measured.lists[i],
            float(pairs[0, i]),
            float(pairs[1, i]),
            float(lost[i] / lost.sum()),
        )
        for i in order[lost[order] > 0].tolist()
    )


def only_choice(argument: str, name: str | None, names: list[str]) -> str:
    """Return the name, or the only one if it is None."""
    found = names if name is None else [each for each in names if each == name]
    if len(found) != 1:
        remedy = f" Name one {argument}, or call it for each."
        if not names:
            raise ValueError(
                f"There should be a {argument} and a baseline. Received: a "
                "baseline alone. Pass both to `compare`, or join a saved "
                "result: `Compared.from_json(text).join(compared)`."
            )
        raise ValueError(
            f"`{argument}` should name one of {names}. Received: {name!r}."
            f"{remedy * (name is None and len(names) > 1)}"
        )
    return found[0]


def _check(measured: Measured, metric: str, place: int) -> None:
    """Raise ValueError if the values of a system cannot support a verdict."""
    up = measured.metrics[place].more_is_better
    one, *others = (x.valid[place] for x in measured.systems.values())
    for name, system in measured.systems.items():
        valid = system.values[place][system.valid[place]]
        overlap = system.overlap
        if overlap.is_low or overlap.judged == 0 < overlap.judgements:
            received = f"{overlap.judged:,} judged items. {overlap.example}"
        elif up and not valid.any():
            received = (
                "the value 0 on all lists. Check its ids and scores; if these "
                "are right, gate on a number."
            )
        elif overlap.missing and not up:
            received = (
                f"no rows for {overlap.missing:,} of them, which have no value."
            )
        elif any((one != x).any() for x in others):
            received = "lists that count for one system alone. Set `empty`."
        else:
            continue
        raise ValueError(
            f"For a verdict on {metric}, {name!r} should retrieve judged items "
            f"for the queries. Received: {received}".rstrip()
        )
