"""The pictures of the wall of metrics.

A thumbnail is the picture of the page with fewer rows and no numbers. All
metrics of a family have the same rows, so that readers can compare the bars.
"""

from __future__ import annotations

import math
import pathlib

from keras_rankmetrics import PFound, RankingMetric
from keras_rankmetrics.metrics.bases import Binary, BinaryWholeList
from tests.tools.pages.examples import FAMILIES, examples_of, usual, values_of
from tests.tools.pages.page import FOLDER
from tests.tools.pages.picture import BARS, limits_of, squares
from tests.tools.pictures import drawing
from tests.tools.pictures.drawing import ROW, STEP, dashed, document

THUMBNAILS = FOLDER.parent / "pictures" / "thumbnails"
ROWS = 5
BAR_WIDTH = 122
WIDTH = BARS + BAR_WIDTH + 1
# Which lists show most, of the families with many: one relevant item at rank 1,
# 3 and 6, and three relevant items that are far apart, or together.
DECISIVE: dict[type, tuple[int, ...]] = {
    Binary: (0, 2, 4, 8, 9),
    BinaryWholeList: (0, 2, 4, 8, 9),
    PFound: (0, 2, 4, 8, 9),
    RankingMetric: (0, 2, 4, 8, 9),
}


def rows_of(metric: type[RankingMetric]) -> list[str]:
    """Return the lists of a thumbnail."""
    family = next(base for base in metric.mro() if base in FAMILIES)
    drawn = examples_of(metric).drawn
    texts = [text for group in drawn.values() for text in group]
    spread = [
        round(i * (len(texts) - 1) / (ROWS - 1))
        for i in range(min(ROWS, len(texts)))
    ]
    return [texts[i] for i in DECISIVE.get(family, spread)]


def thumbnail(metric: type[RankingMetric]) -> str:
    """Return an SVG of a few lists and of their values as bars."""
    examples = examples_of(metric)
    k = usual(metric, examples.drawn_at)
    texts = rows_of(metric)
    found = values_of(metric, [(text, k) for text in texts])
    values = [found[text, k] for text in texts]
    least, most = limits_of(metric, values)
    scale = BAR_WIDTH / (most - least)
    zero = BARS - least * scale
    height = ROW * len(texts)
    parts: list[str] = []
    for i, (text, value) in enumerate(zip(texts, values, strict=True)):
        parts += squares(text, i * ROW, examples)
        if not math.isnan(value):
            left = zero + min(value, 0.0) * scale
            width = abs(value) * scale
            parts.append(drawing.bar(left, i * ROW + 5, width))
    if k is not None:
        parts.append(dashed(k * STEP - 1.5, 0, height))
    if least < 0.0:
        parts.append(dashed(zero, 0, height))
    return document(parts, height, WIDTH)


def file_of(metric: type[RankingMetric]) -> pathlib.Path:
    """Return the file of the thumbnail."""
    return THUMBNAILS / f"{metric.short_name}_small.svg"
