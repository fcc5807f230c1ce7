"""Labels as gains: which items are relevant, and which are judged."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable
from typing import Annotated

from keras_rankmetrics.engine.backend.operations import above, at_least, ops
from keras_rankmetrics.gains import exponential_gain, linear_gain
from keras_rankmetrics.types import UNJUDGED, Between, GainFn, Tensor, Within

# `Relevance`: what a label is worth.


@dataclasses.dataclass(frozen=True)
class Relevance:
    """What a label is worth to a metric.

    Attributes:
        gain: of labels from 0 on; what it makes of others does not matter.
        unseen_label: the label of a relevant item of which nothing is known
            but that it exists.
        key: two relevances of the same key are the same.
        is_binary: whether the gain is 1 or 0, and 0 of labels below 0.
        grows_from_0: whether it is above 0 where the label is, and only there.
    """

    gain: GainFn = dataclasses.field(default=linear_gain, compare=False)
    unseen_label: float = 1.0
    key: Hashable = None
    is_binary: bool = False
    grows_from_0: bool = False

    @classmethod
    def from_grade(cls, grade: int) -> Relevance:
        """1 for labels from that grade on, else 0."""
        return cls(
            functools.partial(relevant, relevance_threshold=float(grade)),
            key=("from grade", grade),
            is_binary=True,
        )

    def __call__(self, labels: Tensor) -> Tensor:
        """The worth of each label, in their dtype; 0 below 0: no item."""
        gains = ops.cast(self.gain(labels), labels.dtype)
        return gains if self.is_binary else ops.where(labels >= 0, gains, 0)

    def of_either(
        self, is_one: Tensor, one: float, other: float, dtype: str
    ) -> Tensor:
        """The worth of one label where told so, and of another elsewhere."""
        labels = (label * ops.ones((1,), dtype) for label in (one, other))
        return ops.where(is_one, *map(self, labels))

    def as_binary(self) -> Relevance:
        """1 for what is worth anything."""
        if self.is_binary:
            return self
        return dataclasses.replace(
            self,
            gain=_above_0 if self.grows_from_0 else self._anything,
            key="above 0" if self.grows_from_0 else ("binary", self.key),
            is_binary=True,
        )

    def _anything(self, labels: Tensor) -> Tensor:
        """Whether each label is worth anything, bool."""
        return (self.gain(labels) > 0) & (labels >= 0)

    def of_unseen(self, like: Tensor) -> Tensor:
        """The worth of an item that no list holds, in the shape of `like`."""
        return self(ops.full_like(like, self.unseen_label))


def _above_0(labels: Tensor) -> Tensor:
    return above(labels, 0.0)


# What labels say besides grades.
#
# A label from 0 on is a grade. Below 0 there is no item, but for one label:
# that of an item that nobody has judged, which is worth nothing.


def exists(labels: Tensor) -> Tensor:
    """Whether there is an item, bool."""
    return (labels >= 0) | (labels == UNJUDGED)


def judged_where(judged: Tensor, labels: Tensor) -> Tensor:
    """The labels, those of items that nobody has judged being `UNJUDGED`."""
    return ops.where((labels < 0) | judged, labels, UNJUDGED)


def condensed(labels: Tensor) -> Tensor:
    """The labels, as if there were no items that nobody has judged."""
    return ops.where(labels == UNJUDGED, -1, labels)


# Relevance functions, from labels to gains. `Relevance` sets the gains of
# negative labels, which mark no item, to 0.


def relevant(label: Tensor, relevance_threshold: float = 1.0) -> Tensor:
    """Return 1 where label >= relevance_threshold and label >= 0, else 0."""
    return at_least(label, max(relevance_threshold, 0.0))


def labelled(label: Tensor) -> Tensor:
    """Return 1 where `label >= 1`, else 0: for metrics without a threshold."""
    return at_least(label, 1.0)


def gain(label: Tensor, gain_fn: GainFn = exponential_gain) -> Tensor:
    """Return `gain_fn(label)`."""
    return gain_fn(label)


def stop_probability(
    label: Tensor, max_grade: Annotated[float, Between(0)] = 4.0
) -> Tensor:
    """Return `(2 ** label - 1) / 2 ** max_grade`, inf for labels above it."""
    probability = exponential_gain(label) / 2.0**max_grade
    return ops.where(label > max_grade, float("inf"), probability)


def satisfaction(
    label: Tensor,
    alpha: Annotated[float, Between(0, 1)] = 0.5,
    relevance_threshold: float = 1.0,
) -> Tensor:
    """Return `alpha` where `label >= relevance_threshold`, else 0."""
    return alpha * ops.cast(relevant(label, relevance_threshold), label.dtype)


QUARTERS = (0.25, 0.25, 0.25, 0.25)


def relevance_probability(
    label: Tensor,
    probabilities: Annotated[tuple[float, ...], Within(0)] = QUARTERS,
) -> Tensor:
    """Return the sum of the probabilities of the grades up to the label."""
    total = ops.zeros_like(label)
    for grade, probability in enumerate(probabilities, start=1):
        is_relevant = ops.cast(relevant(label, float(grade)), label.dtype)
        total = total + probability * is_relevant
    return total


def judged(label: Tensor) -> Tensor:
    """Return 1 for every item: an unjudged one has a label below 0."""
    return ops.ones_like(label)
