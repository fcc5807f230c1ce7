"""Chances when items are drawn from a tie group in random order.

Everything is a product or a sum of numbers that are not negative, so nothing
cancels; a quotient of factorials would, in float32.
"""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.types import Tensor


def chances_of_hits(
    items: Tensor, relevant: Tensor, draws: Tensor, most: int | Tensor
) -> Tensor:
    """The hypergeometric distribution of the relevant items among the drawn.

    Args:
        items: `[lists, 1]`, floats. The size of the group.
        relevant: `[lists, 1]`, floats. How many of its items are relevant.
        draws: `[lists, 1]`, floats. How many are drawn, at most `most`.
        most: the largest number of draws.

    Returns:
        `[lists, most + 1]`: the chance of 0, 1, 2, ... hits.
    """
    hits = ops.cast(ops.arange(most + 1), items.dtype)[None, :]

    def draw(drawn: Tensor, chances: Tensor) -> Tensor:
        drawn = ops.cast(drawn, items.dtype)
        left = ops.maximum(items - drawn, 1.0)
        hit = ops.clip((relevant - hits) / left, 0.0, 1.0)
        miss = ops.clip((items - relevant - drawn + hits) / left, 0.0, 1.0)
        after_hit = ops.pad((chances * hit)[:, :-1], [[0, 0], [1, 0]])
        return ops.where(drawn < draws, chances * miss + after_hit, chances)

    start = ops.cast(hits == 0, items.dtype) * ops.ones_like(items)
    return ops.fori_loop(0, most, draw, start)


def chances_of_first_hit(
    above: Tensor, items: Tensor, relevant: Tensor, depth: int | Tensor
) -> Tensor:
    """How likely the first relevant item of a group is at each rank.

    Args:
        above: `[lists, 1]`, floats. The items above the group.
        items: `[lists, 1]`, floats. The size of the group.
        relevant: `[lists, 1]`, floats. How many of its items are relevant.
        depth: the number of ranks.

    Returns:
        `[lists, depth]`.
    """
    ranks = ops.cast(ops.arange(1, depth + 1), items.dtype)[None, :]
    left = items - (ranks - above - 1.0)
    hit = ops.clip(relevant / ops.maximum(left, 1.0), 0.0, 1.0)
    hit = ops.where(ranks > above, hit, 0.0)
    missed = ops.cumprod(1.0 - hit, axis=-1)
    missed_before = ops.pad(
        missed[:, :-1], [[0, 0], [1, 0]], constant_values=1.0
    )
    return hit * missed_before
