"""Which ids of one row are in another.

By sorting and binary search. Comparing each id with each would need a loop, or
memory for all pairs.
"""

from __future__ import annotations

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import length_at_most
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor


def distinct(ids: Tensor) -> tuple[Tensor, Tensor]:
    """The ids of each row in ascending order, and which of them count.

    Args:
        ids: int `[lists, ids]`. Negative ones are padding.

    Returns:
        The sorted ids, `[lists, ids]`, and whether each is an id and the first
        of its kind, bool.
    """
    ids = ops.sort(ids, axis=-1)
    return ids, (ids >= 0) & _differs_from_last(ids)


def is_new(ids: Tensor) -> Tensor:
    """Whether each is an id, and the first of its kind in its row.

    Args:
        ids: int `[lists, ids]`. Negative ones are padding.
    """
    exists = ids >= 0
    in_order, counts = distinct(ids)
    again = ops.any(counts != (in_order >= 0))

    def first_of_its_kind() -> Tensor:
        # A stable sort: of equal ids, the first stays the first.
        order = ops.argsort(ids, axis=-1)
        place = ops.argsort(order, axis=-1)
        in_order = ops.take_along_axis(ids, order, axis=-1)
        new = ops.take_along_axis(
            ops.cast(_differs_from_last(in_order), "int32"), place, axis=-1
        )
        return exists & (new > 0)

    return cond(again, first_of_its_kind, lambda: exists)


def is_in(ids: Tensor, row: Tensor) -> Tensor:
    """Whether `row` holds each of the ids, bool `[lists, ids]`.

    Args:
        ids: int `[lists, ids]`.
        row: int `[lists, places]`, ascending, of the same dtype.
    """
    last = ops.shape(row)[-1] - 1

    def held(place: Tensor) -> Tensor:
        return ops.take_along_axis(row, place, axis=-1)

    # The last place known to hold less than the id; -1 where there is none.
    less = ops.full_like(ids, -1, dtype="int32")
    bits = length_at_most(row).bit_length()
    for step in (2**bit for bit in reversed(range(bits))):
        place = ops.minimum(less + step, last)
        less = ops.where(held(place) < ids, place, less)
    return held(ops.minimum(less + 1, last)) == ids


def _differs_from_last(ids: Tensor) -> Tensor:
    first = ops.ones_like(ids[:, :1], dtype="bool")
    return ops.concatenate([first, ids[:, 1:] != ids[:, :-1]], axis=-1)
