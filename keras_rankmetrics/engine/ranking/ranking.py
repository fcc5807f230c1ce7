"""The public `Ranking` that a measure receives."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, Self, TypeAlias, TypeVar

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import MANY, cond
from keras_rankmetrics.engine.ranking import probabilities
from keras_rankmetrics.engine.ranking.counting import Pairs, positions
from keras_rankmetrics.engine.ranking.exposure import (
    Exposure,
    GroupedGains,
    GroupedItems,
    ItemNumbers,
    Shown,
)
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.relevance import (
    Memo,
    Relevance,
    remembered,
)
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.top import at_most
from keras_rankmetrics.engine.ranking.two_rankings import TwoRankings
from keras_rankmetrics.gains import SHARED_DISCOUNTS, reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor

T = TypeVar("T")

# The number of ranks that count, for all lists or `[lists]`. None for as many
# as the ranking was made for, which is also the most.
Cutoff: TypeAlias = int | Tensor | None


class Content(abc.ABC):
    """The items of lists and their scores or ranks, in one form of input."""

    @abc.abstractmethod
    def ranked(self, order: Order) -> Ranking:
        """Return the ranking of the items."""

    @abc.abstractmethod
    def all_tied(self) -> Content:
        """Return the same items with equal scores for all retrieved ones."""

    def relevant(self, gain: Relevance) -> tuple[ItemNumbers, Tensor]:
        """Return the items that may have a gain and their gains.

        Raises:
            ValueError: if the items have no numbers.
        """
        raise _no_items()

    def exposure(self, order: Order) -> Exposure:
        """Return the items by their ranks.

        Raises:
            ValueError: if the items have no numbers.
        """
        raise _no_items()

    def outside_catalogue(self, items: int) -> Tensor | bool:
        """Return True for lists that do not fit a catalogue, bool `[lists]`.

        A bool if it holds for all lists, whatever their values.

        Args:
            items: the number of items in the catalogue.

        Raises:
            ValueError: if the items have no numbers.
        """
        raise _no_items()

    def hidden(self) -> Tensor | None:
        """Return True for relevant items that cannot be retrieved, bool.

        They are excluded, or their score is the lowest. None if there are none.
        """
        return None

    def describe_items(self) -> str:
        """Return a description of the items received, for errors."""
        return "no items"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranking(abc.ABC):
    """The retrieved items of each list, best first, as a row of entries.

    An entry is a rank, or an item of which only the tie group is known. In both
    cases the methods return expectations over all orders of tied items, and the
    values of the entries within rank `k` add up to the value of the list.

    Attributes:
        content: the input that is ranked.
        order: the options with which it is ranked.
        items: all items, retrieved or not.
        k: the number of ranks that count, or None for all.
        depth: the number of ranks that are computed.
        gain: the gain of each label.

    A measure receives one from the package:

    >>> import keras_rankmetrics as krm
    >>> class Hits(krm.RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         return ranking.hits(k)
    >>> float(Hits(k=2)([[1, 0, 1]], [[0.9, 0.8, 0.7]]))
    1.0

    Stability: stable.
    """

    content: Content
    order: Order
    items: Items
    k: int | None
    depth: int | Tensor
    gain: Relevance = dataclasses.field(default_factory=Relevance)
    _memo: Memo = dataclasses.field(default_factory=Memo)

    @property
    def strict(self) -> bool:
        """True if tied items have an order, instead of a mean over all."""
        return self.order.ties != "average"

    # The same items, ranked or judged differently.

    def with_gain(self, gain: Relevance, k: int | None) -> Self:
        """Return the same ranking with another gain and cutoff.

        Results that depend on neither, or were computed before, are shared. The
        ranking must have been made for `k` or more ranks.
        """
        return dataclasses.replace(self, gain=gain, k=k)

    def as_binary(self) -> Self:
        """Return the same ranking with gain 1 for every gain above 0."""
        return self.with_gain(self.gain.as_binary(), self.k)

    def by_chance(self) -> Ranking:
        """Return the ranking of the same items with all retrieved ones tied.

        Its values are the means over all their orders.
        """
        return self._all_tied().with_gain(self.gain, self.k)

    def by_subtopic(self) -> Subtopics:
        """Return the same lists, once for each subtopic.

        Raises:
            ValueError: if the labels are not those of subtopics.
        """
        raise ValueError(
            "A measure of subtopics needs labels of subtopics. Received: "
            'labels of items. Set `reads = "subtopics"` in the class.'
        )

    def against_reference(self) -> TwoRankings:
        """Return the ranking together with the reference in `y_true`.

        Raises:
            ValueError: if `y_true` was not read as a ranking.
        """
        raise ValueError(
            "A measure of two rankings needs reference scores. Received: "
            'labels of items. Set `reads = "two_rankings"` in the class.'
        )

    def logged(self) -> tuple[Tensor, Tensor | None]:
        """Return the clicks and what was logged, `[lists, items]`.

        In the input order of the items. Clicks are below 0 for padding; the
        second is None if nothing was logged.

        Raises:
            ValueError: if the input has no scores.
        """
        raise _needs_scores()

    def with_item_weights(self, weights: Tensor) -> Ranking:
        """Return the same ranking with other weights of items.

        Args:
            weights: `[lists, items]`, in the input order of the items.

        Raises:
            ValueError: if the input has no scores.
        """
        raise _needs_scores()

    # Values of a list, `[lists]`.

    def overall(self) -> Tensor:
        """Return the sum of the gains of all items, retrieved or not."""
        return self.items.sum(self.gain)

    def highest_gain(self) -> Tensor:
        """Return the highest gain of the items, retrieved or not."""
        return self.items.highest_gain(self.gain)

    def has_gain(self) -> Tensor:
        """Return True if an item has a gain, retrieved or not, bool."""
        return self.items.has_gain(self.gain)

    @remembered("gain")
    def others(self) -> Tensor:
        """Return the number of retrieved items without a gain, at any rank."""
        return self._float(self._count_others())

    def all_others(self) -> Tensor:
        """Return the number of items without a gain, retrieved or not.

        Items that are not retrieved count if they have a label. Ids of relevant
        items do not show them.
        """
        unlabelled = self._float(self.items.others(self.gain))
        return ops.maximum(unlabelled, self.others())

    @property
    def retrieved(self) -> Tensor:
        """The number of retrieved items within rank `k`."""
        count = self._retrieved()
        return count if self.k is None else ops.minimum(count, self.k)

    def mean_weight(self) -> Tensor:
        """Return the mean weight of all items, by their gains: Σ w g / Σ g."""
        return self.items.mean_weight(self.gain)

    def missed(self) -> Tensor:
        """Return the sum of the gains of items that are not retrieved.

        For whole lists, without a cutoff.
        """
        return self.overall() - ops.sum(self._grouped_gains().gains, axis=-1)

    def ranks(self) -> Tensor:
        """Return the sum of gain times rank of the retrieved items, Σ g rank.

        For whole lists, without a cutoff.
        """
        placed = self._grouped_gains()
        middle = placed.start + (placed.size + 1.0) / 2.0
        return ops.sum(placed.gains * middle, axis=-1)

    def place(self) -> tuple[Tensor, Tensor]:
        """Return the ranks of the only item with a gain, as (start, size).

        The item is equally likely to be at each rank from `start + 1` to
        `start + size`; `size` is 0 if it is not retrieved. For whole lists with
        a single such item, without a cutoff.
        """
        placed = self._grouped_gains()
        found = placed.gains > 0
        return (
            ops.sum(ops.where(found, placed.start, 0), axis=-1),
            ops.sum(ops.where(found, placed.size, 0), axis=-1),
        )

    def others_above(self, most: Tensor | None = None) -> Tensor:
        """Return the number of pairs with an item without a gain ranked above.

        These are the items without a gain above each item with one, summed over
        the latter. For whole lists and gains of 0 and 1.

        Args:
            most: `[lists]`, at most so many are counted above each item.
        """
        placed = self._grouped_gains()
        above = placed.start - placed.hits_above
        tied = placed.size - placed.hits
        # 0, 1, ... or all of the tied ones are equally likely to be above.
        if most is None:
            found = above + tied / 2.0
        else:
            most = most[:, None]
            room = ops.clip(most - above, 0.0, tied)
            ways = room * (2.0 * tied - room + 1.0) / 2.0
            found = ops.minimum(above, most) + ways / (tied + 1.0)
        return ops.sum(placed.gains * found, axis=-1)

    def all_within(self, k: int | None) -> Tensor:
        """Return the probability that all items with a gain are within rank k.

        For whole lists and gains of 0 and 1.
        """
        placed = self._grouped_gains()
        room = (float("inf") if k is None else float(k)) - placed.start
        is_out = (placed.gains > 0) & (room <= 0)
        # Of the tied items that the cutoff divides, j with a gain are placed
        # already: the next one is within it at (room - j) of (size - j) ranks.
        divided = (placed.gains > 0) & (room > 0) & (room < placed.size)
        inside = ops.where(divided, placed.gains, 0)
        before = ops.cumsum(inside, axis=-1) - inside
        odds = ops.divide_no_nan(
            ops.where(divided, ops.maximum(room - before, 0.0), 0),
            placed.size - before,
        )
        odds = ops.prod(ops.where(divided, odds, 1.0), axis=-1)
        fails = ops.any(is_out, axis=-1) | (self.missed() > 0)
        return ops.where(fails, 0.0, odds)

    def exponential(self, rate: Tensor, others: Tensor) -> Tensor:
        """Return Σ g exp(-rate · (rank - 1)), above that of the worst order.

        For whole lists, without a cutoff, and gains of 0 and 1.

        Args:
            rate: `[lists]`, above 0.
            others: `[lists]`, the number of items without a gain.
        """
        placed, rate = self._grouped_gains(), rate[:, None]
        tied = placed.size - placed.hits  # others, as those below
        below = others[:, None] - placed.start + placed.hits_above

        def share(ranks: Tensor | float) -> Tensor:
            """Return the share of the next ranks in the sum over all."""
            return -ops.expm1(-rate * ranks)

        # The difference of both sums, whose digits would cancel.
        gap = share(below) - ops.divide_no_nan(tied, placed.size)
        found = ops.divide_no_nan(gap * share(placed.hits), placed.hits)
        passed = share(tied) * ops.exp(-rate * placed.hits)
        found = found + ops.divide_no_nan(passed, placed.size)
        start = ops.exp(-rate * placed.start) / share(1.0)
        return ops.sum(placed.gains * start * found, axis=-1)

    @remembered("gain")
    def pairs(self) -> Pairs:
        """Return the pairs of a higher and a lower gain, the lower retrieved.

        Items that are not retrieved are below all that are. Each pair counts
        the same, whatever the difference of its gains. For whole lists, without
        a cutoff.
        """
        # Valid if all gains above 0 are equal.
        ones = self.as_binary()
        others = ones.others()
        every = ones.overall() * others
        wrong = ones.others_above() + ones.missed() * others
        return Pairs(every - wrong, every)

    @abc.abstractmethod
    def hits(self, k: Cutoff = None) -> Tensor:
        """Return the sum of the gains within rank `k`."""

    # Values of an entry, `[lists, entries]`.

    @abc.abstractmethod
    def total(self) -> Tensor:
        """Return the gain of the entry; its `share` is within rank `k`."""

    @abc.abstractmethod
    def weighted_total(self) -> Tensor:
        """Return the gain of the entry times the weight of its item."""

    @abc.abstractmethod
    def share(self, k: Cutoff = None) -> Tensor:
        """Return the share of the entry within rank `k`, from 0 to 1."""

    @abc.abstractmethod
    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return the mean of `value(rank)` over the entry's ranks.

        Ranks beyond `k` count as 0.
        """

    @abc.abstractmethod
    def precision(self, k: Cutoff = None) -> Tensor:
        """Return the precision at the entry, given that it is relevant.

        0 beyond rank `k`. For gains of 0 and 1.
        """

    @abc.abstractmethod
    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Return the blended ratio at the entry, given that it has a gain.

        At its rank i that is (hits + β gains) / (i + β gains of the best
        order), each summed down to rank i. 0 beyond rank `k`. With β = 0 it is
        the precision.
        """

    # Expectations that are not a sum over entries, `[lists]`.

    def at_first_hit(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return `value(rank)` at the rank of the first item with a gain.

        0 if there is no such item within rank `k`.
        """
        return self.as_binary()._at_first_hit(value, k)

    @abc.abstractmethod
    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return the expected `value(rank)` at the rank where the user stops.

        The user looks at one item after the other, and stops at it with its
        gain as the probability; 0 beyond rank `k`. For gains from 0 to 1.
        """

    def precision_per_hit(self, k: Cutoff = None) -> Tensor:
        """Return the weighted precisions at hits over the number of hits.

        Σ w P@i over the relevant ranks i <= k, divided by their number; 0 if
        there are none. For gains of 0 and 1.
        """
        weighted = self.weighted_total()
        return self._mean_over_hits(
            weighted,
            weighted * self.precision(k),
            k,
            probabilities.precisions_in_group,
        )

    def reciprocal_rank_per_hit(self, k: Cutoff = None) -> Tensor:
        """Return the mean of 1 / rank over the hits; 0 if there are none.

        For gains of 0 and 1.
        """
        hits = self.total()
        return self._mean_over_hits(
            hits,
            hits * self.discount(reciprocal_discount, k),
            k,
            probabilities.reciprocals_in_group,
        )

    def _mean_over_hits(
        self,
        weighted: Tensor,
        values: Tensor,
        k: Cutoff,
        in_group: Callable[..., Tensor],
    ) -> Tensor:
        """Return the sum of values at hits over the number of hits."""
        certain = ops.divide_no_nan(ops.sum(values, axis=-1), self.hits(k))
        groups = self._tie_groups()
        if groups is None:
            return certain
        return probabilities.mean_over_hits(
            certain,
            self.total(),
            weighted,
            values,
            groups,
            self._column(k),
            self._width,
            in_group,
        )

    # Expectations over labellings, `[lists]`, for gains that are independent
    # probabilities of relevance. They are also means over the orders of ties.

    def expected_sum_over_best(
        self, value: RankDiscountFn, k: Cutoff = None
    ) -> Tensor:
        """Return the expected sum over relevant items over its highest value.

        E[Σ value(rank) / Σ_{i <= min(k, R)} value(i)], where the first sum is
        over the relevant items within rank `k`, and R is the number of relevant
        items. 0 if there are none.

        Raises:
            ValueError: if the input has no scores, as for the next ones.
        """
        raise _needs_scores()

    def expected_recall(self, k: Cutoff = None) -> Tensor:
        """Return E[relevant items within rank `k` / all relevant items]."""
        raise _needs_scores()

    def expected_average_precision(self, k: Cutoff = None) -> Tensor:
        """Return E[Σ precision(rank) over relevant ranks up to `k` / R]."""
        raise _needs_scores()

    def expected_r_precision(self) -> Tensor:
        """Return E[relevant items at ranks 1..R / R], for whole lists."""
        raise _needs_scores()

    # The best order, `[lists, ranks]`.

    def best(self, k: Cutoff = None) -> Tensor:
        """Return the weighted gains of all items in their best order."""
        return within(self.items.best(self.gain), self._column(k))

    def best_at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return `at_stop` of the best order of all items, `[lists]`."""
        best = self.items.best_gains(self.gain)
        stops = probabilities.stop_probabilities(best)
        return self.discounted(stops, value, k)

    def discounted(
        self, gains: Tensor, discount: RankDiscountFn, k: Cutoff = None
    ) -> Tensor:
        """Return the sum of gains times discounts over ranks 1 to k, `[lists]`.

        Args:
            gains: `[lists, ranks]`.
            discount: a function of the rank.
            k: the cutoff.
        """
        gains = within(gains, self._column(k))
        values = self._values(discount, ops.shape(gains)[-1])
        return ops.sum(gains * values, axis=-1)

    def best_of_retrieved(self, k: int | None = None) -> Tensor:
        """Return the weighted gains within rank `k` in their best order.

        Raises:
            ValueError: if ties are averaged: the items within rank `k` would be
                uncertain.
        """
        if not self.strict:
            raise ValueError(
                "`best_of_retrieved` needs a ranking without ties, since a "
                "group of tied items may extend beyond the cutoff. Received: "
                'a ranking with `ties="average"`. Give the metric another '
                '`ties`, such as "stable".'
            )
        gains = self.weighted_total() * self.share(k)
        return highest(gains, ops.shape(gains)[-1])

    # The items by their numbers.

    def shown(self, sum_of: Callable[[Shown], T], k: Cutoff = None) -> T:
        """Return a sum over the items within rank `k`, by their numbers.

        The number of an item is its index in the scores, or its id. Each item
        is equally likely to be at each rank of its tie group:

            ranking.shown(lambda items: ops.sum(items.probability, axis=-1), k)

        Items tied with the last one within rank `k` are passed separately, in a
        branch that runs only if there are any.

        Args:
            sum_of: takes some of the items, a `Shown`, and returns a sum over
                them, or several. The results are added.
            k: the cutoff, None for all ranks.
        """
        exposure = self._exposure()
        entries = ops.shape(exposure.there)[-1]
        cutoff, gain, dtype = self._column(k), self.gain, self._dtype

        def values_of(value: RankDiscountFn) -> Tensor:
            return self._values(value, entries)

        def of(items: GroupedItems) -> T:
            return sum_of(Shown(items, cutoff, gain, values_of, dtype))

        first, rest = of(exposure.first), exposure.rest
        if rest is None:
            return first
        return cond(
            exposure.extends,
            lambda: keras.tree.map_structure(ops.add, first, of(rest())),
            lambda: first,
        )

    @remembered("k")
    def number_shown(self, k: Cutoff = None) -> Tensor:
        """Return the number of items within rank `k`, `[lists]`."""
        there, cutoff = self._exposure().there, self._column(k)
        number = ops.sum(self._float(there), axis=-1, keepdims=True)
        return ops.minimum(number, ops.cast(cutoff, number.dtype))[:, 0]

    @remembered("k")
    def shows_any(self) -> Tensor:
        """Return True for lists with an item within rank `k`."""
        return self.number_shown() > 0

    def mean_of_relevant(self, table: Any) -> Tensor:
        """Return the mean of a table over relevant items, Σ g t / Σ g.

        All relevant items count, retrieved or not; 0 if there are none.

        Args:
            table: `[items]`, the values of all items of the catalogue.
        """
        numbers, gains = self.content.relevant(self.gain)
        values = self._float(numbers.at(ops.convert_to_tensor(table)))
        return ops.divide_no_nan(
            ops.sum(gains * values, axis=-1), ops.sum(gains, axis=-1)
        )

    def sum_over_ranks(
        self, discount: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """Return the sum of discounts over ranks start + 1 to stop, `[lists]`.

        Ranks beyond `k` or beyond the number of items do not count.

        Args:
            discount: a function of the rank.
            start: `[lists]`, the number of ranks above the range.
            stop: `[lists]`, the last rank of the range.
        """
        ranks = self.k
        if ranks is None:
            entries = ops.shape(self._exposure().there)[-1]
            ranks = entries + ops.shape(self.items.labels)[-1]
        start, stop = (
            ops.minimum(ops.cast(x, "int32"), ranks) for x in (start, stop)
        )
        table = probabilities.table_of(self._values(discount, ranks))
        return probabilities.sums_over_ranks(table, start, stop)

    # For subclasses, one for each form of input.

    @abc.abstractmethod
    def _count_retrieved(self) -> Tensor:
        """Return the number of retrieved items, at least down to rank `k`."""

    @abc.abstractmethod
    def _count_others(self) -> Tensor:
        """Return the number of retrieved items without a gain, at any rank."""

    @abc.abstractmethod
    def _grouped_gains(self) -> GroupedGains:
        """Return the gains of whole lists by tie group."""

    def _tie_groups(self) -> probabilities.Group | None:
        """Return the tie group of each entry, None if there are no ties."""
        return None

    @property
    def _width(self) -> int | Tensor:
        """The number of ranks that may count."""
        return self.depth

    @abc.abstractmethod
    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """Return `at_first_hit` for gains of 0 and 1."""

    @remembered()
    def _exposure(self) -> Exposure:
        return self.content.exposure(self.order)

    @remembered()
    def _all_tied(self) -> Ranking:
        order = self.order._replace(ties="average")
        return self.content.all_tied().ranked(order)

    @remembered()
    def _retrieved(self) -> Tensor:
        return self._float(self._count_retrieved())

    @property
    def _dtype(self) -> str:
        return self.items.labels.dtype

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self._dtype)

    def _values(self, value: RankDiscountFn, ranks: int | Tensor) -> Tensor:
        """Return `value(rank)` at ranks 1, 2, 3, ..., `[ranks]`."""
        # The values are shared by all cutoffs if all lengths are concrete.
        lengths = (ranks, self.items.depth, self.depth)
        are_concrete = all(isinstance(length, int) for length in lengths)
        widest = max(lengths) if are_concrete else ranks
        return self._first_values(value, self._most(value), widest)[:ranks]

    def _most(self, value: RankDiscountFn) -> int | None:
        """Return the last rank that `value` may be called with, None for all.

        A user's function is not called with ranks beyond the metric's own `k`.
        """
        return None if value in SHARED_DISCOUNTS else self.k

    @remembered()
    def _first_values(
        self, value: RankDiscountFn, most: int | None, ranks: int | Tensor
    ) -> Tensor:
        ranks = ops.arange(1, ranks + 1, dtype=self._dtype)
        if most is not None:
            ranks = ops.minimum(ranks, most)
        return ops.ones_like(ranks) * value(ranks)

    def _column(self, k: Cutoff) -> int | Tensor:
        """Return a cutoff that broadcasts to `[lists, entries]`."""
        most = MANY if self.k is None else self.k
        if k is None:
            return most
        if isinstance(k, int):
            return max(min(k, most), 0)
        return ops.minimum(ops.cast(k, "int32"), most)[:, None]


def _no_items() -> ValueError:
    return ValueError(
        "A measure that depends on which items are ranked needs scores or ids. "
        "Received: only the ranks of the relevant items."
    )


def _needs_scores() -> ValueError:
    return ValueError(
        "The measure needs a score and a label, a probability or clicks for "
        'each item. Received: ids or counts. Use `inputs="scores"`.'
    )


def within(x: Tensor, cutoff: int | Tensor) -> Tensor:
    """Return `x`, `[lists, ranks]`, within the cutoff.

    Ranks beyond an int are cut off. If lists have their own cutoffs, they are
    set to 0.
    """
    if isinstance(cutoff, int):
        return x[:, :cutoff]
    return ops.where(positions(x) < cutoff, x, 0)


@dataclasses.dataclass(frozen=True)
class Subtopics:
    """The lists, ranked once for each of their subtopics.

    An item is at the same rank in each, with a label per subtopic.

    Attributes:
        number: the number of subtopics, including padding.
        rows: the ranking of `[lists * subtopics]` lists.

    A measure calls `Ranking.by_subtopic`; its class declares it:

    >>> import keras_rankmetrics as krm
    >>> class MeanHits(krm.RankingMetric):
    ...     reads = "subtopics"
    ...
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         each = ranking.by_subtopic()
    ...         return each.mean(each.rows.hits(k))
    >>> float(MeanHits(k=2)([[[1, 0], [1, 0], [0, 1]]], [[0.9, 0.8, 0.7]]))
    1.0
    """

    number: int | Tensor
    rows: Ranking

    def total(self, values: Tensor) -> Tensor:
        """Return the sum over the subtopics, `[lists]`."""
        return ops.sum(ops.reshape(values, (-1, self.number)), axis=-1)

    def mean(self, values: Tensor) -> Tensor:
        """Return the mean over subtopics that have a gain, `[lists]`.

        The values of other subtopics must be 0.
        """
        found = ops.cast(self.rows.has_gain(), values.dtype)
        return ops.divide_no_nan(self.total(values), self.total(found))

    def best_at_stop(self, value: RankDiscountFn, k: int | None) -> Tensor:
        """Return the total of `at_stop` in the best order, `[lists]`.

        That is a greedy order: each rank has the item that adds most to the
        probability of stopping, the first one of the input if several do.
        """
        stops = self.rows.items.gains(self.rows.gain)
        stops = ops.reshape(stops, (-1, self.number, ops.shape(stops)[-1]))
        ranks = at_most(MANY if k is None else k, ops.shape(stops)[-1])
        stops = probabilities.greedy_stop_probabilities(stops, ranks)
        return self.rows.discounted(stops, value, k)
