"""Rows of ids and indices, one row per list: relevant and excluded items."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs import shapes
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.types import Tensor

EXCLUDE = 'y_true["exclude"]'
FEW = 8  # ids, of which some are again by no accident


def relevant_rows(x: Any, leading: Leading, expected: str, hint: str) -> Tensor:
    """Return the relevant items of `y_true`, `[lists, row]`.

    Args:
        x: the main entry of `y_true`, `[*leading]` or `[*leading, row]`.
        leading: the leading dimensions of the lists.
        expected: a description of valid values, for errors.
        hint: advice on values that are not integers, for errors.

    Raises:
        ValueError: if it has a wrong shape or dtype.
    """
    ids = integers("y_true", x, expected, hint)
    received = tuple(ids.shape)
    if len(received) == len(leading.shape):
        ids = ops.expand_dims(ids, -1)
    if not shapes.compatible(tuple(ids.shape[:-1]), leading.shape):
        raise ValueError(
            f"`y_true` should hold {expected}, in the shape {leading.shape} "
            f"for one per list, or {(*leading.shape, None)} for a row of them. "
            f"Received: `y_true.shape` = {received}."
        )
    return leading.as_rows(ids)


def excluded(x: Any, leading: Leading, expected: str) -> Tensor:
    """Return `y_true["exclude"]`, `[lists, row]`.

    Args:
        x: the entry, `[*leading, row]`.
        leading: the leading dimensions of the lists.
        expected: a description of valid values, for errors.

    Raises:
        ValueError: if it has a wrong shape or dtype.
    """
    ids = integers(EXCLUDE, x, expected)
    shape = (*leading.shape, None)
    shapes.check_shape(EXCLUDE, ids, shape, f"{expected}, a row for each list")
    return leading.as_rows(ids)


def with_negative_id(
    name: str, ids: Tensor, are_labels: Tensor | None = None
) -> Tensor:
    """Return True for lists with an id below -1, bool `[lists]`.

    Args:
        name: the argument, for the error.
        ids: `[lists, row]`, -1 for padding.
        are_labels: a bool scalar, True if the ids look like labels; None if
            that was looked at. One read by the host is enough for both.

    Raises:
        ValueError: if such an id is concrete, or the ids look like labels.
    """
    negative = ids < -1
    is_wrong = ops.any(negative)
    if are_labels is not None:
        is_wrong = is_wrong | are_labels
    if concrete(is_wrong):
        if are_labels is not None and concrete(are_labels):
            raise _labels_error(name, ids, "ids", "Pass the ids of the ones.")
        number = int(ops.sum(ops.cast(negative, "int32")))
        raise ValueError(
            f"`{name}` should hold ids from 0 on, and -1 for the padding of a "
            f"dense array. Received: negative ids, {number} of them. If they "
            "are padding, set them to -1, or leave them out of ragged lists. "
            "If they are ids, such as hashes, number all ids from 0, alike in "
            "`y_true` and `y_pred`."
        )
    return ops.any(negative, axis=-1)


def without_excluded(
    scores: Tensor, exclude: Any, leading: Leading
) -> tuple[Tensor, Tensor]:
    """Return the scores, with the lowest score for excluded items.

    Args:
        scores: `[lists, items]`.
        exclude: indices of items, `[*leading, excluded]`, negative for
            padding.
        leading: the leading dimensions of the lists.

    Returns:
        The scores, and the lists that exclude an index out of range, bool
        `[lists]`.

    Raises:
        ValueError: if a concrete index is out of range, or `exclude` looks
            like a mask.
    """
    lists, items = ops.shape(scores)
    indices = excluded(exclude, leading, "indices of items")
    check_no_labels(
        EXCLUDE,
        indices,
        "indices of items",
        'To leave items out by a mask, pass it as `y_true["mask"]`, False for '
        "these items.",
        items,
    )
    indices, beyond = checked_indices(EXCLUDE, indices, items)
    # Padding is written to an extra column behind the items.
    column = ops.cast(ops.where(indices < 0, items, indices), "int32")
    row = ops.arange(lists, dtype="int32")[:, None]
    row = ops.broadcast_to(row, ops.shape(column))
    at = ops.stack([ops.reshape(row, (-1,)), ops.reshape(column, (-1,))], 1)
    updates = ops.full_like(at[:, 0], lowest(scores), dtype=scores.dtype)
    with_column = ops.pad(scores, [[0, 0], [0, 1]])
    scores = ops.scatter_update(with_column, at, updates)[:, :-1]
    return scores, beyond


def checked_indices(
    name: str, indices: Tensor, items: int | Tensor
) -> tuple[Tensor, Tensor]:
    """Return the indices, -1 where out of range, and the lists with such.

    Args:
        name: the argument, for errors.
        indices: `[lists, row]`, negative for padding.
        items: the number of items in a list.

    Raises:
        ValueError: if a concrete index is out of range.
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


def check_no_labels(
    name: str,
    rows: Tensor,
    expected: str,
    advice: str,
    items: int | Tensor | None = None,
) -> Tensor:
    """Return True if rows look like a label for each item, a bool scalar.

    Such rows have three or more entries, all of them 0 or 1, and both occur.

    Args:
        name: the argument, for the error.
        rows: `[lists, row]`.
        expected: a description of valid values, for the error.
        advice: the remedy, for the error.
        items: the number of items in a list; None if labels may be those of
            any number of items. Rows of another length never look like labels,
            and neither do any if the number is traced.

    Raises:
        ValueError: if concrete rows look like labels.
    """
    length = rows.shape[-1]
    fits = items is None or (isinstance(items, int) and length == items)
    are_labels = look_like_labels(rows, 3) if fits else None
    if are_labels is None:
        return ops.zeros((), dtype="bool")
    if concrete(are_labels):
        raise _labels_error(name, rows, expected, advice)
    return are_labels


def look_like_labels(rows: Tensor, least: int = FEW) -> Tensor | None:
    """Return True for rows of 0 and 1, a bool scalar; None for short rows.

    Args:
        rows: `[lists, row]`.
        least: the numbers of a row that is not short.
    """
    if rows.shape[-1] is None or rows.shape[-1] < least:
        return None
    none, one = rows == 0, rows == 1
    # Both, since Keras builds metrics on torch with tensors of ones.
    return ops.any(none) & ops.any(one) & ops.all(none | one)


def _labels_error(
    name: str, rows: Tensor, expected: str, advice: str
) -> ValueError:
    return ValueError(
        f"`{name}` should hold {expected}. Received: {rows.shape[-1]} numbers "
        "for each list, all of them 0 or 1, which look like labels or a mask. "
        f"{advice}"
    )


def check_is_one_list(*sides: Tensor, remedy: str) -> None:
    """Raise ValueError if a single list looks like an item of each list.

    Both sides have one length then, and ids that are there again.

    Args:
        sides: the ids, `[lists, row]`: relevant ones, and maybe others.
        remedy: what to pass in place of the second side.
    """
    length = sides[0].shape[-1]
    if length is None or length < FEW or sides[-1].shape[-1] != length:
        return
    if concrete(ops.all(ops.stack([*map(_has_again, sides)]))):
        raise ValueError(
            "A list should have an id once. Received: one list of "
            f"{length} relevant ids, some of them several times, and as many "
            f"numbers in `y_pred`. For {length} lists, {remedy}."
        )


def _has_again(ids: Tensor) -> Tensor:
    """Return True if an id of a list is there again, other than the last.

    The last one may be padding.

    Args:
        ids: `[1, row]`, negative for padding.
    """
    ids = ops.sort(ops.where(ids == ids[:, -1:], -1, ids), axis=-1)
    return ops.any((ids[:, 1:] == ids[:, :-1]) & (ids[:, 1:] >= 0))
