"""`TargetRanking`: a ranking of relevant items, each with its tie group."""

from __future__ import annotations

import abc
import dataclasses
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY, cond, length_at_most
from keras_rankmetrics.engine.ranking import counting, probabilities
from keras_rankmetrics.engine.ranking.exposure import GroupedGains
from keras_rankmetrics.engine.ranking.items import Items, labels_of_relevant
from keras_rankmetrics.engine.ranking.probabilities import Group
from keras_rankmetrics.engine.ranking.ranking import Content, Cutoff, Ranking
from keras_rankmetrics.engine.ranking.relevance import remembered
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.top import depth_beyond
from keras_rankmetrics.gains import reciprocal_discount
from keras_rankmetrics.types import RankDiscountFn, Tensor


class Located(NamedTuple):
    """The relevant items and their tie groups.

    Attributes:
        labels: `[lists, entries]`, below 0 for padding.
        start: int32 `[lists, entries]`, the number of items above the group,
            ascending.
        size: int32 `[lists, entries]`, the number of items in the group, 0 for
            padding.
    """

    labels: Tensor
    start: Tensor
    size: Tensor


class TargetContent(Content):
    """Content of which only the relevant items are ranked.

    They have the label 1.
    """

    dtype: str
    """The dtype of the labels."""

    @abc.abstractmethod
    def located(self, order: Order) -> tuple[Tensor, Tensor, Tensor]:
        """Return the tie groups of the relevant items, in any order.

        Returns:
            `(start, size, there)`, `[lists, relevant]`: int32, the number of
            items above the group; int32, the number of items in the group; and
            bool, True for retrieved items.
        """

    @abc.abstractmethod
    def num_retrieved(self) -> Tensor:
        """Return the number of retrieved items, int32 `[lists]`."""

    def ranking_of(
        self, order: Order, items: Items, ranks: int | Tensor
    ) -> TargetRanking:
        """Return the ranking of this content, which has so many ranks."""
        depth = depth_beyond(order.k, ranks)
        return TargetRanking(
            content=self, order=order, items=items, k=order.k, depth=depth
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TargetRanking(Ranking):
    """A ranking whose entries are the relevant items; the others are counted.

    `start` retrieved items are above an entry's tie group, which has `size`
    items. So it is equally likely to be at each rank from `start + 1` to
    `start + size`. In a strict order every group has one item. Items beyond the
    `depth`, which is more than `k`, have it as their start.

    Attributes:
        content: the relevant items, and how many others are above each.
    """

    content: TargetContent

    @property
    def labels(self) -> Tensor:
        """The labels, `[lists, entries]`, below 0 for padding."""
        return self._located().labels

    @property
    def start(self) -> Tensor:
        """The number of items above the group."""
        return self._located().start

    @property
    def size(self) -> Tensor:
        """The number of items in the group."""
        return self._located().size

    @remembered("gain", "k")
    def hits(self, k: Cutoff = None) -> Tensor:
        """Return the sum of the gains within rank `k`."""
        return ops.sum(self.total() * self.share(k), axis=-1)

    @remembered("gain")
    def total(self) -> Tensor:
        """Return the gain of the item."""
        return self.gain(self.labels)

    def weighted_total(self) -> Tensor:
        """Return the gain of the item: all items weigh the same."""
        return self.total()

    @remembered("k")
    def share(self, k: Cutoff = None) -> Tensor:
        """Return the share of the group within rank `k`, from 0 to 1."""
        return self._float(self._stop(k) - self.start) / self._size()

    @remembered("k")
    def discount(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return the mean of `value(rank)` in the group, 0 beyond rank `k`."""
        return self._sums(value, self.start, self._stop(k)) / self._size()

    def precision(self, k: Cutoff = None) -> Tensor:
        """Return the precision at the item, 0 beyond rank `k`."""
        stop = self._stop(k)
        reciprocals = self._sums(reciprocal_discount, self.start, stop)
        return self._ratios(self.start, stop, reciprocals) / self._size()

    def blended_ratio(self, beta: float, k: Cutoff = None) -> Tensor:
        """Return the blended ratio at the item, 0 beyond rank `k`."""
        ones, gain, stop = self.as_binary(), beta * self.total(), self._stop(k)
        relevant = ones.overall()[:, None]
        # Down to here the gains of the best order grow, by `gain` per rank.
        turn = ops.maximum(ops.cast(relevant, "int32"), self.start)
        turn = ops.minimum(turn, stop)
        reciprocals = self._sums(reciprocal_discount, self.start, turn)
        upper = ones._ratios(self.start, turn, reciprocals)
        most = gain * relevant
        reciprocals = probabilities.sum_of_reciprocals(
            self._float(turn + 1) + most, self._float(stop - turn)
        )
        lower = ones._ratios(turn, stop, reciprocals, most)
        return (upper + (1.0 + gain) * lower) / self._size()

    def at_stop(self, value: RankDiscountFn, k: Cutoff = None) -> Tensor:
        """Return the expected `value(rank)` where the user stops."""
        stop = self.total()
        ones = self.as_binary()
        above = ones._hits_above_group()
        before, relevant = ones._sums_over_groups()

        def directly() -> Tensor:
            """Compute groups of relevant items only, or of a single one.

            The latter is equally likely to be at each rank.
            """
            place = self.start + ops.cast(before, "int32")
            place = ops.minimum(place, self.depth)
            end = ops.minimum(self._cut(k, place, place + 1), self.depth)
            at_place = self._sums(value, place, end)
            values = ops.where(relevant > 1, at_place, evenly)
            reached = ops.power(1.0 - stop, above + before)
            return ops.sum(stop * reached * values, axis=-1)

        def expected() -> Tensor:
            return probabilities.value_where_stopped(
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
        return cond(ops.any(mixed), expected, directly)

    @remembered()
    def _located(self) -> Located:
        start, size, there = self.content.located(self.order)
        start = ops.minimum(start, self.depth)
        start = ops.where(there, start, self.depth)
        place = ops.argsort(start, axis=-1)
        start, size, there = counting.taken(place, start, size, there)
        labels = labels_of_relevant(there, self.content.dtype)
        return Located(labels, start, ops.where(there, size, 0))

    def _count_retrieved(self) -> Tensor:
        return self.content.num_retrieved()

    def _count_others(self) -> Tensor:
        return self._count_retrieved() - counting.count(self.labels >= 0)

    @remembered("gain")
    def _grouped_gains(self) -> GroupedGains:
        _, within = self._sums_over_groups()
        return GroupedGains(
            self.total(),
            self._float(self.start),
            self._size(),
            self._hits_above_group(),
            within,
        )

    @remembered("gain")
    def _hits_above_group(self) -> Tensor:
        """Return the number of relevant items above each entry's group."""
        hits = self.total()
        before, _ = self._sums_over_groups()
        return ops.cumsum(hits, axis=-1) - hits - before

    def _tie_groups(self) -> Group:
        _, relevant = self._sums_over_groups()
        return Group(self.start, self.size, relevant)

    def _at_first_hit(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        found = self.total() > 0
        start = ops.where(found, self.start, MANY)
        start = ops.min(start, axis=-1, keepdims=True)
        group = self._tie_groups().of(found & (self.start == start))
        # A single relevant item is equally likely to be at each rank of the
        # group. If all items are relevant, one is at the first rank.
        one = ops.minimum(group.size, 1)
        ranks = ops.where(group.relevant == 1, group.size, one)
        stop = self._cut(k, group.start, group.start + ranks)
        certain = self._sums(value, group.start, stop) / self._float(
            ops.maximum(ranks, 1)
        )
        some = (group.relevant > 1) & (group.relevant < self._float(group.size))

        def expected() -> Tensor:
            values = self._values_within(value, k)
            return ops.where(
                some, probabilities.value_at_first_hit(group, values), certain
            )

        values = cond(ops.any(some), expected, lambda: certain)
        return ops.squeeze(values, axis=-1)

    def _values_within(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        """Return `value(rank)` at all ranks down to `depth`, 0 beyond `k`."""
        values = self._values(value, self.depth)
        is_within = counting.positions(values) < self._column(k)
        return ops.where(is_within, values, 0)

    def _cut(self, k: Cutoff, start: Tensor, stop: Tensor) -> Tensor:
        return ops.minimum(ops.maximum(self._column(k), start), stop)

    @remembered("k")
    def _stop(self, k: Cutoff) -> Tensor:
        """Return the last rank of the group within rank `k`."""
        return self._cut(k, self.start, self.start + self.size)

    @remembered()
    def _size(self) -> Tensor:
        return self._float(ops.maximum(self.size, 1))

    @remembered("gain")
    def _sums_over_groups(self) -> tuple[Tensor, Tensor]:
        """Return the gains before each entry in its group and of the group."""
        hits = self.total()
        return counting.sums_over_runs(self.start, hits, length_at_most(hits))

    def _sums(
        self, value: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """Return the sums of `value(rank)` over ranks start + 1 to stop."""
        table = self._table(value, self._most(value))
        return probabilities.sums_over_ranks(table, start, stop)

    @remembered()
    def _table(self, value: RankDiscountFn, most: int | None) -> Tensor:
        return probabilities.table_of(self._values(value, self.depth))

    def _ratios(
        self,
        begin: Tensor,
        stop: Tensor,
        reciprocals: Tensor,
        more: Tensor | float = 0.0,
    ) -> Tensor:
        """Return Σ hits / (i + more) over ranks i from begin + 1 to stop.

        The hits are those down to rank i, given that the entry is at it.

        Args:
            begin: int32.
            stop: int32.
            reciprocals: Σ 1 / (i + more) over the same ranks.
            more: `[lists, entries]`, or a float.
        """
        _, within = self._sums_over_groups()
        ranks, first = self._float(stop - begin), self._float(begin + 1) + more
        above = self._float(begin - self.start) * reciprocals
        shares = above + self._shares(ranks, first, reciprocals)
        rate = probabilities.rate_of_others(within, self._size())
        return probabilities.precisions_in_group(
            self._hits_above_group(), rate, reciprocals, shares
        )

    def _shares(
        self, ranks: Tensor, above: Tensor, reciprocals: Tensor
    ) -> Tensor:
        """Return Σ j / (above + j) over j = 0, 1, ..., ranks - 1.

        Args:
            ranks: the number of terms.
            above: at least 1.
            reciprocals: Σ 1 / (above + j).
        """
        # For a few low ranks, the difference `ranks - above * reciprocals` is
        # all rounding error. There, 1 / i is expanded into a series in
        # (i - c) / c, with c in the middle of the ranks i, whose odd powers add
        # up to 0.
        middle = above + (ranks - 1.0) / 2.0
        squared = ranks**2
        second = ranks * (squared - 1.0) / 12.0 / middle**2
        fourth = second * (3.0 * squared - 7.0) / 20.0 / middle**2
        series = ranks * (ranks - 1.0) / 2.0 - above * (second + fourth)
        return ops.where(
            8.0 * ranks < above, series / middle, ranks - above * reciprocals
        )
