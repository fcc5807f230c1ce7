"""`Ranking`: what stands where in each list, as a row of tie groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeAlias

from keras import ops

from keras_rankmetrics.branching import cond
from keras_rankmetrics.gains import SHARED_DISCOUNTS, reciprocal_discount
from keras_rankmetrics.identity import Identity
from keras_rankmetrics.ranking.draws import (
    chances_of_first_hit,
    chances_of_hits,
)
from keras_rankmetrics.ranking.items import Items
from keras_rankmetrics.ranking.memo import Memo
from keras_rankmetrics.ranking.relevance import Relevance
from keras_rankmetrics.ranking.runs import positions
from keras_rankmetrics.ranking.tables import sums_over_ranks, table_of
from keras_rankmetrics.types import RankDiscountFn, Tensor

# How many ranks count: in all lists as many, or `[lists]`. None: as many as the
# ranking has been made for, which is also the most.
Cutoff: TypeAlias = int | Tensor | None

_ALL_RANKS = 2**31 - 1


def _of_entries(of_entries: Tensor, of_items: Callable[[], Tensor]) -> Tensor:
    return of_entries


def _as_they_are(of_entries: Tensor) -> Tensor:
    return of_entries


@dataclasses.dataclass(frozen=True)
class Ranking:
    """The retrieved items of each list, best first, as a row of entries.

    An entry stands for an item, or for several that tie. It knows its tie
    group: `start` retrieved items stand above the group, which holds `size`
    items, so that each of these is equally likely to be at each of the ranks
    `start + 1` to `start + size`. A strict order is the case in which every
    group holds one item. The methods return expectations over all orders of
    the tied items.

    No rank beyond `k` counts. The entries reach to a `depth` of more than `k`;
    a group that goes on beyond it is held by the last entry, which stands for
    all its items.

    Attributes:
        items: all items, retrieved or not.
        labels: `[lists, entries]`, of the item that an entry stands for.
        weights: `[lists, entries]`, or None where all items weigh the same.
        start: int32 `[lists, entries]`, or `[1, entries]` if it is the same in
            all lists.
        size: int32, as `start`; 0 is padding, which stands for nothing.
        count_retrieved: returns `[lists]`, how many items are retrieved.
        k: how many ranks count, or None for all.
        depth: the number of ranks that the entries tell apart.
        whole: receives what is summed over entries, `[lists, entries]`, and a
            function that computes the same of all items, `[lists, items]`;
            returns the first with an entry that stands for several items
            brought to their sum. By default no entry does.
        at_first: receives what entries hold, and returns for each entry what
            the first one of its group holds. By default groups have one entry.
        at_last: the same of the last one.
        gain: what a label is worth.
    """

    items: Items
    labels: Tensor
    weights: Tensor | None
    start: Tensor
    size: Tensor
    count_retrieved: Callable[[], Tensor]
    k: int | None
    depth: int | Tensor
    whole: Callable[[Tensor, Callable[[], Tensor]], Tensor] = _of_entries
    at_first: Callable[[Tensor], Tensor] = _as_they_are
    at_last: Callable[[Tensor], Tensor] = _as_they_are
    gain: Relevance = dataclasses.field(default_factory=Relevance)
    _memo: Memo = dataclasses.field(default_factory=Memo, compare=False)

    def judged_by(self, gain: Relevance, k: int | None) -> Ranking:
        """The same ranking where a label is worth `gain(label)`, to rank `k`.

        What does not depend on these, or has been asked for before, is not
        computed again. The ranking must have been made for `k` or more ranks.
        """
        return dataclasses.replace(self, gain=gain, k=k)

    def for_measures_that_branch(self) -> Ranking:
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

    @property
    def retrieved(self) -> Tensor:
        """The retrieved items within rank `k`."""
        count = ops.cast(self.count_retrieved(), self._dtype)
        return count if self.k is None else ops.minimum(count, self.k)

    def mean_weight(self) -> Tensor:
        """The mean weight of all items, by their gains: Σ w g / Σ g."""
        return self.items.mean_weight(self.gain)

    def hits(self, k: Cutoff = None) -> Tensor:
        """The gains within rank `k`."""
        return self._once_for(
            k,
            ("hits", self.gain),
            lambda: ops.sum(self.total() * self.share(k), axis=-1),
        )

    # What an entry holds, `[lists, entries]`.

    def total(self) -> Tensor:
        """The gains of the items that the entry stands for."""
        return self._memo.once(("total", self.gain), self._total)

    def weighted_total(self) -> Tensor:
        """The weights times the gains of the items of the entry."""
        if self.weights is None:
            return self.total()
        return self._memo.once(
            ("weighted total", self.gain), self._weighted_total
        )

    def share(self, k: Cutoff = None) -> Tensor:
        """The part of the group that is within rank `k`, from 0 to 1."""
        return self._once_for(
            k,
            ("share",),
            lambda: self._of_each_list(
                self._float(self._stop(k) - self.start) / self._group_size()
            ),
        )

    def mean(self, discount: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """The mean discount at the ranks of the group, 0 beyond rank `k`."""
        return self._once_for(
            k,
            ("mean", Identity(discount)),
            lambda: self._of_each_list(
                self._sums(discount, self.start, self._stop(k))
                / self._group_size()
            ),
        )

    def precision(self, k: Cutoff = None) -> Tensor:
        """The precision at the rank of a relevant item, 0 beyond rank `k`."""
        above = self._hits_above()
        within = self._hits_within(above)
        others = ops.maximum(self._group_size() - 1.0, 1.0)
        return _precisions(
            above,
            self._float(self.start),
            rate=ops.maximum(within - 1.0, 0.0) / others,
            ranks=self.share(k),
            reciprocals=self.mean(reciprocal_discount, k),
        )

    # Expectations that are no sum over entries, `[lists]`.

    def at_first_hit(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """`value(rank)` at the rank of the first relevant item.

        0 where no relevant item is within rank `k`.
        """
        found = self.total() > 0
        start = ops.where(found, self.start, _ALL_RANKS)
        start = ops.min(start, axis=-1, keepdims=True)
        group = self._group_at(ops.logical_and(found, self.start == start))
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

        open_ = ops.logical_and(
            group.relevant > 1, group.relevant < self._float(group.size)
        )
        values = cond(
            ops.any(open_),
            lambda: ops.where(open_, by_chance(), certain),
            lambda: certain,
        )
        return ops.squeeze(values, axis=-1)

    def precision_per_hit(self, k: Cutoff = None) -> Tensor:
        """The weighted precisions at the hits, over the number of hits.

        Σ w P@i over the relevant ranks i <= k, over their number; 0 where there
        is none. Both depend on how many relevant items of the group that the
        cutoff splits it lets in: the expectation is taken over that number.
        """
        stop, end = self._stop(k), self.start + self.size
        split = ops.logical_and(stop > self.start, stop < end)
        above = ops.where(stop == end, self.total(), 0.0)
        above = ops.sum(above, axis=-1, keepdims=True)
        precisions = self.weighted_total() * self.precision(k)
        precisions_above = ops.sum(
            ops.where(split, 0.0, precisions), axis=-1, keepdims=True
        )

        def with_split_group() -> Tensor:
            group = self._group_at(split)
            weight = ops.where(split, self.weighted_total(), 0.0)
            weight = ops.divide_no_nan(
                ops.sum(weight, axis=-1, keepdims=True), group.relevant
            )
            stop = self._cut(k, group.start, group.start + group.size)
            ranks = self._float(stop - group.start)
            chances = chances_of_hits(
                self._float(group.size), group.relevant, ranks, self.depth
            )
            hits = self._float(positions(chances))
            precisions = _precisions(
                above,
                self._float(group.start),
                rate=ops.maximum(hits - 1.0, 0.0)
                / ops.maximum(ranks - 1.0, 1.0),
                ranks=ranks,
                reciprocals=self._sums(reciprocal_discount, group.start, stop),
            )
            share = hits / ops.maximum(ranks, 1.0)
            sums = precisions_above + weight * share * precisions
            return ops.sum(
                chances * ops.divide_no_nan(sums, above + hits),
                axis=-1,
                keepdims=True,
            )

        values = cond(
            ops.any(split),
            with_split_group,
            lambda: ops.divide_no_nan(precisions_above, above),
        )
        return ops.squeeze(values, axis=-1)

    # Orders to compare with, `[lists, ranks]`.

    def best(self, k: Cutoff = None) -> Tensor:
        """The weighted gains of the best order of all items, to rank `k`."""
        gains = self.items.best(self.gain)
        return ops.where(positions(gains) < self._column(k), gains, 0)

    def discounted(self, gains: Tensor, discount: RankDiscountFn) -> Tensor:
        """`[lists]`, Σ of gains at the ranks 1, 2, ... times the discounts."""
        values = self._values(discount, ranks=ops.shape(gains)[-1])
        return ops.sum(gains * values, axis=-1)

    def best_of_retrieved(self, k: int | None = None) -> Tensor:
        """The weighted gains within rank `k`, in their best order.

        Only for a strict order: which items a cutoff lets in must be certain.
        """
        gains = self.weighted_total()
        gains = ops.where(self.start < self._column(k), gains, 0)
        return ops.top_k(gains, ops.shape(gains)[-1])[0]

    # The parts of the above.

    def _total(self) -> Tensor:
        gains = ops.where(self.size > 0, self.gain(self.labels), 0)
        return self.whole(gains, lambda: self.gain(self.items.labels))

    def _weighted_total(self) -> Tensor:
        gains = self.gain(self.labels)
        there = ops.logical_and(self.size > 0, gains > 0)
        return self.whole(
            ops.where(there, self.weights * gains, 0),
            lambda: self.items.weighted(self.gain),
        )

    @property
    def _dtype(self) -> str:
        return self.labels.dtype

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self._dtype)

    def _of_each_list(self, x: Tensor) -> Tensor:
        """`[lists, entries]`, of what may be the same in all lists."""
        if x.shape[0] != 1:
            return x
        return ops.broadcast_to(x, ops.shape(self.labels))

    def _values(self, value: RankDiscountFn, ranks: int | Tensor) -> Tensor:
        """`value(rank)` of so many ranks, as far as they count."""
        if isinstance(ranks, int):
            return self._memo.once(
                ("values", Identity(value), self._most(value), ranks),
                lambda: self._made_values(value, ranks),
            )
        return self._made_values(value, ranks)

    def _most(self, value: RankDiscountFn) -> int | None:
        """The last rank at which the value is asked for, None for all."""
        shared = isinstance(value, Hashable) and value in SHARED_DISCOUNTS
        return self.items.k if shared else self.k

    def _made_values(
        self, value: RankDiscountFn, ranks: int | Tensor
    ) -> Tensor:
        ranks = self._float(ops.arange(1, ranks + 1))
        most = self._most(value)
        if most is not None:
            ranks = ops.minimum(ranks, most)
        return ops.ones_like(ranks) * value(ranks)

    def _column(self, k: Cutoff) -> int | Tensor:
        """A cutoff that broadcasts against `[lists, entries]`."""
        most = _ALL_RANKS if self.k is None else self.k
        if k is None:
            return most
        if isinstance(k, int):
            return min(k, most)
        return ops.minimum(ops.cast(k, "int32"), most)[:, None]

    def _cut(self, k: Cutoff, start: Tensor, stop: Tensor) -> Tensor:
        return ops.minimum(ops.maximum(self._column(k), start), stop)

    def _stop(self, k: Cutoff) -> Tensor:
        """The last rank of the group that is within rank `k`."""
        return self._once_for(
            k,
            ("stop",),
            lambda: self._cut(k, self.start, self.start + self.size),
        )

    def _group_size(self) -> Tensor:
        return self._memo.once(
            "group size", lambda: self._float(ops.maximum(self.size, 1))
        )

    def _once_for(
        self,
        k: Cutoff,
        key: tuple[object, ...],
        compute: Callable[[], Tensor],
    ) -> Tensor:
        """What is computed once for each cutoff that all lists have."""
        column = self._column(k)
        if not isinstance(column, int):
            return compute()
        return self._memo.once((*key, column), compute)

    def _sums(
        self, value: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """The sums of `value(rank)` over the ranks `start + 1` to `stop`."""
        table = self._memo.once(
            ("table", Identity(value), self._most(value)),
            lambda: table_of(self._values(value, self.depth)),
        )
        return sums_over_ranks(table, start, stop)

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

    def _hits_above(self) -> Tensor:
        hits = self.total()
        return self.at_first(ops.cumsum(hits, axis=-1) - hits)

    def _hits_within(self, above: Tensor) -> Tensor:
        return self.at_last(ops.cumsum(self.total(), axis=-1)) - above


class _Group(NamedTuple):
    """A tie group of each list, `[lists, 1]`; of size 0 where there is none."""

    start: Tensor
    size: Tensor
    relevant: Tensor


def _precisions(
    above: Tensor,
    start: Tensor,
    rate: Tensor,
    ranks: Tensor,
    reciprocals: Tensor,
) -> Tensor:
    """The sum of the precisions at relevant items of a group.

    If one is at rank i, then `rate` of the i - start - 1 items that the group
    has above it are relevant, and the precision is
    (above + 1 + rate (i - start - 1)) / i. This is summed over `ranks` ranks i
    whose `reciprocals` are summed up.
    """
    return (above + 1.0 - rate * (start + 1.0)) * reciprocals + rate * ranks
