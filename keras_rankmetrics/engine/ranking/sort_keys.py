"""Sort keys: scores, the order of the input, a random order."""

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


@dataclasses.dataclass(frozen=True)
class Sortable:
    """Scores of items, with masked ones and NaN counting as the lowest.

    These must not reach a sort: outside of XLA, a single NaN breaks that of
    TensorFlow. Replacing them copies all scores, so it is skipped if there are
    none.

    Attributes:
        raw: `[lists, items]`, the scores as passed.
        valid: computes which scores are valid, bool `[lists, items]`.
        all_valid: True if all scores are valid, a bool scalar.
    """

    raw: Tensor
    valid: Callable[[], Tensor]
    all_valid: Tensor

    def cleaned(self) -> Tensor:
        """Return the scores, the lowest of the dtype where they are invalid.

        For floats that is -inf, the score of an item that is not retrieved.
        """
        return self.raw if concrete(self.all_valid) else self._replaced()

    def retrieved(self) -> Tensor:
        """Return True for items with a rank, bool `[lists, items]`."""
        cleaned = self.cleaned()
        return cleaned > lowest(cleaned)

    def are_all_retrieved(self) -> Tensor:
        """Return True if all items of all lists have a rank, a bool scalar."""
        return self.all_valid & (ops.min(self.raw) > lowest(self.raw))

    def levelled(self) -> Sortable:
        """Return the scores with the same value for all retrieved items."""
        raw = self.raw
        zeros = ops.zeros_like(raw)
        scores = ops.where(self.retrieved(), zeros, lowest(raw))
        there = ops.ones((), "bool")
        return Sortable(scores, lambda: scores == scores, there)

    def repeated(self, times: int | Tensor) -> Sortable:
        """Return the scores with each list repeated."""
        return Sortable(
            ops.repeat(self.raw, times, axis=0),
            lambda: ops.repeat(self.valid(), times, axis=0),
            self.all_valid,
        )

    def top_k(self, k: int | Tensor) -> tuple[Tensor, Tensor]:
        """Return the highest `k` scores of each list and their indices."""
        return unless(
            self.all_valid,
            lambda: top_k(self._replaced(), k),
            if_true=lambda: top_k(self.raw, k),
        )

    def _replaced(self) -> Tensor:
        return ops.where(self.valid(), self.raw, lowest(self.raw))


def lowest(x: Tensor) -> float | np.integer:
    """Return the score of an item that is not retrieved.

    It is -inf, or the smallest integer of an integer dtype.
    """
    dtype = backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    # Keras before 3.15 converts a Python int to int32 on torch.
    return np.dtype(dtype).type(np.iinfo(dtype).min)


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
    position = positions(order)
    tied = ops.take_along_axis(tied, ops.maximum(position - above, 0), axis=-1)
    order = ops.where(position < above, order, tied)
    for key in reversed(ranked):
        # The sort is stable on every backend, so earlier keys take precedence.
        selected = _negated(ops.take_along_axis(key, order, axis=-1))
        sort = ops.argsort(selected, axis=-1)
        order = ops.take_along_axis(order, sort, axis=-1)
    return order


def input_order(like: Tensor) -> Tensor:
    """Return keys that keep the items of each list in the order of the input.

    Args:
        like: `[lists, items]`; only its shape is used.
    """
    index = ops.cast(positions(like), counting_dtype(like.shape[-1]))
    return ops.broadcast_to(-index, ops.shape(like))


def _negated(key: Tensor) -> Tensor:
    # The lowest integer has no negative, and XLA sorts -0.0 before 0.0.
    if "int" in backend.standardize_dtype(key.dtype):
        return -1 - key
    return ops.where(key == 0, 0, -key)


# The random order is the same on every backend. `keras.random` draws different
# numbers on each, and takes no tensor as a seed. So keys are an integer hash of
# the seed, the number of the draw, the list and the item. The hash has 24 bits:
# float32 represents them exactly, and XLA's fast `top_k` is for floats.
_BITS = 24
_MASK = 2**_BITS - 1


def shuffle_keys(like: Tensor, seed: int, draw: Tensor) -> Tensor:
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
