"""`Ranking`: what stands where in each list, as a row of entries."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import Self, TypeAlias

from keras_rankmetrics.engine.backend.known import MANY
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.selection import highest
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.kinds.stopping import chances_to_stop
from keras_rankmetrics.engine.ranking.memo import Memo, remembered
from keras_rankmetrics.engine.ranking.placed import Placed
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sorting.runs import positions
from keras_rankmetrics.engine.ranking.subtopics import Subtopics
from keras_rankmetrics.gains import SHARED_DISCOUNTS
from keras_rankmetrics.types import RankDiscountFn, Tensor

# How many ranks count: in all lists as many, or `[lists]`. None: as many as the
# ranking has been made for, which is also the most.
Cutoff: TypeAlias = int | Tensor | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranking(abc.ABC):
    """The retrieved items of each list, best first, as a row of entries.

    An entry is a rank, or an item of which nothing is known but its tie group.
    Either way the methods return expectations over all orders of tied items,
    and what entries hold within rank `k` adds up to what the list holds there.

    Attributes:
        items: all items, retrieved or not.
        count_retrieved: returns `[lists]`, how many items are retrieved, at
            least down to rank `k`.
        count_others: returns `[lists]`, how many retrieved items are worth
            nothing, at whatever rank.
        all_tied: makes the ranking of the same items where all that are
            retrieved tie.
        k: how many ranks count, or None for all.
        strict: whether items that tie have been put into an order, rather than
            averaged over all orders.
        gain: what a label is worth.
        subtopics: makes the ranking for each subtopic, None without them.
    """

    items: Items
    count_retrieved: Callable[[], Tensor]
    count_others: Callable[[Relevance], Tensor]
    all_tied: Callable[[], Ranking]
    k: int | None
    strict: bool
    gain: Relevance = dataclasses.field(default_factory=Relevance)
    subtopics: Callable[[], Subtopics] | None = None
    _memo: Memo = dataclasses.field(default_factory=Memo, compare=False)

    def judged_by(self, gain: Relevance, k: int | None) -> Self:
        """The same ranking where a label is worth `gain(label)`, to rank `k`.

        What does not depend on these, or has been asked for before, is not
        computed again. The ranking must have been made for `k` or more ranks.
        """
        return dataclasses.replace(self, gain=gain, k=k)

    def by_chance(self) -> Ranking:
        """The ranking of the same items where all that are retrieved tie.

        What is asked of it is the mean over all their orders.
        """
        return self._all_tied().judged_by(self.gain, self.k)

    @remembered()
    def _all_tied(self) -> Ranking:
        return self.all_tied()

    def by_subtopic(self) -> Subtopics:
        """The same lists, once for each subtopic.

        Raises:
            ValueError: if the labels are not those of subtopics.
        """
        return self._by_subtopic().judged_by(self.gain, self.k)

    @remembered()
    def _by_subtopic(self) -> Subtopics:
        if self.subtopics is None:
            raise ValueError(
                "A measure of subtopics needs labels of subtopics. Received: "
                "labels of items. Set `by_subtopic = True` in the class."
            )
        return self.subtopics()

    def for_measures_that_branch(self) -> Self:
        """The same ranking, which remembers no more than it does already."""
        return dataclasses.replace(
            self,
            items=self.items.for_measures_that_branch(),
            _memo=self._memo.for_reading(),
        )

    # What a list holds, `[lists]`.

    def overall(self) -> Tensor:
        """The gains of all items, retrieved or not."""
        return self.items.sum(self.gain)

    def has_gain(self) -> Tensor:
        """Whether any item has a gain, bool."""
        return self.items.has_gain(self.gain)

    @remembered("gain")
    def others(self) -> Tensor:
        """The retrieved items that have no gain, at whatever rank."""
        return self._float(self.count_others(self.gain))

    def all_others(self) -> Tensor:
        """The items that have no gain, retrieved or not.

        Those not retrieved as far as they are known: labels tell them, and ids
        of relevant items do not.
        """
        unlabelled = self._float(self.items.others(self.gain))
        return ops.maximum(unlabelled, self.others())

    @property
    def retrieved(self) -> Tensor:
        """The retrieved items within rank `k`."""
        count = self._retrieved()
        return count if self.k is None else ops.minimum(count, self.k)

    def mean_weight(self) -> Tensor:
        """The mean weight of all items, by their gains: Σ w g / Σ g."""
        return self.items.mean_weight(self.gain)

    def missed(self) -> Tensor:
        """The gains of the items that are not retrieved, of whole lists."""
        return self.overall() - ops.sum(self._placed().gains, axis=-1)

    def ranks(self) -> Tensor:
        """The ranks of all that is retrieved, times their gains: Σ g rank.

        Of whole lists.
        """
        return self._placed().ranks()

    def others_above(self, most: Tensor | None = None) -> Tensor:
        """How many items without a gain stand above each that has, added up.

        Of whole lists, and for gains of 0 and 1.

        Args:
            most: `[lists]`, above each no more than so many are counted.
        """
        return self._placed().others_above(most)

    @abc.abstractmethod
    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""

    # What an entry holds, `[lists, entries]`.

    @abc.abstractmethod
    def total(self) -> Tensor:
        """The gain that the entry holds; `share` of it is within rank `k`."""

    @abc.abstractmethod
    def weighted_total(self) -> Tensor:
        """The same, each gain times the weight of its item."""

    @abc.abstractmethod
    def share(self, k: Cutoff = None) -> Tensor:
        """The part of the entry that is within rank `k`, from 0 to 1."""

    @abc.abstractmethod
    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """The mean of `value(rank)` at the ranks of the entry, 0 beyond `k`."""

    def mean(self, discount: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Another name of `discount`."""
        return self.discount(discount, k)

    @abc.abstractmethod
    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`.

        For gains of 0 and 1.
        """

    # Expectations that are no sum over entries, `[lists]`.

    def at_first_hit(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` at the rank of the first item with a gain.

        0 where no such item is within rank `k`.
        """
        binary = self.judged_by(self.gain.as_binary(), self.k)
        return binary._at_first_hit(value, k)

    @abc.abstractmethod
    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` where a user stops, within rank `k`.

        The user looks at one item after the other, and stops at it with its
        gain as the chance. For gains from 0 to 1.
        """

    def precision_per_hit(self, k: Cutoff = None) -> Tensor:
        """The weighted precisions at the hits, over the number of hits.

        Σ w P@i over the relevant ranks i <= k, over their number; 0 where there
        is none. For gains of 0 and 1.
        """
        return self._per_hit(self.weighted_total() * self.precision(k), k)

    # Orders to compare with, `[lists, ranks]`.

    def best(self, k: Cutoff = None) -> Tensor:
        """The weighted gains of the best order of all items, to rank `k`."""
        return within(self.items.best(self.gain), self._column(k))

    def best_at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`[lists]`, what `at_stop` is in the best order of all items."""
        chances = chances_to_stop(self.items.best_gains(self.gain))
        return self.discounted(chances, value, k)

    def discounted(
        self, gains: Tensor, discount: RankDiscountFn, k: Cutoff = None
    ) -> Tensor:
        """`[lists]`, Σ of the gains at ranks 1, 2, ... k times discounts."""
        gains = within(gains, self._column(k))
        values = self._values(discount, ops.shape(gains)[-1])
        return ops.sum(gains * values, axis=-1)

    def best_of_retrieved(self, k: int | None = None) -> Tensor:
        """The weighted gains within rank `k`, in their best order.

        Raises:
            ValueError: if the ranking averages over the orders of tied items:
                which of them a cutoff lets in must be certain.
        """
        if not self.strict:
            raise ValueError(
                "`best_of_retrieved` should be asked of a ranking in which "
                "items that tie have an order: else it is not certain which of "
                'them the first ranks hold. Received: one of `ties="average"`. '
                'Give the metric another `ties`, such as "stable".'
            )
        gains = self.weighted_total() * self.share(k)
        return highest(gains, ops.shape(gains)[-1])

    # For the kinds of rankings.

    @abc.abstractmethod
    def _placed(self) -> Placed:
        """Where each item stands, of whole lists."""

    @abc.abstractmethod
    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """`at_first_hit`, of gains of 0 and 1."""

    @property
    @abc.abstractmethod
    def _lowest_rank(self) -> int | Tensor:
        """How far down values of the rank may be asked for."""

    def _per_hit(self, precisions: Tensor, k: Cutoff) -> Tensor:
        """`precision_per_hit`, from the weighted precisions of the entries."""
        precisions = ops.sum(precisions, axis=-1)
        return ops.divide_no_nan(precisions, self.hits(k))

    @remembered()
    def _retrieved(self) -> Tensor:
        return self._float(self.count_retrieved())

    @property
    def _dtype(self) -> str:
        return self.items.labels.dtype

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self._dtype)

    def _values(self, value: RankDiscountFn, ranks: int | Tensor) -> Tensor:
        """`value(rank)` of so many ranks, `[ranks]`."""
        # For all cutoffs the same values, as far as lengths are known.
        lengths = (ranks, self.items.depth, self._lowest_rank)
        if all(isinstance(length, int) for length in lengths):
            widest = max(lengths)
        else:
            widest = ranks
        return self._first_values(value, self._most(value), widest)[:ranks]

    def _most(self, value: RankDiscountFn) -> int | None:
        """The last rank at which the value may be asked for, None for all."""
        shared = any(value is discount for discount in SHARED_DISCOUNTS)
        return None if shared else self.k

    @remembered()
    def _first_values(
        self, value: RankDiscountFn, most: int | None, ranks: int | Tensor
    ) -> Tensor:
        ranks = ops.arange(1, ranks + 1, dtype=self._dtype)
        if most is not None:
            ranks = ops.minimum(ranks, most)
        return ops.ones_like(ranks) * value(ranks)

    def _column(self, k: Cutoff) -> int | Tensor:
        """A cutoff that broadcasts against `[lists, entries]`."""
        most = MANY if self.k is None else self.k
        if k is None:
            return most
        if isinstance(k, int):
            return max(min(k, most), 0)
        return ops.minimum(ops.cast(k, "int32"), most)[:, None]


def within(x: Tensor, cutoff: int | Tensor) -> Tensor:
    """`x`, `[lists, ranks]`, as far as the cutoff.

    What is beyond is cut off, or 0 where lists have cutoffs of their own.
    """
    if isinstance(cutoff, int):
        return x[:, :cutoff]
    return ops.where(positions(x) < cutoff, x, 0)
