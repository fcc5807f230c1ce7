"""What the oracle says of a case, and whether that is what was found."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from catalogue import Cell

from . import of_items, of_references, of_relevance, of_subtopics
from .case import Case
from .lists import One, flushed, lists_of
from .outcomes import Outcome

REFEREES: dict[str, Any] = {
    "relevance": of_relevance,
    "items": of_items,
    "subtopics": of_subtopics,
    "references": of_references,
}


@dataclasses.dataclass(frozen=True)
class Failure:
    """What must not be.

    Attributes:
        kind: of failure.
        cell: the metric.
        detail: what was found, and what was expected.
    """

    kind: str
    cell: Cell
    detail: str


def failures_of(case: Case, outcomes: list[Outcome]) -> Iterator[Failure]:
    """What is wrong with what the package did."""
    lists = None if case.broken else list(lists_of(case))
    referee = REFEREES[case.family]
    for outcome in outcomes:
        if not referee.is_told(case, outcome.cell):
            continue
        found = (
            of_broken(case, outcome)
            if lists is None
            else of_lists(case, outcome, lists)
        )
        for kind, detail in found:
            yield Failure(kind, outcome.cell, detail)


Found = Iterator[tuple[str, str]]


def of_broken(case: Case, outcome: Outcome) -> Found:
    """What is no batch is an error, or NaN in a program."""
    if outcome.error is not None:
        yield from of_error(outcome)
    elif not case.is_compiled:
        yield "a number", f"{case.broken}: {outcome.result}"
    elif not math.isnan(outcome.result):
        yield "a number in a program", f"{case.broken}: {outcome.result}"


def of_error(outcome: Outcome) -> Found:
    if not is_ours(outcome.error):
        yield "a crash", f"{type(outcome.error).__name__}: {outcome.error}"
    if outcome.changed:
        yield "a changed state", f"after {outcome.error}"


def is_ours(error: Exception | None) -> bool:
    return isinstance(error, ValueError | TypeError) and "eceived" in str(error)


def of_lists(case: Case, outcome: Outcome, lists: list[One]) -> Found:
    referee, cell = REFEREES[case.family], outcome.cell
    if outcome.error is not None:
        yield from of_error(outcome)
        if not referee.may_be_refused(cell, lists):
            yield "refused", str(outcome.error)
        return
    if outcome.differs:
        yield "other bits", "the second time"
    if len(outcome.values) != len(lists):
        yield "another shape", f"{outcome.values} of {len(lists)} lists"
        return
    strict = not referee.may_be_refused(cell, lists)
    ways = [lists, list(map(flushed, lists))]
    for place, found in enumerate(outcome.values.tolist()):
        right = [referee.value(cell, way[place]) for way in ways]
        if not any(same(found, x, cell, strict) for x in right):
            yield "a value", f"list {place}: {found}, expected {right}"
    right = [referee.result(cell, way) for way in ways]
    if not any(same(outcome.result, x, cell, strict) for x in right):
        yield "a result", f"{outcome.result}, expected {right}"


def same(found: float, right: float, cell: Cell, strict: bool) -> bool:
    """Whether it is right; where values are huge, NaN is right too."""
    if math.isnan(found):
        return math.isnan(right) or not strict
    if not (math.isfinite(found) and math.isfinite(right)):
        return not strict and not math.isfinite(found)
    least, squared = cell.margins
    margin = max(least * max(1.0, abs(right)), squared * right * right)
    return abs(found - right) <= margin
