"""Rankings from the scores of all items of each list: where ties are settled.

Scores that tie leave the order of their items open. Either the items stay
together as a group, over whose orders everything is averaged, or further keys
put them into one order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.kinds.ranks import Ranks
from keras_rankmetrics.engine.ranking.kinds.tied import TiedRanks
from keras_rankmetrics.engine.ranking.order import Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.shown import All
from keras_rankmetrics.engine.ranking.sorting.counting import count
from keras_rankmetrics.engine.ranking.sorting.sortable import Sortable
from keras_rankmetrics.engine.ranking.sources.order import Top
from keras_rankmetrics.engine.ranking.subtopics import Subtopics
from keras_rankmetrics.types import Tensor


def from_scores(
    items: Items,
    scores: Sortable,
    order: Order,
    by_subtopic: Tensor | None = None,
) -> Ranks:
    """Ranks the items of each list by their scores, highest first.

    Args:
        items: what each list holds.
        scores: of the same items. The lowest value of the dtype (-inf) marks
            an item that is not retrieved.
        order: how, and how far down.
        by_subtopic: `[lists, subtopics, items]`, the labels of the items for
            each subtopic; or None.
    """
    top = Top.of(scores, order, lambda: items.labels)
    ranking = _ranking(items, top, order)
    if by_subtopic is None:
        return ranking
    times = ops.shape(by_subtopic)[1]

    def subtopics() -> Subtopics:
        labels = ops.reshape(by_subtopic, (-1, ops.shape(by_subtopic)[-1]))
        rows = Items(labels, ops.max(labels, axis=-1), order.k)
        return Subtopics(times, _ranking(rows, top.repeated(times), order))

    def all_tied() -> Ranks:
        levelled = order._replace(ties="average")
        return from_scores(items, scores.levelled(), levelled, by_subtopic)

    return dataclasses.replace(ranking, all_tied=all_tied, subtopics=subtopics)


def _ranking(items: Items, top: Top, order: Order) -> Ranks:
    kind: Callable[..., Ranks] = Ranks
    if top.ties is not None:
        kind = functools.partial(TiedRanks, ties=top.ties)
    gains_in_order = _gains_at(top.order, items)

    def gains(gain: Relevance) -> Tensor:
        return gain(items.labels)

    return kind(
        items=items,
        entries=top.depth,
        gains_in_order=gains_in_order,
        weights=_at(top.order, items.weights),
        there=None if known(ops.all(top.there)) else top.there,
        count_retrieved=lambda: count(top.there),
        count_others=functools.partial(_others, items, top.scores),
        all_tied=lambda: from_scores(
            items, top.scores.levelled(), order._replace(ties="average")
        ),
        showing=lambda: top.showing(
            gains_at=lambda gain: gains_in_order(items, gain),
            gains=gains,
            relevant=lambda gain: (
                All(ops.shape(items.labels)[-1]),
                gains(gain),
            ),
        ),
        k=order.k,
        strict=order.ties != "average",
    )


def _others(items: Items, scores: Sortable, gain: Relevance) -> Tensor:
    """`[lists]`, how many retrieved items are worth nothing."""

    def counted() -> Tensor:
        return count(scores.retrieved() & (items.gains(gain) == 0))

    if not gain.is_binary:
        return counted()
    number, relevant = ops.shape(items.labels)[-1], items.sum_of_seen(gain)
    return cond(
        scores.are_all_retrieved(),
        lambda: number - ops.cast(relevant, "int32"),
        counted,
    )


def _gains_at(
    place: Tensor, items: Items
) -> Callable[[Items, Relevance], Tensor]:
    """What the items are worth that stand there."""
    if items.whole:  # The best order asks for the gains of all items too.
        return lambda items, gain: _at(place, items.gains(gain))
    labels = _at(place, items.labels)
    return lambda _, gain: gain(labels)


def _at(place: Tensor, x: Tensor | None) -> Tensor | None:
    return None if x is None else ops.take_along_axis(x, place, axis=-1)
