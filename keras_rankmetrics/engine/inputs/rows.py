"""Rows of ids: relevant, recommended and excluded items."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.ranking.sort_keys import lowest
from keras_rankmetrics.types import Tensor

# Rows of ids, or of indices of items, that belong to the lists.

EXCLUDE = 'y_true["exclude"]'


def rows_of(x: Tensor, leading: Leading) -> Tensor:
    """`[*leading, row]` as `[lists, row]`, -1 where that would be empty."""
    rows = leading.as_lists(x)
    if rows.shape[-1] == 0:  # not all backends reduce empty tensors
        rows = ops.pad(rows, [[0, 0], [0, 1]], constant_values=-1)
    return ops.full_like(rows, -1) if leading.is_empty else rows


def relevant_of(x: Any, leading: Leading, expected: str, hint: str) -> Tensor:
    """What `y_true` holds, `[lists, row]`: one for each list, or a row.

    Args:
        x: what the user passed, `[*leading]` or `[*leading, row]`.
        leading: the leading dimensions of the lists.
        expected: what it should hold, for errors.
        hint: what to do with what is no integer, for errors.
    """
    ids = integers("y_true", x, expected, hint)
    received = tuple(ids.shape)
    if len(received) == len(leading.shape):
        ids = ops.expand_dims(ids, -1)
    if not compatible(tuple(ids.shape[:-1]), leading.shape):
        raise ValueError(
            f"`y_true` should hold {expected}, in the shape {leading.shape} "
            f"for one per list, or {(*leading.shape, None)} for a row of them. "
            f"Received: `y_true.shape` = {received}."
        )
    return rows_of(ids, leading)


def excluded_of(x: Any, leading: Leading, expected: str) -> Tensor:
    """What `y_true["exclude"]` holds, `[lists, row]`.

    Args:
        x: what the user passed, `[*leading, row]`.
        leading: the leading dimensions of the lists.
        expected: what it should hold, for errors.
    """
    ids = integers(EXCLUDE, x, expected)
    shape = (*leading.shape, None)
    if not compatible(tuple(ids.shape), shape):
        raise ValueError(
            f"`{EXCLUDE}` should hold {expected}, a row for each list, in the "
            f"shape {shape}. Received: `{EXCLUDE}.shape` = {tuple(ids.shape)}."
        )
    return rows_of(ids, leading)


def within(
    name: str, indices: Tensor, items: int | Tensor
) -> tuple[Tensor, Tensor]:
    """The indices that there are, -1 for others; and which lists hold others.

    Raises where it is seen that there are others.

    Args:
        name: of the argument, for errors.
        indices: `[lists, row]`, negative for padding.
        items: how many items there are.
    """
    items = ops.cast(items, indices.dtype)
    beyond = indices >= items
    if concrete(ops.any(beyond)):
        raise ValueError(
            f"`{name}` should hold indices of items, from 0 to "
            f"{int(items) - 1}, since there are {int(items)} scores in a list. "
            f"Received: the index {int(ops.max(indices))}."
        )
    return ops.where(beyond, -1, indices), ops.any(beyond, axis=-1)


def look_like_labels_of(rows: Tensor, items: int | Tensor) -> Tensor:
    """Whether rows look like a label for each item, bool.

    Not where it is unknown how many items there are.
    """
    if not isinstance(items, int) or rows.shape[-1] != items:
        return ops.zeros((), dtype="bool")
    return look_like_labels(rows)


def check_are_ids(rows: Tensor, expected: str, hint: str) -> None:
    """Raises where rows of `y_true` are seen to look like labels.

    Args:
        rows: `[lists, row]`.
        expected: what they should hold, for errors.
        hint: what to do with labels, for errors.
    """
    if concrete(look_like_labels(rows)):
        raise ValueError(
            f"`y_true` should hold {expected}. Received: {rows.shape[-1]} "
            "numbers for each list, all of them 0 or 1, which look like "
            f"labels. {hint}"
        )


def look_like_labels(rows: Tensor) -> Tensor:
    """Whether rows of three or more hold 0 and 1 and nothing else: bool."""
    if rows.shape[-1] is None or rows.shape[-1] < 3:
        return ops.zeros((), dtype="bool")
    none, one = rows == 0, rows == 1
    # Both: Keras builds metrics on torch with tensors of ones.
    return ops.any(none) & ops.any(one) & ops.all(none | one)


# Items that are not to be retrieved, whatever their scores.


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
    if concrete(look_like_labels_of(excluded, items)):
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
