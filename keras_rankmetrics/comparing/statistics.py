"""Means, differences and p values from the values of lists."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.comparing.values import Values
from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.aggregates.paired import (
    Difference,
    Paired,
    differences,
    estimate_of,
    holm,
)
from keras_rankmetrics.engine.backend.operations import ops

# The sums of so many lists are computed in float32, and added in float64.
_LISTS_OF_PART = 1024
# Values in float32 that differ by less are equal.
_ROUNDING = 1e-6


@dataclasses.dataclass(frozen=True)
class OfMetric:
    """The statistics of the systems by one metric.

    Attributes:
        estimates: the mean of each system.
        differences: the differences of the other systems to the baseline, in
            their order. `p_holm` is corrected for all differences of the table.
        without_spread: the systems with the same difference to the baseline on
            all lists. Their p is NaN, since a t test needs differences that
            vary.
    """

    estimates: list[Estimate]
    differences: list[Difference]
    without_spread: frozenset[str]


def of_metrics(
    values: Sequence[Values],
    systems: Sequence[str],
    baseline: int,
    bounded: Sequence[bool],
    more_is_better: Sequence[bool],
) -> list[OfMetric]:
    """Return the means of all systems and their differences to the baseline.

    Args:
        values: the values of each system.
        systems: the names of the systems.
        baseline: the place of the baseline among the systems.
        bounded: for each metric, True if values are in [0, 1].
        more_is_better: for each metric, True if higher values are better.
    """
    others = [place for place in range(len(systems)) if place != baseline]
    found = []
    for metric, is_bounded in enumerate(bounded):
        sums = _sums(values, metric, baseline, is_bounded)
        without_spread = frozenset(
            systems[place]
            for place in others
            if _differ_by_constant(values[place], values[baseline], metric)
        )
        of_others = differences(
            sums[len(systems) :],
            [systems[place] for place in others],
            systems[baseline],
            bounded=is_bounded,
            more_is_better=more_is_better[metric],
        )
        found.append(
            OfMetric(
                [estimate_of(s, is_bounded) for s in sums[: len(systems)]],
                [
                    dataclasses.replace(d, p=math.nan)
                    if d.system in without_spread
                    else d
                    for d in of_others
                ],
                without_spread,
            )
        )
    return _corrected(found)


def _differ_by_constant(one: Values, other: Values, metric: int) -> bool:
    """Return True if all differences are equal up to rounding, and not 0."""
    counts = one.counts[metric] & other.counts[metric]
    if counts.sum() < 2:
        return False
    values = one.values[metric][counts], other.values[metric][counts]
    rounding = _ROUNDING * np.max(np.abs(values))
    difference = values[0] - values[1]
    spread = difference.max() - difference.min()
    return bool(spread <= rounding < np.abs(difference).min())


def _corrected(found: Sequence[OfMetric]) -> list[OfMetric]:
    corrected = iter(holm([d.p for of in found for d in of.differences]))
    return [
        dataclasses.replace(
            of,
            differences=[
                dataclasses.replace(d, p_holm=next(corrected))
                for d in of.differences
            ],
        )
        for of in found
    ]


def _sums(
    found: Sequence[Values], metric: int, baseline: int, bounded: bool
) -> np.ndarray:
    """Return the sums of a `Comparison`, `[systems and differences, sums]`."""
    of_systems = np.stack([x.values[metric] for x in found])
    of_counts = np.stack([x.counts[metric] for x in found])
    weights = np.stack([x.weights[metric] for x in found])
    others = np.arange(len(found)) != baseline
    rows = np.concatenate(
        [of_systems, of_systems[others] - of_systems[baseline]]
    )
    counts = np.concatenate(
        [of_counts, of_counts[others] & of_counts[baseline]]
    )
    weights = np.concatenate(
        [weights, np.repeat(weights[[baseline]], others.sum(), axis=0)]
    )
    paired = Paired(len(rows), WeightedMean(bounded))
    per_row = found[0].lists_of_row
    step = per_row * _rows_of_part(rows.shape[1] // per_row, per_row)
    filled = [_filled(x, step) for x in (rows, counts, weights)]
    total = np.zeros(paired.shape)
    for begin in range(0, filled[0].shape[1], step):
        values, counted, own = (x[:, begin : begin + step] for x in filled)
        per_list = _per_list(values, counted, own, per_row)
        total += ops.convert_to_numpy(paired.of_batch(per_list)[0])
    return total


def _rows_of_part(rows: int, per_row: int) -> int:
    """Return a power of two for few rows, so that there are few shapes."""
    most = max(1, _LISTS_OF_PART // per_row)
    return min(most, 1 << max(rows - 1, 0).bit_length())


def _filled(x: np.ndarray, step: int) -> np.ndarray:
    """Return `x` with excluded lists added, up to a multiple of `step`."""
    missing = -x.shape[1] % step
    return np.pad(x, ((0, 0), (0, missing)))


def _per_list(
    rows: np.ndarray, counts: np.ndarray, weights: np.ndarray, per_row: int
) -> PerList:
    has_own = ~np.isnan(weights)
    values, lists = np.where(counts, rows, 0.0), rows.shape[1]
    return PerList(
        values=ops.convert_to_tensor(values, "float32"),
        weights=ops.convert_to_tensor(np.nan_to_num(weights), "float32"),
        has_own_weight=ops.convert_to_tensor(has_own),
        counts=ops.convert_to_tensor(counts),
        rows=None if per_row == 1 else (lists // per_row, per_row),
    )
