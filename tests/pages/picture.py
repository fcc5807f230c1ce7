"""The picture of a page: rankings as rows of squares, and their values as bars.

Letters follow the scheme of the reader, as in the picture of the benchmarks.
The rest has one colour, which can be seen on light pages and on dark ones.
"""

import math
from collections.abc import Iterator

from keras_rankmetrics import RankingMetric
from tests.benchmarks.scheme import LIGHT, STYLE
from tests.pages.blocks import in_digits
from tests.pages.examples import (
    Examples,
    examples_of,
    usual,
    values_of,
)

# On a phone the width is 360 pixels: there a letter is 12 pixels high.
WIDTH, LETTER, ROW = 480, 16, 24
SQUARE, STEP, BARS, BAR_WIDTH, VALUES, LESS = 14, 17, 186, 200, 394, 360
COLOUR = "#3f83cc"


def picture(metric: type[RankingMetric]) -> str:
    """An SVG of the lists that are drawn of the family, and their values."""
    examples = examples_of(metric)
    k = usual(metric, examples.drawn_at)
    texts = [text for group in examples.drawn.values() for text in group]
    values = values_of(metric, [(text, k) for text in texts])
    rows = {text: value for (text, _), value in values.items()}
    known = [value for value in rows.values() if not math.isnan(value)]
    least = min(0.0, *known)
    most = max(1.0, *known) if metric.has_upper_bound else max(known)
    parts, y = [], ROW
    if not metric.more_is_better:
        parts.append(letters(LESS, y, "less is better"))
    for title, group in examples.drawn.items():
        parts.append(letters(0, y, title))
        y += ROW // 3
        top = y
        for text in group:
            parts += squares(text, y, examples)
            parts += bar(rows[text], y, least, most)
            y += ROW
        if k is not None:
            parts.append(line(k * STEP - 1.5, top, y))
        if least < 0.0:
            parts.append(line(place(0.0, least, most), top, y))
        y += ROW
    if k is not None:
        parts.append(letters(0, y, f"the line: k={k}"))
        y += ROW
    y -= ROW // 2
    body = "\n ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
        f'viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" '
        f'font-size="{LETTER}">\n {STYLE}{body}\n</svg>\n'
    )


def squares(text: str, y: int, examples: Examples) -> Iterator[str]:
    """The items of a list, the relevant ones filled, and brackets of ties."""
    shades = [(item, examples.shade(item)) for item in text.split()]
    items = [
        (i * STEP + 1, item, shade)
        for i, (item, shade) in enumerate(shades)
        if shade is not None
    ]
    outline = "".join(
        f"M{x} {y + 5}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x, _, _ in items
    )
    yield f'<path d="{outline}" fill="none" stroke="{COLOUR}"/>'
    for i, item in enumerate(text.split()):
        if item in "()":
            yield letters(i * STEP + 6, y + 17, item)
    for x, item, shade in items:
        if shade:
            yield (
                f'<rect x="{x}" y="{y + 5}" width="{SQUARE}" '
                f'height="{SQUARE}" fill="{COLOUR}" '
                f'fill-opacity="{shade:.2f}"/>'
            )
        if examples.is_lettered:
            yield letters(x + 2, y + 17, item)


def bar(value: float, y: int, least: float, most: float) -> Iterator[str]:
    """The value as a bar from 0 on, and in digits."""
    if math.isnan(value):
        yield letters(BARS, y + 17, in_digits(value))
        return
    ends = sorted([place(0.0, least, most), place(value, least, most)])
    yield (
        f'<rect x="{ends[0]:.1f}" y="{y + 5}" '
        f'width="{max(ends[1] - ends[0], 1.0):.1f}" height="{SQUARE}" '
        f'fill="{COLOUR}"/>'
    )
    yield letters(VALUES, y + 17, in_digits(value))


def place(value: float, least: float, most: float) -> float:
    """Where the value is on the axis of the bars."""
    return BARS + BAR_WIDTH * (value - least) / (most - least)


def line(x: float, top: int, bottom: int) -> str:
    return (
        f'<path d="M{x:.1f} {top}V{bottom}" stroke="#7d8087" '
        'stroke-dasharray="4 3"/>'
    )


def letters(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" style="fill: {LIGHT}">{text}</text>'
