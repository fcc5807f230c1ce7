"""Rows of ids, or of indices of items, that belong to the lists."""

from __future__ import annotations

from typing import Any

from keras import ops

from keras_rankmetrics.inputs.leading import Leading, compatible
from keras_rankmetrics.inputs.tensors import integers
from keras_rankmetrics.known import known
from keras_rankmetrics.types import Tensor


def ids_of(
    name: str, x: Any, leading: Leading, expected: str, hint: str = ""
) -> Tensor:
    """Integers that belong to each list, `[lists, row]`, negative for padding.

    Args:
        name: of the argument, for errors.
        x: what the user passed: one per list, or a row of them.
        leading: the leading dimensions of the lists.
        expected: what the argument should hold, for errors.
        hint: what to do with what is no integer, for errors.
    """
    rows = integers(name, x, expected, hint)
    received = tuple(rows.shape)
    if len(received) == len(leading.shape):
        rows = ops.expand_dims(rows, -1)
    if not compatible(tuple(rows.shape[:-1]), leading.shape):
        raise ValueError(
            f"`{name}` should hold {expected}, in the shape {leading.shape} "
            f"for one per list, or {(*leading.shape, None)} for a row of them. "
            f"Received: `{name}.shape` = {received}."
        )
    rows = leading.as_lists(rows)
    if rows.shape[-1] == 0:
        rows = ops.pad(rows, [[0, 0], [0, 1]], constant_values=-1)
    return ops.full_like(rows, -1) if leading.is_empty else rows


def indices_of(
    name: str, x: Any, leading: Leading, items: int | Tensor, hint: str = ""
) -> tuple[Tensor, Tensor]:
    """Indices of items of each list, `[lists, row]`, negative for padding.

    Returns:
        The indices, -1 where there is no such item; and which lists hold an
        index that no item has, bool `[lists]`. It raises where that is seen.
    """
    indices = ids_of(name, x, leading, "indices of items", hint)
    beyond = indices >= items
    if known(ops.any(beyond)):
        raise ValueError(
            f"`{name}` should hold indices of items, from 0 to "
            f"{int(items) - 1}, since there are {int(items)} scores in a list. "
            f"Received: the index {int(ops.max(indices))}."
        )
    return ops.where(beyond, -1, indices), ops.any(beyond, axis=-1)
