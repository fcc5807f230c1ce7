"""How often `explain` finds the tool that reported a value.

    python -m tests.tools.reported.explained SEED ...

For each tool that is installed, and each seed, it draws data, rounds all values
to four digits, and explains them. It prints the share of values whose tool and
measure are among the answers, and in the first one.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.explaining import explain as explaining
from keras_rankmetrics.explaining.settings import (
    Data,
    Named,
    grid_of,
    place_of,
    recipes_of,
)
from tests.tools.benchmarks.markdown import table
from tests.tools.reported import __main__ as reported
from tests.tools.reported.store import data_of
from tests.tools.reported.tool import Tool

DIGITS = 4


class Found(NamedTuple):
    """A value of a tool.

    Attributes:
        tool: the name of the convention.
        measure: the name of the measure there.
        text: the value as printed.
        place: the place of its answer, from 0 on; None if there is none.
        answers: the number of answers.
        by_chance: the number of values that would match by chance.
    """

    tool: str
    measure: str
    text: str
    place: int | None
    answers: int
    by_chance: float


def found(
    tool: Tool, seed: int, values: Mapping[str, float]
) -> Iterator[Found]:
    """Yield each value of a tool, and where its answer is.

    It is in the answer that has the setting of the convention, which is the
    same for all tools with this rule.
    """
    drawn = data_of(tool, seed)
    data = Data(drawn.truth, drawn.run, Reading())
    grid = grid_of(data, recipes_of(data, ()))
    places = {recipe: place for place, recipe in enumerate(grid.recipes)}
    convention = conventions.named(tool.convention)
    for measure, value in values.items():
        [metric] = metrics_of(measure, convention, **convention.rules.options)
        named = Named(convention, measure, metric, ())
        index = place_of(data, grid.orders, places, named, metric.k)
        text = f"{value:.{DIGITS}f}"
        number = explaining.Number.of(text)
        explained = explaining.explanation(grid, number)
        right = [
            place
            for place, answer in enumerate(explained.answers)
            if index is not None
            and abs(answer.setting.value - grid.values[index]) < 1e-9
        ]
        yield Found(
            tool.convention,
            measure,
            text,
            min(right, default=None),
            len(explained.answers),
            explained.by_chance,
        )


def explained(seeds: Iterable[int]) -> dict[str, list[Found]]:
    """Return the values of each tool that is installed, by its name."""
    rows: dict[str, list[Found]] = {}
    for tool in reported.tools():
        if tool.version is None or not tool.package:
            continue
        for seed in seeds:
            values = tool.values(data_of(tool, seed))
            rows.setdefault(tool.convention, []).extend(
                found(tool, seed, values)
            )
    return rows


def main(seeds: list[int]) -> None:
    """Print a row for each tool, and one for all of them."""
    warnings.simplefilter("ignore")
    rows = explained(seeds)
    every = [x for of_tool in rows.values() for x in of_tool]
    for each in every:
        if each.place is None:
            print(f"not found: {each}")
    header = "Tool", "Values", "Found", "First", "Answers", "By chance"
    all_rows = {**rows, "all": every}
    print(table(header, itertools.starmap(_row, all_rows.items()), left=(0,)))


def _row(name: str, values: list[Found]) -> list[str]:
    numbers = (
        f"{np.mean([x.place is not None for x in values]):.1%}",
        f"{np.mean([x.place == 0 for x in values]):.1%}",
        f"{np.mean([x.answers for x in values]):.2f}",
        f"{np.mean([x.by_chance for x in values]):.2f}",
    )
    return [name, f"{len(values):,}", *numbers]


if __name__ == "__main__":
    main(list(map(int, sys.argv[1:])))
