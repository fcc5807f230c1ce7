"""Lists whose items are rows, and what all lists should hold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from keras_rankmetrics.jobs.batches import Columns, Lists, Ragged


def lists_of_items(
    values: Mapping[str, np.ndarray], starts: np.ndarray, columns: Columns
) -> Lists:
    """The lists, each row being an item.

    Args:
        values: of all rows, by column; those of a list follow each other.
        starts: the first row of each list.
        columns: what they are.

    Raises:
        ValueError: if the items of a list differ in what belongs to the list.
    """
    rows = len(values[columns.y_true])
    lengths = np.diff(starts, append=rows)
    lists = {}
    for name, of_rows in values.items():
        if name in columns.of_lists:
            lists[name] = Ragged.of_single(of_rows[starts])
            _check_constant(of_rows, of_rows[starts], lengths, name)
        else:
            lists[name] = Ragged(of_rows, lengths)
    return lists


def check_lists(lists: Lists, columns: Columns) -> None:
    """Raises where lists do not hold what their columns should."""
    for name in (columns.sample_weight, columns.num_relevant):
        if name is not None:
            _check_amounts(lists[name].values, name)
    for name in [*columns.of_lists, *columns.weights_of_lists]:
        if (lists[name].lengths != 1).any():
            raise ValueError(
                f"The column {name!r} should hold no null. Received: "
                f"{(lists[name].lengths != 1).sum()} of them."
            )
    if columns.form == "scores":
        for name in columns.predictions:
            _check_aligned(lists, columns.y_true, name)
    if columns.form == "sparse":
        for name in columns.predictions:
            _check_as_long(lists[name].lengths, name)
            _check_within(lists, columns.y_true, name)
    if columns.form != "ids" and columns.exclude is not None:
        for name in columns.predictions:
            _check_within(lists, columns.exclude, name)


def _check_aligned(lists: Lists, labels: str, scores: str) -> None:
    one, other = lists[labels].lengths, lists[scores].lengths
    [wrong] = np.nonzero(one != other)
    if len(wrong):
        raise ValueError(
            f"A list should have as many labels in {labels!r} as scores in "
            f"{scores!r}. Received: {one[wrong[0]]} labels and "
            f"{other[wrong[0]]} scores."
        )


def _check_as_long(lengths: np.ndarray, name: str) -> None:
    if (lengths != lengths[0]).any():
        raise ValueError(
            f"The column {name!r} should hold the scores of all items of a "
            "catalogue, as many in each list. Received: lists of "
            f"{lengths.min()} to {lengths.max()} scores."
        )


def _check_within(lists: Lists, indices: str, scores: str) -> None:
    values, lengths = lists[indices]
    wrong = values >= np.repeat(lists[scores].lengths, lengths)
    if wrong.any():
        raise ValueError(
            f"The column {indices!r} should hold indices of items, below the "
            f"number of scores in {scores!r}. Received: {values[wrong][0]}."
        )


def _check_amounts(values: np.ndarray, name: str) -> None:
    wrong = (values < 0) | np.isinf(values)
    if wrong.any():
        raise ValueError(
            f"The numbers in {name!r} should be finite, and not negative. "
            f"Received: {values[wrong][0]}."
        )


def _check_constant(
    values: np.ndarray, firsts: np.ndarray, lengths: np.ndarray, name: str
) -> None:
    if (values != np.repeat(firsts, lengths)).any():
        raise ValueError(
            f"The items of a list should have the same value in {name!r}. "
            "Received: lists with several values."
        )
