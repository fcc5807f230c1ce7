"""Lists that repeat, and lists whose labels repeat for each of their parts.

A data set that was repeated has each list as many times, so that its errors are
too small. Rows of several systems in one column of scores have the labels of
their list once for each system.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.engine.checks.evidence import FEW, ROWS, SHORT

_PATTERNS = 5  # of labels that are in parts by no accident
_SOME = 0.2  # share of the lists with scores of others
_LISTS = 20  # whose labels differ, and are there again by no accident
_KEPT = 512  # lists to compare
_ALL = np.uint64(2**64 - 1)
_SYSTEMS = 8  # in one column of scores, at most
_FACTORS = 1.0, 2.718281828, 3.141592654  # of scores in a sample
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two products are equal


@dataclasses.dataclass(frozen=True)
class Repeats:
    """Lists that are there again, and parts of lists with the same labels.

    Attributes:
        prints: `[lists, 4]`, a sample of the scores, their sum, that of the
            labels times the scores, and 1 for scores that are sorted, as those
            that are made of ranks, or whole numbers, else 0. They are those of
            the lists whose sample is below the limit once it is mixed: if one
            of equal lists is there, all are. Lists whose rows are apart have
            none.
        limit: that limit, which falls as lists are added.
        systems: into how many parts of the same labels all lists so far can be
            cut; 1 if they cannot, 0 without lists.
        patterns: the sum of the labels times the places in a part, for the
            first lists of which the parts are not sorted by label.
        lists: the number of lists of four items or more.
        constant: the number of these whose items have one score.
    """

    prints: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros((0, 4))
    )
    limit: np.uint64 = _ALL
    systems: int = 0
    patterns: tuple[float, ...] = ()
    lists: int = 0
    constant: int = 0

    @property
    def have_one_score(self) -> bool:
        """True if the items of several lists, but not of all, have one."""
        return FEW <= self.constant < self.lists

    @property
    def have_scores_again(self) -> bool:
        """True if many lists, and not all, have the scores of another list."""
        some = self.prints[self.prints[:, 3] == 0, :2]
        number, others = len(some), len(np.unique(some, axis=0))
        again = number - others
        return others > 1 and again >= max(FEW, _SOME * number)

    @property
    def times(self) -> int:
        """The number of times that each list is there, at least; or 1.

        Lists that share scores have several labels if the scores are those of
        popular items.
        """
        lists, numbers = np.unique(self.prints, axis=0, return_counts=True)
        of_scores = len(np.unique(self.prints[:, :2], axis=0))
        are_few = len(lists) < FEW or of_scores < len(lists)
        return 1 if are_few else int(numbers.min())

    @property
    def are_systems(self) -> bool:
        """True if several lists have parts of the same labels, each its own."""
        return self.systems > 1 and len(self.patterns) >= _PATTERNS

    def __add__(self, other: Repeats) -> Repeats:
        """Return what is there again in the lists of both."""
        if not self.systems or not other.systems:  # one has no lists
            return self if self.systems else other
        prints = np.concatenate([self.prints, other.prints])
        keys = _mixed(prints[:, 0])
        limit = _limit_of(keys, min(self.limit, other.limit))
        return Repeats(
            prints[keys < limit],
            limit,
            self.systems if self.systems == other.systems else 1,
            tuple({*self.patterns, *other.patterns})[:_PATTERNS],
            self.lists + other.lists,
            self.constant + other.constant,
        )

    def with_lists(
        self, lists: np.ndarray, scores: np.ndarray, labels: np.ndarray
    ) -> Repeats:
        """Return what is there again with these lists.

        Args:
            lists: `[items]`, the number of the list of each item.
            scores: `[items]`.
            labels: `[items]`.
        """
        if not len(lists):
            return self
        changes = np.flatnonzero(lists[1:] != lists[:-1]) + 1
        starts = np.concatenate([[0], changes])
        lengths = np.diff(starts, append=len(lists))
        numbers = lists[starts]
        prints, limit = np.zeros((0, 4)), self.limit
        have_say, are_constant = lengths >= SHORT, np.zeros(len(lengths), bool)
        if len(np.unique(numbers)) == len(numbers):
            are_constant = have_say & _have_one_score(scores, starts, lengths)
            samples = _samples_of(scores, starts, lengths)
            compared = have_say & ~are_constant
            keys = np.where(compared, _mixed(samples), _ALL)
            limit = _limit_of(keys, limit)
            chosen = [x[keys < limit] for x in (samples, starts, lengths)]
            prints = _prints_of(scores, labels, *chosen)
        parts = 1, tuple[float, ...]()
        if self.systems != 1:
            parts = _parts_of(*_first_lists(lists, labels))
        retrieves = scores[starts] > -np.inf  # or all items are left out
        sums = int(have_say.sum()), int((are_constant & retrieves).sum())
        return self + Repeats(prints, limit, *parts, *sums)


def times_of_labels(
    lists: np.ndarray, labels: np.ndarray, times: Sequence[int]
) -> tuple[int, int] | None:
    """Return how many times all labels are there, in one order, and the lists.

    Args:
        lists: `[items]`, the number of the list of each item.
        labels: `[items]`.
        times: the numbers of times to try.
    """
    starts = lists != np.roll(lists, 1)
    starts[0] = True
    for number in reversed(times):
        parts, firsts = (x.reshape(number, -1) for x in (labels, starts))
        if (parts == parts[0]).all() and (firsts == firsts[0]).all():
            [at] = np.nonzero(firsts[0])
            places = np.arange(parts.shape[1]) - np.repeat(
                at, np.diff(at, append=parts.shape[1])
            )
            patterns = np.add.reduceat(parts[0] * np.sqrt(places + 1.0), at)
            are_many = len(np.unique(patterns)) >= _LISTS
            are_many = are_many and len(places) >= SHORT * len(at)
            return (number, len(at)) if are_many else None
    return None


def _first_lists(
    lists: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of the lists with the lowest numbers, and lengths."""
    lengths = np.bincount(lists)
    number = 1 + int(np.searchsorted(np.cumsum(lengths), ROWS))
    [at] = np.nonzero(lists < number)
    at = at[np.argsort(lists[at], kind="stable")]
    some = lengths[:number]
    return labels[at], some[some > 0]


def _have_one_score(
    scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return True for lists whose items have one score, bool `[lists]`."""
    first = scores[starts]
    found = (first == scores[starts + lengths // 2]) & (
        first == scores[starts + lengths - 1]
    )
    if not found.any():
        return np.asarray(found)
    lowest, highest = (
        x.reduceat(scores, starts) for x in (np.minimum, np.maximum)
    )
    return np.asarray(lowest == highest)


def _samples_of(
    scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return a number for each list, from three of its scores, `[lists]`."""
    places = starts, starts + lengths // 2, starts + lengths - 1
    with np.errstate(all="ignore"):  # huge ones are as good as others
        found = sum(
            factor * scores[at].astype(np.float64)
            for factor, at in zip(_FACTORS, places, strict=True)
        )
    return np.nan_to_num(found, posinf=0.0, neginf=0.0)


def _prints_of(
    scores: np.ndarray,
    labels: np.ndarray,
    samples: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """Return the prints of some lists, `[lists, 4]`, by their samples."""
    if not len(starts):
        return np.zeros((0, 4))
    ends = np.cumsum(lengths)
    at = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
    some = np.where(np.isfinite(scores[at]), scores[at], 0.0)
    with np.errstate(all="ignore"):  # huge ones are as good as others
        sums = [
            np.add.reduceat(x.astype(np.float64), ends - lengths)
            for x in (some, some * labels[at])
        ]
    steps = np.diff(some, prepend=some[:1])
    steps[ends - lengths] = 0
    up, down = (
        np.logical_or.reduceat(x, ends - lengths)
        for x in (steps > 0, steps < 0)
    )
    are_whole = np.logical_and.reduceat(some == np.floor(some), ends - lengths)
    return np.stack([samples, *sums, are_whole | ~(up & down)], axis=1)


def _mixed(samples: np.ndarray) -> np.ndarray:
    """Return a key for each sample, in no order that these have."""
    keys = np.ascontiguousarray(samples).view(np.uint64) * _MIX
    return np.where(samples == 0, _ALL, keys)


def _limit_of(keys: np.ndarray, limit: np.uint64) -> np.uint64:
    """Return the limit below which few of the keys are."""
    if len(keys) <= _KEPT:
        return limit
    return min(limit, np.partition(keys, _KEPT)[_KEPT])


def _parts_of(
    labels: np.ndarray, lengths: np.ndarray
) -> tuple[int, tuple[float, ...]]:
    """Return the number of parts with the same labels, and some patterns.

    The parts follow each other: rows that take turns may be those of one
    document.

    Args:
        labels: `[items]`, those of each list together.
        lengths: `[lists]`.
    """
    lists = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(labels)) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    longest = int(lengths.min()) // SHORT
    for number in range(2, min(_SYSTEMS, longest) + 1):
        if (lengths % number).any():
            continue
        parts = np.repeat(lengths // number, lengths)
        [others] = np.nonzero(places >= parts)
        if (labels[others] == labels[others - parts[others]]).all():
            columns = lists, places, labels
            return number, _patterns(*(x[places < parts] for x in columns))
    return 1, ()


def _patterns(
    lists: np.ndarray, places: np.ndarray, labels: np.ndarray
) -> tuple[float, ...]:
    """Return the sums of labels times places of parts that are not sorted."""
    of_one, steps = lists[1:] == lists[:-1], np.diff(labels)
    up, down = (
        np.bincount(lists[1:][of_one & x], minlength=lists[-1] + 1)
        for x in (steps > 0, steps < 0)
    )
    sums = np.bincount(lists, labels * (places + 1.0))
    return tuple(np.unique(sums[(up > 0) & (down > 0)]).tolist()[:_PATTERNS])
