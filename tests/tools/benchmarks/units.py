"""What the numbers of a scenario are."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Unit:
    """A unit of the report.

    Args:
        name: in words, for a heading.
        scale: what a measured value is multiplied by.
    """

    name: str
    scale: float = 1.0

    def text(self, value: float) -> str:
        """A measured value, in this unit."""
        return rounded(value * self.scale)


def rounded(value: float) -> str:
    """As many digits as mean something."""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.2g}"


_MOST = 10_000


def ratio(value: float) -> str:
    """A ratio, but for one to almost nothing, such as no rise of memory."""
    return rounded(value) if value <= _MOST else f"> {_MOST:,}"


MILLISECONDS = Unit("milliseconds", scale=1e3)
SECONDS = Unit("seconds")
INPUTS = Unit("times the size of the inputs")
