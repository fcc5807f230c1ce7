"""The first items of a list by several keys, without sorting the list.

`ops.top_k` leaves the order of equal values to the backend: XLA puts 0.0 before
-0.0, and torch takes any. Here the order is settled by further keys.
"""

from __future__ import annotations

from collections.abc import Sequence

from keras import backend

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.sorting.counting import counting_dtype
from keras_rankmetrics.engine.ranking.sorting.runs import positions
from keras_rankmetrics.engine.ranking.sorting.sortable import lowest
from keras_rankmetrics.types import Tensor


def first_by(
    keys: Sequence[Tensor], depth: int | Tensor, among: Tensor | None = None
) -> Tensor:
    """The indices of the first `depth` items by the keys, highest first.

    Items that are equal by one key are told apart by the next one; by all the
    keys together, no two items of a list are equal.

    Args:
        keys: each `[lists, items]`.
        depth: how many to return, at most the number of items.
        among: bool `[lists, items]`, which items may be taken, or None for
            all. Where they are fewer than `depth`, others follow them.

    Returns:
        int32 `[lists, depth]`.
    """
    ranked = list(keys)
    if among is not None:
        ranked = [ops.where(among, key, lowest(key)) for key in keys]
    values, order = ops.top_k(ranked[0], depth)
    order = ops.cast(order, "int32")
    if len(keys) == 1:
        return order
    # The items above the boundary value are in, whatever their order. The other
    # places go to the first of the items that have the boundary value.
    boundary = ops.min(values, axis=-1, keepdims=True)
    above = ops.sum(ops.cast(values > boundary, "int32"), -1, keepdims=True)
    tied = first_by(keys[1:], depth, among=ranked[0] == boundary)
    position = positions(order)
    tied = ops.take_along_axis(tied, ops.maximum(position - above, 0), axis=-1)
    order = ops.where(position < above, order, tied)
    for key in reversed(ranked):
        # A stable sort on every backend, so that the earlier keys decide.
        selected = _negated(ops.take_along_axis(key, order, axis=-1))
        sort = ops.argsort(selected, axis=-1)
        order = ops.take_along_axis(order, sort, axis=-1)
    return order


def input_order(like: Tensor) -> Tensor:
    """Keys that leave the items of each list in the order of the input.

    Args:
        like: `[lists, items]`, for its shape alone.
    """
    index = ops.cast(positions(like), counting_dtype(like.shape[-1]))
    return ops.broadcast_to(-index, ops.shape(like))


def _negated(key: Tensor) -> Tensor:
    # The lowest integer has no negative, and XLA sorts -0.0 before 0.0.
    if "int" in backend.standardize_dtype(key.dtype):
        return -1 - key
    return ops.where(key == 0, 0, -key)
