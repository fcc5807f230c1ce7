"""Which ids of one row are in another."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.types import Tensor


def first_places(ids: Tensor, row: Tensor) -> Tensor:
    """Where `row` holds each of the ids first, int32 `[lists, ids]`.

    Its length, for an id that it does not hold. As many comparisons as ids
    times places, but never more than `[lists, ids]` at once.

    Args:
        ids: int `[lists, ids]`.
        row: int `[lists, places]`, of the same dtype.
    """
    places = ops.shape(row)[-1]

    def look(step: Tensor, found: Tensor) -> Tensor:
        place = places - 1 - ops.cast(step, "int32")
        held = ops.take(row, place, axis=-1)
        return ops.where(ids == ops.expand_dims(held, -1), place, found)

    nowhere = ops.full_like(ids, places, dtype="int32")
    return ops.fori_loop(0, places, look, nowhere)


def is_in(ids: Tensor, row: Tensor) -> Tensor:
    """Whether `row` holds each of the ids, bool `[lists, ids]`."""
    return first_places(ids, row) < ops.shape(row)[-1]


def is_new(ids: Tensor) -> Tensor:
    """Whether each is an id, and the first of its kind in its row.

    Negative ones are padding.
    """
    place = ops.arange(ops.shape(ids)[-1], dtype="int32")
    return ops.logical_and(ids >= 0, first_places(ids, ids) == place)
