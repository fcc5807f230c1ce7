"""`python -m tests.tools.pages.one_list`: one list by all tools."""

from __future__ import annotations

import pathlib
from collections import defaultdict

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.explaining import explain as explaining
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.grid import (
    Candidate,
    Grid,
    Index,
    grid_of,
    recipes_of,
)
from keras_rankmetrics.metrics.names import class_named
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.conventions import LIBRARIES
from tests.tools.pages.page import replaced

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "one_list.md"
MAKER = "tests.tools.pages.one_list"
TRUTH = {"q": {"a": 1, "b": 1, "c": 1}}
RUN = {"q": ["a", "x", "b", "y", "z"]}
# The metrics of the page, and the cutoffs, None for the whole list.
METRICS = {
    "MAP": ("average precision", (None, 2)),
    "NDCG": ("NDCG", (None, 2)),
    "Recall": ("recall", (None, 2)),
    "Precision": ("precision", (None, 10)),
    "F1": ("F1", (None, 10)),
    "HitRate": ("hit rate", (None,)),
}
LEFT_OUT = ("recsys",)  # of no tool


def page(text: str) -> str:
    """Return the page with its table made again."""
    return replaced(text, "numbers", numbers(), MAKER)


def numbers() -> str:
    """Return a table of the different numbers of each metric and cutoff."""
    data = Data(TRUTH, RUN, Reading())
    rows = []
    for name, (words, cutoffs) in METRICS.items():
        asked = Candidate(str(class_named(name)))
        grid = grid_of(data, recipes_of(data, [asked]))
        for k in cutoffs:
            shown = words if k is None else f"{words} at {k}"
            by_cause = _by_cause(grid, k)
            every = [x for each in by_cause for x in _tools(grid, each, k)]
            several = {tool for tool in every if every.count(tool) > 1}
            for indices in by_cause:
                rows.append(_row(grid, shown, indices, k, several))
    header = "metric", "number", "tools", "what is different"
    return table(header, rows, left=(0, 2, 3))


def _by_cause(grid: Grid, k: int | None) -> list[list[Index]]:
    """Return the settings of tools at a cutoff, by value and what is known."""
    found = defaultdict(list)
    for index in grid.tools:
        at = grid.recipes[index[1]].k
        # A cutoff beyond the list is none, unless the metric divides by it.
        is_asked = at == k or (at is None and k == 10)
        if is_asked and _tools(grid, [index], k):
            value = round(float(grid.values[index]), 4)
            found[value, grid.orders[index[0]].are_known].append(index)
    return sorted(found.values(), key=lambda x: _cost(grid, x))


def _tools(
    grid: Grid, indices: list[Index], k: int | None
) -> dict[str, list[str]]:
    """Return the measures of the libraries that report settings.

    Measures with other arguments are left out.
    """
    at = "" if k is None else str(k)
    found: dict[str, list[str]] = {}
    for index in indices:
        for tool, name in grid.tools[index]:
            if (
                tool not in LEFT_OUT
                and _is_known(tool) == grid.orders[index[0]].are_known
                and name.endswith((at, f"{at}-"))
                and "=" not in name.replace("top=", "")
            ):
                found.setdefault(LIBRARIES.get(tool, tool), []).append(name)
    return found


def _is_known(tool: str) -> bool:
    """Return True if a tool can know the item that the list lacks."""
    return conventions.named(tool).takes != "labels"


def _cost(grid: Grid, indices: list[Index]) -> float:
    return min(float(grid.departures[index]) for index in indices)


def _row(
    grid: Grid,
    metric: str,
    indices: list[Index],
    k: int | None,
    several: set[str],
) -> list[str]:
    """Return a row; libraries with several numbers have their measures."""
    recipes = {index[1] for index in indices}
    value = grid.values[indices[0]]
    is_known = grid.orders[indices[0][0]].are_known
    equal = np.argwhere(np.abs(grid.values - value) < 1e-9).tolist()
    best = min(
        (
            tuple(x)
            for x in equal
            if x[1] in recipes and grid.orders[x[0]].are_known == is_known
        ),
        key=lambda index: grid.departures[index],
    )
    departures = explaining.setting_of(grid, best).departures
    tools = [
        f"{tool} (`{names[0]}`)" if tool in several else tool
        for tool, names in _tools(grid, indices, k).items()
    ]
    text = " ".join(departures) or "Nothing: it is ours."
    return [metric, f"{value:.4f}", ", ".join(tools), text]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
