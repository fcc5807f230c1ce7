"""Rankings of a few relevant items among the scores of a whole catalogue.

The catalogue is not sorted: the rank of an item follows from the number of
higher scores, and ties from the number of equal ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond
from keras_rankmetrics.engine.ranking.exposure import (
    Exposure,
    ItemNumbers,
    relevant_ids,
)
from keras_rankmetrics.engine.ranking.from_scores import (
    ScoredContent,
    Top,
)
from keras_rankmetrics.engine.ranking.items import RelevantItems
from keras_rankmetrics.engine.ranking.matching import is_in, is_new
from keras_rankmetrics.engine.ranking.ranking import Order
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
        return CatalogueRanking(
            content=self,
            order=order,
            items=RelevantItems.of(
                count(is_target),
                ops.shape(self.targets)[-1],
                order.k,
                self.dtype,
            ),
            k=order.k,
            depth=depth_beyond(order.k, ops.shape(scores)[-1]),
            indices=indices,
            score=score,
            there=is_target & (score > lowest(scores)),
        )

    def all_tied(self) -> Targets:
        """Return the same items with equal scores for all retrieved ones."""
        return dataclasses.replace(self, scores=self.scores.levelled())

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

    def _locate(self) -> Located:
        scores = self._scores
        above = for_each(lambda s: count_column(scores > s), self.score)
        if self.order.ties == "average":
            start, size = above, self._tied()
        else:
            start, size = above + self._ahead_in_group(), ops.ones_like(above)
        return Located.sorted(start, size, self.there, self.depth, self._dtype)

    def _expose(self) -> Exposure:
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
