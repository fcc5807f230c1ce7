"""Intervals from humans, from a judge, and from both, against the truth."""

from collections.abc import Iterator

import numpy as np

from keras_rankmetrics import Estimate, HitRateAtK, JudgeCorrected
from tests.tools.pictures.charts import Axes
from tests.tools.pictures.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    bold,
    dashed,
    document,
    letters,
)

RATE, HUMAN, ALL, SAMPLES = 0.6, 100, 2000, 12
KINDS = {
    "100 human labels": ORANGE,
    "2000 judge labels": GREEN,
    "both: JudgeCorrected": BLUE,
}


def sample(seed: int) -> Iterator[Estimate]:
    """Yield the three estimates of one sample of lists.

    The judge is lenient: it accepts all hits and a fifth of the misses.
    """
    random = np.random.default_rng(seed)
    human = random.random(ALL) < RATE
    judge = human | (random.random(ALL) < 0.2)
    labels = {
        kind: np.stack([hits, ~hits], -1).astype(int)
        for kind, hits in (("human", human), ("judge", judge))
    }
    scores = np.tile([2.0, 1.0], (ALL, 1))
    for kind, lists in (("human", HUMAN), ("judge", ALL)):
        metric = HitRateAtK(k=1)
        metric.update_state(labels[kind][:lists], scores[:lists])
        yield metric.estimate()
    labels["human"][HUMAN:] = -1
    corrected = JudgeCorrected(HitRateAtK(k=1))
    corrected.update_state(labels, scores)
    yield corrected.estimate()


def picture() -> str:
    """Return the intervals of all samples, by the kind of labels."""
    row = 7
    height = len(KINDS) * (SAMPLES * row + 34)
    axes = Axes(*(20, 34, 440, height), *(0.42, 0.78, 0.0, 1.0))
    parts = [bold(0, 20, f"Hit rate of {SAMPLES} samples, 95% intervals")]
    parts += axes.grid([0.5, 0.6, 0.7], [])
    parts.append(dashed(axes.x(RATE), axes.top, axes.bottom))
    samples = [list(sample(seed)) for seed in range(SAMPLES)]
    y = axes.top
    for place, (name, colour) in enumerate(KINDS.items()):
        y += 20
        parts.append(letters(0, y, name))
        y += 10
        for found in samples:
            low, high = found[place].interval()
            parts.append(
                f'<path d="M{axes.x(low):.1f} {y}H{axes.x(high):.1f}" '
                f'stroke="{colour}" stroke-width="3"/>'
            )
            y += row
        y += 4
    parts.append(letters(0, axes.bottom + 44, "dashed: the true hit rate"))
    return document(parts, round(axes.bottom + 54))
