"""How often `explain` finds the tool that reported a value.

    python -m tests.tools.reported.explained SEED ...

It takes the values of each tool that is installed for the data of each seed, or
those stored, rounds them to four digits, and explains them. It writes the share
of values whose setting is among the answers, and that of those in the first
one, into `docs/one_list.md`.
"""

from __future__ import annotations

import itertools
import pathlib
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.explaining import explain as explaining
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.grid import grid_of, places_of, recipes_of
from keras_rankmetrics.explaining.settings import by_names
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.page import replaced
from tests.tools.reported import __main__ as reported
from tests.tools.reported.store import data_of, values_at
from tests.tools.reported.tool import Tool

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "one_list.md"
MAKER = "tests.tools.reported.explained"
DIGITS = 4


class Found(NamedTuple):
    """A value of a tool.

    Attributes:
        tool: the name of the convention.
        measure: the name of the measure there.
        text: the value as printed.
        place: the place of its answer, from 0 on; None if there is none.
        answers: the number of answers.
        coincidences: the number of values that would match by coincidence.
    """

    tool: str
    measure: str
    text: str
    place: int | None
    answers: int
    coincidences: float


def of_tool(tool: Tool, seed: int) -> Iterator[Found]:
    """Yield each value of a tool, and where its answer is.

    It is in the answer that has the setting of the convention, which is the
    same for all tools with this rule.
    """
    drawn = data_of(tool, seed)
    data = Data(drawn.truth, drawn.run, Reading())
    grid = grid_of(data, recipes_of(data, ()))
    places = {recipe: place for place, recipe in enumerate(grid.recipes)}
    convention = conventions.named(tool.convention)
    for measure, value in values_at(tool, seed).items():
        [metric] = metrics_of(measure, convention, **convention.rules.options)
        if not isinstance(metric.aggregate, WeightedMean):
            continue  # a count or a geometric mean, which explain does not try
        names = [(measure, metric, metric.k)]
        [named] = by_names(convention, metric, names)
        indices = places_of(data, grid.orders, places, [named])
        index, _ = next(indices, (None, None))
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
            explained.coincidences,
        )


def explained(seeds: Iterable[int]) -> dict[str, list[Found]]:
    """Return the values of each tool that is installed, by its name."""
    rows: dict[str, list[Found]] = {}
    for tool in reported.tools():
        if not tool.package:
            continue
        for seed in seeds:
            rows.setdefault(tool.convention, []).extend(of_tool(tool, seed))
    return {name: values for name, values in rows.items() if values}


def main(seeds: list[int]) -> None:
    """Write a row for each tool, and one for all of them, into the page."""
    warnings.simplefilter("ignore")
    rows = explained(seeds)
    every = [x for of_tool in rows.values() for x in of_tool]
    for each in every:
        if each.place is None:
            print(f"not found: {each}")
    header = "Tool", "Values", "Found", "First", "Answers", "By coincidence"
    all_rows = {**rows, "all": every}
    block = table(header, itertools.starmap(_row, all_rows.items()), left=(0,))
    text = PAGE.read_text()
    PAGE.write_text(replaced(text, "found", block, MAKER))
    print(block)


def _row(name: str, values: list[Found]) -> list[str]:
    numbers = (
        f"{np.mean([x.place is not None for x in values]):.1%}",
        f"{np.mean([x.place == 0 for x in values]):.1%}",
        f"{np.mean([x.answers for x in values]):.2f}",
        f"{np.mean([x.coincidences for x in values]):.2f}",
    )
    return [name, f"{len(values):,}", *numbers]


if __name__ == "__main__":
    main(list(map(int, sys.argv[1:])))
