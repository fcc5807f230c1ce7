"""`Items`: the items of each list, retrieved or not, in no order."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import highest
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.ranking.counting import count, positions
from keras_rankmetrics.engine.ranking.relevance import (
    Memo,
    Relevance,
    exists,
    remembered,
)
from keras_rankmetrics.engine.ranking.top import depth_beyond, most_of
from keras_rankmetrics.types import Tensor

# No list is long enough for gains up to this to add up to inf in float32.
_HUGE = 1e28

# Positive sums below this may be inexact: the smallest float32 numbers have
# fewer digits.
_LEAST = 1e-30


@dataclasses.dataclass(frozen=True)
class Items:
    """The items of each list.

    Attributes:
        labels: `[lists, items]`, floats. Below 0 for no item, or for one that
            nobody has judged; neither has a gain.
        highest: `[lists]`, the highest label.
        k: the number of ranks of the best order that are needed, None for all.
        weights: `[lists, items]`, or None for equal weights.
        num_relevant: `[lists]`, the number of items with a gain, or None if the
            labels contain all of these. The others are *unseen*: they are not
            in the labels and have no rank.
        has_others: True if items without a gain may be in the labels.
    """

    has_others: ClassVar[bool] = True

    labels: Tensor
    highest: Tensor
    k: int | None
    weights: Tensor | None = None
    num_relevant: Tensor | None = None
    _memo: Memo = dataclasses.field(default_factory=Memo)

    @property
    def depth(self) -> int | Tensor:
        """The number of ranks of the best order, more than `k`."""
        return depth_beyond(self.k, ops.shape(self.labels)[-1])

    def sum(self, gain: Relevance) -> Tensor:
        """Return the sum of the gains of all items, `[lists]`."""
        seen = self.sum_of_seen(gain)
        if self.num_relevant is None:
            return seen
        return seen + self.unseen(gain) * gain.of_unseen(self.highest)

    @remembered()
    def sum_of_seen(self, gain: Relevance) -> Tensor:
        """Return the sum of the gains of the items in the labels, `[lists]`."""
        return ops.sum(self.gains(gain), axis=-1)

    def unseen(self, gain: Relevance) -> Tensor:
        """Return the number of relevant items not in the labels, `[lists]`."""
        if self.num_relevant is None:
            return ops.zeros_like(self.highest)
        has_gain = ops.cast(self.gains(gain) > 0, self.labels.dtype)
        seen = ops.sum(has_gain, axis=-1)
        return ops.maximum(self.num_relevant - seen, 0.0)

    def has_gain(self, gain: Relevance) -> Tensor:
        """Return True for lists in which an item has a gain, bool `[lists]`."""
        seen = self.has_seen_gain(gain)
        if self.num_relevant is None:
            return seen
        return seen | (self.num_relevant > 0)

    @remembered()
    def has_seen_gain(self, gain: Relevance) -> Tensor:
        """Return True for lists in which a label has a gain, bool `[lists]`."""
        # Gains never decrease with the label.
        return self._highest_gain(gain) > 0

    @remembered()
    def highest_gain(self, gain: Relevance) -> Tensor:
        """Return the highest gain of all items, `[lists]`, 0 without items."""
        seen = self._highest_gain(gain)
        if self.num_relevant is None:
            return seen
        unseen = gain.of_unseen(self.highest)
        return ops.maximum(seen, ops.where(self.unseen(gain) > 0, unseen, 0))

    @remembered()
    def others(self, gain: Relevance) -> Tensor:
        """Return the number of labelled items without a gain, `[lists]`."""
        return count(exists(self.labels) & (self.gains(gain) == 0))

    def underflow(self, gain: Relevance) -> Tensor | None:
        """Return True for lists whose weighted gains are too small to add.

        Returns:
            bool `[lists]`; None if no list is concerned.
        """
        if self.weights is None:
            return None
        total = self._weighted_sum(gain)
        return _unless_none((total > 0) & (total < _LEAST))

    @remembered()
    def overflow(self, gain: Relevance) -> Tensor | None:
        """Return True for lists whose weighted gains add up to inf.

        Returns:
            bool `[lists]`; None if no list is concerned.
        """
        if self.weights is not None:
            sums = self._weighted_sum(gain), self.sum_of_seen(gain)
            return _unless_none(ops.isinf(sums[0]) | ops.isinf(sums[1]))
        if gain.is_binary:
            return None
        huge = self._highest_gain(gain) > _HUGE
        any_huge = ops.any(huge)
        if concrete(any_huge) is False:
            return None
        return cond(
            any_huge,
            lambda: ops.isinf(ops.sum(gain(self.labels), axis=-1)),
            lambda: huge,
        )

    def gains(self, gain: Relevance) -> Tensor:
        """Return the gains of the labels, `[lists, items]`.

        They are cached for whole lists. They are not for the top of a
        catalogue, where most of them are used only once, in a sum.
        """
        return self._cached_gains(gain) if self.k is None else gain(self.labels)

    def weighted(self, gain: Relevance) -> Tensor:
        """Return the gains times the weights, `[lists, items]`."""
        gains = self.gains(gain)
        if self.weights is None:
            return gains
        return ops.where(gains > 0, self.weights * gains, 0)

    def mean_weight_of_all(self) -> Tensor:
        """Return the mean weight of all items, `[lists]`."""
        if self.weights is None:
            return self._one()
        there = exists(self.labels)
        weights = ops.sum(ops.where(there, self.weights, 0), axis=-1)
        number = ops.sum(ops.cast(there, weights.dtype), axis=-1)
        return ops.divide_no_nan(weights, number)

    @remembered()
    def mean_weight(self, gain: Relevance) -> Tensor:
        """Return the mean weight by gain, Σ w g / Σ g, `[lists]`."""
        if self.weights is None:
            return self._one()
        sums = self._weighted_sum(gain), self.sum_of_seen(gain)
        return ops.divide_no_nan(*sums)

    @remembered()
    def best(self, gain: Relevance) -> Tensor:
        """Return the weighted gains in their best order, `[lists, ranks]`.

        To a depth of more than `k`, or of all items.
        """
        if self.weights is None:
            return self.best_gains(gain)
        best = highest(self.weighted(gain), self.depth)
        return self._with_unseen(best, gain, self.mean_weight(gain))

    @remembered()
    def best_gains(self, gain: Relevance) -> Tensor:
        """Return the gains in their best order, `[lists, ranks]`.

        To a depth of more than `k`, or of all items.
        """
        if self.k is None:
            best = highest(self.gains(gain), self.depth)
        else:
            best = gain(self._best_labels())
        return self._with_unseen(best, gain, self._one())

    @remembered()
    def _cached_gains(self, gain: Relevance) -> Tensor:
        return gain(self.labels)

    @remembered()
    def _one(self) -> Tensor:
        return ops.ones_like(self.highest)

    @remembered()
    def _weighted_sum(self, gain: Relevance) -> Tensor:
        return ops.sum(self.weighted(gain), axis=-1)

    @remembered()
    def _highest_gain(self, gain: Relevance) -> Tensor:
        return gain(self.highest)

    @remembered()
    def _best_labels(self) -> Tensor:
        return highest(self.labels, self.depth)

    def _with_unseen(
        self, best: Tensor, gain: Relevance, weight: Tensor
    ) -> Tensor:
        """Insert the gains of unseen items into the best order.

        Args:
            best: the gains of the items in the labels, best first.
            gain: the gain of each label.
            weight: `[lists]`, the weight of an unseen item.
        """
        if self.num_relevant is None:
            return best
        room = depth_beyond(self.k)
        if self.k is None:
            room = most_of(
                self.num_relevant,
                "With `num_relevant` and without `k`, the best order has a "
                "rank for each relevant item",
            )
        best = ops.pad(best, [[0, 0], [0, room]])
        seen = ops.sum(ops.cast(best > 0, best.dtype), -1, keepdims=True)
        place = ops.cast(positions(best), best.dtype)
        end = seen + self.unseen(gain)[:, None]
        is_unseen = (place >= seen) & (place < end)
        gain_of_unseen = weight * gain.of_unseen(self.highest)
        best = ops.where(is_unseen, gain_of_unseen[:, None], best)
        return highest(best, ops.shape(best)[-1])


class RelevantItems(Items):
    """The relevant items of each list; the others are not in the labels.

    The labels are 1, followed by negative ones as padding.
    """

    has_others = False

    @classmethod
    def of(
        cls, counts: Tensor, rows: Tensor, k: int | None, dtype: str
    ) -> RelevantItems:
        """Return so many relevant items.

        Args:
            counts: int32 `[lists]`, the number of relevant items.
            rows: `[lists, relevant]`; only its shape is used.
            k: the number of ranks that count, or None for all.
            dtype: the dtype of the labels.
        """
        labels = labels_of_relevant(positions(rows) < counts[:, None], dtype)
        return cls(labels, labels_of_relevant(counts > 0, dtype), k)

    @remembered()
    def gains(self, gain: Relevance) -> Tensor:
        """Return the gains of the items, `[lists, items]`."""
        return gain.of_either(self.labels > 0, 1, -1, self.labels.dtype)

    @remembered()
    def best_gains(self, gain: Relevance) -> Tensor:
        """Return the gains, which are in their best order already."""
        return self.gains(gain)[:, : self.depth]


def _unless_none(wrong: Tensor) -> Tensor | None:
    """Return the bools, or None if they are concrete and all False."""
    return None if concrete(ops.any(wrong)) is False else wrong


def labels_of_relevant(relevant: Tensor, dtype: str) -> Tensor:
    """Return the label 1 for relevant items, a negative one for padding."""
    return ops.where(relevant, ops.ones((), dtype), -1)
