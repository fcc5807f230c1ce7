"""Rankings by the scores of all items of each list, and ties among these."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Self

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.backend.tracing import MANY, concrete, cond
from keras_rankmetrics.engine.ranking import exposure, probabilities, uncertain
from keras_rankmetrics.engine.ranking.counting import count, positions
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.list_ranking import ListRanking
from keras_rankmetrics.engine.ranking.ranking import Content, Cutoff, Subtopics
from keras_rankmetrics.engine.ranking.relevance import Relevance, remembered
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.top import Shared, Sortable, Top, at_most
from keras_rankmetrics.engine.ranking.two_rankings import Standing, TwoRankings
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True)
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

    def all_tied(self) -> Self:
        """Return the same items with equal scores for all retrieved ones."""
        return dataclasses.replace(self, scores=self.scores.all_equal())


@dataclasses.dataclass(frozen=True)
class Scored(ScoredContent):
    """Labels and scores of the same items.

    Attributes:
        labels: `[lists, items]`, floats. Below 0 for masked items.
        highest: `[lists]`, the highest label.
        item_weights: `[lists, items]` in the dtype of the labels, or None.
            Never together with weights of lists.
        num_relevant: `[lists]` in that dtype, the number of relevant items in
            the labels or not; None if all are in the labels.
        by_subtopic: `[lists, subtopics, items]`, the labels of the items for
            each subtopic, or None. `labels` are the highest of these.
        reference: `[lists, items]`, the scores of another ranking, or None.
            The lowest value of the dtype for items that it does not retrieve.
        logged: `[lists, items]`, the propensity of each item or the position at
            which it was shown, for clicks; or None.
    """

    labels: Tensor
    highest: Tensor
    item_weights: Tensor | None = None
    num_relevant: Tensor | None = None
    by_subtopic: Tensor | None = None
    reference: Tensor | None = None
    logged: Tensor | None = None

    def hidden(self) -> Tensor | None:
        """Return True for labels above 0 of items that are not retrieved.

        None for two rankings and for clicks, which have no relevant items.
        """
        if self.reference is not None or self.logged is not None:
            return None
        return (self.labels > 0) & (self.scores.raw == lowest(self.scores.raw))

    def ranked(
        self, order: Order, items: Items | None = None, top: Top | None = None
    ) -> ScoredRanking:
        """Return the items, the highest score first.

        Args:
            order: the options of the ranking.
            items: the items of another ranking of the same lists, to share
                what was computed from them.
            top: the highest scores, if they have been computed.
        """
        items = items or Items(
            self.labels,
            self.highest,
            order.k,
            self.item_weights,
            self.num_relevant,
        )
        top = top or Top.of(self.scores, order, lambda: self.labels)
        kind = ScoredRanking if top.tie is None else TiedRanking
        # Whole lists take the gains from those of all items instead, which the
        # best order needs too.
        labels = None if items.k is None else _at(top.indices, self.labels)
        return kind(
            content=self,
            order=order,
            items=items,
            k=order.k,
            depth=top.depth,
            weights=_at(top.indices, self.item_weights),
            there=None if concrete(ops.all(top.there)) else top.there,
            top=top,
            labels_in_order=labels,
        )

    def relevant(self, gain: Relevance) -> tuple[exposure.ItemNumbers, Tensor]:
        """Return all items and their gains."""
        return exposure.AllItems.of(self.labels), gain(self.labels)


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
            gains = self.items.gains(gain)
            return ops.take_along_axis(gains, self.top.indices, axis=-1)
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

    @remembered()
    def _exposure(self) -> exposure.Exposure:
        labels = self.content.labels
        return self.top.exposure(
            self._gains_in_order, lambda gain: gain(labels)
        )

    @remembered()
    def _all_tied(self) -> ScoredRanking:
        order = self.order._replace(ties="average")
        return self.content.all_tied().ranked(order, self.items)

    @remembered()
    def against_reference(self) -> TwoRankings:
        """Return the ranking together with that by the reference scores."""
        reference, labels = self.content.reference, self.content.labels
        if reference is None:
            return super().against_reference()
        start, size, _ = self.top.groups
        reference = ops.take_along_axis(reference, self.top.indices, axis=-1)
        exists = ops.take_along_axis(labels > 0, self.top.indices, axis=-1)
        return TwoRankings(
            Standing.by(reference, labels.dtype),
            Standing.of(start, size, self.top.there, labels.dtype),
            exists,
        )

    def logged(self) -> tuple[Tensor, Tensor | None]:
        """Return the clicks and what was logged, `[lists, items]`."""
        return self.content.labels, self.content.logged

    def with_item_weights(self, weights: Tensor) -> ScoredRanking:
        """Return the same ranking with other weights of items."""
        content = dataclasses.replace(self.content, item_weights=weights)
        ranking = content.ranked(self.order, top=self.top)
        return ranking.with_gain(self.gain, self.k)

    def by_subtopic(self) -> Subtopics:
        """Return the same lists, once for each subtopic."""
        if self.content.by_subtopic is None:
            return super().by_subtopic()
        times, rows = self._by_subtopic()
        return Subtopics(times, rows.with_gain(self.gain, self.k))

    def expected_sum_over_best(
        self, value: RankDiscountFn, k: Cutoff = None
    ) -> Tensor:
        """Return the expected sum over relevant items over its best."""
        p = self._probabilities()
        counts = at_most(MANY if self.k is None else self.k, ops.shape(p)[-1])
        best = ops.cumsum(self._values(value, counts), axis=-1)
        each = uncertain.of_others(p, ops.divide_no_nan(1.0, best))
        return self._weighted_sum(each, self.discount(value, k))

    def expected_recall(self, k: Cutoff = None) -> Tensor:
        """Return E[relevant items within rank `k` / all relevant items]."""
        each = uncertain.reciprocals(self._probabilities())
        return self._weighted_sum(each, self.share(k))

    def expected_average_precision(self, k: Cutoff = None) -> Tensor:
        """Return E[Σ precision(rank) over relevant ranks up to `k` / R].

        With the odds a_i(t) and g(t) as in `uncertain`, this is the integral of
        g(t) Σ_i (1 / i) a_i [1 + t Σ_{j < i} a_j].
        """
        p, gains = self._probabilities(), self._gains()

        def of_node(u: Tensor) -> Tensor:
            def odds(p: Tensor) -> Tensor:
                return p / (1.0 - p * u)

            one, pairs = self._with_those_above(odds(gains), lambda: odds(p))
            return one + (1.0 - u) * pairs

        found = self._within(None, uncertain.integrated(p, of_node))
        return ops.sum(found * self.discount(reciprocal_discount, k), axis=-1)

    def _with_those_above(
        self, x: Tensor, of_items: Callable[[], Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Return the expected x_i, and x_i times the sum of those above.

        Args:
            x: `[lists, ranks]`, the value of the item at each rank.
            of_items: computes the values of all items, `[lists, items]`.
        """
        return x, x * (ops.cumsum(x, axis=-1) - x)

    def expected_r_precision(self) -> Tensor:
        """Return E[relevant items at ranks 1..R / R], for whole lists."""
        p, there = self._gains_in_order(self.gain), self.top.there
        shared, retrieved = self._shared(), self._count_retrieved()
        tie = False if self.top.tie is None else self.top.tie
        return cond(
            ops.any((p > 0) & ~there) | tie,
            lambda: uncertain.r_precision_in_ties(
                p, retrieved, shared.start, shared.size
            ),
            lambda: uncertain.r_precision_without_ties(p, retrieved),
        )

    def _probabilities(self) -> Tensor:
        return self.items.gains(self.gain)

    def _weighted_sum(self, weights: Tensor, factors: Tensor) -> Tensor:
        """Return the sum of the weighted gains times factors, `[lists]`.

        Args:
            weights: `[lists, items]`, the weights of the items.
            factors: `[lists, entries]`.
        """
        gains = self.with_item_weights(weights).weighted_total()
        return ops.sum(gains * factors, axis=-1)

    @remembered()
    def _by_subtopic(self) -> tuple[int | Tensor, ScoredRanking]:
        # All subtopics have the same scores, which are not sorted again.
        times, items = ops.shape(self.content.by_subtopic)[1:]
        labels = ops.reshape(self.content.by_subtopic, (-1, items))
        top = self.top.repeated(times)
        rows = Scored(top.scores, labels, ops.max(labels, axis=-1))
        return times, rows.ranked(self.order, top=top)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TiedRanking(ScoredRanking):
    """A ranking by scores in which tied items share their ranks.

    Each rank has the mean over the items of its tie group.
    """

    @remembered("gain", "k")
    def total(self) -> Tensor:
        """Return the expected gain at the rank."""
        return self._within(None, self._shared().mean)

    @remembered("gain")
    def _weighted(self) -> Tensor:
        return self.top.share(
            super()._weighted(), lambda: self.items.weighted(self.gain)
        ).mean

    @remembered("gain")
    def _hits_if_hit(self) -> Tensor:
        shared = self._shared()
        hits = self.as_binary()._shared().total
        rate = probabilities.rate_of_others(hits, self._float(shared.size))
        mean = ops.divide_no_nan(shared.total, hits)
        ahead = self._float(positions(hits) - shared.start)
        return self._hits_above_group() + mean * (1.0 + rate * ahead)

    @remembered("gain")
    def _stop_probabilities(self) -> Tensor:
        alone = super()._stop_probabilities()
        stops, shared = self._gains(), self._shared()

        def of_lowest() -> Tensor:
            gains = self.items.gains(self.gain)
            return ops.where(self.top.is_lowest(), gains, 0)

        def tied() -> Tensor:
            found = probabilities.stop_probabilities_in_ties(
                stops, shared.start, shared.size, of_lowest
            )
            return ops.where(self.top.there, found, 0)

        return cond(self.top.tie, tied, lambda: alone)

    def _tie_groups(self) -> probabilities.Group:
        shared = self._shared()
        groups = shared.start, shared.size, shared.total
        return probabilities.Group(*(self._within(None, x) for x in groups))

    def _value_at(self, first: Tensor, values: Tensor) -> Tensor:
        certain = super()._value_at(first, values)
        uncertain = ops.any(first & (self.total() < 1), axis=-1)

        def expected() -> Tensor:
            group = self._tie_groups().of(first)
            # A single relevant item is equally likely to be at each rank.
            inside = self._tie_groups().start == group.start
            evenly = ops.sum(ops.where(inside, values, 0), -1, keepdims=True)
            value = ops.where(
                group.relevant < 1.5,
                evenly / self._float(ops.maximum(group.size, 1)),
                probabilities.value_at_first_hit(group, values),
            )
            return ops.where(uncertain, value[:, 0], certain)

        return cond(ops.any(uncertain), expected, lambda: certain)

    def _with_those_above(
        self, x: Tensor, of_items: Callable[[], Tensor]
    ) -> tuple[Tensor, Tensor]:
        # With o items above a group of s items: at its rank i, each pair of
        # them is in this order with probability (i - o - 1) / (s - 1) / s.
        one = self.top.share(x, of_items)
        squares = self.top.share(x**2, lambda: of_items() ** 2)
        place = self._float(positions(x) - one.start)
        place = place / self._float(ops.maximum(one.size - 1, 1))
        above = ops.cumsum(x, axis=-1) - x - one.before
        pairs = one.total * one.mean - squares.mean
        return one.mean, above * one.mean + place * pairs

    @remembered("gain")
    def _shared(self) -> Shared:
        """Return the gains, shared among tied items."""
        items, gain = self.items, self.gain
        return self.top.share(self._gains(), lambda: items.gains(gain))


def _at(indices: Tensor, x: Tensor | None) -> Tensor | None:
    return None if x is None else ops.take_along_axis(x, indices, axis=-1)
