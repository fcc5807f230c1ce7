"""What the oracle says of metrics of relevance."""

import dataclasses
import math
from typing import Any

import numpy as np
import oracle
from catalogue import HIGHEST, Cell

from .case import Case
from .lists import One

NAN = float("nan")


def is_told(case: Case, cell: Cell) -> bool:
    """Whether the oracle knows: lost items have no gain if all have one."""
    lost = "num_relevant" in case.parts
    return not (lost and "plus_one_gain" in str(cell.row))


def may_be_refused(cell: Cell, lists: list[One]) -> bool:
    """Whether there are numbers of which single precision has no sums."""
    highest = min(cell.row.options.get("max_grade", 4.0), 60.0)
    if cell.row.stand_in is not None:
        highest = HIGHEST
    elif cell.row.oracle != "err":
        highest = 60.0
    return any(label > highest for one in lists for label in one.labels) or any(
        weight > 1e12 or 0 < weight < 1e-12
        for one in lists
        for weight in np.ravel(one.weights)
    )


def given_to_oracle(cell: Cell, one: One) -> dict[str, Any]:
    if cell.row.oracle == "gap":  # beyond the highest grade, all is the same
        grades = [100.0 if x > 100.0 else x for x in one.labels]
        one = dataclasses.replace(one, labels=grades)
    labels, scores, mask = [*one.labels], [*one.scores], [*one.mask]
    weights = one.weights
    if one.lost is not None and any(there(cell, one)):
        for _ in range(one.lost - relevant(cell, one)):
            labels.append(cell.row.options.get("relevance_threshold", 1.0))
            scores.append(-math.inf)
            mask.append(True)
    if cell.row.oracle == "bpref" and cell.policies["inputs"] != "scores":
        # Who is not relevant is known of retrieved items only.
        mask = [
            there and (label > 0 or score != -math.inf)
            for there, label, score in zip(mask, labels, scores, strict=True)
        ]
    return {
        "labels": labels,
        "scores": scores,
        "mask": mask,
        "weights": weights,
    }


def there(cell: Cell, one: One) -> list[bool]:
    options = oracle.complete(cell.row.oracle, cell.row.for_oracle)
    return one.there(options["unjudged"] == "condense")


def relevant(cell: Cell, one: One) -> int:
    """How many items with a gain the list holds."""
    options = oracle.complete(cell.row.oracle, cell.row.for_oracle)
    gain = oracle.relevance(cell.row.oracle, options)
    return sum(
        kept
        and not math.isnan(label)  # a list that holds one is NaN anyway
        and gain(oracle.Item(label, 0.0, 1.0)) > 0
        for kept, label in zip(there(cell, one), one.labels, strict=True)
    )


def value(cell: Cell, one: One) -> float:
    """Of a list; NaN where the gains are more than Python holds."""
    try:
        return oracle.value(
            cell.row.oracle,
            **given_to_oracle(cell, one),
            k=cell.cutoff,
            ties=cell.ties,
            empty=cell.policies["empty"],
            **cell.row.for_oracle,
        )
    except OverflowError:
        return NAN


def result(cell: Cell, lists: list[One]) -> float:
    """Of all lists."""
    try:
        return oracle.result(
            cell.row.oracle,
            [given_to_oracle(cell, one) for one in lists],
            k=cell.cutoff,
            ties=cell.ties,
            empty=cell.policies["empty"],
            list_weight=cell.policies["list_weight"],
            **cell.row.for_oracle,
        )
    except OverflowError:
        return NAN
