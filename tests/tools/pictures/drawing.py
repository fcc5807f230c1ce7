"""What all drawn pictures share: letters, squares, bars and the SVG itself.

Letters follow the scheme of the reader, as in the picture of the benchmarks.
The rest has colours that can be seen on light pages and on dark ones.
"""

from collections.abc import Iterable, Iterator, Sequence

from tests.tools.benchmarks.scheme import LIGHT, STYLE

# On a phone the width is 360 pixels: there a letter is 12 pixels high.
WIDTH, LETTER, ROW = 480, 16, 24
SQUARE, STEP = 14, 17
BLUE, ORANGE, GREEN, RED, PURPLE = (
    "#3f83cc",
    "#c2701c",
    "#2e9150",
    "#d1495b",
    "#9a6fc4",
)
GREY = "#7d8087"


def document(parts: Iterable[str], height: int, width: int = WIDTH) -> str:
    """The SVG of these parts, without a background."""
    body = "\n ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="{LETTER}">\n '
        f"{STYLE}{body}\n</svg>\n"
    )


def letters(x: float, y: float, text: str, more: str = "") -> str:
    """A line of text; `more` are further attributes of it."""
    more = f" {more}" if more else ""
    return f'<text x="{x}" y="{y}"{more} style="fill: {LIGHT}">{text}</text>'


def bold(x: float, y: float, text: str) -> str:
    """A line of text that is a heading."""
    return letters(x, y, text, 'font-weight="bold"')


def bar(x: float, y: float, width: float, colour: str = BLUE) -> str:
    """A bar, as high as a square; that of 0 is a line."""
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{max(width, 1.0):.1f}" '
        f'height="{SQUARE}" fill="{colour}"/>'
    )


def dashed(x: float, top: float, bottom: float) -> str:
    """A vertical line."""
    return (
        f'<path d="M{x:.1f} {top}V{bottom}" stroke="{GREY}" '
        'stroke-dasharray="4 3"/>'
    )


def outlines(places: Iterable[float], y: float) -> str:
    """The outlines of squares, by where they begin."""
    path = "".join(f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x in places)
    return f'<path d="{path}" fill="none" stroke="{BLUE}"/>'


def filled(x: float, y: float, opacity: float = 1.0) -> str:
    """A square that is filled."""
    return (
        f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" '
        f'fill="{BLUE}" fill-opacity="{opacity:.2f}"/>'
    )


def ranking(relevant: Sequence[int], x: float, y: float) -> Iterator[str]:
    """A list, best score first, the relevant items filled."""
    places = [x + i * STEP + 1 for i in range(len(relevant))]
    yield outlines(places, y)
    for place, is_relevant in zip(places, relevant, strict=True):
        if is_relevant:
            yield filled(place, y)
