"""Tied scores: the mean over all orders of the tied items."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.ranking.exposure import Placed
from keras_rankmetrics.engine.ranking.list_ranking import Ranks
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.pairs import InOrder
from keras_rankmetrics.engine.ranking.probabilities import (
    Group,
    precision_per_hit,
    precisions_in_group,
    rate_of_others,
    value_at_first_hit,
)
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.engine.ranking.sort_keys import Sortable
from keras_rankmetrics.engine.ranking.stopping import Row, chances_in_ties
from keras_rankmetrics.engine.ranking.sums import (
    count,
    positions,
    sums_over_runs,
)
from keras_rankmetrics.types import Tensor

# `Ties`: the tie groups in rows of sorted scores.


class Shared(NamedTuple):
    """What tied items hold, `[lists, ranks]`.

    Attributes:
        mean: at each rank of a tie group, what its items hold on average.
        total: what they hold together.
        before: what those items of the group hold that come before it in the
            row.
        ahead: how many these are.
        start: int32, how many items stand above the group.
        size: int32, how many are in it, maybe more than the row has room for;
            1 where no item is retrieved.
    """

    mean: Tensor
    total: Tensor
    before: Tensor
    ahead: Tensor
    start: Tensor
    size: Tensor


@dataclasses.dataclass(frozen=True)
class Ties:
    """Which of the highest scores of each list are the same.

    Attributes:
        scores: all scores of each list.
        highest: `[lists, ranks]`, the highest of them, in order. As many as all
            lists have, or more than there are ranks that count.
        there: bool `[lists, ranks]`, whether an item is retrieved there.
        found: bool, whether any two of these that are retrieved tie.
        most: the largest number of ranks that there can be.
    """

    scores: Sortable
    highest: Tensor
    there: Tensor
    found: Tensor
    most: int

    def share(self, x: Tensor, of_items: Callable[[], Tensor]) -> Shared:
        """Shares among tied items what they hold.

        Args:
            x: `[lists, ranks]`, what the item at each rank holds; 0 where none
                is retrieved.
            of_items: computes the same of all items, `[lists, items]`.
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
        """Where the group of each rank starts, and its size in the row.

        And whether it may go on beyond the row, within the ranks that count.
        All `[lists, ranks]`, the first two int32.
        """
        position = positions(self.highest)

        def tied() -> tuple[Tensor, ...]:
            ones = ops.ones_like(self.highest, dtype="float32")
            sums = sums_over_runs(self.highest, ones, self.most)
            before, items = (ops.cast(x, "int32") for x in sums)
            start = position - before
            return start, items, self._goes_on(start, start + items)

        def alone() -> tuple[Tensor, ...]:
            start = ops.broadcast_to(position, ops.shape(self.highest))
            return start, ops.ones_like(start), ops.zeros_like(self.there)

        start, size, goes_on = cond(self.found, tied, alone)
        return start, size, goes_on

    def lowest_of(self, lists: Tensor) -> Tensor:
        """Which items of some lists have the lowest score of the row.

        Args:
            lists: bool `[lists]`.
        """
        return self._is_lowest() & lists[:, None]

    def of_lowest(self, x: Tensor) -> Tensor:
        """What the items hold whose score is the lowest in the row.

        Args:
            x: what all items hold, `[lists, items]`; 0 is returned for others.
        """
        return ops.where(self._is_lowest(), x, 0)

    def _is_lowest(self) -> Tensor:
        # Not the last entry: a slice of what `top_k` returns makes XLA sort.
        lowest = ops.min(self.highest, axis=-1, keepdims=True)
        return self.scores.cleaned() == lowest

    def _beyond_the_row(
        self, start: Tensor, in_row: Tensor, of_items: Callable[[], Tensor]
    ) -> Tensor:
        """What groups hold, and how many items, `[2, lists, ranks]`.

        The group of the lowest of the highest scores may go on beyond the row.
        (If it begins at the last place, it is beyond any cutoff.)

        Args:
            start: of each group.
            in_row: the same, of those items that the row holds.
            of_items: what all items hold.
        """
        goes_on = self._goes_on(start, start + ops.cast(in_row[1], "int32"))

        def whole() -> Tensor:
            tied = self._is_lowest()
            items = count(tied)
            # It always holds, and forces the order of computation: only when
            # the items have been counted are they summed up, so that one array
            # of all items is held at a time.
            tied = tied & (items[:, None] > 0)
            total = ops.sum(ops.where(tied, of_items(), 0), axis=-1)
            of_all = ops.stack([total, ops.cast(items, total.dtype)])
            return ops.where(goes_on, of_all[:, :, None], in_row)

        return cond(ops.any(goes_on), whole, lambda: in_row)

    def _goes_on(self, start: Tensor, stop: Tensor) -> Tensor:
        """Which groups may go on beyond the row, bool `[lists, ranks]`.

        Args:
            start: where they begin.
            stop: where they end in the row.
        """
        end = ops.shape(self.highest)[-1]
        beyond = ops.any(positions(self.scores.given) >= end)
        return (stop == end) & (start < end - 1) & self.there & beyond


# `TiedRanks`: a ranking whose entries are ranks, which tied items share.


@dataclasses.dataclass(frozen=True, kw_only=True)
class TiedRanks(Ranks):
    """Ranks of which those of a tie group hold the mean over its items.

    Attributes:
        ties: the tie groups.
    """

    ties: Ties

    def _held(self) -> Tensor:
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
    def _chances_to_stop(self) -> Tensor:
        alone = super()._chances_to_stop()
        if concrete(~self.ties.found):
            return alone
        stops, shared = self._gains(), self._shared()
        row = Row(stops, shared.start, shared.size)

        def tied() -> Tensor:
            chances = chances_in_ties(
                row, lambda: self.ties.of_lowest(self.items.gains(self.gain))
            )
            return ops.where(self.ties.there, chances, 0)

        return cond(self.ties.found, tied, lambda: alone)

    @remembered("gain")
    def _placed(self) -> Placed:
        shared = self._shared()
        return Placed(
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
        """The relevant items above the tie group of each rank."""
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

        def by_chance() -> Tensor:
            group = self._group_at(first)
            # A single one is as likely at each rank: nothing to multiply up.
            inside = self._within(None, self._shared().start) == group.start
            evenly = ops.sum(ops.where(inside, values, 0), -1, keepdims=True)
            expected = ops.where(
                group.relevant < 1.5,
                evenly / ops.maximum(group.size, 1.0),
                value_at_first_hit(group, values),
            )
            return ops.where(uncertain, expected[:, 0], certain)

        return cond(ops.any(uncertain), by_chance, lambda: certain)

    @remembered("gain")
    def _shared(self) -> Shared:
        """The gains, shared among the items that tie."""
        return self.ties.share(
            self._gains(), lambda: self.items.gains(self.gain)
        )

    def _group_at(self, chosen: Tensor) -> Group:
        """The group of the chosen ranks, of which each list has one."""
        shared = self._shared()
        start, size, relevant = (
            _of_one(chosen, self._within(None, x))
            for x in (shared.start, shared.size, shared.total)
        )
        return Group(start, self._float(size), relevant)


def _of_one(chosen: Tensor, x: Tensor) -> Tensor:
    """What all chosen ranks of a list have, `[lists, 1]`; 0 if none is."""
    return ops.max(ops.where(chosen, x, 0), axis=-1, keepdims=True)
