"""Evidence that lists are misread: properties that all of them share.

Scores may be ranks, each row may occur twice, or each query may find its own
item. One list without the property ends the search, so that ordinary data cost
a look at the first list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

_SHORT = 4  # items of a list that has a say
_FEW = 3  # lists that are evidence
_SURE = 2.5  # standard errors that are no chance

_AreOwn = Callable[[np.ndarray], np.ndarray]


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Properties that all lists of four items or more so far share.

    Attributes:
        lists: the number of these lists.
        lowest: the lowest score of each list, 0 or 1, if its scores are this
            number and the next ones, each once; None if they are not.
        fit: how far labels rise with scores: the sum of the products of both,
            each less its mean in the list.
        variance: that of `fit` for a random order.
        are_twice: True if each score of a list is there twice, with one label.
        find_own: True if the best item of each list has the id of its query.
        own_relevant: the number of lists in which it is relevant.
    """

    lists: int = 0
    lowest: int | None = None
    fit: float = 0.0
    variance: float = 0.0
    are_twice: bool = False
    find_own: bool = False
    own_relevant: int = 0

    @property
    def may_be_places(self) -> bool:
        """True if scores may be ranks, whatever the labels say."""
        return self.lists >= _FEW and self.lowest is not None

    @property
    def numbers(self) -> str:
        """The scores that may be places, in words."""
        return "0, 1, 2, ..." if self.lowest == 0 else "1, 2, 3, ..."

    @property
    def are_places(self) -> bool:
        """True if labels also fit the reverse order better than by chance."""
        return self.may_be_places and self.fit < -(self.variance**0.5)

    @property
    def are_surely_places(self) -> bool:
        """True if they do so far more than in a random order."""
        return self.are_places and self.fit < -_SURE * self.variance**0.5

    @property
    def are_scores(self) -> bool:
        """True if labels fit the order of the scores better than by chance."""
        return self.fit > self.variance**0.5

    @property
    def has_rows_twice(self) -> bool:
        """True if all rows of several lists are there twice."""
        return self.lists >= _FEW and self.are_twice

    @property
    def finds_own(self) -> bool:
        """True if several queries, and no others, find their own item first."""
        return self.lists >= _FEW and self.find_own

    def __add__(self, other: Evidence) -> Evidence:
        """Return the properties that the lists of both share."""
        if not self.lists or not other.lists:
            return self if self.lists else other
        return Evidence(
            self.lists + other.lists,
            self.lowest if self.lowest == other.lowest else None,
            self.fit + other.fit,
            self.variance + other.variance,
            self.are_twice and other.are_twice,
            self.find_own and other.find_own,
            self.own_relevant + other.own_relevant,
        )

    def with_lists(
        self,
        lists: np.ndarray,
        scores: np.ndarray,
        labels: np.ndarray,
        are_own: _AreOwn | None = None,
    ) -> Evidence:
        """Return the properties that these lists, and all so far, share.

        Args:
            lists: `[items]`, the number of the list of each item.
            scores: `[items]`.
            labels: `[items]`, below 0 for items that are not judged.
            are_own: returns True for items at some indices that have the id of
                their query; None if items have no ids.
        """
        if not len(lists) or (self.lists and self._says_nothing):
            return self
        have_say = np.bincount(lists) >= _SHORT
        if not have_say.any():
            return self
        first = np.flatnonzero(lists == np.argmax(have_say))
        found = self + _of_lists(first, lists, scores, labels, are_own)
        if found._says_nothing:
            return found
        every = np.arange(len(lists))
        return self + _of_lists(every, lists, scores, labels, are_own)

    @property
    def _says_nothing(self) -> bool:
        return self.lowest is None and not (self.are_twice or self.find_own)


def _of_lists(
    at: np.ndarray,
    lists: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
    are_own: _AreOwn | None,
) -> Evidence:
    """Return the properties that the lists of some items share.

    Args:
        at: the indices of the items.
        lists: the number of the list of each item.
        scores: the scores.
        labels: the labels.
        are_own: as for `Evidence.with_lists`.
    """
    at = at[np.lexsort((labels[at], scores[at], lists[at]))]
    starts = np.flatnonzero(np.diff(lists[at], prepend=-1))
    lengths = np.diff(starts, append=len(at))
    at = at[np.repeat(lengths >= _SHORT, lengths)]
    lengths = lengths[lengths >= _SHORT]
    if not len(lengths):
        return Evidence()
    starts = np.cumsum(lengths) - lengths
    scores, labels = scores[at], np.maximum(labels[at], 0)
    best = starts + lengths - 1
    lowest, fit, variance = _lowest(scores, starts, lengths), 0.0, 0.0
    if lowest is not None:
        fit, variance = _fit(scores, labels, starts, lengths)
    return Evidence(
        len(lengths),
        lowest,
        fit,
        variance,
        _are_twice(scores, labels, starts, lengths),
        are_own is not None and bool(are_own(at[best]).all()),
        int((labels[best] > 0).sum()),
    )


def _lowest(
    scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> int | None:
    """Return the lowest of scores that are places, None of others."""
    lowest = scores[0]
    places = np.arange(len(scores)) - np.repeat(starts, lengths)
    is_so = lowest in (0, 1) and (scores == places + lowest).all()
    return int(lowest) if is_so else None


def _fit(
    scores: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
) -> tuple[float, float]:
    """Return how far labels rise with scores, and the variance by chance."""

    def centered(x: np.ndarray) -> np.ndarray:
        means = np.add.reduceat(x, starts) / lengths
        return np.asarray(x - np.repeat(means, lengths))

    one, other = centered(scores), centered(labels)
    squares = (np.add.reduceat(x * x, starts) for x in (one, other))
    variance = np.multiply(*squares) / (lengths - 1)
    return float((one * other).sum()), float(variance.sum())


def _are_twice(
    scores: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
) -> bool:
    """Return True if each score of a list is there twice, with one label."""
    if (lengths % 2).any():
        return False
    if (scores == np.floor(scores)).all():  # which a classifier may give twice
        return False
    same = (scores[::2] == scores[1::2]) & (labels[::2] == labels[1::2])
    differ = scores[2::2] != scores[1:-1:2]
    differ[starts[1:] // 2 - 1] = True  # of two lists
    return bool(same.all() and differ.all())
