"""What each denominator makes of the same lists."""

import dataclasses

import keras_rankmetrics as krm
from tests.tools.pictures.drawing import (
    BLUE,
    GREEN,
    RED,
    ROW,
    STEP,
    bar,
    bold,
    dashed,
    document,
    letters,
    ranking,
)

BARS, BAR_WIDTH, NAMES = 165, 180, 355


@dataclasses.dataclass(frozen=True)
class Section:
    """A metric, its denominators and the lists that tell them apart."""

    metric: type[krm.RankingMetric]
    k: int
    denominators: dict[str, str]
    lists: tuple[tuple[int, ...], ...]


SECTIONS = (
    Section(
        krm.PrecisionAtK,
        5,
        {"retrieved": BLUE, "k": GREEN},
        ((1, 1, 0), (1, 1, 0, 0, 0, 0, 0, 0)),
    ),
    Section(
        krm.RecallAtK,
        3,
        {"relevant": BLUE, "min": GREEN},
        ((1, 1, 1, 1, 1, 1, 0, 0), (1, 1, 1, 0, 0, 0, 0, 0)),
    ),
    Section(
        krm.MeanAveragePrecision,
        3,
        {"relevant": BLUE, "min": GREEN, "hits": RED},
        ((1, 1, 1, 1, 1, 0, 0, 0), (1, 0, 0, 1, 1, 1, 1, 0)),
    ),
)


def value(section: Section, denominator: str, labels: tuple[int, ...]) -> float:
    """What the metric gives, with that denominator."""
    metric = section.metric(k=section.k, denominator=denominator)
    scores = [float(-rank) for rank in range(len(labels))]
    return float(metric.per_list(labels, scores))


def picture() -> str:
    """For each list a bar for each denominator."""
    parts, y = [], 0
    for section in SECTIONS:
        y += 20
        name = section.metric.short_name
        parts.append(bold(0, y, f"{name}@{section.k}"))
        y += 8
        for labels in section.lists:
            top = y
            parts += ranking(labels, 0, y + 5)
            for denominator, colour in section.denominators.items():
                number = value(section, denominator, labels)
                parts.append(bar(BARS, y + 5, number * BAR_WIDTH, colour))
                words = f"{number:.2f} {denominator}"
                parts.append(letters(NAMES, y + 17, words))
                y += ROW - 5
            parts.append(dashed(section.k * STEP - 1.5, top, top + ROW))
            y += 9
        y += ROW // 2
    parts.append(letters(0, y + 6, "filled: relevant; line: k"))
    return document(parts, y + 16)
