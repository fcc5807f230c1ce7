"""How deep a ranking goes."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.types import Tensor

_SMALLEST, _STEP = 16, 8


_MANY = 2**31 - 1


def depth_beyond(k: int | None, items: int | Tensor = _MANY) -> int | Tensor:
    """A depth of more than `k`, in a list of so many items.

    It is the next of 16, 128, 1024, ... that is more than `k`: so metrics of
    similar cutoffs ask for the same `top_k`, and a compiler computes it once.
    One rank more than `k` shows whether a tie group reaches beyond.
    """
    if k is None:
        return items
    depth = _SMALLEST
    while depth <= k:
        depth *= _STEP
    return at_most(depth, items)


def at_most(depth: int | Tensor, items: int | Tensor) -> int | Tensor:
    """The smaller of both, as a plain int where both are known."""
    if isinstance(depth, int) and isinstance(items, int):
        return min(depth, items)
    return ops.minimum(depth, items)
