"""The NDCG of each user, with the lowest tenth and its mean."""

import numpy as np

from keras_rankmetrics import NDCG
from tests.tools.pictures.charts import END, Axes
from tests.tools.pictures.drawing import BLUE, GREY, RED, bold, dashed, letters

USERS, ITEMS, BARS = 2000, 20, 20


def values() -> np.ndarray:
    """Return NDCG@10 of each user; one in five is hard to serve."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, (USERS, ITEMS))
    is_hard = random.random((USERS, 1)) < 0.2
    noise = np.where(is_hard, 6.0, 0.8) * random.normal(size=labels.shape)
    return np.asarray(NDCG(k=10).per_list(labels, labels + noise))


def picture() -> str:
    """Return a histogram; the lowest tenth has a colour of its own."""
    found = np.sort(values())
    lowest = found[: USERS // 10]
    p10, low, mean = found[USERS // 10 - 1], lowest.mean(), found.mean()
    edges = np.linspace(0.0, 1.0, BARS + 1)
    counts, _ = np.histogram(found, edges)
    below, _ = np.histogram(lowest, edges)
    axes = Axes(*(10, 76, 450, 200), *(0.0, 1.0, 0.0, float(counts.max())))
    parts = [bold(0, 20, f"NDCG@10 of {USERS} users")]
    parts += axes.grid([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [])
    width = axes.width / BARS - 2
    for all_of_bar, those_below, edge in zip(
        counts, below, edges, strict=False
    ):
        x = axes.x(float(edge)) + 1
        for number, rest, colour in (
            (all_of_bar, those_below, BLUE),
            (those_below, 0, RED),
        ):
            top, bottom = axes.y(float(number)), axes.y(float(rest))
            parts.append(
                f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{bottom - top:.1f}" fill="{colour}"/>'
            )
    parts.append(
        f'<path d="M{axes.left} {axes.bottom}h{axes.width}" stroke="{GREY}"/>'
    )
    for value, name, y, anchor in (
        (low, "lowest 10%", 68, END),
        (p10, "p10", 46, END),
        (mean, "mean", 68, END),
    ):
        x = axes.x(float(value))
        parts.append(dashed(x, y - 12, axes.bottom))
        parts.append(letters(round(x - 6, 1), y, f"{name} {value:.2f}", anchor))
    return axes.document(parts, "NDCG@10; red: the lowest tenth")
