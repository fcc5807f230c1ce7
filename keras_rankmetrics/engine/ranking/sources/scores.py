"""Rankings from the scores of all items of each list: where ties are settled.

Scores that tie leave the order of their items open. Either the items stay
together as a group, over whose orders everything is averaged, or further keys
put them into one order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import known, length_at_most
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.depth import depth_beyond
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.kinds.ranks import Ranks
from keras_rankmetrics.engine.ranking.kinds.tied import TiedRanks
from keras_rankmetrics.engine.ranking.kinds.ties import Ties
from keras_rankmetrics.engine.ranking.order import Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sorting.counting import count
from keras_rankmetrics.engine.ranking.sorting.selection import (
    first_by,
    input_order,
)
from keras_rankmetrics.engine.ranking.sorting.shuffling import shuffle_keys
from keras_rankmetrics.engine.ranking.sorting.sortable import Sortable, lowest
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
    top = _top(scores, order.k)
    if order.ties != "average":
        top = top._replace(order=_settled(items, scores, top, order))
    ranking = _ranking(items, scores, order, top)
    if by_subtopic is None:
        return ranking
    times = ops.shape(by_subtopic)[1]

    def subtopics() -> Subtopics:
        labels = ops.reshape(by_subtopic, (-1, ops.shape(by_subtopic)[-1]))
        rows = Items(labels, ops.max(labels, axis=-1), order.k)
        again = scores.repeated(times), order, top.repeated(times)
        return Subtopics(times, _ranking(rows, *again))

    def all_tied() -> Ranks:
        levelled = order._replace(ties="average")
        return from_scores(items, scores.levelled(), levelled, by_subtopic)

    return dataclasses.replace(ranking, all_tied=all_tied, subtopics=subtopics)


def _ranking(items: Items, scores: Sortable, order: Order, top: _Top) -> Ranks:
    kind: Callable[..., Ranks] = Ranks
    if order.ties == "average" and not known(~top.tie):
        most = min(depth_beyond(order.k), length_at_most(top.values))
        ties = Ties(scores, top.values, top.there, top.tie, most)
        kind = functools.partial(TiedRanks, ties=ties)
    return kind(
        items=items,
        entries=top.depth,
        gains_in_order=_gains_at(top.order, items),
        weights=_at(top.order, items.weights),
        there=None if known(ops.all(top.there)) else top.there,
        count_retrieved=lambda: count(top.there),
        count_others=lambda gain: count(
            scores.retrieved() & (items.gains(gain) == 0)
        ),
        all_tied=lambda: from_scores(
            items, scores.levelled(), order._replace(ties="average")
        ),
        k=order.k,
        strict=order.ties != "average",
    )


class _Top(NamedTuple):
    """The highest scores of each list.

    Attributes:
        values: `[lists, depth]`, the scores.
        order: `[lists, depth]`, where they stand. Ties in any order.
        there: bool `[lists, depth]`, whether an item is retrieved.
        tie: whether any two that are retrieved have the same score.
        depth: how many scores these are, more than there are ranks that count.
    """

    values: Tensor
    order: Tensor
    there: Tensor
    tie: Tensor
    depth: int | Tensor

    def repeated(self, times: int | Tensor) -> _Top:
        """Each list so many times."""
        values, order, there = (
            ops.repeat(x, times, axis=0)
            for x in (self.values, self.order, self.there)
        )
        return self._replace(values=values, order=order, there=there)


def _top(scores: Sortable, k: int | None) -> _Top:
    depth = depth_beyond(k, ops.shape(scores.given)[-1])
    values, order = scores.top_k(depth)
    there = values > lowest(values)
    # Of slices of what `top_k` returns, XLA would make a sort.
    negated = -values
    tie = there[:, 1:] & (negated[:, 1:] == negated[:, :-1])
    return _Top(values, order, there, ops.any(tie), depth)


def _settled(items: Items, scores: Sortable, top: _Top, order: Order) -> Tensor:
    """Where the highest scores stand, those that tie in the order of keys."""
    labels = items.labels

    def keys() -> list[Tensor]:
        return {
            "stable": lambda: [input_order(labels)],
            "shuffle": lambda: [shuffle_keys(labels, order.seed, order.draw)],
            "pessimistic": lambda: [-labels, input_order(labels)],
            "optimistic": lambda: [labels, input_order(labels)],
        }[order.ties]()

    return cond(
        top.tie,
        lambda: first_by([scores.cleaned(), *keys()], top.depth),
        lambda: top.order,
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
