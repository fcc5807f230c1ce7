"""The picture of a page: rankings as squares, values as bars."""

import math
from collections.abc import Iterable, Iterator

from keras_rankmetrics import RankingMetric
from tests.tools.pages.blocks import in_digits
from tests.tools.pages.examples import (
    Examples,
    examples_of,
    usual,
    values_of,
)
from tests.tools.pictures import drawing
from tests.tools.pictures.drawing import ROW, STEP, dashed, document, letters

BARS, BAR_WIDTH, VALUES, LOWER = 186, 200, 394, 352


def picture(metric: type[RankingMetric]) -> str:
    """Return an SVG of the lists drawn for the family, with their values."""
    examples = examples_of(metric)
    k = usual(metric, examples.drawn_at)
    texts = [text for group in examples.drawn.values() for text in group]
    values = values_of(metric, [(text, k) for text in texts])
    rows = {text: value for (text, _), value in values.items()}
    least, most = limits_of(metric, rows.values())
    parts, y = [], ROW
    if not metric.more_is_better:
        parts.append(letters(LOWER, y, "lower is better"))
    for title, group in examples.drawn.items():
        parts.append(letters(0, y, title))
        y += ROW // 3
        top = y
        for text in group:
            parts += squares(text, y, examples)
            parts += bar(rows[text], y, least, most)
            y += ROW
        if k is not None:
            parts.append(dashed(k * STEP - 1.5, top, y))
        if least < 0.0:
            parts.append(dashed(place(0.0, least, most), top, y))
        y += ROW
    if k is not None:
        parts.append(letters(0, y, f"dashed line: k={k}"))
        y += ROW
    y -= ROW // 2
    return document(parts, y)


def limits_of(
    metric: type[RankingMetric], values: Iterable[float]
) -> tuple[float, float]:
    """Return the values at the ends of the axis of the bars."""
    known = [value for value in values if not math.isnan(value)]
    most = max(1.0, *known) if metric.has_upper_bound else max(known)
    return min(0.0, *known), most


def squares(text: str, y: int, examples: Examples) -> Iterator[str]:
    """Yield the items of a list: relevant ones filled, ties in brackets."""
    shades = [(item, examples.shade(item)) for item in text.split()]
    items = [
        (i * STEP + 1, item, shade)
        for i, (item, shade) in enumerate(shades)
        if shade is not None
    ]
    yield drawing.outlines((x for x, _, _ in items), y + 5)
    for i, item in enumerate(text.split()):
        if item in "()":
            yield letters(i * STEP + 6, y + 17, item)
    for x, item, shade in items:
        if shade:
            yield drawing.filled(x, y + 5, shade)
        if examples.is_lettered:
            yield letters(x + 2, y + 17, item)


def bar(value: float, y: int, least: float, most: float) -> Iterator[str]:
    """Yield the value as a bar that starts at 0, and in digits."""
    if math.isnan(value):
        yield letters(BARS, y + 17, in_digits(value))
        return
    ends = sorted([place(0.0, least, most), place(value, least, most)])
    yield drawing.bar(ends[0], y + 5, ends[1] - ends[0])
    yield letters(VALUES, y + 17, in_digits(value))


def place(value: float, least: float, most: float) -> float:
    """Return the position of the value on the axis of the bars."""
    return BARS + BAR_WIDTH * (value - least) / (most - least)
