"""Matching of the ids in two rows, and duplicates within one.

Ids are matched by sorting: comparing all pairs would need a loop, or memory for
all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import in_order, in_place
from keras_rankmetrics.engine.backend.tracing import length_at_most
from keras_rankmetrics.engine.ranking.sums import count
from keras_rankmetrics.types import Tensor

_ONE_AHEAD = ((0, 0), (1, 0))


class Matched(NamedTuple):
    """Recommended ids, matched with relevant ones.

    Attributes:
        relevant: int32 `[lists]`, the number of distinct relevant ids.
        new: bool `[lists, recommended]`, True for the first occurrence of an
            id in its row.
        hits: bool `[lists, recommended]`, True for such an id if it is
            relevant.
    """

    relevant: Tensor
    new: Tensor
    hits: Tensor


def matched(relevant: Tensor, recommended: Tensor) -> Matched:
    """Find the recommended ids among the relevant ones, by one sort of both.

    Args:
        relevant: int `[lists, relevant]`. Negative ones are padding.
        recommended: int `[lists, recommended]`, of the same dtype.
    """
    width = ops.shape(relevant)[-1]
    # Among equal ids, the relevant ones come before the recommended ones.
    ids, places = in_order(ops.concatenate([relevant, recommended], axis=-1))
    same = _equals_previous(ids)
    after_recommended = same & (places[:, :-1] >= width)
    # 0 for the first of equal ids, 1 after a relevant one, 2 after a
    # recommended one.
    after = ops.cast(same, "int8") + ops.cast(after_recommended, "int8")
    after = in_place(ops.pad(after, _ONE_AHEAD), places)
    exists, of_recommended = recommended >= 0, after[:, width:]
    return Matched(
        count((relevant >= 0) & (after[:, :width] == 0)),
        exists & (of_recommended < 2),
        exists & (of_recommended == 1),
    )


def is_new(ids: Tensor) -> Tensor:
    """Return True for the first occurrence of each id in its row.

    Args:
        ids: int `[lists, ids]`. Negative ones are padding.
    """
    if length_at_most(ids) == 1:
        return ids >= 0
    in_a_row, places = in_order(ids)
    again = ops.pad(ops.cast(_equals_previous(in_a_row), "int8"), _ONE_AHEAD)
    return (ids >= 0) & (in_place(again, places) == 0)


def is_in(ids: Tensor, row: Tensor) -> Tensor:
    """Return True for ids that `row` contains, by binary search.

    Args:
        ids: int `[lists, ids]`.
        row: int `[lists, places]`, ascending, of the same dtype.

    Returns:
        bool `[lists, ids]`.
    """
    last = ops.shape(row)[-1] - 1

    def value_at(place: Tensor) -> Tensor:
        return ops.take_along_axis(row, place, axis=-1)

    # The last index whose value is less than the id; -1 if there is none.
    less = ops.full_like(ids, -1, dtype="int32")
    bits = length_at_most(row).bit_length()
    for step in (2**bit for bit in reversed(range(bits))):
        place = ops.minimum(less + step, last)
        less = ops.where(value_at(place) < ids, place, less)
    return value_at(ops.minimum(less + 1, last)) == ids


def _equals_previous(ids: Tensor) -> Tensor:
    """Return True for each id but the first that equals the one before it."""
    return ids[:, 1:] == ids[:, :-1]
