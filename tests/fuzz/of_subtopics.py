"""What the oracle says of metrics of subtopics."""

import itertools
import math

import oracle_of_subtopics as oracle
from catalogue import Cell

from . import means
from .case import Case
from .lists import One
from .of_items import ordered

NAN = float("nan")


def is_told(case: Case, cell: Cell) -> bool:
    return True


def may_be_refused(cell: Cell, lists: list[One]) -> bool:
    return means.are_extreme(lists)


def value(cell: Cell, one: One) -> float:
    found = _found(cell, one)
    return NAN if found is None else found


def result(cell: Cell, lists: list[One]) -> float:
    return means.mean_of(cell, lists, _found)


def _found(cell: Cell, one: One) -> float | None:
    """The mean over all orders; None where a list does not count."""
    there = one.there(means.condenses(cell))
    places = [place for place, kept in enumerate(there) if kept]
    if not places:
        return None
    if means.is_undefined(one, places):
        return NAN
    threshold = cell.row.options.get("relevance_threshold", 1.0)
    items = {
        place: oracle.Item(
            tuple(label >= threshold for label in one.by_subtopic[place]),
            one.scores[place],
        )
        for place in places
    }
    if not oracle.subtopics(list(items.values())):
        return means.of_empty(cell)
    ways = map(itertools.permutations, ordered(one, places, cell.ties))
    found = [
        cell.row.value(
            [items[place] for place in itertools.chain(*way)],
            list(items.values()),
            cell.cutoff,
        )
        for way in itertools.product(*ways)
    ]
    return math.fsum(found) / len(found)
