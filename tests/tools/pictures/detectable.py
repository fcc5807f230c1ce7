"""The smallest difference that a number of lists detects."""

import math

from keras_rankmetrics import Difference, Estimate
from tests.tools.pictures.charts import END, MIDDLE, Axes, curve
from tests.tools.pictures.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    bold,
    letters,
)

DEVIATIONS = {0.3: ORANGE, 0.2: GREEN, 0.1: BLUE}
# Fewer than 50 lists do not say what they detect.
LISTS = tuple(round(10 ** (1.7 + step / 10)) for step in range(24))


def detectable(deviation: float, lists: int) -> float:
    """Return the detectable difference for paired lists.

    Args:
        deviation: the standard deviation of the differences of lists.
        lists: the number of lists.
    """
    error = deviation / math.sqrt(lists)
    estimate = Estimate(0.0, error, lists, float(lists), lists)
    found = Difference("new", "old", estimate, *[0.0] * 4, lists, 0, 0)
    return found.detectable()


def picture() -> str:
    """Return a line for each standard deviation, on two log axes."""
    axes = Axes(*(58, 40, 410, 240), *(1.7, 4.0, -2.5, -0.5))
    parts = [bold(0, 20, "Difference found 80% of the time")]
    for value in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        y = axes.y(math.log10(value))
        parts.append(
            f'<path d="M{axes.left} {y:.1f}h{axes.width}" '
            f'stroke="{GREY}" stroke-opacity="0.4"/>'
        )
        parts.append(letters(50, round(y + 5, 1), f"{value:g}", END))
    for lists in (50, 100, 1000, 10_000):
        x = round(axes.x(math.log10(lists)), 1)
        anchor = END if lists == 10_000 else MIDDLE
        parts.append(letters(x, axes.bottom + 22, f"{lists:,}", anchor))
    for deviation, colour in DEVIATIONS.items():
        shown = [
            (math.log10(n), math.log10(detectable(deviation, n))) for n in LISTS
        ]
        xs, ys = zip(*(p for p in shown if p[1] < axes.most_y), strict=True)
        parts.append(curve(axes.points(xs, ys), colour))
    for place, (deviation, colour) in enumerate(DEVIATIONS.items()):
        y = 62 + 22 * place
        parts.append(
            f'<path d="M300 {y - 5}h24" stroke="{colour}" stroke-width="3"/>'
        )
        parts.append(letters(332, y, f"σ = {deviation:g}"))
    return axes.document(parts, "lists; σ: deviation of the differences")
