"""What the oracle says of metrics of two rankings."""

import math

import numpy as np
from catalogue import Cell

from . import means
from .case import Case
from .lists import One

NAN, INF = float("nan"), float("inf")


def is_told(case: Case, cell: Cell) -> bool:
    return True


def may_be_refused(cell: Cell, lists: list[One]) -> bool:
    return means.are_extreme(lists)


def value(cell: Cell, one: One) -> float:
    found = _found(cell, one)
    return NAN if found is None else found


def result(cell: Cell, lists: list[One]) -> float:
    """The weighted mean over the lists that count; 0 if none does."""
    found = [(_found(cell, one), one) for one in lists]
    pairs = [(x, _weight(one)) for x, one in found if x is not None]
    if not pairs:
        return 0.0
    total = math.fsum(w * x for x, w in pairs)
    return total / math.fsum(w for _, w in pairs)


def _weights(one: One) -> list[float]:
    return np.broadcast_to(one.weights, len(one.labels)).tolist()


def _places(one: One) -> list[int]:
    """The items that are on one side at least, and that nothing removes."""
    return [
        place
        for place, (label, score, kept, weight) in enumerate(
            zip(one.labels, one.scores, one.mask, _weights(one), strict=True)
        )
        if kept and not weight <= 0 and not label == score == -INF
    ]


def _weight(one: One) -> float:
    weights = _weights(one)
    found = [weights[place] for place in _places(one)]
    return math.fsum(found) / len(found)


def _found(cell: Cell, one: One) -> float | None:
    """The mean over all orders; None where a list does not count."""
    places = _places(one)
    if not places:
        return None
    if means.is_undefined(one, places):
        return NAN
    sides = [[x[place] for place in places] for x in (one.labels, one.scores)]
    found = cell.row.value(cell.cutoff, *sides)
    return means.of_empty(cell) if found is None else found
