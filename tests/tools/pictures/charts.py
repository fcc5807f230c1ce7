"""Lines over two axes, for pictures that are no rankings."""

import dataclasses
from collections.abc import Iterator, Sequence

from tests.tools.pictures.drawing import GREY, document, letters

MIDDLE, END = 'text-anchor="middle"', 'text-anchor="end"'


@dataclasses.dataclass(frozen=True)
class Axes:
    """The area of a chart, and the numbers at its edges."""

    left: float
    top: float
    width: float
    height: float
    least_x: float
    most_x: float
    least_y: float
    most_y: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        """Where the number is from left to right."""
        share = (value - self.least_x) / (self.most_x - self.least_x)
        return self.left + self.width * share

    def y(self, value: float) -> float:
        """Where the number is from top to bottom."""
        share = (value - self.least_y) / (self.most_y - self.least_y)
        return self.bottom - self.height * share

    def document(self, parts: list[str], below: str) -> str:
        """The SVG of these parts, with what the numbers are below them."""
        middle, y = self.left + self.width / 2, self.bottom + 44
        return document([*parts, letters(middle, y, below, MIDDLE)], y + 10)

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        """Points as a path has them."""
        pairs = zip(xs, ys, strict=True)
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in pairs)

    def grid(
        self, at_x: Sequence[float], at_y: Sequence[float]
    ) -> Iterator[str]:
        """Lines and numbers at these places."""
        for value in at_y:
            y = self.y(value)
            yield (
                f'<path d="M{self.left:.1f} {y:.1f}h{self.width:.1f}" '
                f'stroke="{GREY}" stroke-opacity="0.4"/>'
            )
            yield letters(self.left - 8, round(y + 5, 1), f"{value:g}", END)
        for value in at_x:
            x = round(self.x(value), 1)
            yield letters(x, self.bottom + 22, f"{value:g}", MIDDLE)


def curve(points: str, colour: str, dashes: str = "none") -> str:
    """A line through the points."""
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" '
        f'stroke-width="2.5" stroke-dasharray="{dashes}"/>'
    )


def band(points: str, colour: str) -> str:
    """The area that the points go round."""
    return f'<polygon points="{points}" fill="{colour}" fill-opacity="0.25"/>'
