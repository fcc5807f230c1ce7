"""`Groups`: a ranking of relevant items, each somewhere in its tie group."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple, Self

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY, cond, length_at_most
from keras_rankmetrics.engine.ranking.exposure import Placed
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.probabilities import (
    Group,
    precision_per_hit,
    precisions_in_group,
    rate_of_others,
    sum_of_reciprocals,
    sums_over_ranks,
    table_of,
    value_at_first_hit,
)
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.engine.ranking.ranking import Ranking
from keras_rankmetrics.engine.ranking.stopping import value_where_stopped
from keras_rankmetrics.engine.ranking.sums import positions, sums_over_runs
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


class Located(NamedTuple):
    """Where the relevant items stand.

    Attributes:
        labels: `[lists, entries]`, below 0 for padding.
        start: int32 `[lists, entries]`, ascending.
        size: int32 `[lists, entries]`; 0 is padding.
    """

    labels: Tensor
    start: Tensor
    size: Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class Groups(Ranking):
    """Each entry is a relevant item; of the others only the number is known.

    `start` retrieved items stand above its tie group, which holds `size`, so
    that it is equally likely to be at each of the ranks `start + 1` to
    `start + size`. In a strict order every group holds one item.

    Attributes:
        locate: finds them, in a pass over all scores.
        depth: the number of ranks that are told apart, more than `k`. Entries
            that stand beyond all have it as their start.
    """

    locate: Callable[[], Located]
    depth: int | Tensor

    def for_measures_that_branch(self) -> Self:
        """The same ranking, which remembers no more than it does already."""
        self._located()
        return super().for_measures_that_branch()

    @property
    def labels(self) -> Tensor:
        """`[lists, entries]`, below 0 for padding."""
        return self._located().labels

    @property
    def start(self) -> Tensor:
        """How many items stand above the group."""
        return self._located().start

    @property
    def size(self) -> Tensor:
        """How many items the group has."""
        return self._located().size

    @remembered("gain", "k")
    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""
        return ops.sum(self.total() * self.share(k), axis=-1)

    @remembered("gain")
    def total(self) -> Tensor:
        """The gain of the item."""
        return self.gain(self.labels)

    def weighted_total(self) -> Tensor:
        """The gain of the item: all items weigh the same."""
        return self.total()

    @remembered("k")
    def share(self, k: Cutoff = None) -> Tensor:
        """The part of the group that is within rank `k`, from 0 to 1."""
        return self._float(self._stop(k) - self.start) / self._size()

    @remembered("k")
    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """The mean of `value(rank)` in the group, 0 beyond rank `k`."""
        return self._sums(value, self.start, self._stop(k)) / self._size()

    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`."""
        stop = self._stop(k)
        reciprocals = self._sums(reciprocal_discount, self.start, stop)
        return self._ratios(self.start, stop, reciprocals) / self._size()

    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Hits and gains at the rank of an item with a gain, 0 beyond `k`."""
        ones, gain, stop = self.as_binary(), beta * self.total(), self._stop(k)
        relevant = ones.overall()[:, None]
        # So far down the gains of the best order grow, by `gain` at each rank.
        turn = ops.maximum(ops.cast(relevant, "int32"), self.start)
        turn = ops.minimum(turn, stop)
        reciprocals = self._sums(reciprocal_discount, self.start, turn)
        upper = ones._ratios(self.start, turn, reciprocals)
        most = gain * relevant
        reciprocals = sum_of_reciprocals(
            self._float(turn + 1) + most, self._float(stop - turn)
        )
        lower = ones._ratios(turn, stop, reciprocals, most)
        return (upper + (1.0 + gain) * lower) / self._size()

    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` where a user stops, within rank `k`."""
        stop = self.total()
        ones = self.judged_by(self.gain.as_binary(), self.k)
        above = ones._hits_above_group()
        before, relevant = ones._sums_over_groups()

        def surely() -> Tensor:
            """A single one is as likely at each rank of its group."""
            place = self.start + ops.cast(before, "int32")
            place = ops.minimum(place, self.depth)
            end = ops.minimum(self._cut(k, place, place + 1), self.depth)
            at_place = self._sums(value, place, end)
            values = ops.where(relevant > 1, at_place, evenly)
            came = ops.power(1.0 - stop, above + before)
            return ops.sum(stop * came * values, axis=-1)

        def by_chance() -> Tensor:
            return value_where_stopped(
                stop,
                above,
                before,
                relevant,
                self._float(self.start),
                self._float(self.size),
                self._values_within(value, k),
            )

        evenly = self.discount(value, k)
        mixed = (relevant > 1) & (relevant < self._size())
        return cond(ops.any(mixed), by_chance, surely)

    # The parts of the above.

    @remembered()
    def _located(self) -> Located:
        return self.locate()

    @remembered("gain")
    def _placed(self) -> Placed:
        _, within = self._sums_over_groups()
        return Placed(
            self.total(),
            self._float(self.start),
            self._size(),
            self._hits_above_group(),
            within,
        )

    @remembered("gain")
    def _hits_above_group(self) -> Tensor:
        """The relevant items above the tie group of each entry."""
        hits = self.total()
        before, _ = self._sums_over_groups()
        return ops.cumsum(hits, axis=-1) - hits - before

    def _per_hit(self, precisions: Tensor, k: Cutoff) -> Tensor:
        return precision_per_hit(
            super()._per_hit(precisions, k),
            self.total(),
            precisions,
            start=self.start,
            size=self.size,
            group_at=self._group_at,
            cutoff=self._column(k),
            depth=self.depth,
        )

    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        found = self.total() > 0
        start = ops.where(found, self.start, MANY)
        start = ops.min(start, axis=-1, keepdims=True)
        group = self._group_at(found & (self.start == start))
        # A single relevant item is as likely at each rank of the group. In a
        # group where all are relevant, the first rank holds one.
        one = ops.minimum(group.size, 1)
        ranks = ops.where(group.relevant == 1, group.size, one)
        stop = self._cut(k, group.start, group.start + ranks)
        certain = self._sums(value, group.start, stop) / self._float(
            ops.maximum(ranks, 1)
        )
        some = (group.relevant > 1) & (group.relevant < self._float(group.size))

        def by_chance() -> Tensor:
            values = self._values_within(value, k)
            return ops.where(some, value_at_first_hit(group, values), certain)

        values = cond(ops.any(some), by_chance, lambda: certain)
        return ops.squeeze(values, axis=-1)

    def _values_within(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """`value(rank)` of all ranks that are told apart, 0 beyond `k`."""
        values = self._values(value, self.depth)
        return ops.where(positions(values) < self._column(k), values, 0)

    @property
    def _lowest_rank(self) -> int | Tensor:
        return self.depth

    def _cut(self, k: Cutoff, start: Tensor, stop: Tensor) -> Tensor:
        return ops.minimum(ops.maximum(self._column(k), start), stop)

    @remembered("k")
    def _stop(self, k: Cutoff) -> Tensor:
        """The last rank of the group that is within rank `k`."""
        return self._cut(k, self.start, self.start + self.size)

    @remembered()
    def _size(self) -> Tensor:
        return self._float(ops.maximum(self.size, 1))

    @remembered("gain")
    def _sums_over_groups(self) -> tuple[Tensor, Tensor]:
        """The gains before each entry in its group, and of the whole group."""
        hits = self.total()
        return sums_over_runs(self.start, hits, length_at_most(hits))

    def _sums(
        self, value: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """The sums of `value(rank)` over the ranks `start + 1` to `stop`."""
        return sums_over_ranks(
            self._table(value, self._most(value)), start, stop
        )

    @remembered()
    def _table(self, value: RankDiscountFn, most: int | None) -> Tensor:
        return table_of(self._values(value, self.depth))

    def _ratios(
        self,
        begin: Tensor,
        stop: Tensor,
        reciprocals: Tensor,
        more: Tensor | float = 0.0,
    ) -> Tensor:
        """Σ hits / (i + more) over the ranks i from `begin + 1` to `stop`.

        Where the entry is at rank i of its group, the hits down to it.

        Args:
            begin: int32.
            stop: int32.
            reciprocals: Σ 1 / (i + more) over the same ranks.
            more: `[lists, entries]`, or the same for all.
        """
        _, within = self._sums_over_groups()
        ranks, first = self._float(stop - begin), self._float(begin + 1) + more
        above = self._float(begin - self.start) * reciprocals
        return precisions_in_group(
            self._hits_above_group(),
            rate=rate_of_others(within, self._size()),
            reciprocals=reciprocals,
            shares_above=above + self._shares(ranks, first, reciprocals),
        )

    def _shares(
        self, ranks: Tensor, above: Tensor, reciprocals: Tensor
    ) -> Tensor:
        """Σ j / (above + j) over as many j = 0, 1, ... as there are ranks.

        Args:
            ranks: how many.
            above: at least 1.
            reciprocals: Σ 1 / (above + j).
        """
        # Of few ranks far down, this difference is all rounding error. There,
        # with c in the middle of the ranks i, 1 / i is taken as a series in
        # (i - c) / c, of which the odd powers add up to 0.
        middle = above + (ranks - 1.0) / 2.0
        squared = ranks**2
        second = ranks * (squared - 1.0) / 12.0 / middle**2
        fourth = second * (3.0 * squared - 7.0) / 20.0 / middle**2
        series = ranks * (ranks - 1.0) / 2.0 - above * (second + fourth)
        return ops.where(
            8.0 * ranks < above, series / middle, ranks - above * reciprocals
        )

    def _group_at(self, chosen: Tensor) -> Group:
        """The group of the chosen entries, of which each list has one."""

        def highest(x: Tensor) -> Tensor:
            x = ops.where(chosen, x, 0)
            return ops.max(x, axis=-1, keepdims=True, initial=0)

        relevant = ops.where(chosen, self.total(), 0)
        return Group(
            start=highest(self.start),
            size=highest(self.size),
            relevant=ops.sum(relevant, axis=-1, keepdims=True),
        )
