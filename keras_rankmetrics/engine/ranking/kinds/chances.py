"""Chances when items are drawn from a tie group in random order.

They are products and sums of numbers that are not negative, so nothing cancels:
a quotient of factorials would, in float32.
"""

from __future__ import annotations

from typing import NamedTuple

from keras import ops

from keras_rankmetrics.types import Tensor


class SplitGroup(NamedTuple):
    """The tie group of each list that the cutoff splits, `[lists, 1]`, floats.

    Attributes:
        size: how many items it has; 0 where no group is split.
        relevant: how many of these are relevant.
        weight: their mean weight.
        ranks: how many of its ranks are within the cutoff.
        reciprocals: 1 / rank, summed over these.
        shares_above: the ranks of the group above each of these, over the rank;
            summed over these too.
    """

    size: Tensor
    relevant: Tensor
    weight: Tensor
    ranks: Tensor
    reciprocals: Tensor
    shares_above: Tensor


def precision_per_hit(
    group: SplitGroup,
    hits_above: Tensor,
    precisions_above: Tensor,
    most: int | Tensor,
) -> Tensor:
    """`[lists]`, the weighted precisions at the hits over the number of hits.

    Args:
        group: the hits of which are drawn from its items.
        hits_above: `[lists, 1]`, the certain ones.
        precisions_above: `[lists, 1]`, the sum of their weighted precisions.
        most: the largest number of ranks.
    """
    chances = chances_of_hits(group.size, group.relevant, group.ranks, most)
    hits = ops.cast(ops.arange(most + 1), chances.dtype)
    precisions = precisions_in_group(
        hits_above,
        rate=ops.maximum(hits - 1.0, 0.0) / ops.maximum(group.ranks - 1.0, 1.0),
        reciprocals=group.reciprocals,
        shares_above=group.shares_above,
    )
    share = hits / ops.maximum(group.ranks, 1.0)
    sums = precisions_above + group.weight * share * precisions
    return ops.sum(
        chances * ops.divide_no_nan(sums, hits_above + hits), axis=-1
    )


def precisions_in_group(
    hits_above: Tensor, rate: Tensor, reciprocals: Tensor, shares_above: Tensor
) -> Tensor:
    """The precisions at ranks of a group, if a relevant item is at them.

    If one is at rank i, `rate` of the ranks that the group has above it hold
    relevant items too, so that the precision is (hits + 1 + rate ranks) / i.

    Args:
        hits_above: the relevant items above the group.
        rate: how many of the other items are relevant, of each.
        reciprocals: 1 / i, or its sum over several ranks.
        shares_above: the ranks of the group above i, over i, or their sum.
    """
    return (hits_above + 1.0) * reciprocals + rate * shares_above


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
    fewest = ops.maximum(draws - (items - relevant), 0.0)
    mode = ops.floor((draws + 1.0) * (relevant + 1.0) / (items + 2.0))
    mode = ops.clip(mode, fewest, ops.minimum(relevant, draws))
    # The chance of h + 1 hits over that of h, and of h hits over that of h + 1.
    more = (relevant - hits) * (draws - hits)
    fewer = (hits + 1.0) * (items - relevant - draws + hits + 1.0)
    up = ops.divide_no_nan(ops.maximum(more, 0.0), fewer)
    down = ops.divide_no_nan(ops.maximum(fewer, 0.0), more)
    # From the mode both ways these are at most 1, so that nothing overflows.
    upwards = ops.cumprod(ops.where(hits >= mode, up, 1.0), axis=-1)
    upwards = ops.pad(upwards[:, :-1], [[0, 0], [1, 0]], constant_values=1.0)
    downwards = ops.flip(ops.where(hits < mode, down, 1.0), axis=-1)
    downwards = ops.flip(ops.cumprod(downwards, axis=-1), axis=-1)
    odds = upwards * downwards
    return odds / ops.sum(odds, axis=-1, keepdims=True)


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
