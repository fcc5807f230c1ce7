"""Rankings of relevant items whose places somebody else has counted."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.known import MANY, length_at_most
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.depth import depth_beyond, most_of
from keras_rankmetrics.engine.ranking.kinds.groups import Groups, Located
from keras_rankmetrics.engine.ranking.order import Order
from keras_rankmetrics.engine.ranking.shown import Showing
from keras_rankmetrics.engine.ranking.sorting.counting import count
from keras_rankmetrics.engine.ranking.sorting.runs import sums_over_runs
from keras_rankmetrics.engine.ranking.sources.relevant import (
    located_at,
    relevant_items,
)
from keras_rankmetrics.types import Tensor, TiePolicy


def from_counts(
    relevant: Tensor,
    above: Tensor,
    tied: Tensor,
    num_items: Tensor,
    most: int | None,
    order: Order,
    dtype: str,
) -> Groups:
    """Ranks relevant items where as many stand above as they are told.

    Relevant items have the label 1, all others 0.

    Args:
        relevant: bool `[lists, relevant]`, False for padding.
        above: int32 `[lists, relevant]`, how many items score higher; below 0
            for one that is not retrieved.
        tied: int32 `[lists, relevant]`, how many others score the same.
        num_items: int32 `[lists]`, how many items are retrieved.
        most: the largest of these, if it is known in programs too.
        order: `"average"`, or where relevant items stand among those that tie.
        dtype: of the labels.
    """
    there = relevant & (above >= 0)
    counts, width = count(relevant), ops.shape(relevant)[-1]
    last = most
    if order.k is None and last is None:
        last = most_of(num_items, "Without `k`, ranks go down to the last item")
    depth = depth_beyond(order.k, MANY if last is None else last)

    def located() -> Located:
        start, size, in_place = above, tied + 1, there
        if order.ties != "average":
            start, size, in_place = _one_by_one(order.ties, start, size, there)
        return located_at(start, size, in_place, depth, dtype)

    def all_tied() -> Groups:
        return from_counts(
            relevant,
            ops.where(there, 0, -1),
            ops.where(there, num_items[:, None] - 1, 0),
            num_items,
            most,
            order._replace(ties="average"),
            dtype,
        )

    def showing() -> Showing:
        raise ValueError("Counts do not say which items are shown.")

    return Groups(
        items=relevant_items(counts, width, order.k, dtype),
        locate=located,
        count_retrieved=lambda: num_items,
        count_others=lambda _: num_items - count(there),
        all_tied=all_tied,
        showing=showing,
        k=order.k,
        strict=order.ties != "average",
        depth=depth,
    )


def _one_by_one(
    ties: TiePolicy, start: Tensor, size: Tensor, there: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Where relevant items stand if those of a group have an order.

    Args:
        ties: `"optimistic"` if they come first in it, or `"pessimistic"`.
        start: int32 `[lists, relevant]`, how many items stand above the group.
        size: int32 `[lists, relevant]`, how many the group has.
        there: bool `[lists, relevant]`, whether there is one that is retrieved.

    Returns:
        How many stand above each, 1, and whether there is one, from the first
        group down.
    """
    place = ops.argsort(start, axis=-1)
    start, size, there = (
        ops.take_along_axis(x, place, axis=-1) for x in (start, size, there)
    )
    ahead, relevant = sums_over_runs(
        start, ops.cast(there, "int32"), length_at_most(start)
    )
    if ties == "pessimistic":
        ahead = size - relevant + ahead
    return start + ahead, ops.ones_like(size), there
