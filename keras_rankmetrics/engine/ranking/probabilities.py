"""Probabilities of hits, precisions and stops, with and without ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import cond, length_at_most, loop
from keras_rankmetrics.engine.ranking.counting import count, positions
from keras_rankmetrics.types import Tensor

# The items of a tie group are in random order. All probabilities are products
# and sums of numbers that are not negative, so no digits cancel. A quotient of
# factorials would overflow in float32.

# Number of terms of a harmonic sum that are added directly.
_NEAR = 8


class Group(NamedTuple):
    """A tie group of each list, `[lists, 1]`, or of each entry of a list.

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

    def of(self, chosen: Tensor) -> Group:
        """Return the group of the chosen entries, which have the same one."""
        return Group(*(common(chosen, x) for x in self[:3]))

    def floats(self, depth: int | Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the ranks, `[1, depth]`, the start and the size as floats."""
        ranks = ops.arange(1, depth + 1)[None, :]
        x = (ranks, self.start, self.size)
        return tuple(ops.cast(x, self.relevant.dtype) for x in x)


def common(chosen: Tensor, x: Tensor) -> Tensor:
    """Return the value that the chosen entries share, `[lists, 1]`.

    It is 0 if none is chosen; no value is below that.
    """
    x = ops.where(chosen, x, 0)
    return ops.max(x, axis=-1, keepdims=True, initial=0)


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


def reciprocals_in_group(
    hits_above: Tensor,
    rate: Tensor,
    reciprocals: Tensor,
    shares_above: Tensor,
) -> Tensor:
    """Return 1 / rank, with the arguments of `precisions_in_group`."""
    return reciprocals


def mean_over_hits(
    certain: Tensor,
    hits: Tensor,
    weighted: Tensor,
    values: Tensor,
    groups: Group,
    cutoff: int | Tensor,
    depth: int | Tensor,
    in_group: Callable[..., Tensor],
) -> Tensor:
    """Return the weighted values at hits over the number of hits.

    Both depend on how many relevant items of a group are within the cutoff that
    splits it: the expectation is taken over that number.

    Args:
        certain: the result if no group is split.
        hits: `[lists, entries]`, the expected hits of each entry.
        weighted: `[lists, entries]`, these times their weights.
        values: `[lists, entries]`, the weighted values of each entry.
        groups: the tie group of each entry.
        cutoff: the number of ranks that count, for all lists or `[lists, 1]`.
        depth: the largest number of ranks.
        in_group: returns the values at ranks of the group that is split, given
            a relevant item there, such as `precisions_in_group`.
    """
    end = groups.start + groups.size
    split = (groups.start < cutoff) & (cutoff < end)

    def expected() -> Tensor:
        whole = end <= cutoff

        def above(x: Tensor) -> Tensor:
            return ops.sum(ops.where(whole, x, 0), axis=-1, keepdims=True)

        weight = ops.divide_no_nan(common(split, weighted), common(split, hits))
        group = groups.of(split)._replace(weight=weight)
        return _mean_over_hits(
            group, above(hits), above(values), cutoff, depth, in_group
        )

    return cond(ops.any(split), expected, lambda: certain)


def _mean_over_hits(
    group: Group,
    hits_above: Tensor,
    values_above: Tensor,
    cutoff: int | Tensor,
    depth: int | Tensor,
    in_group: Callable[..., Tensor],
) -> Tensor:
    rank, start, size = group.floats(depth)
    end = ops.minimum(start + size, ops.cast(cutoff, start.dtype))
    inside = (rank > start) & (rank <= end)

    def over_ranks(x: Tensor) -> Tensor:
        return ops.sum(ops.where(inside, x, 0), axis=-1, keepdims=True)

    draws = ops.maximum(end - start, 0.0)
    probabilities = probabilities_of_hits(size, group.relevant, draws, depth)
    hits = ops.cast(ops.arange(depth + 1), probabilities.dtype)
    rate = rate_of_others(hits, draws)
    shares_above = over_ranks((rank - start - 1.0) / rank)
    values = in_group(hits_above, rate, over_ranks(1.0 / rank), shares_above)
    share = hits / ops.maximum(draws, 1.0)
    sums = values_above + group.weight * share * values
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
    rank, start, size = group.floats(ops.shape(values)[-1])
    left = size - (rank - start - 1.0)
    hit = ops.clip(group.relevant / ops.maximum(left, 1.0), 0.0, 1.0)
    hit = ops.where(rank > start, hit, 0.0)
    probabilities = hit * products_before(1.0 - hit)
    return ops.sum(probabilities * values, axis=-1, keepdims=True)


def products_before(x: Tensor) -> Tensor:
    """Return for each entry the product of all entries before it."""
    products = ops.cumprod(x, axis=-1)[:, :-1]
    return ops.pad(products, [[0, 0], [1, 0]], constant_values=1.0)


# Running sums. Adding one float32 after the other loses a rounding at each
# step, and a difference of two such sums may consist of rounding errors. So
# each sum is kept as two floats: one of whole units, which float32 adds
# exactly, and one of the small rest.

# All values together make at most this many units, so that every partial sum
# of whole units stays below 2 ** 24, where float32 is exact.
_UNITS = 2.0**22

# Up to this length, the rounding errors of a plain sum do not matter.
_FEW = 32


def running_sums(x: Tensor) -> Tensor:
    """Return the sums of the first 1, 2, 3, ... values of a row, `[..., n]`."""
    if length_at_most(x) <= _FEW:
        return ops.cumsum(x, axis=-1)
    whole, rest = in_two_floats(x)
    return whole + rest


def in_two_floats(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the running sums, each as two floats that add up to it."""
    unit = _power_of_two_above(ops.sum(ops.abs(x), -1, keepdims=True)) / _UNITS
    units = x / unit
    whole = ops.round(units)
    return (
        unit * ops.cumsum(whole, axis=-1),
        unit * ops.cumsum(units - whole, axis=-1),
    )


def _power_of_two_above(x: Tensor) -> Tensor:
    # A power of two divides and multiplies without rounding. `ops.exp2` of an
    # integer is not always one.
    powers = ops.convert_to_tensor(2.0 ** np.arange(-100, 128), dtype=x.dtype)
    powers = ops.where(powers >= x, powers, float("inf"))
    return ops.min(powers, axis=-1, keepdims=True)


# Sums over ranges of ranks, as differences of two running sums.


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


# The probability that a user stops at a rank. The user looks at one item after
# the other, best first, and stops at an item with its gain, from 0 to 1, as the
# probability.
#
# Tied items are in random order: every subset of s items is equally likely to
# come first. So the probability of passing these is the mean of the products of
# 1 - gain over all subsets of s items. It is computed by adding one item at a
# time.


def stop_probabilities(stops: Tensor) -> Tensor:
    """Return the probability of reaching each rank and stopping there.

    Args:
        stops: `[lists, ranks]`, the probability of stopping at each item that
            is reached, without ties.
    """
    return stops * products_before(1.0 - stops)


def stop_probabilities_in_ties(
    stops: Tensor,
    start: Tensor,
    size: Tensor,
    stops_of_lowest: Callable[[], Tensor],
) -> Tensor:
    """Return the probability of reaching each rank and stopping there.

    Args:
        stops: `[lists, ranks]`, the probability of stopping at the item of each
            rank; in any order within a tie group.
        start: int32 `[lists, ranks]`, the number of items above the tie group.
        size: int32 `[lists, ranks]`, the number of items in the group, which
            may extend beyond the row.
        stops_of_lowest: computes the probabilities of stopping at all items of
            the lowest tie group, `[lists, items]`, 0 elsewhere.
    """
    ranks = ops.shape(stops)[-1]
    place = positions(stops) - start

    def stop_of(item: Tensor) -> Tensor:
        at = ops.minimum(start + item, ranks - 1)
        return ops.take_along_axis(stops, at, axis=-1)

    most = ops.minimum(ops.max(size), ranks)
    in_group = _stops_in_group(most, place, stop_of, size)
    beyond = start + size > ranks
    in_group = cond(
        ops.any(beyond),
        lambda: _beyond_row(size, place, beyond, in_group, stops_of_lowest()),
        lambda: in_group,
    )
    reached = products_before(1.0 - stops)
    return ops.take_along_axis(reached, start, axis=-1) * in_group


def _stops_in_group(
    times: int | Tensor,
    place: Tensor,
    stop_of: Callable[[Tensor], Tensor],
    sizes: Tensor,
) -> Tensor:
    """Return the probability of stopping at each place of a tie group.

    From the top of the group, in a random order of its items. It is built up
    item by item: each is equally likely to be at any place.

    Args:
        times: the largest number of items.
        place: `[lists, places]`, the number of items of the group above.
        stop_of: returns the probability of stopping at an item, by its index.
        sizes: int32, the number of items in each group.
    """
    dtype = stop_of(ops.zeros((), "int32")).dtype
    place = ops.cast(place, dtype)

    def step(item: int | Tensor, state: Tensor) -> Tensor:
        item = ops.cast(item, "int32")
        items, stop = ops.cast(item + 1, dtype), stop_of(item)
        passed, stopped = ops.unstack(state, 2)
        # Values from another group are multiplied by 0.
        passed_above, stopped_above = ops.unstack(
            ops.roll(state, 1, axis=-1), 2
        )
        is_not_above = ops.maximum(items - place, 0.0) / items
        is_below = ops.maximum(items - place - 1.0, 0.0) / items
        passing = place / items * (1.0 - stop)
        stopped = (
            is_below * stopped
            + passing * stopped_above
            + 1.0 / items * stop * passed
        )
        passed = is_not_above * passed + passing * passed_above
        return ops.where(item < sizes, ops.stack([passed, stopped]), state)

    none = ops.cast(place == 0, dtype)
    return loop(times, step, ops.stack([none, 0.0 * none]))[1]


def _beyond_row(
    size: Tensor, place: Tensor, beyond: Tensor, in_row: Tensor, stops: Tensor
) -> Tensor:
    """Replace the probabilities of groups that extend beyond the row.

    Items without a gain are always passed. So the expectation is taken over the
    number of items with a gain among those that come first.
    """
    stops = highest(stops, ops.shape(stops)[-1])
    with_gain = count(stops > 0)[:, None]
    width, dtype = ops.shape(in_row)[-1], in_row.dtype
    stopped = _stops_in_group(
        ops.max(with_gain),
        ops.arange(width + 1, dtype="int32") * ops.ones_like(with_gain),
        lambda item: ops.take(stops, item, axis=-1)[:, None],
        with_gain,
    )
    number = ops.cast(with_gain, dtype)
    size = ops.max(ops.where(beyond, size, 0), axis=-1, keepdims=True)
    size = ops.cast(size, dtype)
    left = ops.maximum(number - ops.arange(width + 1, dtype=dtype), 0.0)

    def mix(above: int | Tensor, probabilities: Tensor) -> Tensor:
        """Compute the place below so many items of the group."""
        above = ops.cast(above, "int32")
        drawn = ops.cast(above, dtype) * ops.ones_like(number)
        found = probabilities_of_hits(size, number, drawn, width)
        found = found * left / ops.maximum(size - drawn, 1.0)
        mixed = ops.sum(found * stopped, axis=-1, keepdims=True)
        return ops.where(beyond & (place == above), mixed, probabilities)

    return loop(width, mix, in_row)


def value_where_stopped(
    stop: Tensor,
    above: Tensor,
    before: Tensor,
    relevant: Tensor,
    start: Tensor,
    size: Tensor,
    values: Tensor,
) -> Tensor:
    """Return the expected value at the rank where the user stops, `[lists]`.

    All arguments except the last one are `[lists, entries]`. Each entry is a
    relevant item, somewhere in its tie group.

    Args:
        stop: the probability of stopping at the item, equal for all relevant
            items; 0 for padding.
        above: the number of relevant items above the tie group.
        before: the number of relevant items of the group in earlier entries.
        relevant: the number of relevant items in the group.
        start: the number of items above the group.
        size: the number of items in the group.
        values: `[ranks]` or `[lists, ranks]`, at ranks 1, 2, ...
    """
    dtype = stop.dtype
    stop_at = stop * ops.power(1.0 - stop, above + before)

    def step(rank: int | Tensor, state: Tensor) -> Tensor:
        """Move all groups to the next rank."""
        passed, total = ops.unstack(state, 2)
        value = ops.take(values, rank, axis=-1)[..., None]
        place = ops.cast(rank, dtype) - start  # from 0
        inside = (place >= 0) & (place < size)
        # The probability that `before` relevant items of the group come before
        # this place, and that a relevant one is here.
        passed = ops.where(place == 0, ops.cast(before == 0, dtype), passed)
        left = ops.maximum(size - place, 1.0)
        found = ops.where(inside, (relevant - before) / left, 0.0)
        total = total + passed * found * value
        one_less = ops.where(before > 0, ops.roll(passed, 1, axis=-1), 0.0)
        found_of_less = ops.where(inside, (relevant - before + 1.0) / left, 0.0)
        passed = passed * (1.0 - found) + one_less * found_of_less
        return ops.stack([passed, total])

    state = ops.stack([ops.zeros_like(stop)] * 2)
    total = loop(ops.shape(values)[-1], step, state)[1]
    return ops.sum(stop_at * total, axis=-1)


_State = tuple[Tensor, Tensor, Tensor]


def greedy_stop_probabilities(stops: Tensor, ranks: int | Tensor) -> Tensor:
    """Return the probabilities of stopping at each rank of a greedy order.

    They are summed over the subtopics: each user is interested in one of them,
    and the probability of stopping at an item depends on it. The order has at
    each rank the item that adds most.

    Args:
        stops: `[lists, subtopics, items]`, the probability of stopping.
        ranks: the number of ranks, at most that of items.

    Returns:
        `[lists, ranks]`.
    """
    items = ops.shape(stops)[-1]

    def step(rank: int | Tensor, state: _State) -> _State:
        still, left, found = state
        adds = ops.sum(stops * still[..., None], axis=1) * left
        chosen = ops.one_hot(ops.argmax(adds, axis=-1), items, dtype=adds.dtype)
        stopped = ops.sum(stops * chosen[:, None], axis=-1)
        added = ops.sum(adds * chosen, axis=-1, keepdims=True)
        here = ops.arange(ranks) == rank
        return (
            still * (1.0 - stopped),
            left * (1.0 - chosen),
            ops.where(here, added, found),
        )

    still, left = ops.ones_like(stops[:, :, 0]), ops.ones_like(stops[:, 0])
    start = still, left, ops.zeros_like(left[:, :ranks])
    return loop(ranks, step, start)[-1]
