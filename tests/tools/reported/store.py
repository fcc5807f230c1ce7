"""Store the values of tools that cannot be installed beside Keras 3.

    PYTHONPATH=. python -m tests.tools.reported.store MODULE [CONVENTION ...]

Run it by a Python that has the tools of a module; it needs nothing else than
NumPy. It writes `tests/peers/golden/reported/CONVENTION.json`.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import sys
from typing import Any

from tests.tools.reported.draws import Data, drawn
from tests.tools.reported.tool import Tool

STORED = pathlib.Path(__file__).parents[2] / "peers/golden/reported"
SEEDS = range(3)


def data_of(tool: Tool, seed: int) -> Data:
    """Return data as a tool takes it."""
    return drawn(
        seed,
        tool.form,
        tool.grades,
        are_tied=tool.are_tied,
        have_empty=tool.have_empty,
    )


def path_of(tool: Tool) -> pathlib.Path:
    """Return the path of the values of a tool."""
    name = f"{tool.convention}-{tool.form}-{tool.grades}"
    return STORED / f"{name}{'' if tool.have_empty else '-full'}.json"


def stored(tool: Tool) -> tuple[str, list[dict[str, float]]] | None:
    """Return the stored version and values of each seed; None without any."""
    if not path_of(tool).exists():
        return None
    found = json.loads(path_of(tool).read_text())
    return found["version"], found["values"]


def values_at(tool: Tool, seed: int) -> dict[str, float]:
    """Return the values of a tool, or those stored; none if there are none."""
    if tool.version is not None:
        return dict(tool.values(data_of(tool, seed)))
    found = stored(tool)
    return found[1][seed] if found and seed in SEEDS else {}


def main(module: str, *conventions: str) -> None:
    """Write the values of the tools of a module that are installed."""
    tools: list[Tool] = importlib.import_module(
        f"tests.tools.reported.{module}"
    ).TOOLS
    for tool in tools:
        is_asked = not conventions or tool.convention in conventions
        if tool.version is None or not is_asked:
            continue
        values: list[dict[str, Any]] = [
            {name: float(x) for name, x in tool.values(data).items()}
            for data in (data_of(tool, seed) for seed in SEEDS)
        ]
        path = path_of(tool)
        path.parent.mkdir(exist_ok=True)
        found = {"version": tool.version, "values": values}
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{path.name} is written")


if __name__ == "__main__":
    main(*sys.argv[1:])
