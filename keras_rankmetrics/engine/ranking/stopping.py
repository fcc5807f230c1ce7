"""The probability that a user stops at a rank, with and without ties.

A user looks at one item after the other, best first, and stops at an item with
its gain, from 0 to 1, as the probability.

Tied items are in random order: every subset of s items is equally likely to
come first. So the probability of passing these is the mean of the products of
1 - gain over all subsets of s items. It is computed by adding one item at a
time. All terms are sums of numbers that are not negative, so no digits cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import cond, loop
from keras_rankmetrics.engine.ranking.probabilities import (
    probabilities_of_hits,
    products_before,
)
from keras_rankmetrics.engine.ranking.sums import count, positions
from keras_rankmetrics.types import Tensor


class Row(NamedTuple):
    """Ranks of items that may tie, `[lists, ranks]`.

    Attributes:
        stops: the probability of stopping at the item; in any order within a
            tie group.
        start: int32, the number of items above the tie group.
        size: int32, the number of items in the group, which may extend beyond
            the row.
    """

    stops: Tensor
    start: Tensor
    size: Tensor


def stop_probabilities(stops: Tensor) -> Tensor:
    """Return the probability of reaching each rank and stopping there.

    Args:
        stops: `[lists, ranks]`, the probability of stopping at each item that
            is reached, without ties.
    """
    return stops * products_before(1.0 - stops)


def stop_probabilities_in_ties(
    row: Row, stops_of_lowest: Callable[[], Tensor]
) -> Tensor:
    """Return the probability of reaching each rank and stopping there.

    Args:
        row: the ranks.
        stops_of_lowest: computes the probabilities of stopping at all items of
            the lowest tie group, `[lists, items]`, 0 elsewhere.
    """
    place = positions(row.stops) - row.start
    in_group = _in_row(row, place)
    beyond = row.start + row.size > ops.shape(row.stops)[-1]
    in_group = cond(
        ops.any(beyond),
        lambda: _beyond_row(row, place, beyond, in_group, stops_of_lowest()),
        lambda: in_group,
    )
    reached = products_before(1.0 - row.stops)
    return ops.take_along_axis(reached, row.start, axis=-1) * in_group


class _Probabilities(NamedTuple):
    """Probabilities in a random order of the first items of a tie group.

    Attributes:
        passed: the probability of passing all items above each place.
        stopped: the probability of passing these and stopping at the next one.
    """

    passed: Tensor
    stopped: Tensor

    def with_item(
        self, stop: Tensor, items: Tensor, place: Tensor, above: _Probabilities
    ) -> _Probabilities:
        """Add an item, which is equally likely to be at any place.

        Args:
            stop: the probability of stopping at that item.
            items: the number of items, including it.
            place: the number of items above each place.
            above: these probabilities one place further up.
        """
        is_above = place / items
        is_here = 1.0 / items
        is_not_above = ops.maximum(items - place, 0.0) / items
        is_below = ops.maximum(items - place - 1.0, 0.0) / items
        passing = is_above * (1.0 - stop)
        return _Probabilities(
            is_not_above * self.passed + passing * above.passed,
            is_below * self.stopped
            + passing * above.stopped
            + is_here * stop * self.passed,
        )


def _grown(
    times: int | Tensor,
    place: Tensor,
    stop_of: Callable[[Tensor], Tensor],
    sizes: Tensor,
) -> _Probabilities:
    """Return the probabilities of groups, built up item by item.

    Args:
        times: the largest number of items.
        place: `[lists, places]`, the number of items of the group above.
        stop_of: returns the probability of stopping at an item, by its index.
        sizes: int32, the number of items in each group.
    """
    dtype = stop_of(ops.zeros((), "int32")).dtype
    places = ops.cast(place, dtype)

    def step(item: int | Tensor, state: Tensor) -> Tensor:
        item = ops.cast(item, "int32")
        before = _Probabilities(*ops.unstack(state, 2))
        # Values from another group are multiplied by 0.
        above = _Probabilities(*ops.unstack(ops.roll(state, 1, axis=-1), 2))
        items = ops.cast(item + 1, dtype)
        more = before.with_item(stop_of(item), items, places, above)
        return ops.where(item < sizes, ops.stack(more), state)

    none = ops.cast(places == 0, dtype)
    return _Probabilities(
        *ops.unstack(loop(times, step, ops.stack([none, 0.0 * none])), 2)
    )


def _in_row(row: Row, place: Tensor) -> Tensor:
    """Return the probability of stopping at each rank, from its group's top.

    For groups that end within the row.
    """
    last = ops.shape(row.stops)[-1] - 1

    def stop_of(item: Tensor) -> Tensor:
        at = ops.minimum(row.start + item, last)
        return ops.take_along_axis(row.stops, at, axis=-1)

    most = ops.minimum(ops.max(row.size), last + 1)
    return _grown(most, place, stop_of, row.size).stopped


def _beyond_row(
    row: Row, place: Tensor, beyond: Tensor, in_row: Tensor, stops: Tensor
) -> Tensor:
    """Replace the probabilities of groups that extend beyond the row.

    Items without a gain are always passed. So the expectation is taken over the
    number of items with a gain among those that come first.
    """
    stops = highest(stops, ops.shape(stops)[-1])
    with_gain = count(stops > 0)[:, None]
    width, dtype = ops.shape(in_row)[-1], in_row.dtype
    stopped = _grown(
        ops.max(with_gain),
        ops.arange(width + 1, dtype="int32") * ops.ones_like(with_gain),
        lambda item: ops.take(stops, item, axis=-1)[:, None],
        with_gain,
    ).stopped
    number = ops.cast(with_gain, dtype)
    size = ops.max(ops.where(beyond, row.size, 0), axis=-1, keepdims=True)
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
