"""The statistics of columns: means, quantiles, lower means, corrected means.

Each has an estimate for every system, and a difference from the baseline for
every other system.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Column, Measured, Values
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


# The estimates of all systems, the differences of the others from the first,
# and the notes.
_Found = tuple[list[Estimate], list[paired.Difference], list[str]]


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
    names = [baseline, *(x for x in measured.systems if x != baseline)]
    systems = [measured.systems[name].values for name in names]
    of_measures = [
        Values(
            np.stack([x.values[place] for x in systems]),
            np.stack([x.counts[place] for x in systems]),
            np.stack([x.weights[place] for x in systems]),
            systems[0].lists_of_row,
        )
        for place in chosen.measures
    ]
    statistic = _STATISTICS[chosen.statistic]
    estimates, found, notes = statistic(chosen, names, *of_measures)
    corrected = paired.holm([d.p for d in found])
    differences = [
        dataclasses.replace(d, p_holm=p)
        for d, p in zip(found, corrected, strict=True)
    ]
    places = [names.index(name) for name in measured.systems]
    return Differences(
        [estimates[place] for place in places],
        [[None, *differences][place] for place in places],
        notes,
    )


def _against_first(x: Values) -> Values:
    """Return the differences of the other systems from the first."""
    differ = x.values[1:] - x.values[0]
    weights = np.broadcast_to(x.weights[0], differ.shape)
    return x._replace(
        values=differ, counts=x.counts[1:] & x.counts[0], weights=weights
    )


def _sample(x: Values, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the valid values of a system, ascending, and their weights."""
    valid = x.counts[place]
    values, weights = x.values[place][valid], x.weights[place][valid]
    own = weights[~np.isnan(weights)]
    mean = own.mean() if own.size else 1.0
    order = np.argsort(values, kind="stable")
    return values[order], np.nan_to_num(weights, nan=mean)[order]


def _means(column: Column, names: list[str], x: Values) -> _Found:
    """Return the means, with paired t tests."""
    pairs = zip(x[:3], _against_first(x)[:3], strict=True)
    values, counts, weights = map(np.concatenate, pairs)
    sums = _sums(values, counts, weights, x.lists_of_row, column.bounded)
    means, of_others = np.split(sums, [len(names)])
    differences = paired.differences(
        of_others,
        names[1:],
        names[0],
        bounded=column.bounded,
        more_is_better=column.more_is_better,
    )
    notes = []
    for i, d in enumerate(differences):
        valid = counts[len(names) + i]
        if _differ_by_constant(x.values[i + 1][valid], x.values[0][valid]):
            error = 0.0 if d.estimate.rows > 1 else math.nan
            same = dataclasses.replace(d.estimate, standard_error=error)
            differences[i] = dataclasses.replace(d, estimate=same, p=math.nan)
            notes.append(
                f"{d.system}: {column.name} differs from that of {d.baseline} "
                f"by {d.estimate.value:.4g} on each of {d.estimate.lists:,} "
                "lists. A t test needs differences that vary, so there is no "
                "test, and no mark."
            )
    estimates = [paired.estimate_of(each, column.bounded) for each in means]
    return estimates, differences, notes


def _lower_means(column: Column, names: list[str], x: Values) -> _Found:
    """Return the lower means: the means of linearised values.

    Their t tests are paired, like those of the values themselves.
    """
    linearised = np.full(x.values.shape, np.nan)
    for place in range(len(names)):
        values, weights = _sample(x, place)
        if len(values):
            cut = tails.quantile(values, weights, column.option)
            # The same as `tails.linearised`, in the order of the lists.
            below = np.maximum(cut - x.values[place], 0.0)
            linearised[place] = cut - below / column.option
    estimates, differences, notes = _means(
        column._replace(bounded=False), names, x._replace(values=linearised)
    )
    estimates = [
        dataclasses.replace(_in_tail(e, column.option), bounded=column.bounded)
        for e in estimates
    ]
    for i, (d, differ) in enumerate(
        zip(differences, _outcomes(column, x), strict=True)
    ):
        estimate = _in_tail(d.estimate, column.option)
        p = math.nan if math.isnan(d.p) else two_sided_p(d.t, estimate.rows - 1)
        differences[i] = dataclasses.replace(
            d, estimate=estimate, p=p, **differ
        )
    return estimates, differences, notes


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


def _quantiles(column: Column, names: list[str], x: Values) -> _Found:
    """Return the quantiles, whose differences have no test."""
    means, differences, _ = _means(column, names, x)
    estimates: list[Estimate] = []
    for place, mean in enumerate(means):
        values, weights = _sample(x, place)
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
    base, *others = (each.value for each in estimates)
    for i, (d, other) in enumerate(zip(differences, others, strict=True)):
        estimate = dataclasses.replace(
            d.estimate, value=other - base, standard_error=math.nan
        )
        differences[i] = dataclasses.replace(
            d, estimate=estimate, t=math.nan, p=math.nan, effect_size=math.nan
        )
    note = (
        f"{column.name}: a paired t test compares means, so quantiles have no "
        "test, and no mark."
    )
    return estimates, differences, [note] * bool(others)


def _judge_corrected(
    column: Column, names: list[str], y: Values, f: Values
) -> _Found:
    """Return the means by humans, of which few labels and a judge's are known.

    Args:
        column: the column.
        names: the names of the systems.
        y: the values by human labels.
        f: the values by the judge's labels.
    """
    differences = []
    for system, estimate, outcomes in zip(
        names[1:],
        _corrected(_against_first(y), _against_first(f)),
        _outcomes(column, y),
        strict=True,
    ):
        deviation = estimate.standard_error * math.sqrt(estimate.rows)
        t = paired.ratio(estimate.value, estimate.standard_error)
        differences.append(
            paired.Difference(
                system,
                names[0],
                estimate,
                t=t,
                p=two_sided_p(t, estimate.rows - 1),
                p_holm=math.nan,
                effect_size=paired.ratio(estimate.value, deviation),
                **outcomes,
            )
        )
    return _corrected(y, f), differences, []


def _corrected(y: Values, f: Values) -> list[Estimate]:
    rows = zip(y.values, y.counts, f.values, f.counts, strict=True)
    return [JudgeCorrectedEstimate.of_sums(sums_of(*row)) for row in rows]


def _outcomes(column: Column, x: Values) -> Iterator[dict[str, Any]]:
    """Yield the numbers of wins, ties and losses against the first system."""
    differ, counts, *_ = _against_first(x)
    for valid, better in zip(
        counts, differ if column.more_is_better else -differ, strict=True
    ):
        yield {
            "wins": int(np.sum(better[valid] > _ROUNDING)),
            "ties": int(np.sum(np.abs(better[valid]) <= _ROUNDING)),
            "losses": int(np.sum(better[valid] < -_ROUNDING)),
        }


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


_STATISTICS: dict[str, Callable[..., _Found]] = {
    "mean": _means,
    "quantile": _quantiles,
    "lower mean": _lower_means,
    "judge-corrected mean": _judge_corrected,
}
