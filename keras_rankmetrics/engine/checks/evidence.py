"""Evidence of a misreading in all lists, or in the two axes of an array.

Scores may be places in an order, which all lists must share: one list with
other scores ends the search. A softmax or a scaler over the wrong axis, and
padding at another end, show in an array of labels and scores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

_LONG = 8  # lists of which places are no accident
SHORT = 4  # items of a list that has a say
FEW = 3  # lists that are evidence, or items of each
_LIKELY = 2.0  # standard errors that are rare
_PLAIN = 2.5  # standard errors of scores, and not of what sorts them
_SOME = 1.5  # standard errors of the scores of few lists
_CLEAR = 2.5  # standard errors that are no chance in the lists of a batch
ROWS = 2**15  # of the first lists, or more, for the rest of a list
_LISTS = 100  # the first ones of an array
_OWN = 1.1  # times as often as it ends a list, there is a score of padding
_CERTAIN = 10  # relevant items that are not found by no accident
_ENOUGH = 20  # rows that are in order by no accident
_CLOSE = 1e-3  # of a sum to 1, in half precision


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
        has_zeros: True if other items have the score 0.
    """

    lists: int = 0
    lowest: int | None = None
    fit: float = 0.0
    variance: float = 0.0
    has_zeros: bool = False

    @property
    def may_be_places(self) -> bool:
        """True if scores may be ranks, whatever the labels say."""
        return self.lists >= FEW and self.lowest is not None

    @property
    def numbers(self) -> str:
        """The scores that may be places, in words."""
        return "0, 1, 2, ..." if self.lowest == 0 else "1, 2, 3, ..."

    @property
    def are_places(self) -> bool:
        """True if labels also fit the reverse order, more than by chance."""
        return self.may_be_places and self.fit < -_LIKELY * self.variance**0.5

    @property
    def are_surely_places(self) -> bool:
        """True if they do so far more than in a random order."""
        return self.are_places and self.fit < -_CLEAR * self.variance**0.5

    @property
    def are_scores(self) -> bool:
        """True if labels surely fit the order of the scores.

        Those of `argsort` may do so a little: the scores that it sorted do.
        """
        least = _PLAIN if self.lists >= _LONG else _SOME  # few have no more
        return self.fit > least * self.variance**0.5

    def __add__(self, other: Evidence) -> Evidence:
        """Return what the lists of both share."""
        if not self.lists or not other.lists:
            return self if self.lists else other
        return Evidence(
            self.lists + other.lists,
            self.lowest if self.lowest == other.lowest else None,
            self.fit + other.fit,
            self.variance + other.variance,
            self.has_zeros or other.has_zeros,
        )

    def with_lists(
        self, lists: np.ndarray, scores: np.ndarray, labels: np.ndarray
    ) -> Evidence:
        """Return what these lists, and all so far, share.

        Args:
            lists: `[items]`, the number of the list of each item.
            scores: `[items]`.
            labels: `[items]`, below 0 for items that are not judged.
        """
        if not len(lists) or (self.lists and self.lowest is None):
            return self
        have_say = np.bincount(lists) >= SHORT
        if not have_say.any():
            return self
        first = np.flatnonzero(lists == np.argmax(have_say))
        found = self + _of_lists(first, lists, scores, labels)
        if found.lowest is None:
            return found
        every = np.arange(len(lists))
        return self + _of_lists(every, lists, scores, labels)


def parted(lists: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first item of each list, its length, and places within lists.

    Args:
        lists: `[items]`, the number of the list of each item. The items of a
            list follow each other.

    Returns:
        `[lists]` twice, and `[items]`, from 0 in each list.
    """
    starts = np.flatnonzero(np.diff(lists, prepend=-1))
    lengths = np.diff(starts, append=len(lists))
    return starts, lengths, np.arange(len(lists)) - np.repeat(starts, lengths)


def _of_lists(
    at: np.ndarray, lists: np.ndarray, scores: np.ndarray, labels: np.ndarray
) -> Evidence:
    """Return what the lists of some items share.

    Args:
        at: the indices of the items.
        lists: the number of the list of each item.
        scores: the scores.
        labels: the labels.
    """
    at = at[np.lexsort((scores[at], lists[at]))]
    starts = np.flatnonzero(np.diff(lists[at], prepend=-1))
    zeros = scores[at] == 0
    has_zeros = bool(zeros.sum() > len(starts))
    if has_zeros:
        at = at[~zeros]
        starts = np.flatnonzero(np.diff(lists[at], prepend=-1))
    lengths = np.diff(starts, append=len(at))
    at = at[np.repeat(lengths >= SHORT, lengths)]
    lengths = lengths[lengths >= SHORT]
    if not len(lengths):
        return Evidence()
    starts = np.cumsum(lengths) - lengths
    scores, labels = scores[at], np.maximum(labels[at], 0)
    lowest, fit, variance = _lowest(scores, starts, lengths), 0.0, 0.0
    if lowest is not None:
        of_lists = covariances(scores, labels, starts)
        fit, variance = (float(x.sum()) for x in of_lists)
    has_zeros &= lowest == 1
    return Evidence(len(lengths), lowest, fit, variance, has_zeros)


def _lowest(
    scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> int | None:
    """Return the lowest of scores that are places, None of others."""
    lowest = scores[0]
    places = np.arange(len(scores)) - np.repeat(starts, lengths)
    is_so = lowest in (0, 1) and (scores == places + lowest).all()
    return int(lowest) if is_so else None


def are_numbered(scores: np.ndarray) -> bool:
    """Return True for the scores 0, 1, 2, ... or 1, 2, 3, ..., each once."""
    some = scores[:ROWS]
    if len(scores) < _ENOUGH or (some != np.floor(some)).any():
        return False
    lowest, highest, most = float(scores.min()), scores.max(), len(scores)
    if lowest not in (0, 1) or highest != lowest + most - 1:
        return False
    return len(np.unique(scores)) == most


def mean_ranks(lists: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the places of sorted items, tied ones at their mean place."""
    of_one = (scores[1:] == scores[:-1]) & (lists[1:] == lists[:-1])
    firsts = np.flatnonzero(np.append(True, ~of_one))
    sizes = np.diff(firsts, append=len(lists))
    return np.asarray(np.repeat(firsts + (sizes - 1) / 2, sizes))


def covariances(
    scores: np.ndarray, labels: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return how far labels rise with scores, and the variance by chance.

    That is the sum of the products of both, each less its mean in the list,
    and its variance if all orders are as likely. Both are `[lists]`.

    Args:
        scores: `[items]`, such as ranks from below.
        labels: `[items]`.
        starts: the first item of each list.
    """
    lengths = np.diff(starts, append=len(scores))

    def centered(x: np.ndarray) -> np.ndarray:
        means = np.add.reduceat(x, starts) / lengths
        return np.asarray(x - np.repeat(means, lengths))

    with np.errstate(over="ignore", invalid="ignore"):  # unknown: of huge ones
        one, other = centered(scores), centered(labels)
        squares = (np.add.reduceat(x * x, starts) for x in (one, other))
        variance = np.multiply(*squares) / np.maximum(lengths - 1, 1)
        return np.add.reduceat(one * other, starts), variance


# Evidence in the two axes of an array of labels and scores.


def scaled_across(scores: np.ndarray) -> str | None:
    """Return the scale that columns have and rows lack, in words, or None.

    A softmax or a scaler over the wrong axis makes such columns.

    Args:
        scores: `[lists, items]`.
    """
    if min(scores.shape) < FEW:
        return None
    first = scores[:, :1].copy()
    with np.errstate(all="ignore"):  # infinite ones have no such scale
        for name, is_so in _SCALES.items():
            if not is_so(first).all():
                continue  # as a rule, and at no cost
            over_lists, over_items = (is_so(x) for x in (scores, scores.T))
            if over_lists.all() and not over_items.all():
                return name
    return None


def _sum_to_1(columns: np.ndarray) -> np.ndarray:
    """Return True for columns of probabilities, or their logarithms."""
    if not (columns <= 0).all():
        are_shares = ((columns >= 0) & (columns <= 1)).all()
        return are_shares & (np.abs(columns.sum(0) - 1) < _CLOSE)
    return np.abs(np.exp(columns).sum(0) - 1) < _CLOSE


def _from_0_to_1(columns: np.ndarray) -> np.ndarray:
    return (columns.min(0) == 0) & (np.abs(columns.max(0) - 1) < _CLOSE)


def _standardized(columns: np.ndarray) -> np.ndarray:
    are_centred = np.abs(columns.mean(0)) < _CLOSE
    return np.asarray(are_centred & (np.abs(columns.std(0) - 1) < _CLOSE))


def _ranked(columns: np.ndarray) -> np.ndarray:
    """Return True for columns of 1, 2, 3, ... or these by their number."""
    number = len(columns)
    ranks = np.where(columns.max(0) > 1, 1, number) * columns
    if not (
        (ranks.max(0) == number) & (np.abs(ranks.min(0) - 1) < _CLOSE)
    ).all():
        return np.zeros(columns.shape[1], bool)
    steps = np.diff(np.sort(ranks, axis=0), axis=0)
    return np.asarray((np.abs(steps - 1) < _CLOSE).all(0))


_SCALES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "columns of which each adds up to 1": _sum_to_1,
    "columns of which each has the lowest score 0 and the highest 1": (
        _from_0_to_1
    ),
    "columns of which each has the mean 0 and the deviation 1": _standardized,
    "columns of which each has the ranks 1, 2, 3, ...": _ranked,
}


def padding_apart(labels: np.ndarray, scores: np.ndarray) -> str | None:
    """Return the labels that are padding at the other end of scores, in words.

    Labels of 0 may be at the tail of each list where relevant items come first.

    Args:
        labels: `[lists, items]`, below 0 for padding, 0 for irrelevant ones.
        scores: `[lists, items]`.
    """
    are_marked = (labels < 0).any()
    for end, step in ("head", 1), ("tail", -1):
        turned = labels[:, ::step], scores[:, ::step]
        if are_marked and are_padded_apart(*turned):
            return f"below 0 at the {end}"
    labels, scores = labels[:_LISTS], scores[:_LISTS]
    ends, numbers = np.unique(scores[:, -1:], return_counts=True)
    if numbers.max(initial=0) < FEW:
        return None  # as a rule
    are_it = scores == ends[np.argmax(numbers)]
    tails = tails_of(are_it)
    items = labels.shape[1]
    some = (tails > 0) & (tails < items)
    if len(np.unique(tails[some])) < FEW:
        return None
    if are_it.sum() > _OWN * tails.sum():
        return None  # a score as any other
    labels, tails, at = labels[some], tails[some, None], np.arange(items)
    head, behind = at < tails, at[::-1] < tails
    by_chance = head.sum() * (labels[behind] > 0).mean()
    is_padding = not labels[head].any() and by_chance > _CERTAIN
    return "of 0 at the head" if is_padding else None


def tails_of(are_it: np.ndarray) -> np.ndarray:
    """Return how many items at the end of each list are True.

    Args:
        are_it: bool `[lists, items]`.
    """
    found: np.ndarray = np.logical_and.accumulate(are_it[:, ::-1], axis=1)
    return found.sum(axis=1)


def same_columns(
    labels: np.ndarray, scores: np.ndarray
) -> tuple[int, int] | None:
    """Return the number of items, and how many are there again, or None.

    Args:
        labels: `[lists, items]`, the first lists of a square. Each item is
            relevant to the list of its number, or there is nothing to see.
        scores: `[lists, items]`. Columns of few numbers are no evidence.
    """
    lists, items = labels.shape
    if items < _LONG or len(np.unique(scores[:1])) == items:
        return None  # as a rule
    is_diagonal = np.array_equal(labels > 0, np.eye(lists, items, dtype=bool))
    ordered = np.sort(scores, axis=0)
    varied = 2 * (ordered[1:] != ordered[:-1]).sum(axis=0) > lists
    columns = np.unique(scores[:, varied], axis=1).shape[1]
    again = int(varied.sum()) - columns
    return (items, again) if is_diagonal and again and columns > FEW else None


def are_padded_apart(labels: np.ndarray, scores: np.ndarray) -> bool:
    """Return True if labels have padding before, and scores behind.

    The scores behind are one number, as many in each list as labels below 0 at
    its head. Three lists differ in their number.

    Args:
        labels: `[lists, items]`, below 0 for padding.
        scores: `[lists, items]`.
    """
    items = labels.shape[1]
    heads = tails_of(labels[:, ::-1] < 0)
    some = (heads > 0) & (heads < items)
    if len(np.unique(heads[some])) < FEW:
        return False
    heads, scores, labels = heads[some], scores[some], labels[some]
    behind = np.arange(items) >= items - heads[:, None]
    fill = scores[0, -1]
    head = np.arange(items) < heads[:, None]
    is_full = (scores[behind] == fill).all() and (head | (labels >= 0)).all()
    before = scores[head]
    return bool(is_full and (before != fill).any())
