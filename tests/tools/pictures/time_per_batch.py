"""The time of one batch beside other packages, from `docs/benchmarks.csv`."""

import csv
import math
import pathlib

from tests.tools.pictures.drawing import (
    BLUE,
    GREY,
    ROW,
    bar,
    bold,
    document,
    letters,
)

FILE = pathlib.Path(__file__).parents[3] / "docs" / "benchmarks.csv"
SCENARIO = "catalogue"
# Who begins where we do: with scores that nobody has ranked.
MODES = {
    "TensorFlow, in a graph": ("tf-graph", {}),
    "JAX, compiled": ("jax", {}),
    "PyTorch": (
        "torch",
        {
            "pytrec_eval-building": "pytrec_eval",
            "ranx-building": "ranx",
        },
    ),
}
EVERYWHERE = {
    "keras_rankmetrics": "keras_rankmetrics",
    "keras_rs": "keras_rs",
    "rax": "Rax, 8 of 9",
    "torchmetrics": "torchmetrics, 8 of 9",
}
BARS, BAR_WIDTH = 175, 215
LEAST, MOST = 10.0, 10_000.0


def medians() -> dict[tuple[str, str], float]:
    """Milliseconds, by mode and contender."""
    with FILE.open(newline="") as file:
        return {
            (row["mode"], row["contender"]): float(row["median"])
            for row in csv.DictReader(file)
            if row["scenario"] == SCENARIO and row["median"]
        }


def place(milliseconds: float) -> float:
    """Where that is on the logarithmic axis."""
    share = math.log(milliseconds / LEAST) / math.log(MOST / LEAST)
    return BARS + BAR_WIDTH * min(max(share, 0.0), 1.0)


def picture() -> str:
    """A bar for each package, the fastest first, by backend."""
    times = medians()
    parts = [bold(0, 20, "Nine metrics, 256 users x 20,000 items")]
    y = 30
    for title, (mode, more) in MODES.items():
        y += ROW
        parts.append(letters(0, y, title, 'font-style="italic"'))
        y += 8
        names = {
            name: words
            for name, words in {**EVERYWHERE, **more}.items()
            if (mode, name) in times
        }
        for name in sorted(names, key=lambda name: times[mode, name]):
            time = times[mode, name]
            colour = BLUE if name == "keras_rankmetrics" else GREY
            parts.append(letters(0, y + 14, names[name]))
            parts.append(bar(BARS, y + 2, place(time) - BARS, colour))
            end = round(place(time) + 8, 1)
            parts.append(letters(end, y + 14, f"{time:,.0f} ms"))
            y += ROW - 2
    y += ROW + 4
    for power in range(1, 5):
        x = round(place(10.0**power), 1)
        parts.append(f'<path d="M{x} {y - 22}v6" stroke="{GREY}"/>')
        parts.append(letters(x, y, f"{10**power:,}", 'text-anchor="middle"'))
    y += ROW - 2
    parts.append(
        letters(
            round(BARS + BAR_WIDTH / 2, 1),
            y,
            "milliseconds on 2 CPU cores",
            'text-anchor="middle"',
        )
    )
    return document(parts, y + 10)
