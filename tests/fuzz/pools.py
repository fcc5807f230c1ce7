"""The metrics that are tried, in suites that are given the same batches."""

import dataclasses
import functools
import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from catalogue import EVERY_ROW, STRICT_TIES, Cell
from in_forms import for_ids, needs_catalogue

from . import rows_of_items, rows_of_references, rows_of_subtopics
from .rows import Row

FORMS = ("scores", "sparse", "ids")
# Of each family the forms of input that it takes.
FAMILIES = {
    "relevance": FORMS,
    "items": FORMS,
    "subtopics": ("scores",),
    "references": ("scores",),
}
KS = (1, 2, 3, 5, 20, 150, None)
TIES = ("average", *STRICT_TIES)
SIZE = 8  # metrics that get a batch together
SUITES = 60  # of each form

_UNBOUNDED = (
    "count",
    "dcg",
    "fall_out",
    "mean_rank",
    "arp",
    "rbp_residual",
    "unjudged",
)
_ROWS = {
    str(row): row
    for row in (
        *EVERY_ROW,
        *rows_of_items.rows(rows_of_items.SMALL),
        *rows_of_items.rows(rows_of_items.LARGE),
        *rows_of_subtopics.rows(),
        *rows_of_references.rows(),
    )
}

Suite = tuple[Cell, ...]


def takes(form: str, row: Any) -> bool:
    """Whether the metric makes sense for a form of input."""
    if form == "scores":
        return True
    return for_ids(row) and not (form == "ids" and needs_catalogue(row))


@functools.cache
def suites(family: str, form: str) -> tuple[Suite, ...]:
    """Suites in which each metric comes with options of all kinds.

    What their oracle averages over the orders of ties is only tried on few
    items. So every second suite of these families has strict orders alone.
    """
    chance = random.Random(f"suites of {family}, {form}")
    if family == "relevance":
        rows = [row for row in EVERY_ROW if takes(form, row)]
        return tuple(_suites(rows, TIES, form, SUITES, chance))
    if family == "references":
        rows = list(rows_of_references.rows())
        return tuple(_suites(rows, TIES[:1], form, SUITES, chance))
    tied, strict = (
        _suites(_rows(family, items), ties, form, SUITES // 2, chance)
        for items, ties in (
            (rows_of_items.SMALL, TIES),
            (rows_of_items.LARGE, STRICT_TIES),
        )
    )
    return tuple(itertools.chain(*zip(tied, strict, strict=True)))


def most_items(family: str, suite: Suite) -> int | None:
    """How many items a list may have, if they are few."""
    if family == "references":
        return rows_of_references.ITEMS
    tied = any(cell.ties == "average" for cell in suite)
    return rows_of_items.SMALL if tied and family != "relevance" else None


def catalogue(suite: Suite) -> int | None:
    """How many items each list must have."""
    return getattr(suite[0].row, "items", None)


def _rows(family: str, items: int) -> tuple[Any, ...]:
    if family == "items":
        return rows_of_items.rows(items)
    return rows_of_subtopics.rows()


def _suites(
    rows: Sequence[Any],
    ties: Sequence[str],
    form: str,
    number: int,
    chance: random.Random,
) -> Iterator[Suite]:
    left: list[Any] = []
    for _ in range(number):
        some: list[Cell] = []
        while len(some) < SIZE:
            left = left or chance.sample(list(rows), len(rows))
            cell = _cell(left[-1], ties, form, chance)
            if cell.exists():
                left.pop()
                some.append(cell)
        yield tuple(some)


def _cell(
    row: Any, ties: Sequence[str], form: str, chance: random.Random
) -> Cell:
    empties = ["zero", "skip"]
    if _has_best(row):
        empties.append("one")
    policies = {
        "empty": chance.choice(empties),
        "list_weight": chance.choice(["relevance", "mean"]),
        "inputs": form,
    }
    return Cell(row, chance.choice(KS), chance.choice(ties), policies)


def _has_best(row: Any) -> bool:
    if isinstance(row, Row):
        return row.metric.has_upper_bound and row.metric.more_is_better
    return row.oracle not in _UNBOUNDED and "adjusted" not in row.options


def as_json(cell: Cell) -> dict[str, Any]:
    return {**dataclasses.asdict(cell), "row": str(cell.row)}


def of_json(stored: dict[str, Any]) -> Cell:
    return Cell(**{**stored, "row": _ROWS[stored["row"]]})
