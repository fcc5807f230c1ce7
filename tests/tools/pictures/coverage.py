"""The probability that an interval of hit rates contains the true rate."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from keras_rankmetrics import Estimate
from tests.tools.pictures.charts import END, MIDDLE, Axes, curve
from tests.tools.pictures.drawing import BLUE, GREY, ORANGE, bold, letters

RATE = 0.95
LISTS = (5, 8, 10, 15, 20, 30, 50, 70, 100, 150, 200)
Interval = Callable[[int, int], tuple[float, float]]


def by_default(hits: int, lists: int) -> tuple[float, float]:
    """Return the interval that the package prints."""
    mean = hits / lists
    error = math.sqrt(mean * (1.0 - mean) / (lists - 1))
    found = Estimate(mean, error, lists, float(lists), lists, bounded=True)
    return found.interval()


def by_t(hits: int, lists: int) -> tuple[float, float]:
    """Return the t interval, mean ± t · standard error."""
    mean = hits / lists
    error = math.sqrt(mean * (1.0 - mean) / (lists - 1))
    return Estimate(mean, error, lists, float(lists), lists).interval()


def coverage(interval: Interval, lists: int, rate: float = RATE) -> float:
    """Return the probability that the interval contains the rate.

    It is exact: the number of hits is binomial, so no sample is drawn.
    """
    found = 0.0
    for hits in range(lists + 1):
        low, high = interval(hits, lists)
        if low <= rate <= high:
            probability = rate**hits * (1.0 - rate) ** (lists - hits)
            found += math.comb(lists, hits) * probability
    return found


def _line(axes: Axes, ys: Sequence[float], colour: str) -> str:
    return curve(axes.points([math.log10(n) for n in LISTS], ys), colour)


def picture() -> str:
    """Return the coverage of both intervals by the number of lists."""
    axes = Axes(
        *(46, 40, 420, 230),
        *(math.log10(LISTS[0]), math.log10(LISTS[-1]), 0.0, 1.0),
    )
    parts = [bold(0, 20, f"95% intervals of a hit rate of {RATE}")]
    parts += axes.grid([], [float(y) for y in np.linspace(0, 1, 6).round(1)])
    for n in (5, 10, 20, 50, 100, 200):
        x = round(axes.x(math.log10(n)), 1)
        parts.append(letters(x, axes.bottom + 22, str(n), MIDDLE))
    right = axes.left + axes.width
    y = axes.y(0.95)
    parts.append(
        f'<path d="M{axes.left} {y:.1f}H{right}" stroke="{GREY}" '
        'stroke-dasharray="4 3"/>'
    )
    for interval, colour in ((by_t, ORANGE), (by_default, BLUE)):
        values = [coverage(interval, n) for n in LISTS]
        parts.append(_line(axes, values, colour))
    parts.append(letters(right - 150, round(axes.y(0.55)), "mean ± t · error"))
    parts.append(letters(right - 6, round(axes.y(0.87)), "default", END))
    return axes.document(parts, "lists; how often the interval is right")
