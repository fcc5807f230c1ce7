"""The metrics that are tried, in suites that are given the same batches."""

import dataclasses
import functools
import random
from typing import Any

from catalogue import EVERY_ROW, Cell
from in_forms import for_ids, needs_catalogue

FORMS = ("scores", "sparse", "ids")
KS = (1, 2, 3, 5, 20, 150, None)
TIES = ("average", "stable", "pessimistic", "optimistic")
SIZE = 8  # metrics that get a batch together
SUITES = 60  # of each form

_UNBOUNDED = ("dcg", "fall_out", "mean_rank", "arp", "rbp_residual")
_ROWS = {str(row): row for row in EVERY_ROW}


def takes(form: str, row: Any) -> bool:
    """Whether the metric makes sense for a form of input."""
    if form == "scores":
        return True
    return for_ids(row) and not (form == "ids" and needs_catalogue(row))


@functools.cache
def suites(form: str) -> tuple[tuple[Cell, ...], ...]:
    """Suites in which each metric comes with options of all kinds."""
    chance = random.Random(f"suites of {form}")
    rows = [row for row in EVERY_ROW if takes(form, row)]
    left: list[Any] = []
    found = []
    while len(found) < SUITES:
        some: list[Cell] = []
        while len(some) < SIZE:
            left = left or chance.sample(rows, len(rows))
            cell = _cell(left[-1], form, chance)
            if cell.exists():
                left.pop()
                some.append(cell)
        found.append(tuple(some))
    return tuple(found)


def _cell(row: Any, form: str, chance: random.Random) -> Cell:
    empties = ["zero", "skip"]
    if row.oracle not in _UNBOUNDED and "adjusted" not in row.options:
        empties.append("one")
    policies = {
        "empty": chance.choice(empties),
        "list_weight": chance.choice(["relevance", "mean"]),
        "inputs": form,
    }
    return Cell(row, chance.choice(KS), chance.choice(TIES), policies)


def as_json(cell: Cell) -> dict[str, Any]:
    return {**dataclasses.asdict(cell), "row": str(cell.row)}


def of_json(stored: dict[str, Any]) -> Cell:
    return Cell(**{**stored, "row": _ROWS[stored["row"]]})
