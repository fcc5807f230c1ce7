"""`Items`: what each list holds, retrieved or not, in no order."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond, most_of
from keras_rankmetrics.engine.ranking.memo import Memo, remembered
from keras_rankmetrics.engine.ranking.relevance import Relevance, exists
from keras_rankmetrics.engine.ranking.sums import count, positions
from keras_rankmetrics.types import Tensor

# Of gains up to this, no list is long enough to add up to inf in float32.
_HUGE = 1e28

# Sums of what is above 0 and below that may be off: single precision has no
# fractions of its smallest numbers.
_LEAST = 1e-30


@dataclasses.dataclass(frozen=True)
class Items:
    """The items of each list.

    Attributes:
        labels: `[lists, items]`, floats. Below 0: no item, or one that nobody
            has judged. Either is worth nothing.
        highest: `[lists]`, the highest label.
        k: how many ranks of the best order are asked for, None for all.
        weights: `[lists, items]`, or None where all items weigh the same.
        has_others: whether items without a gain are among them.
        num_relevant: `[lists]`, or None where there are no others. How many
            items have a gain; those that the labels do not hold are *unseen*,
            and have no rank.
    """

    has_others: ClassVar[bool] = True

    labels: Tensor
    highest: Tensor
    k: int | None
    weights: Tensor | None = None
    num_relevant: Tensor | None = None
    _memo: Memo = dataclasses.field(default_factory=Memo, compare=False)

    @property
    def whole(self) -> bool:
        """Whether whole lists are ranked."""
        return self.k is None

    @property
    def depth(self) -> int | Tensor:
        """How many items of the best order are known, more than `k`."""
        return depth_beyond(self.k, ops.shape(self.labels)[-1])

    def for_measures_that_branch(self) -> Items:
        """The same items, which remember no more than they do already."""
        return dataclasses.replace(self, _memo=self._memo.for_reading())

    def sum(self, gain: Relevance) -> Tensor:
        """`[lists]`, the sum of the gains of all items."""
        seen = self.sum_of_seen(gain)
        if self.num_relevant is None:
            return seen
        return seen + self.unseen(gain) * gain.of_unseen(self.highest)

    @remembered()
    def sum_of_seen(self, gain: Relevance) -> Tensor:
        """`[lists]`, the sum of the gains of those that the labels hold."""
        return ops.sum(self.gains(gain), axis=-1)

    def unseen(self, gain: Relevance) -> Tensor:
        """`[lists]`, how many relevant items the labels do not hold."""
        if self.num_relevant is None:
            return ops.zeros_like(self.highest)
        has_gain = ops.cast(self.gains(gain) > 0, self.labels.dtype)
        seen = ops.sum(has_gain, axis=-1)
        return ops.maximum(self.num_relevant - seen, 0.0)

    def has_gain(self, gain: Relevance) -> Tensor:
        """Whether any item has a gain, bool `[lists]`."""
        seen = self.has_seen_gain(gain)
        if self.num_relevant is None:
            return seen
        return seen | (self.num_relevant > 0)

    @remembered()
    def highest_gain(self, gain: Relevance) -> Tensor:
        """Return the highest gain of all items, `[lists]`, 0 without items."""
        seen = self._highest_gain(gain)
        if self.num_relevant is None:
            return seen
        unseen = ops.where(
            self.unseen(gain) > 0, gain.of_unseen(self.highest), 0
        )
        return ops.maximum(seen, unseen)

    @remembered()
    def others(self, gain: Relevance) -> Tensor:
        """`[lists]`, how many have no gain, of those that labels tell."""
        return count(exists(self.labels) & (self.gains(gain) == 0))

    @remembered()
    def has_seen_gain(self, gain: Relevance) -> Tensor:
        """Whether any that the labels hold has a gain, bool `[lists]`."""
        # A gain does not decrease as the label grows.
        return self._highest_gain(gain) > 0

    def underflow(self, gain: Relevance) -> Tensor | None:
        """Whether all weighted gains of a list are tiny, bool `[lists]`.

        None where it is known that none are.
        """
        if self.weights is None:
            return None
        total = self._weighted_sum(gain)
        found = (total > 0) & (total < _LEAST)
        return None if concrete(ops.any(found)) is False else found

    def overflow(self, gain: Relevance) -> Tensor | None:
        """Whether the weighted gains of a list add up to inf, bool `[lists]`.

        None where it is known that none does.
        """
        if self.weights is None and gain.is_binary:
            return None
        return self._overflow(gain)

    def gains(self, gain: Relevance) -> Tensor:
        """`[lists, items]`, the gains of those that the labels hold.

        They are kept where whole lists are ranked, and not for a few ranks of
        a catalogue, where most of them are summed up at once.
        """
        if self.whole:
            return self._memo.once(("gains", gain), lambda: gain(self.labels))
        return gain(self.labels)

    def weighted(self, gain: Relevance) -> Tensor:
        """`[lists, items]`, the weights times the gains."""
        gains = self.gains(gain)
        if self.weights is None:
            return gains
        return ops.where(gains > 0, self.weights * gains, 0)

    def mean_weight_of_all(self) -> Tensor:
        """`[lists]`, the mean weight of all items."""
        if self.weights is None:
            return self._one()
        there = exists(self.labels)
        weights = ops.sum(ops.where(there, self.weights, 0), axis=-1)
        number = ops.sum(ops.cast(there, weights.dtype), axis=-1)
        return ops.divide_no_nan(weights, number)

    def mean_weight(self, gain: Relevance) -> Tensor:
        """`[lists]`, the mean weight by the gains: Σ w g / Σ g."""
        return self._one() if self.weights is None else self._mean_weight(gain)

    @remembered()
    def best(self, gain: Relevance) -> Tensor:
        """`[lists, ranks]`, the highest weights times gains, best first.

        To a depth of more than `k`, or of all items.
        """
        if self.weights is None:
            return self.best_gains(gain)
        best = highest(self.weighted(gain), self.depth)
        return self._with_unseen(best, gain, self._mean_weight(gain))

    @remembered()
    def best_gains(self, gain: Relevance) -> Tensor:
        """`[lists, ranks]`, the highest gains, best first, as deep."""
        if self.whole:
            best = highest(self.gains(gain), self.depth)
        else:
            best = gain(self._best_labels())
        return self._with_unseen(best, gain, self._one())

    @remembered()
    def _one(self) -> Tensor:
        return ops.ones_like(self.highest)

    @remembered()
    def _mean_weight(self, gain: Relevance) -> Tensor:
        return ops.divide_no_nan(
            self._weighted_sum(gain), self.sum_of_seen(gain)
        )

    @remembered()
    def _weighted_sum(self, gain: Relevance) -> Tensor:
        return ops.sum(self.weighted(gain), axis=-1)

    @remembered()
    def _highest_gain(self, gain: Relevance) -> Tensor:
        return gain(self.highest)

    @remembered()
    def _overflow(self, gain: Relevance) -> Tensor | None:
        if self.weights is not None:
            found = ops.isinf(self._weighted_sum(gain)) | ops.isinf(
                self.sum_of_seen(gain)
            )
            return None if concrete(ops.any(found)) is False else found
        huge = self._highest_gain(gain) > _HUGE
        any_huge = ops.any(huge)
        if concrete(any_huge) is False:
            return None
        return cond(
            any_huge,
            lambda: ops.isinf(ops.sum(gain(self.labels), axis=-1)),
            lambda: huge,
        )

    @remembered()
    def _best_labels(self) -> Tensor:
        return highest(self.labels, self.depth)

    def _with_unseen(
        self, best: Tensor, gain: Relevance, weight: Tensor
    ) -> Tensor:
        """The best gains, with those of the unseen items among them.

        Args:
            best: the gains of the others.
            gain: what a label is worth.
            weight: `[lists]`, of an unseen item.
        """
        if self.num_relevant is None:
            return best
        k = self.k
        room = self._most_relevant() if k is None else depth_beyond(k)
        best = ops.pad(best, [[0, 0], [0, room]])
        seen = ops.sum(ops.cast(best > 0, best.dtype), -1, keepdims=True)
        place = ops.cast(positions(best), best.dtype)
        is_unseen = (place >= seen) & (
            place < seen + self.unseen(gain)[:, None]
        )
        worth = weight * gain.of_unseen(self.highest)
        best = ops.where(is_unseen, worth[:, None], best)
        return highest(best, ops.shape(best)[-1])

    def _most_relevant(self) -> int | Tensor:
        """The largest number of relevant items."""
        return most_of(
            self.num_relevant,
            "With `num_relevant` and without `k`, the best order has a rank "
            "for each relevant item",
        )


class RelevantItems(Items):
    """Items of which only the relevant ones are known, best first.

    The labels are 1, and below 0 from where there are no more.
    """

    has_others = False

    @remembered()
    def gains(self, gain: Relevance) -> Tensor:
        """`[lists, items]`, what the label 1 is worth, as often as it is."""
        return gain.of_either(self.labels > 0, 1, -1, self.labels.dtype)

    @remembered()
    def best_gains(self, gain: Relevance) -> Tensor:
        """`[lists, ranks]`, the same to a depth of more than `k`, or all."""
        return self.gains(gain)[:, : self.depth]
