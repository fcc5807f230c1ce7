"""`ListRanking`: a ranking whose entries are ranks, each with its item."""

from __future__ import annotations

import abc
import dataclasses

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.ranking.counting import (
    ItemsInOrder,
    Pairs,
    pairs_of,
)
from keras_rankmetrics.engine.ranking.exposure import GroupedGains
from keras_rankmetrics.engine.ranking.probabilities import (
    running_sums,
    stop_probabilities,
)
from keras_rankmetrics.engine.ranking.ranking import Cutoff, Ranking, within
from keras_rankmetrics.engine.ranking.relevance import Relevance, remembered
from keras_rankmetrics.engine.ranking.top import Shared, at_most
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class ListRanking(Ranking):
    """A ranking whose entries are the ranks 1, 2, 3, ..., down to rank `k`.

    Results are computed and cached down to the largest `k` that the ranking was
    made for.

    Attributes:
        weights: `[lists, entries]`, or None for equal weights.
        there: bool `[lists, entries]`, True where an item is retrieved, or None
            if all are.
    """

    weights: Tensor | None = None
    there: Tensor | None = None

    @abc.abstractmethod
    def _gains_in_order(self, gain: Relevance) -> Tensor:
        """Return the gain of the item at each rank, `[lists, entries]`.

        Tied items may be in any order.
        """

    @remembered("gain", "k")
    def hits(self, k: Cutoff = None) -> Tensor:
        """Return the sum of the gains within rank `k`."""
        return ops.sum(self._within(k, self.total()), axis=-1)

    @remembered("gain", "k")
    def total(self) -> Tensor:
        """Return the expected gain at the rank."""
        return self._within(None, self._gains())

    def weighted_total(self) -> Tensor:
        """Return the expected gain times weight at the rank."""
        if self.weights is None:
            return self.total()
        return self._within(None, self._weighted())

    def share(self, k: Cutoff = None) -> Tensor:
        """Return 1 where an item is within rank `k`, else 0."""
        return self._of_each_list(self._float(self._above() < self._column(k)))

    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return `value(rank)`, 0 beyond rank `k` or without an item."""
        return self._of_each_list(self._at_ranks(value, k))

    def precision(self, k: Cutoff = None) -> Tensor:
        """Return the precision at the rank, given that it is relevant."""
        hits = self._within(None, self._hits_if_hit())
        return hits * self.discount(reciprocal_discount, k)

    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Return the blended ratio at the rank, given that it has a gain."""
        hits, gains = (
            self._within(None, x._hits_if_hit())
            for x in (self.as_binary(), self)
        )
        best = self._float(self._above() + 1) + beta * self._best_so_far()
        return (hits + beta * gains) / best * self.share(k)

    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return the expected `value(rank)` where the user stops."""
        stops = self._within(None, self._stop_probabilities())
        return ops.sum(stops * self._at_ranks(value, k), axis=-1)

    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        above, found = self._above(), self.total() > 0
        first = ops.min(ops.where(found, above, MANY), axis=-1, keepdims=True)
        is_first = found & (above == first)
        return self._value_at(is_first, self._at_ranks(value, k))

    def _value_at(self, first: Tensor, values: Tensor) -> Tensor:
        """Return the value at the first hit from those at all ranks."""
        return ops.sum(ops.where(first, values, 0), axis=-1)

    @remembered("gain")
    def _grouped_gains(self) -> GroupedGains:
        shared = self._shared()
        return GroupedGains(
            self._gains(),
            self._float(shared.start),
            self._float(shared.size),
            self._hits_above_group(),
            shared.total,
        )

    @remembered("gain")
    def _hits_above_group(self) -> Tensor:
        """Return the sum of the gains above the tie group of each rank."""
        hits = self._gains()
        return self._running(hits) - hits - self._shared().before

    @remembered("gain")
    def pairs(self) -> Pairs:
        """Return the pairs of different gains, the lower one retrieved."""
        if not self.items.has_others:
            return super().pairs()
        gains, shared = self._gains_in_order(self.gain), self._shared()
        there = shared.size > 0 if self.there is None else self.there
        pairs = pairs_of(ItemsInOrder(gains, there, shared.start, shared.size))
        label = self.gain.of_unseen(self.items.highest)
        below = self._float(there & (gains < label[:, None]))
        missed = self.items.unseen(self.gain) * ops.sum(below, axis=-1)
        return pairs._replace(every=pairs.every + missed)

    # Down to the largest `k` that the ranking was made for.

    @remembered("gain")
    def _gains(self) -> Tensor:
        """Return the gain of the item at each rank, 0 without an item."""
        gains = self._gains_in_order(self.gain)
        return gains if self.there is None else ops.where(self.there, gains, 0)

    @remembered("gain")
    def _shared(self) -> Shared:
        """Return the gains, shared among tied items."""
        return Shared.alone(self._gains(), self._above())

    @remembered("gain")
    def _weighted(self) -> Tensor:
        """Return the gain times the weight at each rank."""
        gains = self._gains()
        return ops.where(gains > 0, self.weights * gains, 0)

    @remembered("gain")
    def _hits_if_hit(self) -> Tensor:
        """Return the gains down to each rank, given that it has a gain."""
        return self._running(self._gains())

    @remembered("gain", "k")
    def _best_so_far(self) -> Tensor:
        """Return the gains down to each rank in the best order of all items."""
        best = self.items.best_gains(self.gain)[:, : self._width]
        missing = self._width - ops.shape(best)[-1]
        return self._running(ops.pad(best, [[0, 0], [0, missing]]))

    @remembered("gain")
    def _stop_probabilities(self) -> Tensor:
        """Return the probability of reaching each rank and stopping there."""
        return stop_probabilities(self._gains())

    def _running(self, gains: Tensor) -> Tensor:
        """Return the sums of the gains down to each entry."""
        whole = self.gain.is_binary
        return ops.cumsum(gains, axis=-1) if whole else running_sums(gains)

    # The ranks of the entries.

    @property
    def _width(self) -> int | Tensor:
        """The number of entries that may count."""
        return self.depth if self.k is None else at_most(self.k, self.depth)

    def _above(self) -> Tensor:
        """Return the number of items above, one row if equal in all lists."""
        return ops.arange(self._width, dtype="int32")[None]

    def _within(self, k: Cutoff, x: Tensor) -> Tensor:
        """Return the values `x` of entries within rank `k`, for sums."""
        return within(x, self._column(k))

    def _at_ranks(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """Return `value(rank)`, 0 beyond `k`; one row if equal in all lists."""
        cutoff = self._column(k)
        values = self._values(value, self._width)
        if isinstance(cutoff, int) and cutoff == self._column(None):
            return values[None]
        return ops.where(self._above() < cutoff, values, 0)

    def _of_each_list(self, x: Tensor) -> Tensor:
        """Return `x` as `[lists, entries]`, 0 where no item is retrieved."""
        if self.there is None:
            lists = ops.shape(self.items.highest)[0]
            return ops.broadcast_to(x, (lists, self._width))
        return ops.where(within(self.there, self._column(None)), x, 0)
