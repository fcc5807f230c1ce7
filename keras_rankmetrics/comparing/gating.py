"""Verdicts of measured values: against a baseline, or against a number."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import differences_of, gaps
from keras_rankmetrics.comparing.verdict import Loss, Verdict, tolerance_of
from keras_rankmetrics.engine.aggregates.estimate import Combined, Estimate
from keras_rankmetrics.engine.aggregates.paired import (
    ROUNDING,
    Difference,
    Statistic,
)
from keras_rankmetrics.engine.backend.operations import as_integer

_LOSSES = 3  # queries that a verdict names
# The statistics whose differences have no standard error, and what to choose.
_WITHOUT_ERROR = {
    "quantile": "`LowerMean` in place of `Quantiles`",
    "total": "a mean, such as `RecallAtK`",
    "geometric mean": "`MeanAveragePrecision`, or `LowerMean` of it",
}


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
