"""Draw a learning curve as SVG, without a library for plots."""

from __future__ import annotations

import math
from collections.abc import Sequence

LEFT, RIGHT, TOP, BOTTOM = 48, 468, 40, 260
BLUE, GREY = "#3f83cc", "#7d8087"  # legible on white and on black


def draw_learning_curve(name: str, values: Sequence[float]) -> str:
    """Return a picture of a metric by epoch, with a dot on the best epoch.

    Values of a diverged run, NaN or infinite, are left out.

    Args:
        name: the name of the metric.
        values: its value after each epoch, in [0, 1]; higher is better.
    """
    finite = {e: v for e, v in enumerate(values) if math.isfinite(v)}
    if not finite:
        return drawing([text(0, 18, "start", f"{name} is never finite")])
    best = max(finite, key=finite.__getitem__)
    low = math.floor(min(finite.values()) * 20)
    high = math.floor(finite[best] * 20) + 1

    def x(epoch: int) -> float:
        return LEFT + (RIGHT - LEFT) * epoch / max(len(values) - 1, 1)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (20 * value - low) / (high - low)

    points = {epoch: (x(epoch), y(value)) for epoch, value in finite.items()}
    parts = [text(0, 18, "start", f"{name} by epoch, best {values[best]:.4f}")]
    for grid in range(low, high + 1):
        height = y(grid / 20)
        parts.append(
            f'<path d="M{LEFT} {height:.1f}H{RIGHT}" stroke="{GREY}" '
            'stroke-opacity="0.3"/>'
        )
        parts.append(text(LEFT - 8, height + 5, "end", f"{grid / 20:.2f}"))
    # The best epoch has a label, and the ends where they leave it room.
    room = 10 * len(str(len(values))) + 8
    for epoch in (0, best, len(values) - 1):
        if epoch != best and abs(x(epoch) - x(best)) < room:
            continue
        parts.append(text(x(epoch), BOTTOM + 24, "middle", f"{epoch + 1}"))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.values())
    parts.append(
        f'<polyline points="{line}" '
        f'fill="none" stroke="{BLUE}" stroke-width="3"/>'
    )
    parts.append(
        f'<circle cx="{points[best][0]:.1f}" cy="{points[best][1]:.1f}" r="6" '
        f'fill="{BLUE}"/>'
    )
    return drawing(parts)


def drawing(parts: Sequence[str]) -> str:
    """Return the parts as a picture."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="292" '
        'viewBox="0 0 480 292" font-family="sans-serif" font-size="16">\n '
        + "\n ".join(parts)
        + "\n</svg>\n"
    )


def text(x: float, y: float, anchor: str, letters: str) -> str:
    """Return a line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'fill="{GREY}">{letters}</text>'
    )
