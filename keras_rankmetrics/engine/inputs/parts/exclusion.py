"""Items that are not to be retrieved, whatever their scores."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.parts.leading import Leading
from keras_rankmetrics.engine.inputs.parts.rows import (
    EXCLUDE,
    excluded_of,
    look_like_labels_of,
    within,
)
from keras_rankmetrics.engine.ranking.sorting.sortable import lowest
from keras_rankmetrics.types import Tensor


def without_excluded(
    scores: Tensor, exclude: Any, leading: Leading
) -> tuple[Tensor, Tensor | bool]:
    """The scores, `[lists, items]`, with the lowest one for excluded items.

    Args:
        scores: `[lists, items]`.
        exclude: indices of items, `[..., excluded]`, negative for padding; or
            None.
        leading: the leading dimensions of the lists.

    Returns:
        The scores, and which lists exclude an item that is none, bool `[lists]`
        or False.
    """
    if exclude is None:
        return scores, False
    lists, items = ops.shape(scores)
    excluded = excluded_of(exclude, leading, "indices of items")
    if known(look_like_labels_of(excluded, items)):
        raise ValueError(
            f"`{EXCLUDE}` should hold indices of items. Received: {items} "
            f"numbers for {items} scores, all of them 0 or 1, which look like "
            "a mask. Give the label -1, or the score -inf, to what it excludes."
        )
    excluded, beyond = within(EXCLUDE, excluded, items)
    # Padding writes into a column of its own, behind the items.
    column = ops.cast(ops.where(excluded < 0, items, excluded), "int32")
    row = ops.arange(lists, dtype="int32")[:, None]
    row = ops.broadcast_to(row, ops.shape(column))
    at = ops.stack([ops.reshape(row, (-1,)), ops.reshape(column, (-1,))], 1)
    updates = ops.full_like(at[:, 0], lowest(scores), dtype=scores.dtype)
    with_column = ops.pad(scores, [[0, 0], [0, 1]])
    scores = ops.scatter_update(with_column, at, updates)[:, :-1]
    return scores, beyond
