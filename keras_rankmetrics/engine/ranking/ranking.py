"""The public `Ranking` that a measure receives."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import NamedTuple, Self

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.ranking.exposure import Placed
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.pairs import Pairs
from keras_rankmetrics.engine.ranking.ranked import Cutoff, Ranked
from keras_rankmetrics.engine.ranking.stopping import chances_to_stop
from keras_rankmetrics.engine.ranking.subtopics import Subtopics
from keras_rankmetrics.engine.ranking.sums import positions
from keras_rankmetrics.types import RankDiscountFn, Tensor, TiePolicy

# `Ranking`: what stands where in each list, as a row of entries.


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranking(Ranked):
    """The retrieved items of each list, best first, as a row of entries.

    An entry is a rank, or an item of which nothing is known but its tie group.
    Either way the methods return expectations over all orders of tied items,
    and what entries hold within rank `k` adds up to what the list holds there.

    Attributes:
        subtopics: makes the ranking for each subtopic, None without them. The
            others are those of `Ranked`.

    A measure gets one from the package:

    >>> import keras_rankmetrics as krm
    >>> class Hits(krm.RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         return ranking.hits(k)
    >>> float(Hits(k=2)([[1, 0, 1]], [[0.9, 0.8, 0.7]]))
    1.0
    """

    subtopics: Callable[[], Subtopics] | None = None

    def as_binary(self) -> Self:
        """The same ranking where what is worth anything is worth 1."""
        return self.judged_by(self.gain.as_binary(), self.k)

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

    # What a list holds, `[lists]`.

    def overall(self) -> Tensor:
        """The gains of all items, retrieved or not."""
        return self.items.sum(self.gain)

    def highest_gain(self) -> Tensor:
        """Return the highest gain of the items, retrieved or not."""
        return self.items.highest_gain(self.gain)

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

    def place(self) -> tuple[Tensor, Tensor]:
        """Where the item with a gain stands, of lists that have only one.

        It is equally likely to be at each of as many ranks as the second
        number says, 0 if it is not retrieved; the first one says how many items
        stand above all of these. Of whole lists.
        """
        placed = self._placed()
        found = placed.gains > 0
        return (
            ops.sum(ops.where(found, placed.start, 0), axis=-1),
            ops.sum(ops.where(found, placed.size, 0), axis=-1),
        )

    def others_above(self, most: Tensor | None = None) -> Tensor:
        """How many items without a gain stand above each that has, added up.

        Of whole lists, and for gains of 0 and 1.

        Args:
            most: `[lists]`, above each no more than so many are counted.
        """
        placed = self._placed()
        return ops.sum(placed.gains * placed.others_above(most), axis=-1)

    @remembered("gain")
    def pairs(self) -> Pairs:
        """The pairs of a higher and a lower gain, the lower one retrieved.

        What is not retrieved stands below all that is. Of whole lists, each as
        a single pair of items, whatever the difference of their gains.
        """
        return self._pairs()

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

    @abc.abstractmethod
    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Hits and gains at the rank of an item with a gain, 0 beyond `k`.

        (hits + β gains) / (i + β gains of the best order) at its rank i, of
        all that stands down to it. With β = 0 it is the precision.
        """

    # Expectations that are no sum over entries, `[lists]`.

    def at_first_hit(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` at the rank of the first item with a gain.

        0 where no such item is within rank `k`.
        """
        return self.as_binary()._at_first_hit(value, k)

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

    def _pairs(self) -> Pairs:
        """`pairs`, where all that has a gain has the same."""
        ones = self.as_binary()
        others = ones.others()
        every = ones.overall() * others
        wrong = ones.others_above() + ones.missed() * others
        return Pairs(every - wrong, every)

    def _per_hit(self, precisions: Tensor, k: Cutoff) -> Tensor:
        """`precision_per_hit`, from the weighted precisions of the entries."""
        precisions = ops.sum(precisions, axis=-1)
        return ops.divide_no_nan(precisions, self.hits(k))

    @remembered()
    def _retrieved(self) -> Tensor:
        return self._float(self.count_retrieved())


def within(x: Tensor, cutoff: int | Tensor) -> Tensor:
    """`x`, `[lists, ranks]`, as far as the cutoff.

    What is beyond is cut off, or 0 where lists have cutoffs of their own.
    """
    if isinstance(cutoff, int):
        return x[:, :cutoff]
    return ops.where(positions(x) < cutoff, x, 0)


# `Order`: how the items of a list are to be ordered, and how far down.


class Order(NamedTuple):
    """How lists are to be ranked.

    Attributes:
        k: how many ranks count, or None for all.
        ties: what becomes of items of equal score.
        seed: for `ties="shuffle"`.
        draw: the number of the draw, for `ties="shuffle"`.
    """

    k: int | None
    ties: TiePolicy = "average"
    seed: int = 0
    draw: Tensor | int = 0
