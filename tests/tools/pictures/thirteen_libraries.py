"""One ranking, and the average precision that libraries give to it."""

from collections import defaultdict

from keras_rankmetrics import MeanAveragePrecision, conventions
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

LABELS, K = (1, 0, 0, 1, 0, 1, 1, 1), 3
LIBRARIES = {
    "keras_rs": conventions.keras_rs,
    "TF-Ranking": conventions.tf_ranking,
    "trec_eval": conventions.trec_eval,
    "ir_measures": conventions.ir_measures,
    "ranx": conventions.ranx,
    "RecTools": conventions.rectools,
    "Spark MLlib": conventions.mllib,
    "recommenders": conventions.recommenders,
    "RePlay": conventions.replay,
    "RecBole": conventions.recbole,
    "Merlin": conventions.merlin,
    "Kaggle": conventions.kaggle,
    "torchmetrics": conventions.torchmetrics,
}
# The divisors of the sum of precisions, in words.
RULES = {
    "relevant": (BLUE, "1 / 5: divided by all relevant items"),
    "min": (GREEN, "1 / 3: divided by min(k, relevant)"),
    "hits": (RED, "1 / 1: divided by those found"),
}
BARS, BAR_WIDTH = 150, 260


def by_rule() -> dict[str, list[str]]:
    """Return the libraries, by their divisor."""
    found = defaultdict(list)
    for name, convention in LIBRARIES.items():
        metric = convention.MeanAveragePrecision(k=K)
        found[metric.get_config()["denominator"]].append(name)
    return found


def value(name: str) -> float:
    """Return the value that the library reports."""
    metric: MeanAveragePrecision = LIBRARIES[name].MeanAveragePrecision(k=K)
    scores = [float(-rank) for rank in range(len(LABELS))]
    return float(metric.per_list(LABELS, scores))


def picture() -> str:
    """Return a bar for each library, grouped by their divisors."""
    parts = [bold(0, 20, f"MAP@{K} of one ranking, by 13 libraries")]
    y = 36
    parts += ranking(LABELS, 0, y)
    parts.append(dashed(K * STEP - 1.5, y - 5, y + 20))
    parts.append(letters(150, y + 12, "filled: relevant; line: k=3"))
    y += 2 * ROW
    groups = by_rule()
    for rule, (colour, words) in RULES.items():
        parts.append(letters(BARS, y, words))
        y += 8
        for name in groups[rule]:
            number = value(name)
            parts.append(letters(0, y + 13, name))
            parts.append(bar(BARS, y, number * BAR_WIDTH, colour))
            parts.append(
                letters(
                    round(BARS + number * BAR_WIDTH + 8, 1),
                    y + 13,
                    f"{number:.2f}",
                )
            )
            y += ROW - 3
        y += ROW
    parts.append(letters(0, y, "Each is available by name:"))
    y += ROW - 3
    example = "krm.conventions.ranx.MeanAveragePrecision(k=3)"
    parts.append(letters(0, y, example, 'font-family="monospace"'))
    y += ROW // 2
    return document(parts, y)
