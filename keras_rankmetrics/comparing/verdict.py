"""`Verdict`: whether a system is worse than a baseline by more than allowed."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import differences_of, gaps, percent
from keras_rankmetrics.comparing.table_formats import in_markdown
from keras_rankmetrics.engine.aggregates.paired import Difference

# The exit code of each outcome, and what it says about a loss. 2 is a usage
# error.
_OUTCOMES = {"pass": (0, "no"), "fail": (1, "a"), "undecided": (3, "perhaps a")}


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
        rows = self.difference.estimate.rows
        return float(1.0 - ((1.0 - self.level) / 2.0) ** (1.0 / rows))

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided confidence interval of the difference.

        If all lists have the same difference, other than 0, a t interval has no
        width. For metrics in [0, 1], the unseen lists then give the bounds:
        they could have a difference of -1 or 1.
        """
        found = self.difference.estimate
        if found.standard_error or not found.value or not self.bounded:
            return found.interval(self.level)
        low, high = (
            found.value + self.unseen * (end - found.value) for end in (-1, 1)
        )
        return low, high

    @property
    def outcome(self) -> str:
        """The outcome: `"pass"`, `"fail"` or `"undecided"`.

        A system passes if no loss in the interval exceeds the tolerance, and
        fails if each loss in it does. It is undecided if all lists have the
        same difference, other than 0, of a metric without bounds. A system
        that has the values of the baseline on all lists passes.
        """
        found = self.difference.estimate
        low, high = self.interval
        worst, best = (low, high) if self.more_is_better else (-high, -low)
        if found.value and not found.standard_error and not self.bounded:
            return "undecided"
        if worst >= -self.tolerance:
            return "pass"
        return "fail" if best < -self.tolerance else "undecided"

    @property
    def detectable(self) -> float:
        """The smallest true loss that so many lists detect, at a power of 80%.

            (t_{(1 + level) / 2} + t_{0.8}) · standard error

        A loss is detected if the interval of the difference excludes 0. NaN if
        all lists have the same difference.
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
        """Return the verdict in two sentences, and the notes."""
        d, loss = self.difference, "drop" if self.more_is_better else "rise"
        (low, high), lists = self.interval, f"{d.estimate.lists:,} lists"
        true = f"a true {loss} of {self.detectable:.4f}"
        found = round(d.estimate.value, 4) + 0.0  # no -0.0000
        power = f"With {lists} like these, {true} is noticed 80% of the time."
        if math.isnan(self.detectable):
            power = (
                "All lists have the same difference. Up to "
                f"{self.unseen:.1%} of other lists may have another one."
            )
        verdict = (
            f"{self.outcome}: {self.metric} of {d.system} is "
            f"{found:+.4f} against {d.baseline} on {lists} "
            f"({percent(self.level)} interval {low:+.4f} to {high:+.4f}), "
            f"{_OUTCOMES[self.outcome][1]} {loss} of more than "
            f"{self.tolerance:g}. {power}"
        )
        return "\n".join([verdict, *self.notes])

    def to_markdown(self) -> str:
        """Return the text in one line of Markdown, for a pull request."""
        text = in_markdown(str(self)).removeprefix(self.outcome)
        return f"**{self.outcome}**{text}"


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


def verdict_of(
    measured: Measured, metric: str, tolerance: float, level: float
) -> Verdict:
    """Return the verdict on the second of two systems against the first."""
    place = [statistic.name for statistic in measured.shown].index(metric)
    statistic = measured.shown[place]
    if statistic.kind == "quantile":
        raise ValueError(
            "A verdict needs a metric whose differences have a standard error, "
            f"a mean or a lower mean. Received: {metric}, a quantile. Choose "
            "`LowerMean` in place of `Quantiles`."
        )
    _check(measured, metric, statistic.metrics[0])
    first, _ = measured.systems
    pairs, _ = differences_of(measured, place, first)
    [difference] = [d for _, d in pairs if d is not None]
    up, bounded = statistic.more_is_better, statistic.bounded
    tolerance = tolerance_of(tolerance, 1.0 if bounded else math.inf)
    notes = tuple(gaps(measured))
    return Verdict(metric, difference, tolerance, level, up, bounded, notes)


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
    one, two = (x.valid[place] for x in measured.systems.values())
    for name, system in measured.systems.items():
        valid = system.values[place][system.valid[place]]
        overlap = system.overlap
        if overlap.is_low or overlap.judged == 0 < overlap.judgements:
            received = f"{overlap.judged:,} judged items. {overlap.example}"
        elif up and not valid.any():
            received = "the value 0 on all lists. Check its ids and scores."
        elif overlap.missing and not up:
            received = f"nothing for {overlap.missing:,} of them, a low value."
        elif (one != two).any():
            received = "lists that count for one system alone. Set `empty`."
        else:
            continue
        raise ValueError(
            f"For a verdict on {metric}, {name!r} should retrieve judged items "
            f"for the queries. Received: {received}".rstrip()
        )
