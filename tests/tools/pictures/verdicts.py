"""Three intervals of a difference, and what the gate says to each."""

from tests.tools.pictures.charts import Axes
from tests.tools.pictures.drawing import (
    GREEN,
    GREY,
    ORANGE,
    RED,
    bold,
    dashed,
    letters,
)

TOLERANCE = 0.01
INTERVALS = {
    "pass": (-0.006, 0.012, GREEN),
    "undecided": (-0.018, 0.006, ORANGE),
    "fail": (-0.028, -0.014, RED),
}


def picture() -> str:
    """Return the intervals against the tolerance."""
    axes = Axes(*(110, 34, 350, 120), *(-0.03, 0.02, 0.0, 1.0))
    parts = [bold(0, 20, f"Difference to the baseline, tolerance {TOLERANCE}")]
    parts += axes.grid([-0.03, -0.02, -0.01, 0.0, 0.01, 0.02], [])
    zero = axes.x(0.0)
    parts.append(
        f'<path d="M{zero:.1f} {axes.top}V{axes.bottom}" stroke="{GREY}"/>'
    )
    parts.append(dashed(axes.x(-TOLERANCE), axes.top, axes.bottom))
    for place, (name, (low, high, colour)) in enumerate(INTERVALS.items()):
        y = axes.top + 24 + 38 * place
        parts.append(letters(0, y + 5, name))
        middle = axes.x((low + high) / 2)
        parts.append(
            f'<path d="M{axes.x(low):.1f} {y}H{axes.x(high):.1f}" '
            f'stroke="{colour}" stroke-width="4"/>'
            f'<circle cx="{middle:.1f}" cy="{y}" r="6" fill="{colour}"/>'
        )
    return axes.document(parts, "difference; dashed: -tolerance")
