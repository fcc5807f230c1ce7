"""The probability that a user stops at a rank, with and without ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import cond, loop
from keras_rankmetrics.engine.ranking.probabilities import (
    chances_of_hits,
    products_before,
)
from keras_rankmetrics.engine.ranking.sums import count, positions
from keras_rankmetrics.types import Tensor

# Where users stop who look at one item after the other, best first.
#
# They stop at an item with its gain, from 0 to 1, as the chance. Of items
# that tie, any s are as likely to come first: the chance to pass these is the
# mean product of 1 - gain over all choices of s of them. It is found by one
# item more at a time, as sums of numbers that are not negative: nothing
# cancels.


class Row(NamedTuple):
    """Ranks whose items may tie, `[lists, ranks]`.

    Attributes:
        stops: the chance to stop at the item, in any order where items tie.
        start: int32, how many items stand above the tie group.
        size: int32, how many are in it, maybe more than the row has room for.
    """

    stops: Tensor
    start: Tensor
    size: Tensor


def chances_to_stop(stops: Tensor) -> Tensor:
    """`[lists, ranks]`, of ranks with one item each: to come, and to stop."""
    return stops * products_before(1.0 - stops)


def chances_in_ties(row: Row, stops_of_lowest: Callable[[], Tensor]) -> Tensor:
    """`[lists, ranks]`, the chance to come to each rank and to stop there.

    Args:
        row: the ranks.
        stops_of_lowest: computes the chances to stop at all items of the
            lowest tie group, `[lists, items]`, 0 elsewhere.
    """
    place = positions(row.stops) - row.start
    chances = _in_row(row, place)
    beyond = row.start + row.size > ops.shape(row.stops)[-1]
    chances = cond(
        ops.any(beyond),
        lambda: _beyond_row(row, place, beyond, chances, stops_of_lowest()),
        lambda: chances,
    )
    came = products_before(1.0 - row.stops)
    return ops.take_along_axis(came, row.start, axis=-1) * chances


class _Chances(NamedTuple):
    """Of a random order of the first items of a tie group.

    Attributes:
        passed: the chance to pass as many as stand above each place.
        stopped: the chance to pass these, and to stop at the next one.
    """

    passed: Tensor
    stopped: Tensor

    def with_item(
        self, stop: Tensor, items: Tensor, place: Tensor, above: _Chances
    ) -> _Chances:
        """With one more item, which is as likely to be anywhere.

        Args:
            stop: the chance to stop at that item.
            items: how many there are with it.
            place: how many stand above each place.
            above: the same chances one place further up.
        """
        is_above = place / items
        is_here = 1.0 / items
        is_not_above = ops.maximum(items - place, 0.0) / items
        is_below = ops.maximum(items - place - 1.0, 0.0) / items
        passing = is_above * (1.0 - stop)
        return _Chances(
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
) -> _Chances:
    """The chances of groups that grow by one item at a time.

    Args:
        times: the largest number of items.
        place: `[lists, places]`, how many items of the group stand above.
        stop_of: the chance to stop at the item of that number, from 0.
        sizes: int32, how many items the groups have.
    """
    dtype = stop_of(ops.zeros((), "int32")).dtype
    places = ops.cast(place, dtype)

    def step(item: int | Tensor, state: Tensor) -> Tensor:
        item = ops.cast(item, "int32")
        chances = _Chances(*ops.unstack(state, 2))
        # What comes from another group is multiplied by 0.
        above = _Chances(*ops.unstack(ops.roll(state, 1, axis=-1), 2))
        items = ops.cast(item + 1, dtype)
        more = chances.with_item(stop_of(item), items, places, above)
        return ops.where(item < sizes, ops.stack(more), state)

    none = ops.cast(places == 0, dtype)
    return _Chances(
        *ops.unstack(loop(times, step, ops.stack([none, 0.0 * none])), 2)
    )


def _in_row(row: Row, place: Tensor) -> Tensor:
    """The chance to come to each rank from the top of its group, and to stop.

    Of groups that the row holds.
    """
    last = ops.shape(row.stops)[-1] - 1

    def stop_of(item: Tensor) -> Tensor:
        at = ops.minimum(row.start + item, last)
        return ops.take_along_axis(row.stops, at, axis=-1)

    most = ops.minimum(ops.max(row.size), last + 1)
    return _grown(most, place, stop_of, row.size).stopped


def _beyond_row(
    row: Row, place: Tensor, beyond: Tensor, chances: Tensor, stops: Tensor
) -> Tensor:
    """The same, of groups that go on beyond the row.

    Items that are worth nothing are passed in any case: how many others are
    among those that come first is a matter of chance.
    """
    stops = highest(stops, ops.shape(stops)[-1])
    worth = count(stops > 0)[:, None]
    width = ops.shape(chances)[-1]
    of_worth = _grown(
        ops.max(worth),
        ops.arange(width + 1, dtype="int32") * ops.ones_like(worth),
        lambda item: ops.take(stops, item, axis=-1)[:, None],
        worth,
    ).stopped
    number = ops.cast(worth, chances.dtype)
    size = ops.max(ops.where(beyond, row.size, 0), axis=-1, keepdims=True)
    size = ops.cast(size, chances.dtype)
    left = ops.maximum(number - ops.arange(width + 1, dtype=chances.dtype), 0.0)

    def mix(above: int | Tensor, chances: Tensor) -> Tensor:
        """At the place below so many items of the group."""
        above = ops.cast(above, "int32")
        drawn = ops.cast(above, chances.dtype) * ops.ones_like(number)
        found = chances_of_hits(size, number, drawn, width)
        found = found * left / ops.maximum(size - drawn, 1.0)
        mixed = ops.sum(found * of_worth, axis=-1, keepdims=True)
        return ops.where(beyond & (place == above), mixed, chances)

    return loop(width, mix, chances)


def value_where_stopped(
    stop: Tensor,
    above: Tensor,
    before: Tensor,
    relevant: Tensor,
    start: Tensor,
    size: Tensor,
    values: Tensor,
) -> Tensor:
    """`[lists]`, the value expected where users stop, of items in tie groups.

    All arguments but the last one are `[lists, entries]`: each entry is an item
    that is worth something.

    Args:
        stop: the chance to stop at the item, the same for all; 0 for padding.
        above: how many of them stand above the tie group.
        before: how many of the group come before the entry in the row.
        relevant: how many of them the group holds.
        start: how many items stand above the group.
        size: how many it holds.
        values: `[ranks]` or `[lists, ranks]`, of the ranks 1, 2, ...
    """
    dtype = stop.dtype
    stop_at = stop * ops.power(1.0 - stop, above + before)

    def step(rank: int | Tensor, state: Tensor) -> Tensor:
        """One rank further, which each group may have."""
        chances, total = ops.unstack(state, 2)
        value = ops.take(values, rank, axis=-1)[..., None]
        place = ops.cast(rank, dtype) - start  # from 0
        inside = (place >= 0) & (place < size)
        # The chance that as many of the group come before this place as before
        # the entry, and that the item here is one of those that are left.
        chances = ops.where(place == 0, ops.cast(before == 0, dtype), chances)
        left = ops.maximum(size - place, 1.0)
        found = ops.where(inside, (relevant - before) / left, 0.0)
        total = total + chances * found * value
        one_less = ops.where(before > 0, ops.roll(chances, 1, axis=-1), 0.0)
        found_of_less = ops.where(inside, (relevant - before + 1.0) / left, 0.0)
        chances = chances * (1.0 - found) + one_less * found_of_less
        return ops.stack([chances, total])

    state = ops.stack([ops.zeros_like(stop)] * 2)
    total = loop(ops.shape(values)[-1], step, state)[1]
    return ops.sum(stop_at * total, axis=-1)


# The greedy order: at each rank the item that adds most to those above.

_State = tuple[Tensor, Tensor, Tensor]


def greedy_chances(stops: Tensor, ranks: int | Tensor) -> Tensor:
    """`[lists, ranks]`, the chances to stop there, of users of all subtopics.

    A user is after one subtopic, looks at one item after the other, and stops
    at it with a chance that depends on the subtopic.

    Args:
        stops: `[lists, subtopics, items]`, these chances.
        ranks: how many ranks there are, at most as many as items.
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
