"""Rankings from the scores of all items of each list: where ties are settled.

Scores that tie leave the order of their items open. Either the items stay
together as a group, over whose orders everything is averaged, or further keys
put them into one order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from keras import ops

from keras_rankmetrics.branching import cond, unless_known
from keras_rankmetrics.dtypes import lowest
from keras_rankmetrics.ranking.counting import count
from keras_rankmetrics.ranking.depth import depth_beyond
from keras_rankmetrics.ranking.items import Items
from keras_rankmetrics.ranking.order import Order
from keras_rankmetrics.ranking.ranking import Ranking
from keras_rankmetrics.ranking.runs import positions, runs
from keras_rankmetrics.ranking.selection import first_by, input_order
from keras_rankmetrics.ranking.shuffling import shuffle_keys
from keras_rankmetrics.types import Tensor


def from_scores(items: Items, scores: Tensor, order: Order) -> Ranking:
    """Ranks the items of each list by their scores, highest first.

    Args:
        items: what each list holds.
        scores: `[lists, items]`, without NaN. The lowest value of the dtype
            (-inf) marks an item that is not retrieved.
        order: how, and how far down.
    """
    top = _top(scores, order.k)
    if order.ties == "average":
        return unless_known(
            ops.logical_not(top.tie),
            lambda: _in_groups(items, scores, top, order.k),
            if_true=lambda: _in_strict_order(items, top, top.order, order.k),
        )

    def keys() -> list[Tensor]:
        return {
            "stable": lambda: [input_order(scores)],
            "shuffle": lambda: [shuffle_keys(scores, order.seed, order.draw)],
            "pessimistic": lambda: [-items.labels, input_order(scores)],
            "optimistic": lambda: [items.labels, input_order(scores)],
        }[order.ties]()

    settled = cond(
        top.tie,
        lambda: first_by([scores, *keys()], top.depth),
        lambda: top.order,
    )
    return _in_strict_order(items, top, settled, order.k)


class _Top(NamedTuple):
    """The highest scores of each list.

    Attributes:
        values: `[lists, depth]`, the scores.
        order: int32 `[lists, depth]`, where they stand. Ties in any order.
        there: bool `[lists, depth]`, whether an item is retrieved.
        tie: whether any two that are retrieved have the same score.
        depth: how many scores these are, more than there are ranks that count.
    """

    values: Tensor
    order: Tensor
    there: Tensor
    tie: Tensor
    depth: int | Tensor


def _top(scores: Tensor, k: int | None) -> _Top:
    depth = depth_beyond(k, ops.shape(scores)[-1])
    values, order = ops.top_k(scores, depth)
    there = values > lowest(scores)
    position = positions(values)
    before = ops.take(values, ops.maximum(position - 1, 0), axis=-1)
    tie = ops.logical_and(values == before, position > 0)
    return _Top(
        values,
        ops.cast(order, "int32"),
        there,
        ops.any(ops.logical_and(tie, there)),
        depth,
    )


def _in_strict_order(
    items: Items, top: _Top, order: Tensor, k: int | None
) -> Ranking:
    position = positions(top.values)[None]
    size = unless_known(
        ops.all(top.there),
        lambda: ops.cast(top.there, "int32"),
        if_true=lambda: ops.ones_like(position),
    )
    return Ranking(
        items=items,
        labels=_at(order, items.labels),
        weights=_at(order, items.weights),
        start=position,
        size=size,
        count_retrieved=lambda: count(top.there),
        k=k,
        depth=top.depth,
    )


def _in_groups(
    items: Items, scores: Tensor, top: _Top, k: int | None
) -> Ranking:
    values, _, there, tie, depth = top
    position = ops.broadcast_to(positions(values), ops.shape(values))
    first, last = cond(tie, lambda: runs(values), lambda: (position, position))
    # Not `values[:, -1]`: a slice of what `top_k` returns makes XLA sort.
    boundary = ops.min(values, axis=-1, keepdims=True)
    at_boundary = ops.logical_and(values == boundary, there)
    # The last entry ties: its group may reach beyond the depth, and is held by
    # that entry alone. A group that begins there is beyond any cutoff.
    split = ops.logical_and(
        ops.sum(ops.cast(at_boundary, "int32"), -1, keepdims=True) > 1,
        ops.any(positions(scores) >= depth),
    )
    held = ops.logical_and(split, position == depth - 1)
    absorbed = ops.logical_and(
        split, ops.logical_and(at_boundary, position < depth - 1)
    )

    def whole(of_entries: Tensor, of_items: Callable[[], Tensor]) -> Tensor:
        def with_group() -> Tensor:
            of_group = ops.where(scores == boundary, of_items(), 0)
            of_group = ops.sum(of_group, axis=-1, keepdims=True)
            return ops.where(held, of_group, of_entries)

        return cond(ops.any(split), with_group, lambda: of_entries)

    size = ops.where(there, last - first + 1, 0)
    size = ops.where(absorbed, 0, size)
    return Ranking(
        items=items,
        labels=_at(top.order, items.labels),
        weights=_at(top.order, items.weights),
        start=first,
        size=whole(size, lambda: ops.ones_like(scores, dtype="int32")),
        count_retrieved=lambda: count(there),
        k=k,
        depth=depth,
        whole=whole,
        at_first=lambda x: ops.take_along_axis(x, first, axis=-1),
        at_last=lambda x: ops.take_along_axis(x, last, axis=-1),
    )


def _at(order: Tensor, x: Tensor | None) -> Tensor | None:
    return None if x is None else ops.take_along_axis(x, order, axis=-1)
