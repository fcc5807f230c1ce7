"""The weighted mean over lists, of whatever an oracle says of each."""

import math
from collections.abc import Callable, Sequence

import oracle
from catalogue import Cell

from .lists import One

Found = Callable[[Cell, One], float | None]
_OF_EMPTY = {"zero": 0.0, "one": 1.0, "skip": None}


def of_empty(cell: Cell) -> float | None:
    """What a list without a value counts as, None if not at all."""
    return _OF_EMPTY[cell.policies["empty"]]


def condenses(cell: Cell) -> bool:
    """Whether items that nobody has judged are none."""
    return cell.row.options.get("unjudged") == "condense"


def is_undefined(one: One, places: Sequence[int]) -> bool:
    """Whether an item of the list holds a NaN."""
    weights = one.weights if isinstance(one.weights, list) else [one.weights]
    whole = len(weights) == len(one.labels)
    return any(
        math.isnan(x)
        for place in places
        for x in (
            one.labels[place],
            one.scores[place],
            weights[place if whole else 0],
        )
    )


def weight_of(cell: Cell, one: One, list_weight: str) -> float | None:
    """As the oracle has it for a metric that asks which items are relevant."""
    threshold = cell.row.options.get("relevance_threshold", 1.0)
    return oracle.weight(
        "precision",
        one.labels,
        one.scores,
        mask=one.mask,
        weights=one.weights,
        list_weight=list_weight,
        relevance_threshold=threshold,
        unjudged="condense" if condenses(cell) else "irrelevant",
    )


def mean_of(cell: Cell, lists: list[One], found: Found) -> float:
    """Over the lists that count; 0 if none does."""
    pairs = [
        (found(cell, one), weight_of(cell, one, cell.policies["list_weight"]))
        for one in lists
    ]
    pairs = [(value, w) for value, w in pairs if value is not None and w != 0.0]
    known = [w for _, w in pairs if w is not None]
    fallback = oracle.mean(known) if known else 1.0
    weights = [fallback if w is None else w for _, w in pairs]
    if not weights:
        return 0.0
    total = math.fsum(
        w * value for w, (value, _) in zip(weights, pairs, strict=True)
    )
    return total / math.fsum(weights)


def are_extreme(lists: list[One]) -> bool:
    """Whether there are weights of which single precision has no sums."""
    return any(
        weight > 1e12 or 0 < weight < 1e-12
        for one in lists
        for weight in (
            one.weights if isinstance(one.weights, list) else [one.weights]
        )
    )
