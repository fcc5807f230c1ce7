"""Rankings of a few relevant items, by the number of items above each.

A catalogue is not sorted: the rank of an item follows from the number of higher
scores, and its ties from the number of equal ones. Such counts may come from
elsewhere, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY, length_at_most
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond, most_of
from keras_rankmetrics.engine.ranking.exposure import (
    Exposure,
    ItemNumbers,
    relevant_ids,
)
from keras_rankmetrics.engine.ranking.from_scores import (
    ScoredContent,
    Top,
)
from keras_rankmetrics.engine.ranking.items import Items, RelevantItems
from keras_rankmetrics.engine.ranking.matching import is_in, is_new
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.ranking import Content, Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sort_keys import (
    Sortable,
    input_order,
    lowest,
    shuffle_keys,
)
from keras_rankmetrics.engine.ranking.sums import (
    count,
    count_column,
    for_each,
    positions,
    sums_over_runs,
)
from keras_rankmetrics.engine.ranking.target_ranking import (
    Located,
    TargetRanking,
)
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Targets(ScoredContent):
    """Scores of a whole catalogue, and the indices of the relevant items.

    Relevant items have the label 1, all others 0.

    Attributes:
        targets: int `[lists, targets]`, indices into the catalogue. Below 0:
            padding.
        scores: the scores of all items. The lowest value of the dtype (-inf)
            marks an item that is not retrieved.
        dtype: the dtype of the labels.
    """

    targets: Tensor
    scores: Sortable
    dtype: str

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the targets among all items."""
        scores, is_target = self.scores.raw, is_new(self.targets)
        indices = ops.maximum(self.targets, 0)
        score = ops.take_along_axis(scores, indices, axis=-1)
        counts = count(is_target)
        items = RelevantItems.of(counts, self.targets, order.k, self.dtype)
        return CatalogueRanking(
            content=self,
            order=order,
            items=items,
            k=order.k,
            depth=depth_beyond(order.k, ops.shape(scores)[-1]),
            indices=indices,
            score=score,
            there=is_target & (score > lowest(scores)),
        )

    def all_tied(self) -> Targets:
        """Return the same items with equal scores for all retrieved ones."""
        return dataclasses.replace(self, scores=self.scores.all_equal())

    def relevant(self, gain: Relevance) -> tuple[ItemNumbers, Tensor]:
        """Return the targets and their gains."""
        return relevant_ids(self.targets, gain, self.dtype)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CatalogueRanking(TargetRanking):
    """A ranking of relevant items among the scores of a catalogue.

    Attributes:
        content: the relevant items and the scores.
        indices: int `[lists, targets]`, of the relevant items, 0 for padding.
        score: `[lists, targets]`, the scores of the relevant items.
        there: bool `[lists, targets]`, True for retrieved relevant items.
    """

    content: Targets
    indices: Tensor
    score: Tensor
    there: Tensor

    def _count_retrieved(self) -> Tensor:
        return count(self._scores > lowest(self._scores))

    def _count_others(self) -> Tensor:
        return self._count_retrieved() - count(self.there)

    @remembered()
    def _located(self) -> Located:
        scores = self._scores
        above = for_each(lambda s: count_column(scores > s), self.score)
        if self.order.ties == "average":
            start, size = above, self._tied()
        else:
            start, size = above + self._ahead_in_group(), ops.ones_like(above)
        return self._by_rank(start, size, self.there)

    @remembered()
    def _exposure(self) -> Exposure:
        targets, scores = self.content.targets, self.content.scores
        sorted_targets = ops.sort(targets, axis=-1)
        numbers = positions(scores.raw)

        def are_relevant(numbers: Tensor) -> Tensor:
            return is_in(ops.cast(numbers, targets.dtype), sorted_targets)

        def all_items() -> Tensor:
            shape = ops.shape(scores.raw)
            return are_relevant(ops.broadcast_to(numbers, shape))

        top = Top.of(
            scores, self.order, lambda: ops.cast(all_items(), self._dtype)
        )
        return top.exposure(
            lambda gain: gain.of_either(
                are_relevant(top.indices), 1, 0, self._dtype
            ),
            lambda gain: gain.of_either(all_items(), 1, 0, self._dtype),
        )

    @property
    def _scores(self) -> Tensor:
        return self.content.scores.raw

    def _tied(self) -> Tensor:
        """Return the number of items with the score of each target."""
        scores = self._scores
        return for_each(lambda s: count_column(scores == s), self.score)

    def _ahead_in_group(self) -> Tensor:
        """Return the number of items with an equal score before each target."""
        scores, order = self._scores, self.order
        return {
            "stable": lambda: self._ahead_by_key(input_order(scores)),
            "shuffle": lambda: self._ahead_by_key(
                shuffle_keys(scores, order.seed, order.draw)
            ),
            "optimistic": lambda: self._tied_targets(
                lambda target: self.indices < target
            ),
            "pessimistic": lambda: (
                self._tied()
                - self._tied_targets(lambda target: self.indices >= target)
            ),
        }[order.ties]()

    def _ahead_by_key(self, key: Tensor) -> Tensor:
        """Count the items with an equal score and a higher key."""
        scores = self._scores
        return for_each(
            lambda s, k: count_column((scores == s) & (key > k)),
            self.score,
            ops.take_along_axis(key, self.indices, axis=-1),
        )

    def _tied_targets(self, which: Callable[[Tensor], Tensor]) -> Tensor:
        """Count the retrieved targets with an equal score that are selected."""

        def tied(score: Tensor, target: Tensor) -> Tensor:
            same = self.there & (self.score == score)
            return count_column(same & which(target))

        return for_each(tied, self.score, self.indices)


@dataclasses.dataclass(frozen=True)
class Counted(Content):
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
        counts = count(self.is_relevant)
        items = RelevantItems.of(counts, self.is_relevant, order.k, self.dtype)
        return CountedRanking(
            content=self,
            order=order,
            items=items,
            k=order.k,
            depth=depth_beyond(order.k, MANY if last is None else last),
        )

    def all_tied(self) -> Counted:
        """Return the same items with equal scores for all retrieved ones."""
        there = self.retrieved()
        return dataclasses.replace(
            self,
            above=ops.where(there, 0, -1),
            tied=ops.where(there, self.num_items[:, None] - 1, 0),
        )

    def retrieved(self) -> Tensor:
        """Return True for relevant items that are retrieved."""
        return self.is_relevant & (self.above >= 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CountedRanking(TargetRanking):
    """A ranking of relevant items by the counts of items above them."""

    content: Counted

    def _count_retrieved(self) -> Tensor:
        return self.content.num_items

    def _count_others(self) -> Tensor:
        return self.content.num_items - count(self.content.retrieved())

    @remembered()
    def _located(self) -> Located:
        start, size = self.content.above, self.content.tied + 1
        there = self.content.retrieved()
        if self.order.ties == "average":
            return self._by_rank(start, size, there)
        # Put the relevant items of each tie group first, or last.
        place = ops.argsort(start, axis=-1)
        start, size, there = (
            ops.take_along_axis(x, place, axis=-1) for x in (start, size, there)
        )
        ahead, relevant = sums_over_runs(
            start, ops.cast(there, "int32"), length_at_most(start)
        )
        if self.order.ties == "pessimistic":
            ahead = size - relevant + ahead
        return self._by_rank(start + ahead, ops.ones_like(size), there)


@dataclasses.dataclass(frozen=True)
class Places(Content):
    """Lists with a single item that may have a gain, and its possible ranks.

    It is equally likely to be at each rank from `start + 1` to `start + size`.
    All other items are retrieved too, without a gain.

    Attributes:
        start: int32 `[lists]`.
        size: int32 `[lists]`, 1 in a strict order.
        label: `[lists]`, the label of the item.
        number: the number of items in each list.
    """

    start: Tensor
    size: Tensor
    label: Tensor
    number: int

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the item, which is not computed by sorting."""
        return PlaceRanking(
            content=self,
            order=order,
            items=Items(self.label[:, None], self.label, order.k),
            k=order.k,
            depth=depth_beyond(order.k, self.number),
        )

    def all_tied(self) -> Places:
        """Return the same items with equal scores for all."""
        return dataclasses.replace(
            self,
            start=ops.zeros_like(self.start),
            size=ops.full_like(self.size, self.number),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlaceRanking(TargetRanking):
    """A ranking of lists with a single item at concrete ranks."""

    content: Places

    def _count_retrieved(self) -> Tensor:
        return ops.full_like(self.content.start, self.content.number)

    def _count_others(self) -> Tensor:
        return ops.full_like(self.content.start, self.content.number - 1)

    @remembered()
    def _located(self) -> Located:
        start = ops.minimum(self.content.start, self.depth)
        return Located(
            self.items.labels, start[:, None], self.content.size[:, None]
        )
