"""Tied scores: the mean over all orders of the tied items."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.ranking.exposure import GroupedGains
from keras_rankmetrics.engine.ranking.list_ranking import ListRanking
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.pairs import InOrder
from keras_rankmetrics.engine.ranking.probabilities import (
    Group,
    precision_per_hit,
    precisions_in_group,
    rate_of_others,
    value_at_first_hit,
)
from keras_rankmetrics.engine.ranking.ranking import Cutoff
from keras_rankmetrics.engine.ranking.sort_keys import Sortable
from keras_rankmetrics.engine.ranking.stopping import (
    Row,
    stop_probabilities_in_ties,
)
from keras_rankmetrics.engine.ranking.sums import (
    count,
    positions,
    sums_over_runs,
)
from keras_rankmetrics.types import Tensor


class Shared(NamedTuple):
    """Values of tied items, by the tie group of each rank, `[lists, ranks]`.

    Attributes:
        mean: the mean of the values of the group.
        total: the sum of the values of the group.
        before: the sum over the items of the group before this one in the row.
        ahead: the number of these items.
        start: int32, the number of items above the group.
        size: int32, the number of items in the group, which may extend beyond
            the row; 1 where no item is retrieved.
    """

    mean: Tensor
    total: Tensor
    before: Tensor
    ahead: Tensor
    start: Tensor
    size: Tensor


@dataclasses.dataclass(frozen=True)
class Ties:
    """The tie groups among the highest scores of each list.

    Attributes:
        scores: all scores of each list.
        highest: `[lists, ranks]`, the highest scores, in order. All of them, or
            more than the ranks that count.
        there: bool `[lists, ranks]`, True where an item is retrieved.
        found: True if any two retrieved items tie, a bool scalar.
        most: an upper bound for the number of ranks.
    """

    scores: Sortable
    highest: Tensor
    there: Tensor
    found: Tensor
    most: int

    def share(self, x: Tensor, of_items: Callable[[], Tensor]) -> Shared:
        """Share the values of tied items among their ranks.

        Args:
            x: `[lists, ranks]`, the value of the item at each rank, 0 where
                none is retrieved.
            of_items: computes the values of all items, `[lists, items]`.
        """
        position = positions(x)

        def tied() -> tuple[Tensor, ...]:
            before, in_row = sums_over_runs(
                self.highest, ops.stack([x, ops.ones_like(x)]), self.most
            )
            x_before, items_before = ops.unstack(before, 2)
            start = position - ops.cast(items_before, "int32")
            total, items = ops.unstack(
                self._beyond_the_row(start, in_row, of_items), 2
            )
            size = ops.where(self.there, ops.cast(items, "int32"), 1)
            return total / items, total, x_before, items_before, start, size

        def alone() -> tuple[Tensor, ...]:
            start = ops.broadcast_to(position, ops.shape(x))
            none = ops.zeros_like(x)
            return x, x, none, none, start, ops.ones_like(start)

        return Shared(*cond(self.found, tied, alone))

    def groups(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the tie group of each rank.

        Returns:
            The number of items above the group and its size in the row, int32
            `[lists, ranks]`, and True where it may extend beyond the row, bool
            `[lists, ranks]`.
        """
        position = positions(self.highest)

        def tied() -> tuple[Tensor, ...]:
            ones = ops.ones_like(self.highest, dtype="float32")
            sums = sums_over_runs(self.highest, ones, self.most)
            before, items = (ops.cast(x, "int32") for x in sums)
            start = position - before
            return start, items, self._may_extend(start, start + items)

        def alone() -> tuple[Tensor, ...]:
            start = ops.broadcast_to(position, ops.shape(self.highest))
            return start, ops.ones_like(start), ops.zeros_like(self.there)

        start, size, beyond = cond(self.found, tied, alone)
        return start, size, beyond

    def lowest_of(self, lists: Tensor) -> Tensor:
        """Return True for items with the lowest score of the row.

        Args:
            lists: bool `[lists]`, False for lists without such items.
        """
        return self._is_lowest() & lists[:, None]

    def of_lowest(self, x: Tensor) -> Tensor:
        """Return the values of items with the lowest score of the row, else 0.

        Args:
            x: the values of all items, `[lists, items]`.
        """
        return ops.where(self._is_lowest(), x, 0)

    def _is_lowest(self) -> Tensor:
        # XLA would turn a `top_k` whose results are sliced into a full sort.
        lowest = ops.min(self.highest, axis=-1, keepdims=True)
        return self.scores.cleaned() == lowest

    def _beyond_the_row(
        self, start: Tensor, in_row: Tensor, of_items: Callable[[], Tensor]
    ) -> Tensor:
        """Return the sum of values and the size of groups, `[2, lists, ranks]`.

        The lowest tie group may extend beyond the row. (If it begins at the
        last position, it is beyond any cutoff.)

        Args:
            start: the number of items above each group.
            in_row: the same two numbers for the items in the row.
            of_items: computes the values of all items.
        """
        beyond = self._may_extend(start, start + ops.cast(in_row[1], "int32"))

        def whole() -> Tensor:
            tied = self._is_lowest()
            items = count(tied)
            # This is always true, and forces the items to be counted before
            # they are summed, so that one array of all items is in memory at a
            # time.
            tied = tied & (items[:, None] > 0)
            total = ops.sum(ops.where(tied, of_items(), 0), axis=-1)
            of_all = ops.stack([total, ops.cast(items, total.dtype)])
            return ops.where(beyond, of_all[:, :, None], in_row)

        return cond(ops.any(beyond), whole, lambda: in_row)

    def _may_extend(self, start: Tensor, stop: Tensor) -> Tensor:
        """Return True for groups that may extend beyond the row.

        Args:
            start: the number of items above each group.
            stop: the last rank of each group in the row.
        """
        end = ops.shape(self.highest)[-1]
        more_items = ops.any(positions(self.scores.raw) >= end)
        return (stop == end) & (start < end - 1) & self.there & more_items


@dataclasses.dataclass(frozen=True, kw_only=True)
class TiedRanking(ListRanking):
    """A ranking in which the items of a tie group share its ranks.

    Each rank has the mean over the items of the group.

    Attributes:
        ties: the tie groups.
    """

    ties: Ties

    def _mean_gains(self) -> Tensor:
        return self._shared().mean

    @remembered("gain")
    def _weighted(self) -> Tensor:
        return self.ties.share(
            super()._weighted(), lambda: self.items.weighted(self.gain)
        ).mean

    @remembered("gain")
    def _hits_if_hit(self) -> Tensor:
        if concrete(~self.ties.found):
            return super()._hits_if_hit()
        shared = self._shared()
        hits = self.as_binary()._shared().total
        found = precisions_in_group(
            0.0,
            rate=rate_of_others(hits, self._float(shared.size)),
            reciprocals=1.0,
            shares_above=shared.ahead,
        )
        mean = ops.divide_no_nan(shared.total, hits)
        return self._hits_above_group() + mean * found

    @remembered("gain")
    def _stop_probabilities(self) -> Tensor:
        alone = super()._stop_probabilities()
        if concrete(~self.ties.found):
            return alone
        stops, shared = self._gains(), self._shared()
        row = Row(stops, shared.start, shared.size)

        def tied() -> Tensor:
            probabilities = stop_probabilities_in_ties(
                row, lambda: self.ties.of_lowest(self.items.gains(self.gain))
            )
            return ops.where(self.ties.there, probabilities, 0)

        return cond(self.ties.found, tied, lambda: alone)

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

    def _row(self) -> InOrder:
        shared = self._shared()
        return super()._row()._replace(start=shared.start, size=shared.size)

    @remembered("gain")
    def _hits_above_group(self) -> Tensor:
        """Return the sum of the gains above the tie group of each rank."""
        hits = self._gains()
        return self._running(hits) - hits - self._shared().before

    def _per_hit(self, precisions: Tensor, k: Cutoff) -> Tensor:
        hits, weighted = self.total(), self.weighted_total()
        shared = self._shared()

        def group_at(split: Tensor) -> Group:
            weight = ops.divide_no_nan(
                _of_one(split, weighted), _of_one(split, hits)
            )
            return self._group_at(split)._replace(weight=weight)

        return precision_per_hit(
            super()._per_hit(precisions, k),
            hits,
            precisions,
            start=self._within(None, shared.start),
            size=self._within(None, shared.size),
            group_at=group_at,
            cutoff=self._column(k),
            depth=self._width,
        )

    def _value_at(self, first: Tensor, values: Tensor) -> Tensor:
        certain = super()._value_at(first, values)
        uncertain = ops.any(first & (self.total() < 1), axis=-1)

        def expected() -> Tensor:
            group = self._group_at(first)
            # A single relevant item is equally likely to be at each rank.
            inside = self._within(None, self._shared().start) == group.start
            evenly = ops.sum(ops.where(inside, values, 0), -1, keepdims=True)
            value = ops.where(
                group.relevant < 1.5,
                evenly / ops.maximum(group.size, 1.0),
                value_at_first_hit(group, values),
            )
            return ops.where(uncertain, value[:, 0], certain)

        return cond(ops.any(uncertain), expected, lambda: certain)

    @remembered("gain")
    def _shared(self) -> Shared:
        """Return the gains, shared among tied items."""
        return self.ties.share(
            self._gains(), lambda: self.items.gains(self.gain)
        )

    def _group_at(self, chosen: Tensor) -> Group:
        """Return the tie group of the chosen ranks of each list."""
        shared = self._shared()
        start, size, relevant = (
            _of_one(chosen, self._within(None, x))
            for x in (shared.start, shared.size, shared.total)
        )
        return Group(start, self._float(size), relevant)


def _of_one(chosen: Tensor, x: Tensor) -> Tensor:
    """Return the common value of the chosen ranks, `[lists, 1]`, 0 if none."""
    return ops.max(ops.where(chosen, x, 0), axis=-1, keepdims=True)
