"""Rankings of dense labels and scores, `[lists, items]`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    concrete,
    cond,
    length_at_most,
)
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond
from keras_rankmetrics.engine.ranking.exposure import (
    All,
    Picked,
    Showing,
    Standing,
    Which,
)
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.list_ranking import Ranks
from keras_rankmetrics.engine.ranking.ranking import Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sort_keys import (
    Sortable,
    first_by,
    input_order,
    lowest,
    shuffle_keys,
)
from keras_rankmetrics.engine.ranking.subtopics import Subtopics
from keras_rankmetrics.engine.ranking.sums import count, positions
from keras_rankmetrics.engine.ranking.ties import TiedRanks, Ties
from keras_rankmetrics.types import Tensor

# The first items of each list by their scores, and what ties among them.


class Top(NamedTuple):
    """The highest scores of each list.

    Attributes:
        scores: all of them.
        values: `[lists, depth]`, the highest.
        order: `[lists, depth]`, where they stand. Ties in any order, or in that
            which was asked for.
        there: bool `[lists, depth]`, whether an item is retrieved.
        depth: how many scores these are, more than there are ranks that count.
        ties: those that are left open; None where there are none.
    """

    scores: Sortable
    values: Tensor
    order: Tensor
    there: Tensor
    depth: int | Tensor
    ties: Ties | None

    @classmethod
    def of(
        cls, scores: Sortable, order: Order, labels: Callable[[], Tensor]
    ) -> Top:
        """Those of the first items.

        Args:
            scores: of all items.
            order: how they are ordered, and how far down.
            labels: returns the labels of all items, `[lists, items]`.
        """
        depth = depth_beyond(order.k, ops.shape(scores.given)[-1])
        values, place = scores.top_k(depth)
        there = values > lowest(values)
        # Of slices of what `top_k` returns, XLA would make a sort.
        negated = -values
        tie = there[:, 1:] & (negated[:, 1:] == negated[:, :-1])
        tie = ops.any(tie)
        ties = None
        if order.ties != "average":
            place = cond(
                tie,
                lambda: _settled(scores, order, labels, depth),
                lambda: place,
            )
        elif not concrete(~tie):
            most = min(depth_beyond(order.k), length_at_most(values))
            ties = Ties(scores, values, there, tie, most)
        return cls(scores, values, place, there, depth, ties)

    def repeated(self, times: int | Tensor) -> Top:
        """Each list so many times."""

        def again(x: Tensor) -> Tensor:
            return ops.repeat(x, times, axis=0)

        scores, values = self.scores.repeated(times), again(self.values)
        there, ties = again(self.there), self.ties
        if ties is not None:
            ties = dataclasses.replace(
                ties, scores=scores, highest=values, there=there
            )
        return Top(scores, values, again(self.order), there, self.depth, ties)

    def showing(
        self,
        gains_at: Callable[[Relevance], Tensor],
        gains: Callable[[Relevance], Tensor],
        relevant: Callable[[Relevance], tuple[Which, Tensor]],
    ) -> Showing:
        """Where the items stand.

        Args:
            gains_at: what those are worth that stand first, `[lists, depth]`.
            gains: the same of all items, `[lists, items]`.
            relevant: the items that may have a gain, and their gains.
        """
        lists, items = ops.shape(self.scores.given)
        ties, place = self.ties, positions(self.values)
        start = ops.broadcast_to(place, ops.shape(self.values))
        size, first, goes_on, rest = (
            ops.ones_like(start),
            self.there,
            False,
            None,
        )
        if ties is not None:
            start, size, on = ties.groups()
            first, goes_on = self.there & ~on, ops.any(on)
            rest = functools.partial(_rest, ties, start, on, gains)

        def strangers(expected: int) -> Tensor | bool:
            if isinstance(items, int):
                return items != expected
            return ops.broadcast_to(items != expected, (lists,))

        return Showing(
            first=Standing(Picked(self.order), start, size, first, gains_at),
            there=self.there,
            goes_on=goes_on,
            rest=rest,
            relevant=relevant,
            strangers=strangers,
            received=lambda: f"{int(items)} scores in a list",
        )


def _rest(
    ties: Ties,
    start: Tensor,
    on: Tensor,
    gains: Callable[[Relevance], Tensor],
) -> Standing:
    """All items of the groups that may go on beyond the row.

    Args:
        ties: the tie groups.
        start: int32 `[lists, ranks]`, where they begin.
        on: bool `[lists, ranks]`, the ranks of those that may go on.
        gains: of all items.
    """
    above = ops.max(ops.where(on, start, 0), axis=-1, keepdims=True)
    tied = ties.lowest_of(ops.any(on, axis=-1))
    size = ops.maximum(count(tied), 1)[:, None]
    items = ops.shape(ties.scores.given)[-1]
    return Standing(All(items), above, size, tied, gains)


def _settled(
    scores: Sortable,
    order: Order,
    labels: Callable[[], Tensor],
    depth: int | Tensor,
) -> Tensor:
    """Where the highest scores stand, those that tie in the order of keys."""
    given = scores.given
    keys = {
        "stable": lambda: [input_order(given)],
        "shuffle": lambda: [shuffle_keys(given, order.seed, order.draw)],
        "pessimistic": lambda: [-labels(), input_order(given)],
        "optimistic": lambda: [labels(), input_order(given)],
    }[order.ties]()
    return first_by([scores.cleaned(), *keys], depth)


# Rankings from the scores of all items of each list: where ties are settled.
#
# Scores that tie leave the order of their items open. Either the items stay
# together as a group, over whose orders everything is averaged, or further
# keys put them into one order.


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
        there=None if concrete(ops.all(top.there)) else top.there,
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
