"""Keys to sort by: scores as integers, input order, shuffled order."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Sequence

import numpy as np
from keras import backend

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import top_k
from keras_rankmetrics.engine.backend.tracing import concrete, unless
from keras_rankmetrics.engine.ranking.sums import counting_dtype, positions
from keras_rankmetrics.types import Tensor

# `Sortable`: scores, some of which may reach no sort.


@dataclasses.dataclass(frozen=True)
class Sortable:
    """Scores of items, of which masked ones and NaN count as the lowest.

    As they are, neither may be sorted: outside of XLA, a single NaN upsets
    TensorFlow's. To take them out makes a copy of all scores, which is avoided
    where there are none.

    Attributes:
        given: `[lists, items]`.
        may: computes which of them may be sorted, bool `[lists, items]`.
        clean: whether all of them may, a bool scalar.
    """

    given: Tensor
    may: Callable[[], Tensor]
    clean: Tensor

    def cleaned(self) -> Tensor:
        """`[lists, items]`, the lowest value of the dtype where they may not.

        That is -inf for floats, as it is for an item that is not retrieved.
        """
        return self.given if concrete(self.clean) else self._without()

    def retrieved(self) -> Tensor:
        """Which items have a rank, bool `[lists, items]`."""
        cleaned = self.cleaned()
        return cleaned > lowest(cleaned)

    def are_all_retrieved(self) -> Tensor:
        """Whether each item of all lists has a rank, bool."""
        return self.clean & (ops.min(self.given) > lowest(self.given))

    def levelled(self) -> Sortable:
        """The same items, those that are retrieved with one score."""
        given = self.given
        zeros = ops.zeros_like(given)
        scores = ops.where(self.retrieved(), zeros, lowest(given))
        there = ops.ones((), "bool")
        return Sortable(scores, lambda: scores == scores, there)

    def repeated(self, times: int | Tensor) -> Sortable:
        """Each list so many times."""
        return Sortable(
            ops.repeat(self.given, times, axis=0),
            lambda: ops.repeat(self.may(), times, axis=0),
            self.clean,
        )

    def top_k(self, k: int | Tensor) -> tuple[Tensor, Tensor]:
        """The highest `k` of each list, and where they stand."""
        return unless(
            self.clean,
            lambda: top_k(self._without(), k),
            if_true=lambda: top_k(self.given, k),
        )

    def _without(self) -> Tensor:
        return ops.where(self.may(), self.given, lowest(self.given))


def lowest(x: Tensor) -> float | np.integer:
    """The score of an item that is not retrieved: below every other one.

    It is -inf, or for integers the smallest one.
    """
    dtype = backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    # Not a plain int, of which Keras before 3.15 makes an int32 on torch.
    return np.dtype(dtype).type(np.iinfo(dtype).min)


# The first items of a list by several keys, without sorting the list.
#
# `ops.top_k` leaves the order of equal values to the backend: XLA puts 0.0
# before -0.0, and torch takes any. Here the order is settled by further keys.


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


# A random order of the items of each list, the same one on every backend.
#
# `keras.random` draws other numbers on each backend, and takes no seed that
# is a tensor. Here the draw is a small integer hash of the seed, the number
# of the draw, the list and the item, in plain operations.

# The hash works on 24 bits: float32 holds them exactly, and XLA's fast `top_k`
# is for floats.
_BITS = 24
_MASK = 2**_BITS - 1


def shuffle_keys(like: Tensor, seed: int, draw: Tensor) -> Tensor:
    """Keys that put the items of each list into a random order.

    No two items of a list get the same key (for up to 2 ** 24 items).

    Args:
        like: `[lists, items]`, for its shape alone.
        seed: what the sequence of draws depends on.
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
    # Each step maps the 24-bit numbers one to one, so items stay distinct.
    keys = _mixed(_mixed(ops.bitwise_xor(item, stream)) + _mixed(stream + 1))
    return ops.cast(keys, "float32")


def _mixed(x: Tensor) -> Tensor:
    """A one-to-one map of the 24-bit integers that leaves no pattern."""
    for multiplier in (0x6F4F2B, 0x5A3C69):
        x = ops.bitwise_and(x, _MASK)
        x = ops.bitwise_xor(x, ops.right_shift(x, 13))
        x = ops.bitwise_and(x * multiplier, _MASK)
    return ops.bitwise_xor(x, ops.right_shift(x, 11))
