"""Rankings of a few relevant items, by the number of items above each.

A catalogue is not sorted: the rank of an item follows from the number of higher
scores, and its ties from the number of equal ones. Such counts may come from
elsewhere, too.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.backend.tracing import MANY, length_at_most
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.engine.ranking.exposure import Exposure, ItemNumbers
from keras_rankmetrics.engine.ranking.from_scores import ScoredContent
from keras_rankmetrics.engine.ranking.items import RelevantItems
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.target_ranking import (
    TargetContent,
    TargetRanking,
)
from keras_rankmetrics.engine.ranking.ties import Order, key_within_ties
from keras_rankmetrics.engine.ranking.top import Top, most_of
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Targets(ScoredContent, TargetContent):
    """Scores of a whole catalogue, and the indices of the relevant items.

    Relevant items have the label 1, all others 0.

    Attributes:
        targets: int `[lists, targets]`, indices into the catalogue. Below 0:
            padding.
        dtype: the dtype of the labels.
    """

    targets: Tensor
    dtype: str

    @functools.cached_property
    def _are_new(self) -> Tensor:
        """True for the first occurrence of each target, bool."""
        # `ranked` needs it first, so never a branch: see `tracing.trace`.
        return counting.is_new(self.targets)

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the targets among all items."""
        counts = counting.count(self._are_new)
        items = RelevantItems.of(counts, self.targets, order.k, self.dtype)
        return self.ranking_of(order, items, ops.shape(self.scores.raw)[-1])

    def relevant(self, gain: Relevance) -> tuple[ItemNumbers, Tensor]:
        """Return the targets and their gains."""
        gains = gain.of_either(self._are_new, 1, -1, self.dtype)
        return ItemNumbers(self.targets), gains

    def hidden(self) -> Tensor:
        """Return True for targets that are not retrieved, bool."""
        scores, targets = self.scores.raw, ops.maximum(self.targets, 0)
        score = ops.take_along_axis(scores, targets, axis=-1)
        return self._are_new & (score == lowest(scores))

    def num_retrieved(self) -> Tensor:
        """Return the number of retrieved items, int32 `[lists]`."""
        return counting.count(self.scores.raw > lowest(self.scores.raw))

    def located(self, order: Order) -> tuple[Tensor, Tensor, Tensor]:
        """Return the targets, found in a pass over all scores."""
        scores, targets = self.scores.raw, ops.maximum(self.targets, 0)
        score = ops.take_along_axis(scores, targets, axis=-1)
        there = self._are_new & (score > lowest(scores))
        start = counting.count_for_each(lambda s: scores > s, score)
        size = ops.ones_like(start)

        def count_tied() -> Tensor:
            return counting.count_for_each(lambda s: scores == s, score)

        def count_targets(compare: Callable[..., Tensor]) -> Tensor:
            """Count the tied targets whose index compares to that of each."""
            return counting.count_for_each(
                lambda s, x: there & (score == s) & compare(targets, x),
                score,
                targets,
            )

        if order.ties == "average":
            size = count_tied()
        elif order.ties == "optimistic":
            start = start + count_targets(operator.lt)
        elif order.ties == "pessimistic":
            start = start + (count_tied() - count_targets(operator.ge))
        else:
            key = key_within_ties(scores, order)
            of_targets = ops.take_along_axis(key, targets, axis=-1)
            start = start + counting.count_for_each(
                lambda s, k: (scores == s) & (key > k), score, of_targets
            )
        return start, size, there

    def exposure(self, order: Order) -> Exposure:
        """Return all items by their ranks."""
        scores, sorted_targets = self.scores, ops.sort(self.targets, axis=-1)
        numbers = counting.positions(scores.raw)

        def are_relevant(numbers: Tensor) -> Tensor:
            return counting.is_in(
                ops.cast(numbers, self.targets.dtype), sorted_targets
            )

        def all_items() -> Tensor:
            shape = ops.shape(scores.raw)
            return are_relevant(ops.broadcast_to(numbers, shape))

        top = Top.of(scores, order, lambda: ops.cast(all_items(), self.dtype))
        dtype = self.dtype
        return top.exposure(
            lambda gain: gain.of_either(are_relevant(top.indices), 1, 0, dtype),
            lambda gain: gain.of_either(all_items(), 1, 0, dtype),
        )


@dataclasses.dataclass(frozen=True)
class Counted(TargetContent):
    """Relevant items, and the number of other items above each.

    Relevant items have the label 1, all others 0.

    Attributes:
        is_relevant: bool `[lists, relevant]`, False for padding.
        above: int32 `[lists, relevant]`, the number of items with a higher
            score. Below 0: not retrieved.
        tied: int32 `[lists, relevant]`, the number of others with an equal
            score.
        num_items: int32 `[lists]`, the number of retrieved items.
        most: the largest of these, if concrete even while tracing.
        dtype: the dtype of the labels.
    """

    is_relevant: Tensor
    above: Tensor
    tied: Tensor
    num_items: Tensor
    most: int | None
    dtype: str

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the relevant items."""
        last = self.most
        if order.k is None and last is None:
            last = most_of(
                self.num_items, "Without `k`, ranks go down to the last item"
            )
        counts = counting.count(self.is_relevant)
        items = RelevantItems.of(counts, self.is_relevant, order.k, self.dtype)
        return self.ranking_of(order, items, MANY if last is None else last)

    def all_tied(self) -> Counted:
        """Return the same items with equal scores for all retrieved ones."""
        there = self._are_retrieved()
        return dataclasses.replace(
            self,
            above=ops.where(there, 0, -1),
            tied=ops.where(there, self.num_items[:, None] - 1, 0),
        )

    def without(self, items: Tensor) -> Counted:
        """Return the same items, some of them, bool, not retrieved."""
        return dataclasses.replace(
            self,
            above=ops.where(items, -1, self.above),
            tied=ops.where(items, 0, self.tied),
        )

    def num_retrieved(self) -> Tensor:
        """Return the number of retrieved items, int32 `[lists]`."""
        return self.num_items

    def located(self, order: Order) -> tuple[Tensor, Tensor, Tensor]:
        """Return the relevant items, of which the ranks are known."""
        start, size, there = self.above, self.tied + 1, self._are_retrieved()
        if order.ties != "average":
            # Put the relevant items of each tie group first, or last.
            place = ops.argsort(start, axis=-1)
            start, size, there = counting.taken(place, start, size, there)
            ahead, relevant = counting.sums_over_runs(
                start, ops.cast(there, "int32"), length_at_most(start)
            )
            if order.ties == "pessimistic":
                ahead = size - relevant + ahead
            start, size = start + ahead, ops.ones_like(size)
        return start, size, there

    def _are_retrieved(self) -> Tensor:
        return self.is_relevant & (self.above >= 0)
