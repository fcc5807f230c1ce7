"""What each policy of ties says of a model that scores all items alike."""

from keras_rankmetrics import NDCG
from tests.tools.pictures.drawing import (
    BLUE,
    GREY,
    ROW,
    STEP,
    bar,
    bold,
    dashed,
    document,
    letters,
    ranking,
)

K, SEED = 3, 4
# The same list, as two files may hold it.
FILES = {
    "a file with the relevant items first": (1, 1, 1, 0, 0, 0, 0, 0, 0, 0),
    "a file with the relevant items last": (0, 0, 0, 0, 0, 0, 0, 1, 1, 1),
}
POLICIES = {
    "average": "average",
    "shuffle": "shuffle, one draw",
    "stable": "stable",
    "optimistic": "optimistic",
    "pessimistic": "pessimistic",
}
BARS, BAR_WIDTH, VALUES = 150, 260, 420


def value(labels: tuple[int, ...], ties: str) -> float:
    """NDCG of scores that are all the same."""
    metric = NDCG(k=K, ties=ties, seed=SEED if ties == "shuffle" else None)
    metric.update_state([labels], [[0.0] * len(labels)])
    return float(metric.result())


def picture() -> str:
    """A bar for each policy and file, beside the chance level."""
    parts = [bold(0, 20, f"NDCG@{K} of a model that scores all items alike")]
    y = 30
    for title, labels in FILES.items():
        y += ROW
        parts += ranking(labels, 0, y - 12)
        parts.append(letters(len(labels) * STEP + 10, y, title))
        y += 12
        top = y
        for ties, words in POLICIES.items():
            number = value(labels, ties)
            colour = BLUE if ties == "average" else GREY
            parts.append(letters(0, y + 15, words))
            parts.append(bar(BARS, y + 3, number * BAR_WIDTH, colour))
            parts.append(letters(VALUES, y + 15, f"{number:.2f}"))
            y += ROW - 2
        parts.append(
            dashed(BARS + value(labels, "average") * BAR_WIDTH, top, y)
        )
        y += ROW // 2
    y += 10
    parts.append(letters(0, y, "line: chance level"))
    return document(parts, y + 10)
