"""Who computes the same is timed, and nobody else."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tests.tools.benchmarks.measurement import Measurement

# Results further apart than this, relative to their size, are not the same.
TOLERANCE = 1e-4


def compare(measurements: Sequence[Measurement], to: str) -> None:
    """A contender with other results than those of `to` has failed.

    Where `to` has no results, the others are compared to the first one that
    has.
    """
    compared = [m for m in measurements if m.results and not m.failure]
    compared.sort(key=lambda m: m.contender != to)
    for measurement in compared[1:]:
        _compare(measurement, compared[0])
    for measurement in compared[:1]:
        measurement.check = "what others are compared to"


def agree(results: ArrayLike, expected: ArrayLike) -> bool:
    """Whether all are the same; NaN is not the same as anything."""
    return bool(np.all(_gaps(results, expected) <= TOLERANCE))


def _compare(measurement: Measurement, right: Measurement) -> None:
    names = list(measurement.results)
    missing = [name for name in names if name not in right.results]
    if missing:
        measurement.failure = (
            f"{right.contender} has no {', '.join(missing)} to compare"
        )
        return
    results = [measurement.results[name] for name in names]
    expected = [right.results[name] for name in names]
    gaps = _gaps(results, expected)
    measurement.check = f"agrees to {max(gaps):.0e}"
    apart = [
        f"{name} is {result:.4g}, not {other:.4g}"
        for name, result, other in zip(names, results, expected, strict=True)
        if not agree(result, other)
    ]
    if apart:
        measurement.failure = (
            f"differs from {right.contender}: {', '.join(apart)}"
        )


def _gaps(results: ArrayLike, expected: ArrayLike) -> np.ndarray:
    """How far apart the results are, relative to those expected."""
    expected = np.asarray(expected, "float64")
    gaps = np.abs(np.asarray(results, "float64") - expected)
    # A tiny number instead of 0: any other result is then far away.
    return gaps / np.maximum(np.abs(expected), 1e-12)
