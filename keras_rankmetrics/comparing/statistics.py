"""The statistics of columns: means, quantiles, lower means, corrected means.

Each has an estimate for every system, and a difference from the baseline for
every other system.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Column, Measured
from keras_rankmetrics.engine.aggregates import (
    Estimate,
    PerList,
    WeightedMean,
    paired,
    tails,
)
from keras_rankmetrics.engine.aggregates.distributions import two_sided_p
from keras_rankmetrics.engine.aggregates.judge_corrected import (
    JudgeCorrectedEstimate,
    sums_of,
)
from keras_rankmetrics.engine.backend.operations import ops

# Sums over this number of lists are computed in float32, and added in float64.
_LISTS_OF_PART = 1024
# Values in float32 that differ by less are equal.
_ROUNDING = 1e-6


class Differences(NamedTuple):
    """A column of the table.

    Attributes:
        estimates: the estimate of each system.
        differences: the difference of each system; None for the baseline.
        notes: sentences about differences without a test.
    """

    estimates: list[Estimate]
    differences: list[paired.Difference | None]
    notes: list[str]


class _Lists(NamedTuple):
    """The values of a measure, with systems in place of metrics.

    Attributes:
        names: the names of the systems.
        baseline: the name of the baseline.
        values: `[systems, lists]`.
        counts: bool `[systems, lists]`, False for excluded lists.
        weights: `[systems, lists]`, NaN for lists without their own weight.
        per_row: the number of consecutive lists that depend on each other.
    """

    names: list[str]
    baseline: str
    values: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    per_row: int

    @property
    def first(self) -> int:
        """The position of the baseline."""
        return self.names.index(self.baseline)

    @property
    def others(self) -> list[int]:
        """The positions of the other systems."""
        return [x for x in range(len(self.names)) if x != self.first]

    def sample(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the valid values of a system, ascending, and their weights."""
        valid = self.counts[place]
        values, weights = self.values[place][valid], self.weights[place][valid]
        own = weights[~np.isnan(weights)]
        mean = own.mean() if own.size else 1.0
        order = np.argsort(values, kind="stable")
        return values[order], np.nan_to_num(weights, nan=mean)[order]


def differences_of(
    measured: Measured, column: int, baseline: str
) -> Differences:
    """Return the estimates and the differences of a column.

    Args:
        measured: the values of each list.
        column: the position of the column.
        baseline: the name of the system to which the others are compared.
    """
    chosen = measured.columns[column]
    systems = [system.values for system in measured.systems.values()]
    lists = [
        _Lists(
            list(measured.systems),
            baseline,
            np.stack([x.values[place] for x in systems]),
            np.stack([x.counts[place] for x in systems]),
            np.stack([x.weights[place] for x in systems]),
            systems[0].lists_of_row,
        )
        for place in chosen.measures
    ]
    return _STATISTICS[chosen.statistic](chosen, *lists)


def _means(column: Column, x: _Lists) -> Differences:
    """Return the means, with paired t tests."""
    differ = x.values[x.others] - x.values[x.first]
    sums = _sums(
        np.concatenate([x.values, differ]),
        np.concatenate([x.counts, x.counts[x.others] & x.counts[x.first]]),
        x.weights[[*range(len(x.names)), *[x.first] * len(x.others)]],
        x.per_row,
        column.bounded,
    )
    means, of_others = np.split(sums, [len(x.names)])
    differences = paired.differences(
        of_others,
        [x.names[place] for place in x.others],
        x.baseline,
        bounded=column.bounded,
        more_is_better=column.more_is_better,
    )
    notes = []
    for i, place in enumerate(x.others):
        valid = x.counts[place] & x.counts[x.first]
        mine, base = x.values[place][valid], x.values[x.first][valid]
        if _differ_by_constant(mine, base):
            d = differences[i]
            error = 0.0 if d.estimate.rows > 1 else math.nan
            same = dataclasses.replace(d.estimate, standard_error=error)
            d = dataclasses.replace(d, estimate=same, p=math.nan)
            differences[i] = d
            notes.append(
                f"{d.system}: {column.name} differs from that of {x.baseline} "
                f"by {d.estimate.value:.4g} on each of {d.estimate.lists:,} "
                "lists. A t test needs differences that vary, so there is no "
                "test, and no mark."
            )
    estimates = [paired.estimate_of(each, column.bounded) for each in means]
    return Differences(estimates, _compared(x, differences), notes)


def _lower_means(column: Column, x: _Lists) -> Differences:
    """Return the lower means: the means of linearised values.

    Their t tests are paired, like those of the values themselves.
    """
    linearised = np.full(x.values.shape, np.nan)
    for place in range(len(x.names)):
        values, weights = x.sample(place)
        if len(values):
            cut = tails.quantile(values, weights, column.option)
            # The same as `tails.linearised`, in the order of the lists.
            below = np.maximum(cut - x.values[place], 0.0)
            linearised[place] = cut - below / column.option
    unbounded = column._replace(bounded=False)
    found = _means(unbounded, x._replace(values=linearised))
    estimates = [
        dataclasses.replace(_in_tail(e, column.option), bounded=column.bounded)
        for e in found.estimates
    ]
    differences = []
    for d in filter(None, found.differences):
        estimate = _in_tail(d.estimate, column.option)
        p = math.nan if math.isnan(d.p) else two_sided_p(d.t, estimate.rows - 1)
        counts = _counts(column, x, d.system)
        differences.append(
            dataclasses.replace(d, estimate=estimate, p=p, **counts)
        )
    return Differences(estimates, _compared(x, differences), found.notes)


def _in_tail(estimate: Estimate, share: float) -> Estimate:
    """Return the estimate with the number of lists in the tail as its rows."""
    lists = min(estimate.rows, estimate.effective_lists)
    if math.isnan(estimate.effective_lists):
        return estimate
    return dataclasses.replace(estimate, rows=tails.rows_in_tail(lists, share))


@dataclasses.dataclass(frozen=True)
class QuantileEstimate(Estimate):
    """A quantile of the values of lists. It has no standard error.

    Attributes:
        values: the values of the lists, ascending.
        weights: the weights of the lists.
        quantile: the level of the quantile.
    """

    values: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )
    weights: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )
    quantile: float = 0.5

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval between two order statistics."""
        effective = min(self.rows, self.effective_lists)
        if not self.rows or math.isnan(self.value):
            return math.nan, math.nan
        return tails.quantile_interval(
            self.values, self.weights, self.quantile, effective, level
        )

    def anytime_interval(
        self, level: float = 0.95, planned: int = 500
    ) -> tuple[float, float]:
        """Return NaN: there is a sequence for means alone."""
        return math.nan, math.nan


def _quantiles(column: Column, x: _Lists) -> Differences:
    """Return the quantiles, whose differences have no test."""
    means = _means(column, x)
    estimates: list[Estimate] = []
    for place, mean in enumerate(means.estimates):
        values, weights = x.sample(place)
        found = 0.0
        if len(values):
            found = float(tails.quantile(values, weights, column.option))
        # A value that is NaN has no place among the others.
        found += 0.0 * mean.value
        counts = mean.lists, mean.effective_lists, mean.rows, mean.bounded
        estimates.append(
            QuantileEstimate(
                found, math.nan, *counts, values, weights, column.option
            )
        )
    base = estimates[x.first].value
    differences = [
        d
        and dataclasses.replace(
            d,
            estimate=dataclasses.replace(
                d.estimate, value=each.value - base, standard_error=math.nan
            ),
            t=math.nan,
            p=math.nan,
            p_holm=math.nan,
            effect_size=math.nan,
        )
        for d, each in zip(means.differences, estimates, strict=True)
    ]
    note = (
        f"{column.name}: a paired t test compares means, so quantiles have no "
        "test, and no mark."
    )
    return Differences(estimates, differences, [note] * bool(x.others))


def _judge_corrected(column: Column, y: _Lists, f: _Lists) -> Differences:
    """Return the means by humans, of which few labels and a judge's are known.

    Args:
        column: the column.
        y: the values by human labels.
        f: the values by the judge's labels.
    """
    counts = y.counts, f.counts
    estimates: list[Estimate] = [
        _corrected(y.values[x], y.counts[x], f.values[x], f.counts[x])
        for x in range(len(y.names))
    ]
    differences = []
    for place in y.others:
        of_y, of_f = (x.values[place] - x.values[x.first] for x in (y, f))
        has_y, has_f = (x[place] & x[y.first] for x in counts)
        estimate = _corrected(of_y, has_y, of_f, has_f)
        deviation = estimate.standard_error * math.sqrt(estimate.rows)
        t = paired.ratio(estimate.value, estimate.standard_error)
        p = two_sided_p(t, estimate.rows - 1)
        differences.append(
            paired.Difference(
                y.names[place],
                y.baseline,
                estimate,
                t=t,
                p=p,
                p_holm=math.nan,
                effect_size=paired.ratio(estimate.value, deviation),
                **_counts(column, y, y.names[place]),
            )
        )
    return Differences(estimates, _compared(y, differences), [])


def _corrected(*lists: np.ndarray) -> JudgeCorrectedEstimate:
    return JudgeCorrectedEstimate.of_sums(sums_of(*lists))


def _counts(column: Column, x: _Lists, system: str) -> dict[str, Any]:
    """Return the numbers of wins, ties and losses against the baseline."""
    place = x.names.index(system)
    valid = x.counts[place] & x.counts[x.first]
    differ = (x.values[place] - x.values[x.first])[valid]
    better = differ if column.more_is_better else -differ
    wins, losses = np.sum(better > _ROUNDING), np.sum(better < -_ROUNDING)
    ties = np.sum(np.abs(differ) <= _ROUNDING)
    return {"wins": int(wins), "ties": int(ties), "losses": int(losses)}


def _compared(
    x: _Lists, differences: Sequence[paired.Difference]
) -> list[paired.Difference | None]:
    """Return the differences by system, with p corrected for their number."""
    corrected = paired.holm([d.p for d in differences])
    found: list[paired.Difference | None] = [
        dataclasses.replace(d, p_holm=p)
        for d, p in zip(differences, corrected, strict=True)
    ]
    return [*found[: x.first], None, *found[x.first :]]


def _sums(
    values: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    per_row: int,
    bounded: bool,
) -> np.ndarray:
    """Return the sums of `Paired` over all lists, `[rows, sums]`.

    Args:
        values: `[rows, lists]`, for each system and difference.
        counts: `[rows, lists]`, False for excluded lists.
        weights: `[rows, lists]`, NaN for lists without their own weight.
        per_row: the number of consecutive lists that depend on each other.
        bounded: True if the values of systems are in [0, 1].
    """
    aggregate = paired.Paired(len(values), WeightedMean(bounded))
    lists = values.shape[1]
    # Backends compile each shape anew, so few lists are padded to a power of 2.
    rows = 1 << max(lists // per_row - 1, 0).bit_length()
    step = per_row * min(max(1, _LISTS_OF_PART // per_row), rows)
    padding = (0, 0), (0, -lists % step)
    arrays = [np.pad(x, padding) for x in (values, counts, weights)]
    total = np.zeros(aggregate.shape)
    for begin in range(0, lists, step):
        values, counts, weights = (x[:, begin : begin + step] for x in arrays)
        per_list = PerList(
            ops.convert_to_tensor(values, "float32"),
            ops.convert_to_tensor(weights, "float32"),
            ops.convert_to_tensor(~np.isnan(weights)),
            ops.convert_to_tensor(counts),
            None if per_row == 1 else (step // per_row, per_row),
        )
        total += ops.convert_to_numpy(aggregate.of_batch(per_list)[0])
    return total


def _differ_by_constant(one: np.ndarray, other: np.ndarray) -> bool:
    """Return True if all differences are equal up to rounding, and not 0."""
    if len(one) < 2:
        return False
    difference = one - other
    rounding = _ROUNDING * np.max(np.abs([one, other]))
    spread = difference.max() - difference.min()
    return bool(spread <= rounding < np.abs(difference).min())


_STATISTICS: dict[str, Callable[..., Differences]] = {
    "mean": _means,
    "quantile": _quantiles,
    "lower mean": _lower_means,
    "judge-corrected mean": _judge_corrected,
}
