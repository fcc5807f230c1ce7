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
    """Pairs of items of which one has a higher label, `[lists]`, floats.

    Attributes:
        right: how many have that one above; half a pair where they tie.
        every: how many there are.
    """

    right: Tensor
    every: Tensor


class InOrder(NamedTuple):
    """The items of each list, best first, `[lists, items]`.

    Attributes:
        labels: of the items, floats.
        there: bool, whether the item is retrieved. Others come last.
        start: int32, how many items stand above the tie group.
        size: int32, how many it has.
    """

    labels: Tensor
    there: Tensor
    start: Tensor
    size: Tensor

    def with_a_place(self) -> InOrder:
        """With one place more, without an item, below all others.

        Not all backends take from rows that are empty.
        """
        below = (-1.0, False, ops.shape(self.labels)[-1], 1)
        return InOrder(
            *(
                ops.pad(x, ((0, 0), (0, 1)), constant_values=value)
                for x, value in zip(self, below, strict=True)
            )
        )

    def taken(self, places: Tensor) -> InOrder:
        """What stands at these places."""
        return InOrder(*(ops.take_along_axis(x, places, axis=-1) for x in self))


def pairs_of(row: InOrder) -> Pairs:
    """The pairs whose lower label is that of a retrieved item."""
    row = row.with_a_place()
    most, ones = length_at_most(row.labels), ops.ones_like(row.labels)
    # By label, the lowest first.
    row = row.taken(ops.argsort(row.labels, axis=-1))
    grade = _numbered(row.labels)
    before, alike = sums_over_runs(grade, ones, most)
    place = ops.cast(positions(grade), ones.dtype)
    items = ops.cast(ops.shape(grade)[-1], ones.dtype)
    every = _sum_where(row.there, items - (place - before) - alike)
    # By tie group, and there by label: so none that tie are in the right order.
    _, places = in_order(row.start)
    places = ops.cast(places, "int32")
    row, grade = row.taken(places), ops.take_along_axis(grade, places, axis=-1)
    _, alike = sums_over_runs(_numbered(row.start, grade), ones, most)
    # Each pair that ties is counted from both sides, and counts half.
    tied = ops.cast(row.size, ones.dtype) - alike
    right = _higher_before(grade, row.there, ones.dtype)
    return Pairs(right + _sum_where(row.there, tied) / 4.0, every)


def _numbered(*rows: Tensor) -> Tensor:
    """int32: the runs in which all rows stay the same, as 0, 1, 2, ..."""
    changes = [row[:, 1:] != row[:, :-1] for row in rows]
    change = changes[0] if len(changes) == 1 else changes[0] | changes[1]
    return ops.cumsum(ops.pad(ops.cast(change, "int32"), _ONE_AHEAD), axis=-1)


def _sum_where(there: Tensor, x: Tensor) -> Tensor:
    return ops.sum(ops.where(there, x, 0), axis=-1)


def _higher_before(grade: Tensor, there: Tensor, dtype: str) -> Tensor:
    """`[lists]`: how many of a higher grade come before each that is there.

    The items are sorted by their grades, bit after bit, the highest bit first,
    those with a 0 ahead of those with a 1. So each moves ahead, once, of all
    that came before it and are higher.
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

    # The last bit of a key says whether the item is there.
    keys = 2 * grade + ops.cast(there, "int32")
    state = loop(bits, step, ops.stack([keys, ops.zeros_like(keys)]))
    keys, ahead = ops.unstack(state, 2)
    return _sum_where(keys % 2 == 1, ops.cast(ahead, dtype))
