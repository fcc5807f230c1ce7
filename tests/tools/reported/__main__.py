"""Print how far the values of tools are from those of their conventions.

    python -m tests.tools.reported [TOOL ...]

Of the tools whose convention has one of the names; of all without.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence

import keras_rankmetrics as krm
from tests.tools.benchmarks.markdown import table
from tests.tools.reported.store import SEEDS, data_of, stored, values_at
from tests.tools.reported.tool import Tool

MODULES = (
    "established",
    "boosters",
    "rag",
    "recommending",
    "searching",
    "formulas",
)


def tools() -> list[Tool]:
    """Return the tools of all modules that exist."""
    found: list[Tool] = []
    for name in MODULES:
        found += importlib.import_module(f"tests.tools.reported.{name}").TOOLS
    return found


def values_of(tool: Tool) -> tuple[str, list[Mapping[str, float]]] | None:
    """Return the version of a tool and its values for each seed.

    They are stored if the tool is not installed; None if there are none.
    """
    version, found = tool.version, stored(tool)
    if version is None and found is None:
        return None
    if version is None and found is not None:
        version = f"{found[0]} (stored)"
    return str(version), [values_at(tool, seed) for seed in SEEDS]


def rows(asked: Sequence[str]) -> Iterator[list[str]]:
    """Yield a row for each tool that is asked for and has values."""
    for tool in tools():
        found = values_of(tool)
        if found is None or (asked and tool.convention not in asked):
            continue
        version, values = found
        largest = 0.0
        for seed, theirs in enumerate(values):
            data = data_of(tool, seed)
            ours = krm.evaluate(
                data.truth, data.run, [*theirs], convention=tool.convention
            )
            largest = max(largest, *(abs(ours[n] - theirs[n]) for n in theirs))
        name = f"{tool.package} {version}".lstrip()
        yield [tool.convention, name, str(len(values[0])), f"{largest:.1e}"]


def main(asked: Sequence[str]) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    header = "Convention", "Tool", "Values", "Largest difference"
    print(table(header, rows(asked), left=(0, 1)))


if __name__ == "__main__":
    main(sys.argv[1:])
