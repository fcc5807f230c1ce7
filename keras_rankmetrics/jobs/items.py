"""Lists whose items are rows, and what all lists should hold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from keras_rankmetrics.jobs.chunks import Lists
from keras_rankmetrics.jobs.columns import Columns
from keras_rankmetrics.jobs.ragged import Ragged


def lists_of_items(
    values: Mapping[str, np.ndarray], starts: np.ndarray, columns: Columns
) -> Lists:
    """The lists, each row being an item.

    Args:
        values: of all rows, by column; those of a list follow each other.
        starts: the first row of each list.
        columns: what they are.

    Raises:
        ValueError: if the items of a list are of several groups.
    """
    rows = len(values[columns.y_true])
    lengths = np.diff(starts, append=rows)
    lists = {}
    for name, of_rows in values.items():
        if name in columns.groups:
            lists[name] = Ragged.of_single(of_rows[starts])
            _check_constant(of_rows, of_rows[starts], lengths, name)
        else:
            lists[name] = Ragged(of_rows, lengths)
    return lists


def check_lists(lists: Lists, columns: Columns) -> None:
    """Raises where lists do not hold what their columns should."""
    if columns.sample_weight is not None:
        weights = lists[columns.sample_weight]
        _check_weights(weights.values, columns.sample_weight)
    for name in [*columns.groups, *columns.weights_of_lists]:
        if (lists[name].lengths != 1).any():
            raise ValueError(
                f"The column {name!r} should hold no null. Received: "
                f"{(lists[name].lengths != 1).sum()} of them."
            )
    if columns.form == "scores":
        for name in columns.predictions:
            _check_aligned(lists, columns.y_true, name)


def _check_aligned(lists: Lists, labels: str, scores: str) -> None:
    one, other = lists[labels].lengths, lists[scores].lengths
    [wrong] = np.nonzero(one != other)
    if len(wrong):
        raise ValueError(
            f"A list should have as many labels in {labels!r} as scores in "
            f"{scores!r}. Received: {one[wrong[0]]} labels and "
            f"{other[wrong[0]]} scores."
        )


def _check_weights(weights: np.ndarray, name: str) -> None:
    wrong = (weights < 0) | np.isinf(weights)
    if wrong.any():
        raise ValueError(
            f"The weights in {name!r} should be finite, and not negative. "
            f"Received: {weights[wrong][0]}."
        )


def _check_constant(
    values: np.ndarray, firsts: np.ndarray, lengths: np.ndarray, name: str
) -> None:
    if (values != np.repeat(firsts, lengths)).any():
        raise ValueError(
            f"The items of a list should be of the same group. Received: lists "
            f"with several values in the column {name!r}."
        )
