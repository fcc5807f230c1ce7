"""`Groups`: a ranking of relevant items, each somewhere in its tie group."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from keras import ops

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import MANY
from keras_rankmetrics.engine.ranking.functions import key_of
from keras_rankmetrics.engine.ranking.kinds.chances import (
    SplitGroup,
    chances_of_first_hit,
    precision_per_hit,
    precisions_in_group,
)
from keras_rankmetrics.engine.ranking.kinds.tables import (
    sums_over_ranks,
    table_of,
)
from keras_rankmetrics.engine.ranking.ranking import Cutoff, Ranking
from keras_rankmetrics.engine.ranking.sorting.runs import positions, runs
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class Groups(Ranking):
    """Each entry is a relevant item; of the others only the number is known.

    `start` retrieved items stand above its tie group, which holds `size`, so
    that it is equally likely to be at each of the ranks `start + 1` to
    `start + size`. In a strict order every group holds one item.

    Attributes:
        labels: `[lists, entries]`, below 0 for padding.
        start: int32 `[lists, entries]`, ascending.
        size: int32 `[lists, entries]`; 0 is padding.
        depth: the number of ranks that are told apart, more than `k`. Entries
            that stand beyond all have it as their start.
    """

    labels: Tensor
    start: Tensor
    size: Tensor
    depth: int | Tensor

    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""
        return self._once_for(
            k,
            ("hits", self.gain),
            lambda: ops.sum(self.total() * self.share(k), axis=-1),
        )

    def total(self) -> Tensor:
        """The gain of the item."""
        return self._memo.once(
            ("total", self.gain), lambda: self.gain(self.labels)
        )

    def weighted_total(self) -> Tensor:
        """The gain of the item: all items weigh the same."""
        return self.total()

    def share(self, k: Cutoff = None) -> Tensor:
        """The part of the group that is within rank `k`, from 0 to 1."""
        return self._once_for(
            k,
            ("share",),
            lambda: self._float(self._stop(k) - self.start) / self._size(),
        )

    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """The mean of `value(rank)` in the group, 0 beyond rank `k`."""
        return self._once_for(
            k,
            ("discount", key_of(value)),
            lambda: self._sums(value, self.start, self._stop(k)) / self._size(),
        )

    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`."""
        hits = self.total()
        hits_to = ops.cumsum(hits, axis=-1)
        # Padding, at the end, is no group; what it gets does not matter.
        first, last = self._memo.once("runs", lambda: runs(self.start))
        above = ops.take_along_axis(hits_to - hits, first, axis=-1)
        within = ops.take_along_axis(hits_to, last, axis=-1) - above
        others = ops.maximum(self._size() - 1.0, 1.0)
        stop = self._stop(k)
        reciprocals = self._sums(reciprocal_discount, self.start, stop)
        precisions = precisions_in_group(
            above,
            rate=ops.maximum(within - 1.0, 0.0) / others,
            reciprocals=reciprocals,
            shares_above=self._shares_above(self.start, stop, reciprocals),
        )
        return precisions / self._size()

    def precision_per_hit(self, k: Cutoff = None) -> Tensor:
        """The precisions at the hits, over the number of hits.

        Both depend on how many relevant items of the group that the cutoff
        splits it lets in: the expectation is taken over that number.
        """
        stop, end = self._stop(k), self.start + self.size
        split = (stop > self.start) & (stop < end)
        above = ops.where(stop == end, self.total(), 0.0)
        above = ops.sum(above, axis=-1, keepdims=True)
        precisions = ops.where(split, 0.0, self.total() * self.precision(k))
        precisions = ops.sum(precisions, axis=-1, keepdims=True)

        def by_chance() -> Tensor:
            group = self._group_at(split)
            stop = self._cut(k, group.start, group.start + group.size)
            ranks = self._float(stop - group.start)
            reciprocals = self._sums(reciprocal_discount, group.start, stop)
            return precision_per_hit(
                SplitGroup(
                    size=self._float(group.size),
                    relevant=group.relevant,
                    weight=ops.ones_like(above),
                    ranks=ranks,
                    reciprocals=reciprocals,
                    shares_above=self._shares_above(
                        group.start, stop, reciprocals
                    ),
                ),
                hits_above=above,
                precisions_above=precisions,
                most=self.depth,
            )

        def certain() -> Tensor:
            return ops.squeeze(ops.divide_no_nan(precisions, above), axis=-1)

        return cond(ops.any(split), by_chance, certain)

    # The parts of the above.

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

        def by_chance() -> Tensor:
            chances = chances_of_first_hit(
                self._float(group.start),
                self._float(group.size),
                group.relevant,
                self.depth,
            )
            stop = self._cut(k, group.start, group.start + group.size)
            values = chances * self._values(value, self.depth)
            values = ops.where(positions(chances) < stop, values, 0)
            return ops.sum(values, axis=-1, keepdims=True)

        open_ = (group.relevant > 1) & (
            group.relevant < self._float(group.size)
        )
        values = cond(
            ops.any(open_),
            lambda: ops.where(open_, by_chance(), certain),
            lambda: certain,
        )
        return ops.squeeze(values, axis=-1)

    @property
    def _lowest_rank(self) -> int | Tensor:
        return self.depth

    def _cut(self, k: Cutoff, start: Tensor, stop: Tensor) -> Tensor:
        return ops.minimum(ops.maximum(self._column(k), start), stop)

    def _stop(self, k: Cutoff) -> Tensor:
        """The last rank of the group that is within rank `k`."""
        return self._once_for(
            k,
            ("stop",),
            lambda: self._cut(k, self.start, self.start + self.size),
        )

    def _size(self) -> Tensor:
        return self._memo.once(
            "group size", lambda: self._float(ops.maximum(self.size, 1))
        )

    def _sums(
        self, value: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """The sums of `value(rank)` over the ranks `start + 1` to `stop`."""
        table = self._memo.once(
            ("table", key_of(value), self._most(value)),
            lambda: table_of(self._values(value, self.depth)),
        )
        return sums_over_ranks(table, start, stop)

    def _shares_above(
        self, start: Tensor, stop: Tensor, reciprocals: Tensor
    ) -> Tensor:
        """Σ (i - start - 1) / i over the ranks i from `start + 1` to `stop`.

        Args:
            start: int32.
            stop: int32.
            reciprocals: Σ 1 / i over the same ranks.
        """
        ranks, above = self._float(stop - start), self._float(start + 1)
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

    def _group_at(self, chosen: Tensor) -> _Group:
        """The group of the chosen entries, of which each list has one."""

        def highest(x: Tensor) -> Tensor:
            x = ops.where(chosen, x, 0)
            return ops.max(x, axis=-1, keepdims=True, initial=0)

        relevant = ops.where(chosen, self.total(), 0)
        return _Group(
            start=highest(self.start),
            size=highest(self.size),
            relevant=ops.sum(relevant, axis=-1, keepdims=True),
        )


class _Group(NamedTuple):
    """A tie group of each list, `[lists, 1]`; of size 0 where there is none."""

    start: Tensor
    size: Tensor
    relevant: Tensor
