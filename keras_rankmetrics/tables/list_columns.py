"""Columns of lists: what is wrong with them, and what tensors can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.tables.item_rows import are_equal_in_lists, run_starts
from keras_rankmetrics.tables.ragged import Lists, Ragged
from keras_rankmetrics.types import UNJUDGED


def have_one_weight(
    weights: np.ndarray,
    starts: np.ndarray,
    labels: np.ndarray,
    members: Callable[[], Sequence[Any]],
) -> bool:
    """Return True if the rows of each list have one weight.

    Rows that their label leaves out may have another.

    Args:
        weights: `[rows]`. The rows of a list follow each other.
        starts: the first row of each list.
        labels: `[rows]`, if rows have labels.
        members: returns the metrics.
    """
    if are_equal_in_lists(weights, starts):
        return True
    if labels.shape != weights.shape or any(
        member.definition.traits.reads for member in members()
    ):
        return False
    stay = (labels >= 0) | (labels == UNJUDGED)
    lengths = np.diff(starts, append=len(weights))
    lists = np.repeat(np.arange(len(starts)), lengths)[stay]
    return are_equal_in_lists(weights[stay], run_starts(lists)[: len(lists)])


def in_int32_or_floats(numbers: np.ndarray) -> np.ndarray:
    """Return integers beyond int32, the widest of some backends, as floats."""
    if numbers.dtype.kind not in "iu" or not numbers.size:
        return numbers
    limits = np.iinfo(np.int32)
    if limits.min <= numbers.min() and numbers.max() <= limits.max:
        return numbers
    return numbers.astype(np.float64)


def group_numbers(
    values: np.ndarray, column: str, groups: tuple[str, ...] | int
) -> Ragged:
    """Return the number of the group of each list.

    Args:
        values: the groups of the lists, by name or number.
        column: the name of their column.
        groups: the names of the groups, or their number.

    Raises:
        ValueError: if a value of the column is not one of the groups.
    """
    names = () if isinstance(groups, int) else groups
    count = groups if isinstance(groups, int) else len(groups)
    numbers, are_numbers = values, values.dtype.kind in "iu"
    if are_numbers and any(
        x.isdecimal() and x != str(i) for i, x in enumerate(names)
    ):
        raise ValueError(
            f"The column {column!r} should hold names of groups as text, since "
            f"{list(names)} have digits as names. Received: integers such as "
            f"{values[0]}, which may be names or positions among the groups. "
            "For names, pass `column.astype(str)`; for positions, "
            "`np.array(groups)[column]`."
        )
    if not are_numbers:
        number_of = {name: number for number, name in enumerate(names)}
        known = [number_of.get(name, -1) for name in values.tolist()]
        numbers = np.array(known, np.int32)
    wrong = (numbers < 0) | (numbers >= count)
    if wrong.any():
        or_names = f", or one of {list(names)}" if names else ""
        raise ValueError(
            f"The column {column!r} should hold the group of each list, an "
            f"integer from 0 to {count - 1}{or_names}. Received: "
            f"{values[wrong][0]!r}."
        )
    return Ragged.of_single(numbers.astype(np.int32))


def refuse_unaligned(lists: Lists, labels: str, scores: str) -> None:
    """Raise ValueError if a list has more labels than scores, or fewer."""
    one, other = lists[labels].lengths, lists[scores].lengths
    [wrong] = np.nonzero(one != other)
    if len(wrong):
        raise ValueError(
            f"A list should have as many labels in {labels!r} as scores in "
            f"{scores!r}. Received: {one[wrong[0]]} labels and "
            f"{other[wrong[0]]} scores."
        )


def refuse_unequal(lengths: np.ndarray, name: str) -> None:
    """Raise ValueError if the scores of catalogues differ in number."""
    if (lengths != lengths[0]).any():
        raise ValueError(
            f"The column {name!r} should hold the scores of all items of a "
            "catalogue, as many in each list. Received: lists of "
            f"{lengths.min()} to {lengths.max()} scores."
        )


def refuse_beyond(lists: Lists, indices: str, scores: str) -> None:
    """Raise ValueError if an index is not one of the scores."""
    values, lengths = lists[indices]
    refuse_first(
        values,
        values >= np.repeat(lists[scores].lengths, lengths),
        f"The column {indices!r} should hold indices of items, below the "
        f"number of scores in {scores!r}.",
    )


def refuse_nan(name: str, values: np.ndarray) -> None:
    """Raise ValueError if there is a NaN in a column."""
    missing = (values != values).sum()
    if missing:
        raise ValueError(
            f"The column {name!r} should hold no NaN. Received: {missing} of "
            f"them among {len(values)} values. Remove the rows, or look for "
            "what made them."
        )


def refuse_first(values: np.ndarray, wrong: np.ndarray, expected: str) -> None:
    """Raise ValueError naming the first wrong value, if there is one."""
    if wrong.any():
        raise ValueError(f"{expected} Received: {values[wrong][0]}.")
