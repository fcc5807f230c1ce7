"""The same lists in all three forms of input, and the catalogue for them."""

import dataclasses
from typing import Any

import numpy as np
from catalogue import ROWS, Cell, in_turns

from keras_rankmetrics import BPref

# Five users, two of them without relevant items.
RELEVANT = [[1, 2, 3, 4, 5, 6], [2, 4, 6], [2, 4, 6], [], []]
RECOMMENDED = [[1, 6, 8], [1, 2, 3, 4, 5], [], [1, 2, 3, 4], []]

TIES = ("average", "stable", "shuffle", "pessimistic", "optimistic")


def for_ids(row) -> bool:
    """Whether a row makes sense where a label is 1 or 0."""
    options = {
        name: getattr(value, "__name__", value)
        for name, value in row.options.items()
    }
    return (
        not row.by_labels
        and options.get("relevance_threshold", 1.0) <= 1.0
        and options.get("gain_fn") != "plus_one_gain"
    )


def needs_catalogue(row) -> bool:
    """Whether a row asks what there was besides what was recommended."""
    return "adjusted" in row.options or row.metric is BPref


def cells_in(form: str, ks, ties) -> tuple[Cell, ...]:
    """Each row of the catalogue that a form of input has, ks taking turns."""
    rows = [
        row
        for row in ROWS
        if for_ids(row) and not (form == "ids" and needs_catalogue(row))
    ]
    return tuple(
        dataclasses.replace(cell, policies={"inputs": form})
        for cell in in_turns(rows, tuple(ks), tuple(ties), turn=len(ties[0]))
    )


def scored(targets: np.ndarray, items: int) -> np.ndarray:
    """The labels of all items, 1 for targets: the dense form."""
    labels = np.zeros((len(targets), items), "float32")
    for row, of_list in zip(labels, targets, strict=True):
        row[of_list[of_list >= 0]] = 1.0
    return labels


def counted(targets: np.ndarray, scores: np.ndarray) -> dict[str, np.ndarray]:
    """How many items stand above each target, and tie: the form of counts."""
    of_target = np.take_along_axis(scores, np.maximum(targets, 0), axis=-1)
    above = (scores[:, None] > of_target[..., None]).sum(axis=-1)
    tied = (scores[:, None] == of_target[..., None]).sum(axis=-1) - 1
    return {
        "above": np.where(of_target == -np.inf, -1, above),
        "tied": tied,
        "num_items": (scores > -np.inf).sum(axis=-1),
    }


def scores_of_ids(recommended: np.ndarray, items: int) -> np.ndarray:
    """Scores of all items that put them into the recommended order."""
    scores = np.full((len(recommended), items), -np.inf, "float32")
    for row, of_list in zip(scores, recommended, strict=True):
        for place, item in reversed(list(enumerate(of_list))):
            if item >= 0:
                row[item] = -place
    return scores


def padded(rows: list[list[int]], width: int) -> np.ndarray:
    """Rows of ids, with padding."""
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows])


def values(metric: Any, *arguments: Any) -> np.ndarray:
    """What `per_list` returns."""
    from keras import ops

    return ops.convert_to_numpy(metric.per_list(*arguments))
