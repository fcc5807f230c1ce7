"""Pairs of items, and how many of them a ranking has in the right order."""

from __future__ import annotations

from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import in_order
from keras_rankmetrics.engine.backend.tracing import length_at_most, loop
from keras_rankmetrics.engine.ranking.sums import positions, sums_over_runs
from keras_rankmetrics.types import Tensor

_ONE_AHEAD = ((0, 0), (1, 0))


class Pairs(NamedTuple):
    """Pairs of items with different labels, floats `[lists]`.

    Attributes:
        right: the number of pairs with the higher label ranked above; half a
            pair for tied scores.
        every: the number of all pairs.
    """

    right: Tensor
    every: Tensor


class InOrder(NamedTuple):
    """The items of each list, best first, `[lists, items]`.

    Attributes:
        labels: the labels of the items, floats.
        there: bool, True for retrieved items. Others come last.
        start: int32, the number of items above the tie group.
        size: int32, the number of items in the tie group.
    """

    labels: Tensor
    there: Tensor
    start: Tensor
    size: Tensor

    def padded(self) -> InOrder:
        """Return the rows with an empty position added at the end.

        Not all backends can index empty rows.
        """
        below = (-1.0, False, ops.shape(self.labels)[-1], 1)
        return InOrder(
            *(
                ops.pad(x, ((0, 0), (0, 1)), constant_values=value)
                for x, value in zip(self, below, strict=True)
            )
        )

    def taken(self, places: Tensor) -> InOrder:
        """Return the items at these positions."""
        return InOrder(*(ops.take_along_axis(x, places, axis=-1) for x in self))


def pairs_of(row: InOrder) -> Pairs:
    """Return the pairs whose lower label belongs to a retrieved item."""
    row = row.padded()
    most, ones = length_at_most(row.labels), ops.ones_like(row.labels)
    # By label, the lowest first.
    row = row.taken(ops.argsort(row.labels, axis=-1))
    grade = _run_numbers(row.labels)
    before, equal = sums_over_runs(grade, ones, most)
    place = ops.cast(positions(grade), ones.dtype)
    items = ops.cast(ops.shape(grade)[-1], ones.dtype)
    every = _sum_where(row.there, items - (place - before) - equal)
    # By tie group, then by label: no tied pair is in the right order.
    _, places = in_order(row.start)
    places = ops.cast(places, "int32")
    row, grade = row.taken(places), ops.take_along_axis(grade, places, axis=-1)
    _, equal = sums_over_runs(_run_numbers(row.start, grade), ones, most)
    # A tied pair is counted from both sides, and counts half.
    tied = ops.cast(row.size, ones.dtype) - equal
    right = _higher_before(grade, row.there, ones.dtype)
    return Pairs(right + _sum_where(row.there, tied) / 4.0, every)


def _run_numbers(*rows: Tensor) -> Tensor:
    """Return the numbers of the runs in which no row changes, int32, from 0."""
    changes = [row[:, 1:] != row[:, :-1] for row in rows]
    change = changes[0] if len(changes) == 1 else changes[0] | changes[1]
    return ops.cumsum(ops.pad(ops.cast(change, "int32"), _ONE_AHEAD), axis=-1)


def _sum_where(there: Tensor, x: Tensor) -> Tensor:
    return ops.sum(ops.where(there, x, 0), axis=-1)


def _higher_before(grade: Tensor, there: Tensor, dtype: str) -> Tensor:
    """Count the higher grades before each retrieved item, `[lists]`.

    A radix sort by grade, the highest bit first, moves items with a 0 before
    those with a 1. Each item passes every higher one before it exactly once, so
    the positions that it moves ahead count these.
    """
    powers = 2 ** ops.arange(30, dtype="int32")
    bits = ops.sum(ops.cast(ops.max(grade) >= powers, "int32"))
    place = positions(grade)

    def step(done: int | Tensor, state: Tensor) -> Tensor:
        keys, ahead = ops.unstack(state, 2)
        _, places = in_order(ops.right_shift(keys, bits - done))
        places = ops.cast(places, "int32")
        keys, ahead = (
            ops.take_along_axis(x, places, axis=-1) for x in (keys, ahead)
        )
        return ops.stack([keys, ahead + ops.maximum(places - place, 0)])

    # The last bit of a key is 1 for retrieved items.
    keys = 2 * grade + ops.cast(there, "int32")
    state = loop(bits, step, ops.stack([keys, ops.zeros_like(keys)]))
    keys, ahead = ops.unstack(state, 2)
    return _sum_where(keys % 2 == 1, ops.cast(ahead, dtype))
