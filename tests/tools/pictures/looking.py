"""A fixed interval and an anytime interval of one run, list by list."""

import numpy as np

from keras_rankmetrics import Estimate
from tests.tools.pictures.charts import Axes, band, curve
from tests.tools.pictures.drawing import BLUE, GREY, ORANGE, bold, letters

RATE, FIRST, LAST, SEED = 0.6, 30, 1000, 31
EACH = 10  # The picture shows every tenth list.


def estimates(seed: int = SEED) -> list[Estimate]:
    """Return the hit rate after every tenth list of the run."""
    random = np.random.default_rng(seed)
    hits = random.random(LAST) < RATE
    found = []
    for lists in range(FIRST, LAST + 1, EACH):
        seen = hits[:lists]
        error = float(seen.std(ddof=1)) / lists**0.5
        mean = float(seen.mean())
        found.append(
            Estimate(mean, error, lists, float(lists), lists, bounded=True)
        )
    return found


def picture() -> str:
    """Return the value and both intervals by the number of lists."""
    found = estimates()
    xs = [float(each.lists) for each in found]
    axes = Axes(*(46, 40, 420, 240), *(0.0, float(LAST), 0.2, 1.0))
    parts = [bold(0, 20, "One run: hit rate by the number of lists")]
    parts += axes.grid(
        [float(x) for x in range(0, LAST + 1, 200)],
        [0.2, 0.4, 0.6, 0.8, 1.0],
    )
    kinds = {
        ORANGE: [each.anytime_interval() for each in found],
        BLUE: [each.interval() for each in found],
    }
    for colour, ends in kinds.items():
        low, high = zip(*ends, strict=True)
        around = axes.points([*xs, *reversed(xs)], [*low, *reversed(high)])
        parts.append(band(around, colour))
    parts.append(curve(axes.points(xs, [e.value for e in found]), BLUE))
    truth = axes.points([0.0, float(LAST)], [RATE, RATE])
    parts.append(curve(truth, GREY, "4 3"))
    for y, text, colour in (
        (0.92, "anytime interval", ORANGE),
        (0.85, "fixed interval", BLUE),
    ):
        at = round(axes.y(y), 1)
        x = axes.left + 250
        parts.append(
            f'<rect x="{x}" y="{at - 12:.1f}" width="14" height="14" '
            f'fill="{colour}" fill-opacity="0.5"/>'
        )
        parts.append(letters(x + 22, at, text))
    return axes.document(parts, "lists; dashed: the truth")
