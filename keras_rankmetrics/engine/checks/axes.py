"""Evidence in the two axes of an array of labels and scores."""

from __future__ import annotations

import numpy as np

_FEW = 3  # lists that are evidence, or items of each
_CLOSE = 1e-3  # of a sum to 1, in half precision


def sum_across(scores: np.ndarray) -> bool:
    """Return True for probabilities that add up to 1 over the lists.

    Args:
        scores: `[lists, items]`.
    """
    if min(scores.shape) < _FEW:
        return False
    if not ((scores >= 0) & (scores <= 1)).all():
        return False
    over_lists, over_items = (
        np.abs(scores.sum(axis) - 1) < _CLOSE for axis in (0, 1)
    )
    return bool(over_lists.all() and not over_items.all())


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
