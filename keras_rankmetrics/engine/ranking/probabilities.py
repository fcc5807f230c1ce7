"""Probabilities of hits and precisions within a group of tied items."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.compensated_sums import in_two_floats
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.types import Tensor

# Chances when the items of a tie group stand in random order.
#
# They are products and sums of numbers that are not negative, so nothing
# cancels: a quotient of factorials would, in float32.


class Group(NamedTuple):
    """A tie group of each list, `[lists, 1]`.

    Attributes:
        start: how many items stand above it, int32 or floats.
        size: how many items it has, as well; 0 where there is none.
        relevant: how many of these are relevant, floats.
        weight: their mean weight.
    """

    start: Tensor
    size: Tensor
    relevant: Tensor
    weight: Tensor | float = 1.0

    def of(self, depth: int | Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The ranks to that depth, `[1, depth]`, `start` and `size`, floats."""
        ranks = ops.arange(1, depth + 1)[None, :]
        x = (ranks, self.start, self.size)
        return tuple(ops.cast(x, self.relevant.dtype) for x in x)


def rate_of_others(relevant: Tensor, size: Tensor) -> Tensor:
    """Of the items of a group but for a relevant one, how many are relevant."""
    return ops.maximum(relevant - 1.0, 0.0) / ops.maximum(size - 1.0, 1.0)


def precisions_in_group(
    hits_above: Tensor,
    rate: Tensor,
    reciprocals: Tensor | float,
    shares_above: Tensor,
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


def precision_per_hit(
    certain: Tensor,
    hits: Tensor,
    precisions: Tensor,
    start: Tensor,
    size: Tensor,
    group_at: Callable[[Tensor], Group],
    cutoff: int | Tensor,
    depth: int | Tensor,
) -> Tensor:
    """`[lists]`, the weighted precisions at the hits over the number of hits.

    Both depend on how many relevant items of the group that the cutoff splits
    it lets in: the expectation is taken over that number.

    Args:
        certain: the result where no group is split.
        hits: `[lists, entries]`, those expected of entries.
        precisions: `[lists, entries]`, their weighted precisions.
        start: int32 `[lists, entries]`, of the groups of the entries.
        size: int32 `[lists, entries]`.
        group_at: the group of the entries that are marked in each list.
        cutoff: how many ranks count, in all lists as many, or `[lists, 1]`.
        depth: the largest number of ranks.
    """
    end = start + size
    split = (start < cutoff) & (cutoff < end)

    def by_chance() -> Tensor:
        whole = end <= cutoff

        def above(x: Tensor) -> Tensor:
            return ops.sum(ops.where(whole, x, 0), axis=-1, keepdims=True)

        return _precision_per_hit(
            group_at(split), above(hits), above(precisions), cutoff, depth
        )

    return cond(ops.any(split), by_chance, lambda: certain)


def _precision_per_hit(
    group: Group,
    hits_above: Tensor,
    precisions_above: Tensor,
    cutoff: int | Tensor,
    depth: int | Tensor,
) -> Tensor:
    rank, start, size = group.of(depth)
    end = ops.minimum(start + size, ops.cast(cutoff, start.dtype))
    inside = (rank > start) & (rank <= end)

    def over_ranks(x: Tensor) -> Tensor:
        return ops.sum(ops.where(inside, x, 0), axis=-1, keepdims=True)

    draws = ops.maximum(end - start, 0.0)
    chances = chances_of_hits(size, group.relevant, draws, depth)
    hits = ops.cast(ops.arange(depth + 1), chances.dtype)
    precisions = precisions_in_group(
        hits_above,
        rate=rate_of_others(hits, draws),
        reciprocals=over_ranks(1.0 / rank),
        shares_above=over_ranks((rank - start - 1.0) / rank),
    )
    share = hits / ops.maximum(draws, 1.0)
    sums = precisions_above + group.weight * share * precisions
    return ops.sum(
        chances * ops.divide_no_nan(sums, hits_above + hits), axis=-1
    )


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
    upwards = products_before(ops.where(hits >= mode, up, 1.0))
    downwards = ops.flip(ops.where(hits < mode, down, 1.0), axis=-1)
    downwards = ops.flip(ops.cumprod(downwards, axis=-1), axis=-1)
    odds = upwards * downwards
    return odds / ops.sum(odds, axis=-1, keepdims=True)


def value_at_first_hit(group: Group, values: Tensor) -> Tensor:
    """`[lists, 1]`, the value expected at the first relevant item of the group.

    Args:
        group: it.
        values: `[lists, ranks]`, or one row if they are the same in all lists.
    """
    rank, start, size = group.of(ops.shape(values)[-1])
    left = size - (rank - start - 1.0)
    hit = ops.clip(group.relevant / ops.maximum(left, 1.0), 0.0, 1.0)
    hit = ops.where(rank > start, hit, 0.0)
    chances = hit * products_before(1.0 - hit)
    return ops.sum(chances * values, axis=-1, keepdims=True)


def products_before(x: Tensor) -> Tensor:
    """The products of all that stand before each."""
    products = ops.cumprod(x, axis=-1)[:, :-1]
    return ops.pad(products, [[0, 0], [1, 0]], constant_values=1.0)


# Sums of a function of the rank over ranges of ranks.
#
# The sum over the ranks a + 1 to b is a difference of two running sums, which
# is why each of these is kept as two floats.

# From this one on, reciprocals are added up by a series.
_NEAR = 8


def table_of(values: Tensor) -> Tensor:
    """A table of `values`, `[ranks]`, from which sums over ranges are read.

    Returns:
        `[ranks + 1, 2]`: the sum of the first 0, 1, 2, ... values, as the two
        floats that it is the sum of.
    """
    return ops.stack(in_two_floats(ops.pad(values, [[1, 0]])), axis=-1)


def sums_over_ranks(table: Tensor, start: Tensor, stop: Tensor) -> Tensor:
    """The sum over the ranks `start + 1` to `stop`, for every pair of them.

    Args:
        table: what `table_of` made of the values of the ranks 1, 2, ...
        start: int32, of any shape. How many ranks lie above the range.
        stop: int32, of a shape that broadcasts. The last rank of the range, at
            least `start`; if it is that, the sum is 0.
    """
    parts = ops.take(table, stop, axis=0) - ops.take(table, start, axis=0)
    return parts[..., 0] + parts[..., 1]


def sum_of_reciprocals(first: Tensor, terms: Tensor) -> Tensor:
    """Σ 1 / x over so many x, each 1 more than the last.

    No difference of large sums, and so as exact where it is small.

    Args:
        first: floats of at least 1, of any shape.
        terms: floats of that shape, whole numbers.
    """
    near = ops.arange(_NEAR, dtype=first.dtype)
    at_near = 1.0 / (first[..., None] + near)
    total = ops.sum(ops.where(near < terms[..., None], at_near, 0), axis=-1)
    # The rest by the formula of Euler and Maclaurin, from x on.
    x, terms = first + _NEAR, ops.maximum(terms - _NEAR, 0.0)
    end = x + terms
    slope = terms / x / end * (1.0 / x + 1.0 / end)
    bend = (1.0 / x**2 + 1.0 / end**2) / 120.0
    return (
        total
        + ops.log1p(terms / x)
        + terms / x / end / 2.0
        + slope * (1.0 / 12.0 - bend)
    )
