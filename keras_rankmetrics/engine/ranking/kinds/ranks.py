"""`Ranks`: a ranking whose entries are ranks, which tied items share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from keras import ops

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import MANY
from keras_rankmetrics.engine.ranking.depth import at_most
from keras_rankmetrics.engine.ranking.functions import key_of
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.kinds.chances import (
    SplitGroup,
    chances_of_first_hit,
    precision_per_hit,
)
from keras_rankmetrics.engine.ranking.kinds.ties import Shared, Ties
from keras_rankmetrics.engine.ranking.ranking import Cutoff, Ranking, within
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sorting.runs import positions
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranks(Ranking):
    """Each entry is a rank, and holds what is expected at it.

    In a strict order that is what its item holds; in a tie group, the mean
    over the items of the group, at each of its ranks. Beyond rank `k` nothing
    is held: where the entries are the ranks 1, 2, 3, ..., they end there. What
    is asked of them is computed to the largest `k` that the ranking has been
    made for, and remembered.

    Attributes:
        entries: how many there are.
        gains_in_order: `(items, gain)` to what the item at each rank is worth,
            `[lists, entries]`; in any order where items tie.
        weights: `[lists, entries]`, or None where all items weigh the same.
        above: int32 `[lists, entries]`, how many retrieved items stand above,
            or None where this is the position of the entry.
        there: bool `[lists, entries]`, whether an item is retrieved there, or
            None if everywhere.
        ties: the tie groups, or None for a strict order.
    """

    entries: int | Tensor
    gains_in_order: Callable[[Items, Relevance], Tensor]
    weights: Tensor | None = None
    above: Tensor | None = None
    there: Tensor | None = None
    ties: Ties | None = None

    @property
    def retrieved(self) -> Tensor:
        """The retrieved items within rank `k`."""
        if self.there is None:
            return ops.full_like(self.items.highest, self._width)
        return super().retrieved

    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""
        return self._once_for(
            k,
            ("hits", self.gain),
            lambda: ops.sum(self._within(k, self.total()), axis=-1),
        )

    def total(self) -> Tensor:
        """The gain expected at the rank."""
        return self._within(None, self._expected())

    def weighted_total(self) -> Tensor:
        """The same, each gain times the weight of its item."""
        if self.weights is None:
            return self.total()
        return self._within(
            None, self._memo.once(("weighted total", self.gain), self._weighted)
        )

    def share(self, k: Cutoff = None) -> Tensor:
        """1 where an item is within rank `k`, else 0."""
        return self._of_each_list(self._float(self._above() < self._column(k)))

    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)`, 0 beyond rank `k` or without an item."""
        return self._of_each_list(self._at_ranks(value, k))

    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`."""
        hits = self._memo.once(("hits if hit", self.gain), self._hits_if_hit)
        return self._within(None, hits) * self.discount(reciprocal_discount, k)

    def precision_per_hit(self, k: Cutoff = None) -> Tensor:
        """The weighted precisions at the hits, over the number of hits.

        Both depend on how many relevant items of the group that the cutoff
        splits it lets in: the expectation is taken over that number.
        """
        precisions = self.weighted_total() * self.precision(k)
        of_ranks = ops.divide_no_nan(ops.sum(precisions, axis=-1), self.hits(k))
        if self.ties is None:
            return of_ranks
        shared = self._shared(self.ties)
        weighted = self.weighted_total()
        position, cutoff = self._above(), self._column(k)
        end = shared.start + shared.size
        split = (shared.start < cutoff) & (cutoff < end)

        def of_split(x: Tensor) -> Tensor:
            """What all ranks of the split group have, 0 where none is split."""
            x = ops.where(split, x, 0)
            return ops.max(x, axis=-1, keepdims=True)

        def above_group(x: Tensor) -> Tensor:
            x = ops.where(end <= cutoff, x, 0)
            return ops.sum(x, axis=-1, keepdims=True)

        def by_chance() -> Tensor:
            inside = split & (position < cutoff)

            def over_ranks(x: Tensor | float) -> Tensor:
                x = self._float(ops.where(inside, x, 0))
                return ops.sum(x, axis=-1, keepdims=True)

            rank = self._float(position + 1)
            return precision_per_hit(
                SplitGroup(
                    size=self._float(of_split(shared.size)),
                    relevant=of_split(shared.total),
                    weight=ops.divide_no_nan(
                        of_split(weighted), of_split(shared.mean)
                    ),
                    ranks=over_ranks(1.0),
                    reciprocals=over_ranks(1.0 / rank),
                    shares_above=over_ranks(
                        self._float(position - shared.start) / rank
                    ),
                ),
                hits_above=above_group(shared.mean),
                precisions_above=above_group(precisions),
                most=self._width,
            )

        return cond(ops.any(split), by_chance, lambda: of_ranks)

    # The parts of the above.

    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        above, share = self._above(), self.total()
        found = share > 0
        first = ops.min(ops.where(found, above, MANY), axis=-1, keepdims=True)
        at_first = found & (above == first)
        values = self._at_ranks(value, k)
        certain = ops.sum(ops.where(at_first, values, 0), axis=-1)
        if self.ties is None:
            return certain
        shared = self._shared(self.ties)
        uncertain = ops.any(at_first & (share < 1), axis=-1)

        def by_chance() -> Tensor:
            def of_first(x: Tensor) -> Tensor:
                x = ops.where(at_first, x, 0)
                return ops.sum(x, axis=-1, keepdims=True)

            items = self._float(of_first(shared.size))
            relevant = of_first(shared.total)
            chances = chances_of_first_hit(
                self._float(first), items, relevant, self._width
            )
            # A single one is as likely at each rank: nothing to multiply up.
            evenly = ops.sum(ops.where(shared.start == first, values, 0), -1)
            expected = ops.where(
                relevant[:, 0] < 1.5,
                evenly / ops.maximum(items[:, 0], 1.0),
                ops.sum(chances * values, axis=-1),
            )
            return ops.where(uncertain, expected, certain)

        return cond(ops.any(uncertain), by_chance, lambda: certain)

    @property
    def _lowest_rank(self) -> int | Tensor:
        return self.entries

    def _within(self, k: Cutoff, x: Tensor) -> Tensor:
        """Of what entries hold, `x`, that within rank `k`; for sums."""
        if self.above is None:
            return within(x, self._column(k))
        return ops.where(self.above < self._column(k), x, 0)

    def _shared(self, ties: Ties) -> Shared:
        """What tied items share, at the ranks that count."""
        shared = self._all_shared(ties)
        return Shared(*(self._within(None, x) for x in shared))

    # As far as the ranking has been made for.

    def _expected(self) -> Tensor:
        """The gain expected at the rank."""
        if self.ties is None:
            return self._gains()
        return self._all_shared(self.ties).mean

    def _gains(self) -> Tensor:
        """What the item at each rank is worth, 0 where there is none."""
        return self._memo.once(("gains", self.gain), self._made_gains)

    def _made_gains(self) -> Tensor:
        gains = self.gains_in_order(self.items, self.gain)
        return gains if self.there is None else ops.where(self.there, gains, 0)

    def _all_shared(self, ties: Ties) -> Shared:
        """The gains, shared among the items that tie."""
        return self._memo.once(
            ("shared", self.gain),
            lambda: ties.share(
                self._gains(), lambda: self.items.gains(self.gain)
            ),
        )

    def _weighted(self) -> Tensor:
        gains = self._gains()
        weighted = ops.where(gains > 0, self.weights * gains, 0)
        if self.ties is None:
            return weighted
        return self.ties.share(
            weighted, lambda: self.items.weighted(self.gain)
        ).mean

    def _hits_if_hit(self) -> Tensor:
        """The relevant items down to each rank, if one is at it."""
        hits = self._gains()
        above = ops.cumsum(hits, axis=-1) - hits
        if self.ties is None:
            return above + 1.0
        shared, position = self._all_shared(self.ties), positions(hits)

        def with_ties() -> Tensor:
            """Of the others in its group, as many of each that are above it."""
            others = ops.maximum(self._float(shared.size - 1), 1.0)
            rate = ops.maximum(shared.total - 1.0, 0.0) / others
            before = self._float(position - shared.start)
            return above - shared.before + 1.0 + rate * before

        return cond(self.ties.found, with_ties, lambda: above + 1.0)

    def _at_ranks(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """`value(rank)`, 0 beyond rank `k`; one row where all are the same."""
        cutoff = self._column(k)
        values = self._values(value, self._width)
        if self.above is not None:
            values = self._memo.once(
                ("at entries", key_of(value), self._most(value)),
                lambda: ops.take(values, self.above, axis=0),
            )
        elif isinstance(cutoff, int) and cutoff == self._column(None):
            return values[None]
        return ops.where(self._above() < cutoff, values, 0)

    def _above(self) -> Tensor:
        """As `above`, or one row if it is the same in all lists."""
        if self.above is not None:
            return self.above
        return ops.arange(self._width, dtype="int32")[None]

    @property
    def _width(self) -> int | Tensor:
        """How many entries there are that may count."""
        if self.above is not None or self.k is None:
            return self.entries
        return at_most(self.k, self.entries)

    def _of_each_list(self, x: Tensor) -> Tensor:
        """`[lists, entries]`, 0 where no item is retrieved."""
        if self.there is None:
            lists = ops.shape(self.items.highest)[0]
            return ops.broadcast_to(x, (lists, self._width))
        there = self.there
        if self.above is None:
            there = within(there, self._column(None))
        return ops.where(there, x, 0)
