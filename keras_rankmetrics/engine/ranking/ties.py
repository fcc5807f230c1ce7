"""The order of tied items, by the policy of `ties`.

`"average"` keeps no order: `Top` in `top.py` finds the groups of tied items,
and a ranking takes the mean over all their orders.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.types import Tensor, TiePolicy


class Order(NamedTuple):
    """The options of a ranking.

    Attributes:
        k: the number of ranks that count, or None for all.
        ties: the policy for items with equal scores.
        seed: for `ties="shuffle"`.
        draw: the number of the draw, for `ties="shuffle"`.
    """

    k: int | None
    ties: TiePolicy = "average"
    seed: int = 0
    draw: Tensor | int = 0


def settled(
    scores: Tensor,
    order: Order,
    labels: Callable[[], Tensor],
    depth: int | Tensor,
) -> Tensor:
    """Return the indices of the highest scores, ties broken by the policy.

    Args:
        scores: `[lists, items]`.
        order: the options of the ranking.
        labels: returns the labels of all items, `[lists, items]`.
        depth: the number of indices.

    Returns:
        int32 `[lists, depth]`.
    """
    keys = [scores, key_within_ties(scores, order)]
    if order.ties == "optimistic":
        keys.insert(1, labels())
    elif order.ties == "pessimistic":
        keys.insert(1, -labels())
    return first_by(keys, depth)


# Sort keys. Items with higher keys come first.


def first_by(
    keys: Sequence[Tensor], depth: int | Tensor, among: Tensor | None = None
) -> Tensor:
    """Return the indices of the first `depth` items by several keys.

    The highest keys come first. The next key breaks ties of the previous one;
    no two items of a list are equal by all keys. The lists are not sorted as a
    whole. `ops.top_k` alone leaves the order of ties to the backend: XLA puts
    0.0 before -0.0, and torch takes any order.

    Args:
        keys: each `[lists, items]`.
        depth: the number of indices, at most the number of items.
        among: bool `[lists, items]`, the items to select from, or None for
            all. If they are fewer than `depth`, other items follow them.

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
    # All items above the boundary value are selected. The other places go to
    # the first of the items with the boundary value.
    boundary = ops.min(values, axis=-1, keepdims=True)
    above = ops.sum(ops.cast(values > boundary, "int32"), -1, keepdims=True)
    tied = first_by(keys[1:], depth, among=ranked[0] == boundary)
    position = counting.positions(order)
    tied = ops.take_along_axis(tied, ops.maximum(position - above, 0), axis=-1)
    order = ops.where(position < above, order, tied)
    for key in reversed(ranked):
        # The sort is stable on every backend, so earlier keys take precedence.
        selected = _negated(ops.take_along_axis(key, order, axis=-1))
        sort = ops.argsort(selected, axis=-1)
        order = ops.take_along_axis(order, sort, axis=-1)
    return order


def key_within_ties(like: Tensor, order: Order) -> Tensor:
    """Return keys for tied items: a random order, or that of the input.

    Args:
        like: `[lists, items]`; only its shape is used.
        order: the options of the ranking.
    """
    if order.ties == "shuffle":
        return _shuffled(like, order.seed, order.draw)
    index = ops.cast(
        counting.positions(like), counting.counting_dtype(like.shape[-1])
    )
    return ops.broadcast_to(-index, ops.shape(like))


def _negated(key: Tensor) -> Tensor:
    # The lowest integer has no negative, and XLA sorts -0.0 before 0.0.
    if "int" in keras.backend.standardize_dtype(key.dtype):
        return -1 - key
    return ops.where(key == 0, 0, -key)


# The random order is the same on every backend. `keras.random` draws different
# numbers on each, and takes no tensor as a seed. So keys are an integer hash of
# the seed, the number of the draw, the list and the item. The hash has 24 bits:
# float32 represents them exactly, and XLA's fast `top_k` is for floats.
_BITS = 24
_MASK = 2**_BITS - 1


def _shuffled(like: Tensor, seed: int, draw: Tensor) -> Tensor:
    """Return keys that put the items of each list into a random order.

    No two items of a list have the same key (for up to 2 ** 24 items).

    Args:
        like: `[lists, items]`; only its shape is used.
        seed: the seed of the sequence of draws.
        draw: int32 scalar, the number of the draw.

    Returns:
        float32 `[lists, items]`.
    """
    lists, items = ops.shape(like)
    row = ops.arange(lists, dtype="int32")[:, None]
    item = ops.arange(items, dtype="int32")[None, :]
    start = zlib.crc32(str(seed).encode()) & _MASK
    batch = _mixed(ops.cast(draw, "int32") + start)
    stream = _mixed(row + batch)
    # Each step is a bijection of the 24-bit integers, so keys stay distinct.
    keys = _mixed(_mixed(ops.bitwise_xor(item, stream)) + _mixed(stream + 1))
    return ops.cast(keys, "float32")


def _mixed(x: Tensor) -> Tensor:
    """Map the 24-bit integers one to one, without a visible pattern."""
    for multiplier in (0x6F4F2B, 0x5A3C69):
        x = ops.bitwise_and(x, _MASK)
        x = ops.bitwise_xor(x, ops.right_shift(x, 13))
        x = ops.bitwise_and(x * multiplier, _MASK)
    return ops.bitwise_xor(x, ops.right_shift(x, 11))
