"""`Verdict`: whether a system is worse than a baseline by more than allowed.

The baseline is a system, or a number.
"""

from __future__ import annotations

import dataclasses
import json
import math
import reprlib
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import differences_of, gaps, percent
from keras_rankmetrics.comparing.table_formats import in_markdown
from keras_rankmetrics.engine.aggregates.estimate import Combined, Estimate
from keras_rankmetrics.engine.aggregates.paired import (
    ROUNDING,
    Difference,
    Statistic,
)
from keras_rankmetrics.engine.backend.operations import as_integer

# The exit code of each outcome, and what it says about a loss. 2 is a usage
# error.
_OUTCOMES = {"pass": (0, "no"), "fail": (1, "a"), "undecided": (3, "perhaps a")}
_LOSSES = 3  # queries that a verdict names
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
    """The answer to whether a system is worse than the baseline.

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
        rows = max(self.difference.estimate.independent, 1.0)
        return float(1.0 - ((1.0 - self.level) / 2.0) ** (1.0 / rows))

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided confidence interval of the difference."""
        return self.difference.interval(self.level)

    @property
    def bounds(self) -> tuple[float, float]:
        """The worst and the best change that decide, with losses below 0.

        They are the ends of the interval, or farther for a metric in [0, 1]:
        the `unseen` lists may lose or gain all. Without bounds, lists that all
        have the same difference exclude nothing.
        """
        found, (low, high) = self.difference.estimate, self.interval
        if self.bounded:
            least, most = found.limits or (-1.0, 1.0)
            low = min(low, found.value + self.unseen * (least - found.value))
            high = max(high, found.value + self.unseen * (most - found.value))
        elif low == high:
            low, high = -math.inf, math.inf
        return self._with_losses_below(low, high)

    def _with_losses_below(
        self, low: float, high: float
    ) -> tuple[float, float]:
        """Return the ends of a change, with losses below 0."""
        return (low, high) if self.more_is_better else (-high, -low)

    @property
    def outcome(self) -> str:
        """The outcome: `"pass"`, `"fail"` or `"undecided"`.

        A system passes if no loss within the `bounds` exceeds the tolerance, or
        if it is the `same` as the baseline. It fails if all of them do.
        """
        return "pass" if self.same else self._of(*self.bounds)

    def _of(self, worst: float, best: float) -> str:
        """Return the outcome for bounds of the change."""
        if worst >= -self.tolerance:
            return "pass"
        return "fail" if best < -self.tolerance else "undecided"

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
        d, loss = self.difference, self._loss
        low, high = self.interval
        found = round(d.estimate.value, 4) + 0.0  # no -0.0000
        verdict = (
            f"{self.outcome}: {self.metric} of {d.system} is "
            f"{found:+.4f} against {d.baseline} on {d.estimate.over} "
            f"({percent(self.level)} interval {low:+.4f} to {high:+.4f}), "
            f"{_OUTCOMES[self.outcome][1]} {loss} of more than "
            f"{self.tolerance:g}."
        )
        line = " ".join(filter(None, (verdict, self.reason, self._lost)))
        return "\n".join([line, *self.notes])

    def to_markdown(self) -> str:
        """Return the text in one line of Markdown, for a pull request."""
        text = in_markdown(str(self)).removeprefix(self.outcome)
        return f"**{self.outcome}**{text}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can contain."""
        d, detectable = self.difference, self.detectable
        names = ["outcome", "metric", "level", "tolerance", "reason", "same"]
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
    def _loss(self) -> str:
        return "drop" if self.more_is_better else "rise"

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
        if self.outcome == "undecided" != alone:
            if not self.bounded:
                return "All lists have the same difference: others may differ."
            return (
                f"The interval would decide, but {over} may lack up to "
                f"{self.unseen:.1%} of all lists, which could lose or gain all."
            )
        if not self.losses and math.isnan(self.difference.p):
            return ""
        if math.isnan(self.detectable):
            return (
                "Too few lists, or too few that differ, to say what is noticed."
            )
        true = f"a true {self._loss} of {self.detectable:.4f}"
        these = over.replace("lists", "lists like these", 1)
        return f"With {these}, {true} is noticed 80% of the time."

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


def _lack(difference: Difference) -> str:
    """Say why a difference has no standard error, and what to do."""
    found, system = difference.estimate, difference.system
    if not math.isfinite(found.value):
        return (
            f"a difference of {found.value} for {system!r}. Find the list "
            "whose value is not finite by `per_list()`."
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


def tolerance_of(x: Any, limit: float = math.inf) -> float:
    """Return a tolerance below the limit, from a number or text."""
    try:
        found = float(x)
    except (TypeError, ValueError):
        found = math.nan
    if not 0.0 <= found < limit:
        raise ValueError(
            "`tolerance` should be a number of at least 0, in units of the "
            "metric, such as 0.01 for 1%, and below 1 for a metric in [0, 1], "
            f"which cannot drop by more. Received: {x!r}."
        )
    return found


# The verdicts on measured values.


def verdict_on_mean(
    measured: Measured,
    metric: str,
    mean: float,
    lists: int | None,
    tolerance: float,
    level: float,
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
        tolerance: the largest loss to accept.
        level: the level of the interval.
    """
    place, statistic = _statistic(measured, metric)
    _check(measured, metric, statistic.metrics[0])
    up, bounded = statistic.more_is_better, statistic.bounded
    [name] = measured.systems
    [(found, _)], _ = differences_of(measured, place, name)
    mean = _mean_of(mean, bounded)
    shown, baseline = f"{mean:g}", Estimate(mean, 0.0, 2, 2.0, 2)
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
        baseline = Estimate(mean, error, lists, lists, lists, bounded=True)
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
    tolerance = tolerance_of(tolerance, 1.0 if bounded else math.inf)
    verdict = Verdict(metric, difference, tolerance, level, up, bounded)
    notes = list(gaps(measured))
    if lists is not None and verdict.outcome == "undecided":
        low, high = baseline.interval(level)
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


def verdict_of(
    measured: Measured, metric: str, tolerance: float, level: float
) -> Verdict:
    """Return the verdict on the second of two systems against the first."""
    place, statistic = _statistic(measured, metric)
    _check(measured, metric, statistic.metrics[0])
    first, _ = measured.systems
    pairs, _ = differences_of(measured, place, first)
    [difference] = [d for _, d in pairs if d is not None]
    up, bounded = statistic.more_is_better, statistic.bounded
    tolerance = tolerance_of(tolerance, 1.0 if bounded else math.inf)
    one, other = measured.systems.values()
    return Verdict(
        metric,
        difference,
        tolerance,
        level,
        up,
        bounded,
        notes=tuple(gaps(measured)),
        same=one.ranking == other.ranking != "",
        losses=_losses(measured, statistic.metrics[0], up),
    )


def _losses(measured: Measured, place: int, up: bool) -> tuple[Loss, ...]:
    """Return the queries that lost most by a metric, with both values."""
    one, other = measured.systems.values()
    pairs = np.stack([one.values[place], other.values[place]])
    valid = one.valid[place] & other.valid[place]
    lost = (pairs[0] - pairs[1]) * (1 if up else -1)
    lost = np.where(valid & (lost > ROUNDING), lost, 0.0)
    lost = lost * np.nan_to_num(one.weights[place], nan=1.0)
    order = np.argsort(-lost, kind="stable")[:_LOSSES]
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
        remedy = f" A verdict is on one {argument}: call `gate` for each."
        if not names:
            raise ValueError(
                f"A verdict should be on a {argument} and a baseline. "
                "Received: a baseline alone. Pass both to `compare`, or join a "
                "saved result: `Compared.from_json(text).join(compared)`."
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
            received = "the value 0 on all lists. Check its ids and scores."
        elif overlap.missing and not up:
            received = f"nothing for {overlap.missing:,} of them, a low value."
        elif any((one != x).any() for x in others):
            received = "lists that count for one system alone. Set `empty`."
        else:
            continue
        raise ValueError(
            f"For a verdict on {metric}, {name!r} should retrieve judged items "
            f"for the queries. Received: {received}".rstrip()
        )
