"""Scores in single precision, which stand in the same order."""

from __future__ import annotations

import numpy as np

_EXACT = 2**24  # whole numbers below it are exact in float32


def in_float32(scores: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """The scores, or their places where float32 merges scores.

    Some backends have no other floats, and merge scores that differ by little.
    Minus infinity stays: it says that an item is not retrieved.

    Args:
        scores: `[items]`, of one list or several.
        lists: `[items]`, the list of each.

    Returns:
        float32 `[items]`. Within a list they are in the order of the scores,
        and equal where those are, in lists of up to 2 ** 24 items.
    """
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if (single == scores).all():
        return single
    places = np.unique(scores, return_inverse=True)[1]
    if places.max() >= _EXACT:
        places = _within_lists(places, lists)
    return np.where(scores == -np.inf, -np.inf, places).astype(np.float32)


def _within_lists(places: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """The place of each among those of its list, from 0."""
    pairs = lists.astype(np.int64) * (int(places.max()) + 1) + places
    ranks = np.unique(pairs, return_inverse=True)[1]
    lowest = np.full(int(lists.max()) + 1, len(ranks))
    np.minimum.at(lowest, lists, ranks)
    return ranks - lowest[lists]
