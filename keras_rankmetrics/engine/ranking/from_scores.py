"""Rankings by the scores of all items of each list, and ties among these."""

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
    AllItems,
    Exposure,
    GroupedItems,
    ItemNumbers,
    SomeItems,
)
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.list_ranking import ListRanking
from keras_rankmetrics.engine.ranking.ranking import (
    Content,
    Order,
    Ranking,
    Subtopics,
)
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sort_keys import (
    Sortable,
    first_by,
    input_order,
    lowest,
    shuffle_keys,
)
from keras_rankmetrics.engine.ranking.sums import count, positions
from keras_rankmetrics.engine.ranking.ties import TiedRanking, Ties
from keras_rankmetrics.types import Tensor


class ScoredContent(Content):
    """Content with a score for each item, whose number is its index.

    Attributes:
        scores: the scores of the items. The lowest value of the dtype (-inf for
            floats) marks an item that is not retrieved.
    """

    scores: Sortable

    def outside_catalogue(self, items: int) -> Tensor | bool:
        """Return True for lists that do not have one score per item."""
        lists, number = ops.shape(self.scores.raw)
        if isinstance(number, int):
            return number != items
        return ops.broadcast_to(number != items, (lists,))

    def describe_items(self) -> str:
        """Return the number of scores, for errors."""
        return f"{int(ops.shape(self.scores.raw)[-1])} scores in a list"


@dataclasses.dataclass(frozen=True)
class Scored(ScoredContent):
    """Labels and scores of the same items.

    Attributes:
        labels: `[lists, items]`, floats. Below 0 for masked items.
        highest: `[lists]`, the highest label.
        scores: the scores of the items.
        item_weights: `[lists, items]` in the dtype of the labels, or None.
            Never together with weights of lists.
        num_relevant: `[lists]` in that dtype, the number of relevant items in
            the labels or not; None if all are in the labels.
        by_subtopic: `[lists, subtopics, items]`, the labels of the items for
            each subtopic, or None. `labels` are the highest of these.
    """

    labels: Tensor
    highest: Tensor
    scores: Sortable
    item_weights: Tensor | None = None
    num_relevant: Tensor | None = None
    by_subtopic: Tensor | None = None

    def ranked(self, order: Order, items: Items | None = None) -> ListRanking:
        """Return the items, the highest score first.

        Args:
            order: the options of the ranking.
            items: the items of another ranking of the same lists, to share
                what was computed from them.
        """
        top = Top.of(self.scores, order, lambda: self.labels)
        return self._ranked(order, items, top)

    def _ranked(
        self, order: Order, items: Items | None, top: Top
    ) -> ListRanking:
        items = items or Items(
            self.labels,
            self.highest,
            order.k,
            self.item_weights,
            self.num_relevant,
        )
        kind: Callable[..., ListRanking] = ScoredRanking
        if top.ties is not None:
            kind = functools.partial(TiedScoredRanking, ties=top.ties)
        # Whole lists take the gains from those of all items instead, which the
        # best order needs too.
        labels = None if items.whole else _at(top.indices, self.labels)
        return kind(
            content=self,
            order=order,
            items=items,
            k=order.k,
            entries=top.depth,
            weights=_at(top.indices, self.item_weights),
            there=None if concrete(ops.all(top.there)) else top.there,
            top=top,
            labels_in_order=labels,
        )

    def all_tied(self) -> Scored:
        """Return the same items with equal scores for all retrieved ones."""
        return dataclasses.replace(self, scores=self.scores.levelled())

    def relevant(self, gain: Relevance) -> tuple[ItemNumbers, Tensor]:
        """Return all items and their gains."""
        return AllItems(ops.shape(self.labels)[-1]), gain(self.labels)

    def subtopics(self, order: Order, top: Top) -> Subtopics:
        """Return the ranking for each subtopic, without another sort."""
        times, items = ops.shape(self.by_subtopic)[1:]
        labels = ops.reshape(self.by_subtopic, (-1, items))
        top = top.repeated(times)
        rows = Scored(labels, ops.max(labels, axis=-1), top.scores)
        return Subtopics(times, rows._ranked(order, None, top))


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScoredRanking(ListRanking):
    """A ranking by scores, without ties or with an order within them.

    Attributes:
        content: the labels and scores.
        top: the highest scores.
        labels_in_order: `[lists, entries]`, the labels at each rank; None for
            whole lists.
    """

    content: Scored
    top: Top
    labels_in_order: Tensor | None

    def _gains_in_order(self, gain: Relevance) -> Tensor:
        if self.labels_in_order is None:
            return _at(self.top.indices, self.items.gains(gain))
        return gain(self.labels_in_order)

    def _count_retrieved(self) -> Tensor:
        return count(self.top.there)

    def _count_others(self) -> Tensor:
        scores, items, gain = self.content.scores, self.items, self.gain

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

    def _expose(self) -> Exposure:
        labels = self.content.labels
        return self.top.exposure(
            self._gains_in_order, lambda gain: gain(labels)
        )

    def _rank_all_tied(self, order: Order) -> Ranking:
        return self.content.all_tied().ranked(order, self.items)

    def _rank_by_subtopic(self) -> Subtopics:
        if self.content.by_subtopic is None:
            return super()._rank_by_subtopic()
        return self.content.subtopics(self.order, self.top)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TiedScoredRanking(ScoredRanking, TiedRanking):
    """A ranking by scores that averages over the orders of tied items."""


class Top(NamedTuple):
    """The highest scores of each list.

    Attributes:
        scores: all scores.
        values: `[lists, depth]`, the highest ones.
        indices: `[lists, depth]`, the indices of these. Tied ones are in any
            order, or in that of the policy.
        there: bool `[lists, depth]`, True for retrieved items.
        depth: the number of these scores, more than the ranks that count.
        ties: the ties to average over; None if there are none.
    """

    scores: Sortable
    values: Tensor
    indices: Tensor
    there: Tensor
    depth: int | Tensor
    ties: Ties | None

    @classmethod
    def of(
        cls, scores: Sortable, order: Order, labels: Callable[[], Tensor]
    ) -> Top:
        """Find the highest scores and settle ties.

        Args:
            scores: the scores of all items.
            order: the options of the ranking.
            labels: returns the labels of all items, `[lists, items]`.
        """
        depth = depth_beyond(order.k, ops.shape(scores.raw)[-1])
        values, indices = scores.top_k(depth)
        there = values > lowest(values)
        # XLA would turn a `top_k` whose results are sliced into a full sort.
        negated = -values
        tie = there[:, 1:] & (negated[:, 1:] == negated[:, :-1])
        tie = ops.any(tie)
        ties = None
        if order.ties != "average":
            indices = cond(
                tie,
                lambda: _settled(scores, order, labels, depth),
                lambda: indices,
            )
        elif not concrete(~tie):
            most = min(depth_beyond(order.k), length_at_most(values))
            ties = Ties(scores, values, there, tie, most)
        return cls(scores, values, indices, there, depth, ties)

    def repeated(self, times: int | Tensor) -> Top:
        """Return the highest scores with each list repeated."""

        def again(x: Tensor) -> Tensor:
            return ops.repeat(x, times, axis=0)

        scores, values = self.scores.repeated(times), again(self.values)
        there, ties = again(self.there), self.ties
        if ties is not None:
            ties = dataclasses.replace(
                ties, scores=scores, highest=values, there=there
            )
        return Top(scores, values, again(self.indices), there, self.depth, ties)

    def exposure(
        self,
        gains_in_order: Callable[[Relevance], Tensor],
        gains: Callable[[Relevance], Tensor],
    ) -> Exposure:
        """Return the items by their ranks.

        Args:
            gains_in_order: computes the gains of the first items, `[lists,
                depth]`.
            gains: computes the gains of all items, `[lists, items]`.
        """
        start = ops.broadcast_to(positions(self.values), ops.shape(self.values))
        size, there = ops.ones_like(start), self.there
        extends: Tensor | bool = False
        rest = None
        if self.ties is not None:
            start, size, beyond = self.ties.groups()
            there, extends = there & ~beyond, ops.any(beyond)
            rest = functools.partial(_rest, self.ties, start, beyond, gains)
        numbers = SomeItems(self.indices)
        first = GroupedItems(numbers, start, size, there, gains_in_order)
        return Exposure(first, self.there, extends, rest)


def _rest(
    ties: Ties,
    start: Tensor,
    beyond: Tensor,
    gains: Callable[[Relevance], Tensor],
) -> GroupedItems:
    """Return all items of the tie groups that may extend beyond the row.

    Args:
        ties: the tie groups.
        start: int32 `[lists, ranks]`, the number of items above each group.
        beyond: bool `[lists, ranks]`, True for ranks of such a group.
        gains: computes the gains of all items.
    """
    above = ops.max(ops.where(beyond, start, 0), axis=-1, keepdims=True)
    tied = ties.lowest_of(ops.any(beyond, axis=-1))
    size = ops.maximum(count(tied), 1)[:, None]
    items = ops.shape(ties.scores.raw)[-1]
    return GroupedItems(AllItems(items), above, size, tied, gains)


def _settled(
    scores: Sortable,
    order: Order,
    labels: Callable[[], Tensor],
    depth: int | Tensor,
) -> Tensor:
    """Return the indices of the highest scores, ties broken by the policy."""
    raw = scores.raw
    keys = {
        "stable": lambda: [input_order(raw)],
        "shuffle": lambda: [shuffle_keys(raw, order.seed, order.draw)],
        "pessimistic": lambda: [-labels(), input_order(raw)],
        "optimistic": lambda: [labels(), input_order(raw)],
    }[order.ties]()
    return first_by([scores.cleaned(), *keys], depth)


def _at(indices: Tensor, x: Tensor | None) -> Tensor | None:
    return None if x is None else ops.take_along_axis(x, indices, axis=-1)
