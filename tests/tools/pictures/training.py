"""A training run with the error bars of its metric, from stored numbers."""

import csv
import dataclasses
import pathlib

from tests.tools.pictures.charts import Axes, band, curve
from tests.tools.pictures.drawing import BLUE, GREY, bold, letters

FILE = pathlib.Path(__file__).parents[3] / "docs" / "pictures" / "training.csv"


@dataclasses.dataclass(frozen=True)
class Epoch:
    """What the validation queries said after an epoch.

    Attributes:
        epoch: its number, from 1.
        value: NDCG@10.
        low: the lower end of its 95% interval.
        high: the upper end.
        chance: NDCG@10 of scores that are all the same.
        queries: how many queries there were.
    """

    epoch: int
    value: float
    low: float
    high: float
    chance: float
    queries: int


FIELDS = [field.name for field in dataclasses.fields(Epoch)]


def read() -> list[Epoch]:
    """The epochs that are stored."""
    with FILE.open(newline="") as file:
        return [
            Epoch(
                int(row["epoch"]),
                *(float(row[name]) for name in FIELDS[1:-1]),
                int(row["queries"]),
            )
            for row in csv.DictReader(file)
        ]


def store(epochs: list[Epoch]) -> None:
    """Writes the file that `read` reads."""
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for epoch in epochs:
            cells = dataclasses.astuple(epoch)
            writer.writerow(
                f"{cell:.4f}" if isinstance(cell, float) else cell
                for cell in cells
            )


def picture() -> str:
    """The value over the epochs, its interval around it, and chance level."""
    epochs = read()
    numbers = [float(epoch.epoch) for epoch in epochs]
    chance = epochs[0].chance
    least = min(chance, *(epoch.low for epoch in epochs))
    most = max(epoch.high for epoch in epochs)
    # Whole tenths around all that is drawn.
    tenths = range(int(least * 10), int(most * 10) + 2)
    axes = Axes(
        *(40, 40, 430, 240),
        *(1.0, numbers[-1], tenths[0] / 10, tenths[-1] / 10),
    )
    queries = epochs[0].queries
    parts = [bold(0, 20, f"validation NDCG@10, {queries} queries")]
    shown = [n for n in numbers if n == 1 or n % 5 == 0]
    parts += axes.grid(shown, [tenth / 10 for tenth in tenths])
    around = axes.points(
        [*numbers, *reversed(numbers)],
        [*(e.low for e in epochs), *(e.high for e in reversed(epochs))],
    )
    parts.append(band(around, BLUE))
    values = [epoch.value for epoch in epochs]
    parts.append(curve(axes.points(numbers, values), BLUE))
    ends = [1.0, numbers[-1]]
    parts.append(curve(axes.points(ends, [chance] * 2), GREY, "4 3"))
    parts.append(
        letters(
            axes.left + 110, axes.y(chance) - 8, "chance level: all scores tied"
        )
    )
    return axes.document(parts, "epoch; the band: the 95% interval")
