"""Rankings of recommended ids, and of the counts of items above a target."""

from __future__ import annotations

import functools
from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    MANY,
    concrete,
    length_at_most,
)
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond, most_of
from keras_rankmetrics.engine.ranking.exposure import Picked, Showing, Standing
from keras_rankmetrics.engine.ranking.items import RelevantItems
from keras_rankmetrics.engine.ranking.list_ranking import Ranks, SpacedRanks
from keras_rankmetrics.engine.ranking.matching import is_new, matched
from keras_rankmetrics.engine.ranking.ranking import Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sums import count, sums_over_runs
from keras_rankmetrics.engine.ranking.target_ranking import Groups, Located
from keras_rankmetrics.types import Tensor, TiePolicy

# Relevant items of which nothing is known but that they are relevant.


def relevant_of(
    ids: Tensor, gain: Relevance, dtype: str
) -> tuple[Picked, Tensor]:
    """The relevant items and what they are worth, an id that comes again 0.

    Args:
        ids: int `[lists, relevant]`, negative for padding.
        gain: what a label is worth.
        dtype: of the labels.
    """
    return Picked(ids), gain.of_either(is_new(ids), 1, -1, dtype)


def relevant_items(
    counts: Tensor, most: int | Tensor, k: int | None, dtype: str
) -> RelevantItems:
    """Items of which only the relevant ones are known, with the label 1.

    Args:
        counts: int32 `[lists]`, how many are relevant.
        most: how many can be.
        k: how many ranks count, or None for all.
        dtype: of the labels.
    """
    place = ops.arange(most, dtype="int32")
    labels = labels_of_relevant(place < counts[:, None], dtype)
    highest = labels_of_relevant(counts > 0, dtype)
    return RelevantItems(labels, highest, k)


def labels_of_relevant(relevant: Tensor, dtype: str) -> Tensor:
    """The label 1 for relevant items, and that of no item elsewhere."""
    return ops.where(relevant, ops.ones((), dtype), -1)


def located_at(
    start: Tensor,
    size: Tensor,
    there: Tensor,
    depth: int | Tensor,
    dtype: str,
) -> Located:
    """Where they stand, in the order of their ranks.

    Args:
        start: int32 `[lists, relevant]`, how many items stand above the group.
        size: int32 `[lists, relevant]`, how many the group has.
        there: bool `[lists, relevant]`, whether there is one that is retrieved.
        depth: how many ranks are told apart.
        dtype: of the labels.
    """
    start = ops.where(there, ops.minimum(start, depth), depth)
    place = ops.argsort(start, axis=-1)
    start, size, there = (
        ops.take_along_axis(x, place, axis=-1) for x in (start, size, there)
    )
    return Located(
        labels_of_relevant(there, dtype), start, ops.where(there, size, 0)
    )


# Rankings from ids that stand in order already.


def from_ids(
    relevant: Tensor, recommended: Tensor, k: int | None, dtype: str
) -> Ranks:
    """Takes the recommended ids as ranked, the first one best.

    An id that comes again has been ranked already: it holds no rank, nor does
    padding. Relevant items have the label 1, all others 0.

    Args:
        relevant: int `[lists, relevant]`, negative for padding.
        recommended: int `[lists, recommended]`, of the same dtype, negative
            for padding.
        k: how many ranks count, or None for all.
        dtype: of the labels.
    """
    most = ops.shape(relevant)[-1]
    counts, there, hits = matched(relevant, recommended)
    counted = ops.cast(there, "int32")
    above = ops.cumsum(counted, axis=-1) - counted
    kind: Callable[..., Ranks] = Ranks
    if not concrete(ops.all(there)):
        kind = functools.partial(SpacedRanks, there=there, above=above)

    def gains(gain: Relevance) -> Tensor:
        return gain.of_either(hits, 1, 0, dtype)

    def showing() -> Showing:
        highest = ops.maximum(ops.max(relevant, -1), ops.max(recommended, -1))
        return Showing(
            first=Standing(
                Picked(recommended), above, ops.ones_like(above), there, gains
            ),
            there=there,
            goes_on=False,
            rest=None,
            relevant=lambda gain: relevant_of(relevant, gain, dtype),
            strangers=lambda items: highest >= items,
            received=lambda: f"the id {int(ops.max(highest))}",
        )

    def all_tied() -> Ranks:
        raise ValueError("Ids do not say what there was to choose from.")

    return kind(
        items=relevant_items(counts, most, k, dtype),
        entries=ops.shape(hits)[-1],
        gains_in_order=lambda _, gain: gains(gain),
        count_retrieved=lambda: count(there),
        count_others=lambda gain: count(there & ~hits),
        all_tied=all_tied,
        showing=showing,
        k=k,
        strict=True,
    )


# Rankings of relevant items whose places somebody else has counted.


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
