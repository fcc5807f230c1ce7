"""`Ranks`: a ranking whose entries are ranks, each with its item."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from keras_rankmetrics.engine.backend.compensated_sums import running_sums
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.ranking.cutoffs import at_most
from keras_rankmetrics.engine.ranking.exposure import Placed
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.pairs import InOrder, Pairs, pairs_of
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.engine.ranking.ranking import Ranking, within
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.stopping import chances_to_stop
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranks(Ranking):
    """The entries are the ranks 1, 2, 3, ..., and hold what their items do.

    They end at rank `k`. What is asked of them is computed to the largest `k`
    that the ranking has been made for, and remembered.

    Attributes:
        entries: how many there are.
        gains_in_order: `(items, gain)` to what the item at each rank is worth,
            `[lists, entries]`; in any order where items tie.
        weights: `[lists, entries]`, or None where all items weigh the same.
        there: bool `[lists, entries]`, whether an item is retrieved there, or
            None if everywhere.
    """

    entries: int | Tensor
    gains_in_order: Callable[[Items, Relevance], Tensor]
    weights: Tensor | None = None
    there: Tensor | None = None

    @property
    def retrieved(self) -> Tensor:
        """The retrieved items within rank `k`."""
        if self.there is None:
            return ops.full_like(self.items.highest, self._width)
        return super().retrieved

    @remembered("gain", "k")
    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""
        return ops.sum(self._within(k, self.total()), axis=-1)

    @remembered("gain", "k")
    def total(self) -> Tensor:
        """The gain expected at the rank."""
        return self._within(None, self._held())

    def weighted_total(self) -> Tensor:
        """The same, each gain times the weight of its item."""
        if self.weights is None:
            return self.total()
        return self._within(None, self._weighted())

    def share(self, k: Cutoff = None) -> Tensor:
        """1 where an item is within rank `k`, else 0."""
        return self._of_each_list(self._float(self._above() < self._column(k)))

    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)`, 0 beyond rank `k` or without an item."""
        return self._of_each_list(self._at_ranks(value, k))

    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`."""
        hits = self._within(None, self._hits_if_hit())
        return hits * self.discount(reciprocal_discount, k)

    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Hits and gains at the rank of an item with a gain, 0 beyond `k`."""
        hits, gains = (
            self._within(None, x._hits_if_hit())
            for x in (self.as_binary(), self)
        )
        best = self._float(self._above() + 1) + beta * self._best_so_far()
        return (hits + beta * gains) / best * self.share(k)

    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` where a user stops, within rank `k`."""
        chances = self._within(None, self._chances_to_stop())
        return ops.sum(chances * self._at_ranks(value, k), axis=-1)

    # The parts of the above.

    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        above, found = self._above(), self.total() > 0
        first = ops.min(ops.where(found, above, MANY), axis=-1, keepdims=True)
        return self._value_at(
            found & (above == first), self._at_ranks(value, k)
        )

    def _value_at(self, first: Tensor, values: Tensor) -> Tensor:
        """`[lists]`, the value at the first hit, from that at all ranks."""
        return ops.sum(ops.where(first, values, 0), axis=-1)

    @remembered("gain")
    def _placed(self) -> Placed:
        hits = self._gains()
        return Placed(
            hits,
            self._float(self._above()),
            ops.ones_like(hits),
            self._running(hits) - hits,
            hits,
        )

    def _pairs(self) -> Pairs:
        if not self.items.has_others:
            return super()._pairs()
        row = self._row()
        pairs, label = pairs_of(row), self.gain.of_unseen(self.items.highest)
        below = self._float(row.there & (row.labels < label[:, None]))
        missed = self.items.unseen(self.gain) * ops.sum(below, axis=-1)
        return pairs._replace(every=pairs.every + missed)

    def _row(self) -> InOrder:
        gains = self.gains_in_order(self.items, self.gain)
        there, one = self.there, ops.ones_like(gains, dtype="int32")
        return InOrder(
            gains,
            one > 0 if there is None else there,
            one * self._above(),
            one,
        )

    # As far as the ranking has been made for.

    def _held(self) -> Tensor:
        """The gain expected at the rank."""
        return self._gains()

    @remembered("gain")
    def _gains(self) -> Tensor:
        """What the item at each rank is worth, 0 where there is none."""
        gains = self.gains_in_order(self.items, self.gain)
        return gains if self.there is None else ops.where(self.there, gains, 0)

    @remembered("gain")
    def _weighted(self) -> Tensor:
        """The same, times the weights."""
        gains = self._gains()
        return ops.where(gains > 0, self.weights * gains, 0)

    @remembered("gain")
    def _hits_if_hit(self) -> Tensor:
        """The gains down to each rank, if an item with a gain is at it."""
        return self._running(self._gains())

    @remembered("gain", "k")
    def _best_so_far(self) -> Tensor:
        """The gains down to each rank in the best order of all items."""
        best = self.items.best_gains(self.gain)[:, : self._width]
        missing = self._width - ops.shape(best)[-1]
        return self._running(ops.pad(best, [[0, 0], [0, missing]]))

    @remembered("gain")
    def _chances_to_stop(self) -> Tensor:
        """The chance to come to each rank, and to stop there."""
        return chances_to_stop(self._gains())

    def _running(self, gains: Tensor) -> Tensor:
        """The sums of the gains down to each entry."""
        whole = self.gain.is_binary
        return ops.cumsum(gains, axis=-1) if whole else running_sums(gains)

    # Where the ranks are.

    @property
    def _width(self) -> int | Tensor:
        """How many entries there are that may count."""
        return self.entries if self.k is None else at_most(self.k, self.entries)

    @property
    def _lowest_rank(self) -> int | Tensor:
        return self.entries

    def _above(self) -> Tensor:
        """How many items stand above; one row if as many in all lists."""
        return ops.arange(self._width, dtype="int32")[None]

    def _within(self, k: Cutoff, x: Tensor) -> Tensor:
        """Of what entries hold, `x`, that within rank `k`; for sums."""
        return within(x, self._column(k))

    def _at_ranks(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """`value(rank)`, 0 beyond rank `k`; one row where all are the same."""
        cutoff = self._column(k)
        values = self._values(value, self._width)
        if isinstance(cutoff, int) and cutoff == self._column(None):
            return values[None]
        return ops.where(self._above() < cutoff, values, 0)

    def _of_each_list(self, x: Tensor) -> Tensor:
        """`[lists, entries]`, 0 where no item is retrieved."""
        if self.there is None:
            lists = ops.shape(self.items.highest)[0]
            return ops.broadcast_to(x, (lists, self._width))
        return ops.where(within(self.there, self._column(None)), x, 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpacedRanks(Ranks):
    """Ranks among entries that hold none.

    Attributes:
        above: int32 `[lists, entries]`, how many retrieved items stand above.
    """

    above: Tensor

    @property
    def _width(self) -> int | Tensor:
        return self.entries

    def _above(self) -> Tensor:
        return self.above

    def _best_so_far(self) -> Tensor:
        return ops.take_along_axis(super()._best_so_far(), self.above, axis=-1)

    def _within(self, k: Cutoff, x: Tensor) -> Tensor:
        return ops.where(self.above < self._column(k), x, 0)

    def _at_ranks(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        return self._within(k, self._at_entries(value, self._most(value)))

    @remembered()
    def _at_entries(self, value: RankDiscountFn, most: int | None) -> Tensor:
        values = self._values(value, self.entries)
        return ops.take(values, self.above, axis=0)

    def _of_each_list(self, x: Tensor) -> Tensor:
        return ops.where(self.there, x, 0)
