"""Confidence sequences: intervals that may be read after every list.

An ordinary 95% interval is wrong in 5% of samples. To read it after
each list, and stop when it looks decided, picks the moments at which it is
wrong.
A confidence sequence contains the mean at all times at once with a probability
of 95%, for a width that is somewhat larger. It needs no state of its own.

The numbers may be floats or NumPy arrays that broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates.distributions import check_level


def rho(alpha: float, planned: float) -> float:
    """Return the parameter that makes the sequence narrowest at `planned`.

        √((-2 ln α + ln(-2 ln α + 1)) / planned)

    Args:
        alpha: the probability that the sequence is ever wrong.
        planned: the number of lists.
    """
    log = -2.0 * np.log(alpha)
    return float(np.sqrt((log + np.log(log + 1.0)) / planned))


def margin(deviation: Any, rows: Any, alpha: float, planned: float) -> Any:
    """Return half the width of the sequence after t rows.

        σ √(2 (t ρ² + 1) / (t² ρ²) · ln(√(t ρ² + 1) / α))

    Args:
        deviation: σ, the standard deviation of the rows.
        rows: t, the number of independent rows so far, at least 1.
        alpha: the probability that the sequence is ever wrong.
        planned: the number of lists at which it is narrowest.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit
    theory and asymptotic confidence sequences, arXiv 2103.06476.
    """
    scaled = rows * rho(alpha, planned) ** 2
    spread = 2.0 * (scaled + 1.0) / (rows * scaled)
    return deviation * np.sqrt(spread * np.log(np.sqrt(scaled + 1.0) / alpha))


def sequence(
    mean: Any,
    standard_error: Any,
    rows: Any,
    level: float = 0.95,
    planned: float = 500,
    limits: tuple[float, float] | None = None,
) -> tuple[Any, Any]:
    """Return the ends of the sequence, with a guard for rare values.

    The sequence of the paper is asymptotic. If 99 of 100 values are 1, the
    first ones may all be 1: then σ is 0, and the sequence is wrong at once.
    Among t lists without a rare value, its share may be up to -ln(α) / t (the
    rule of three, at 95%). So σ² is computed as if that share of the lists had
    the limit that is farthest from the mean:

        σ² + -ln(α) / t · max(mean - low, high - mean)²

    In simulations, the guarded sequence is wrong at any time in at most 5% of
    runs from 30 lists on, and without the guard in up to 75%.

    Args:
        mean: the mean so far.
        standard_error: its standard error, σ / √t. NaN, for a variance that is
            lost in rounding, counts as 0.
        rows: the number of independent rows so far.
        level: the probability that the sequence is never wrong.
        planned: the number of lists at which it is narrowest.
        limits: the lowest and the highest value that a list can have. Without
            them, rows that are all equal have an infinite interval.

    Returns:
        The ends, within the limits; NaN for fewer than two rows.

    Raises:
        ValueError: if `level` or `planned` is invalid.
    """
    check_level("level", level)
    if not 1 <= planned < np.inf:
        raise ValueError(
            "`planned` should be a number of lists, such as 500. Received: "
            f"{planned!r}."
        )
    alpha = 1.0 - level
    variance = np.nan_to_num(standard_error) ** 2 * rows
    if limits is None:
        low, high = -np.inf, np.inf
        variance = np.where(variance > 0.0, variance, np.inf)
    else:
        low, high = limits
        farthest = np.maximum(mean - low, high - mean)
        variance = variance - np.log(alpha) / np.maximum(rows, 1) * farthest**2
    rows = np.where(np.less(rows, 2), np.nan, rows)
    half = margin(np.sqrt(variance), rows, alpha, planned)
    ends = np.maximum(mean - half, low), np.minimum(mean + half, high)
    return ends if np.ndim(half) else (float(ends[0]), float(ends[1]))
