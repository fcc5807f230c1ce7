"""Evidence in the two axes of an array of labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

_FEW = 3  # lists that are evidence, or items of each
_CLOSE = 1e-3  # of a sum to 1, in half precision


def scaled_across(scores: np.ndarray) -> str | None:
    """Return the scale that columns have and rows lack, in words, or None.

    A softmax or a scaler over the wrong axis makes such columns.

    Args:
        scores: `[lists, items]`.
    """
    if min(scores.shape) < _FEW:
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


def are_padded_apart(labels: np.ndarray, scores: np.ndarray) -> bool:
    """Return True if labels have padding before, and scores behind.

    The scores behind are one number, as many in each list as labels below 0 at
    its head. Three lists differ in their number.

    Args:
        labels: `[lists, items]`, below 0 for padding.
        scores: `[lists, items]`.
    """
    items = labels.shape[1]
    heads = np.logical_and.accumulate(labels < 0, axis=1).sum(axis=1)
    some = (heads > 0) & (heads < items)
    if len(np.unique(heads[some])) < _FEW:
        return False
    heads, scores, labels = heads[some], scores[some], labels[some]
    behind = np.arange(items) >= items - heads[:, None]
    fill = scores[0, -1]
    head = np.arange(items) < heads[:, None]
    is_full = (scores[behind] == fill).all() and (head | (labels >= 0)).all()
    before = scores[head]
    return bool(is_full and (before != fill).any())
