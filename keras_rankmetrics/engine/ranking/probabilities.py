"""Probabilities of hits and precisions within a group of tied items."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.compensated_sums import in_two_floats
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.types import Tensor

# The items of a tie group are in random order. All probabilities are products
# and sums of numbers that are not negative, so no digits cancel. A quotient of
# factorials would overflow in float32.

# Number of terms of a harmonic sum that are added directly.
_NEAR = 8


class Group(NamedTuple):
    """A tie group of each list, `[lists, 1]`.

    Attributes:
        start: the number of items above the group, int32 or floats.
        size: the number of items in the group, of the same dtype; 0 if there
            is no group.
        relevant: the number of relevant items in the group, floats.
        weight: the mean weight of the relevant items.
    """

    start: Tensor
    size: Tensor
    relevant: Tensor
    weight: Tensor | float = 1.0

    def of(self, depth: int | Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the ranks, `[1, depth]`, the start and the size as floats."""
        ranks = ops.arange(1, depth + 1)[None, :]
        x = (ranks, self.start, self.size)
        return tuple(ops.cast(x, self.relevant.dtype) for x in x)


def rate_of_others(relevant: Tensor, size: Tensor) -> Tensor:
    """Return the relevant share of a group without one relevant item."""
    return ops.maximum(relevant - 1.0, 0.0) / ops.maximum(size - 1.0, 1.0)


def precisions_in_group(
    hits_above: Tensor,
    rate: Tensor,
    reciprocals: Tensor | float,
    shares_above: Tensor,
) -> Tensor:
    """Return the precisions at ranks of a group, given a relevant item there.

    With a relevant item at rank i, a share `rate` of the group's ranks above i
    holds relevant items too, so the precision is (hits + 1 + rate ranks) / i.

    Args:
        hits_above: the number of relevant items above the group.
        rate: the relevant share of the group's other items.
        reciprocals: 1 / i, or its sum over several ranks.
        shares_above: the number of the group's ranks above i divided by i, or
            the sum of these quotients over several ranks.
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
    """Return the weighted precisions at hits over the number of hits.

    Both depend on how many relevant items of a group are within the cutoff that
    splits it: the expectation is taken over that number.

    Args:
        certain: the result if no group is split.
        hits: `[lists, entries]`, the expected hits of each entry.
        precisions: `[lists, entries]`, the weighted precisions of each entry.
        start: int32 `[lists, entries]`, the items above the entry's group.
        size: int32 `[lists, entries]`, the items in the entry's group.
        group_at: returns the group of the selected entries of each list.
        cutoff: the number of ranks that count, for all lists or `[lists, 1]`.
        depth: the largest number of ranks.
    """
    end = start + size
    split = (start < cutoff) & (cutoff < end)

    def expected() -> Tensor:
        whole = end <= cutoff

        def above(x: Tensor) -> Tensor:
            return ops.sum(ops.where(whole, x, 0), axis=-1, keepdims=True)

        return _precision_per_hit(
            group_at(split), above(hits), above(precisions), cutoff, depth
        )

    return cond(ops.any(split), expected, lambda: certain)


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
    probabilities = probabilities_of_hits(size, group.relevant, draws, depth)
    hits = ops.cast(ops.arange(depth + 1), probabilities.dtype)
    precisions = precisions_in_group(
        hits_above,
        rate=rate_of_others(hits, draws),
        reciprocals=over_ranks(1.0 / rank),
        shares_above=over_ranks((rank - start - 1.0) / rank),
    )
    share = hits / ops.maximum(draws, 1.0)
    sums = precisions_above + group.weight * share * precisions
    return ops.sum(
        probabilities * ops.divide_no_nan(sums, hits_above + hits), axis=-1
    )


def probabilities_of_hits(
    items: Tensor, relevant: Tensor, draws: Tensor, most: int | Tensor
) -> Tensor:
    """Return the hypergeometric distribution of relevant items among draws.

    Args:
        items: `[lists, 1]`, floats. The size of the group.
        relevant: `[lists, 1]`, floats. The number of its relevant items.
        draws: `[lists, 1]`, floats. The number of draws, at most `most`.
        most: the largest number of draws.

    Returns:
        `[lists, most + 1]`, the probability of 0, 1, 2, ... hits.
    """
    hits = ops.cast(ops.arange(most + 1), items.dtype)[None, :]
    fewest = ops.maximum(draws - (items - relevant), 0.0)
    mode = ops.floor((draws + 1.0) * (relevant + 1.0) / (items + 2.0))
    mode = ops.clip(mode, fewest, ops.minimum(relevant, draws))
    # P(h + 1 hits) / P(h hits) = more / fewer
    more = (relevant - hits) * (draws - hits)
    fewer = (hits + 1.0) * (items - relevant - draws + hits + 1.0)
    up = ops.divide_no_nan(ops.maximum(more, 0.0), fewer)
    down = ops.divide_no_nan(ops.maximum(fewer, 0.0), more)
    # Away from the mode all ratios are at most 1, so nothing overflows.
    upwards = products_before(ops.where(hits >= mode, up, 1.0))
    downwards = ops.flip(ops.where(hits < mode, down, 1.0), axis=-1)
    downwards = ops.flip(ops.cumprod(downwards, axis=-1), axis=-1)
    odds = upwards * downwards
    return odds / ops.sum(odds, axis=-1, keepdims=True)


def value_at_first_hit(group: Group, values: Tensor) -> Tensor:
    """Return the expected value at the group's first relevant item.

    Args:
        group: the tie group of each list.
        values: `[lists, ranks]`, or one row for all lists.

    Returns:
        `[lists, 1]`.
    """
    rank, start, size = group.of(ops.shape(values)[-1])
    left = size - (rank - start - 1.0)
    hit = ops.clip(group.relevant / ops.maximum(left, 1.0), 0.0, 1.0)
    hit = ops.where(rank > start, hit, 0.0)
    probabilities = hit * products_before(1.0 - hit)
    return ops.sum(probabilities * values, axis=-1, keepdims=True)


def products_before(x: Tensor) -> Tensor:
    """Return for each entry the product of all entries before it."""
    products = ops.cumprod(x, axis=-1)[:, :-1]
    return ops.pad(products, [[0, 0], [1, 0]], constant_values=1.0)


# Sums over ranges of ranks, as differences of two running sums. That is why
# each running sum is kept as two floats.


def table_of(values: Tensor) -> Tensor:
    """Return running sums of `values`, `[ranks]`, for `sums_over_ranks`.

    Returns:
        `[ranks + 1, 2]`, the sums of the first 0, 1, 2, ... values, each as two
        floats.
    """
    return ops.stack(in_two_floats(ops.pad(values, [[1, 0]])), axis=-1)


def sums_over_ranks(table: Tensor, start: Tensor, stop: Tensor) -> Tensor:
    """Return the sums over the ranks `start + 1` to `stop`.

    Args:
        table: the result of `table_of` for the values at ranks 1, 2, ...
        start: int32, of any shape. The number of ranks above the range.
        stop: int32, of a shape that broadcasts. The last rank of the range; the
            sum is 0 if it equals `start`, below which it must not be.
    """
    parts = ops.take(table, stop, axis=0) - ops.take(table, start, axis=0)
    return parts[..., 0] + parts[..., 1]


def sum_of_reciprocals(first: Tensor, terms: Tensor) -> Tensor:
    """Return the sum of `1 / x` over `x = first, first + 1, ...`.

    Accurate for small results too: it is not a difference of large sums.

    Args:
        first: floats of at least 1, of any shape.
        terms: the number of terms, whole floats of that shape.
    """
    near = ops.arange(_NEAR, dtype=first.dtype)
    at_near = 1.0 / (first[..., None] + near)
    total = ops.sum(ops.where(near < terms[..., None], at_near, 0), axis=-1)
    # The Euler-Maclaurin formula from x on.
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
