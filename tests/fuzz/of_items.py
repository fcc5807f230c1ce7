"""What the oracle says of metrics about the items that lists show."""

import math
from collections.abc import Callable, Sequence

import oracle_of_items as oracle
from catalogue import Cell

import keras_rankmetrics as krm

from . import means
from .case import Case
from .lists import One

NAN = float("nan")


def is_told(case: Case, cell: Cell) -> bool:
    return True


def may_be_refused(cell: Cell, lists: list[One]) -> bool:
    if cell.row.metric is krm.Personalization and _is_uneven(cell, lists):
        return True
    return means.are_extreme(lists)


def _is_uneven(cell: Cell, lists: list[One]) -> bool:
    """Whether a list weighs more than a hundred times what all others do."""
    weights = [_shown(cell, one).weight for one in lists]
    return sum(weights) < 1.01 * max(weights, default=0.0)


def value(cell: Cell, one: One) -> float:
    """Of a list: for a counter how many items it shows."""
    found = _found(cell, one)
    return NAN if found is None else found


def result(cell: Cell, lists: list[One]) -> float:
    if not cell.row.is_counter:
        return means.mean_of(cell, lists, _found)
    counting = [one for one in lists if _found(cell, one) is not None]
    if any(math.isnan(value(cell, one)) for one in counting):
        return NAN
    enough = 2 if cell.row.metric is krm.Personalization else 1
    if len(counting) < enough:
        return 0.0
    shown = [_shown(cell, one) for one in counting]
    return float(cell.row.value(shown, cell.cutoff, cell.row.items))


def _found(cell: Cell, one: One) -> float | None:
    """Of a list, None where it does not count."""
    row, places = cell.row, _places(cell, one)
    if not places:
        return None
    if means.is_undefined(one, places):
        return NAN
    of = _shown(cell, one)
    if not row.has_value(of, cell.cutoff):
        return None if row.is_counter else means.of_empty(cell)
    if row.is_counter:
        return float(of.shown(cell.cutoff))
    return float(row.value(of, cell.cutoff))


def _places(cell: Cell, one: One) -> list[int]:
    there = one.there(means.condenses(cell))
    return [place for place, kept in enumerate(there) if kept]


def _shown(cell: Cell, one: One) -> oracle.List:
    threshold = cell.row.options.get("relevance_threshold", 1.0)
    places = _places(cell, one)
    weight = means.weight_of(cell, one, "mean")
    return oracle.List(
        ordered(one, places, cell.ties),
        frozenset(place for place in places if one.labels[place] >= threshold),
        weight or 0.0,
    )


def ordered(one: One, places: Sequence[int], ties: str) -> list[list[int]]:
    """The retrieved items in groups that tie, of one item in strict orders."""
    groups: dict[float, list[int]] = {}
    for place in places:
        if one.scores[place] != -math.inf:
            groups.setdefault(one.scores[place], []).append(place)
    best_first = [groups[score] for score in sorted(groups, reverse=True)]
    if ties == "average":
        return best_first
    within: dict[str, Callable[[int], float]] = {
        "stable": lambda place: 0.0,
        "pessimistic": lambda place: one.labels[place],
        "optimistic": lambda place: -one.labels[place],
    }
    return [
        [place]
        for group in best_first
        for place in sorted(group, key=within[ties])
    ]
