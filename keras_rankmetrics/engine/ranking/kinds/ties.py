"""`Ties`: the tie groups in rows of sorted scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.sorting.counting import count
from keras_rankmetrics.engine.ranking.sorting.runs import (
    positions,
    sums_over_runs,
)
from keras_rankmetrics.engine.ranking.sorting.sortable import Sortable
from keras_rankmetrics.types import Tensor


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
