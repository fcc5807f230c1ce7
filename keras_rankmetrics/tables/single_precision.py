"""Scores in float32, in the order that they have in float64 or as integers."""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.inputs.tensors import are_tied
from keras_rankmetrics.tables.ids import EXACT


def in_float64(scores: np.ndarray) -> np.ndarray:
    """Return integers as floats; as ranks if float64 would round some.

    Args:
        scores: numbers of any dtype, of which floats stay as they are.
    """
    if scores.dtype.kind not in "iu" or scores.dtype.itemsize < 4:
        return scores
    ends = [int(scores.min()), int(scores.max())] if scores.size else [0]
    if max(map(abs, ends)) > EXACT:
        scores = np.unique(scores, return_inverse=True)[1]
    return scores.astype(np.float64)


def ties_some(dtype: str, scores: np.ndarray, lists: np.ndarray) -> bool:
    """Return True if a dtype ties different scores of a list, or makes -inf.

    Args:
        dtype: the dtype.
        scores: `[items]`, the scores of all lists.
        lists: `[items]`, the list of each item.
    """
    order = np.lexsort((scores, lists))
    scores, lists = scores[order], lists[order]
    with np.errstate(over="ignore"):
        rounded = scores.astype(dtype)
    ties = (rounded[1:] == rounded[:-1]) & (lists[1:] == lists[:-1])
    differ = scores[1:] != scores[:-1]
    lost = np.isneginf(rounded) & (scores > -np.inf)
    return bool((ties & differ).any() or lost.any())


def in_float32(scores: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Return the scores, or their ranks if float32 would tie some.

    Some backends have no float64, so that close scores would be tied. Minus
    infinity stays, since it means that an item is not retrieved; and so does
    NaN.

    Args:
        scores: `[items]`, the scores of one list or several.
        lists: `[items]`, the list of each item.

    Returns:
        float32 `[items]`. Within a list they are in the order of the scores,
        and tied where those are, in lists of up to 2 ** 24 items.
    """
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if (single == scores).all():
        return single
    order = by_score(lists, -single)
    tied = tied_places(lists, single, order)
    same = order[tied]
    order[tied] = same[np.lexsort((scores[same], lists[same]))]
    ranks = np.empty(len(order), np.float32)
    ranks[order] = ranks_of(lists[order], scores[order])
    unranked = ~(scores > -np.inf)
    ranks[unranked] = scores[unranked]
    return ranks


def rows_in_float32(scores: np.ndarray) -> np.ndarray:
    """Return the scores of padded lists, as by `in_float32`.

    Only lists with close scores have ranks, which take longer to compute than
    to find these lists.

    Args:
        scores: float64 `[lists, items]`.
    """
    tied = are_tied(scores)
    close = scores[tied]
    lists = np.repeat(np.arange(len(close)), close.shape[-1])
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    single[tied] = in_float32(close.ravel(), lists).reshape(close.shape)
    return single


def by_score(lists: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return an order by list, then descending score in single precision.

    One sort of integers is four times as fast as `np.lexsort`. The bits of
    floats are in their order, those of negative ones in the reverse.
    """
    bits = (-scores.astype(np.float32)).view(np.int32)
    bits = np.where(bits < 0, bits ^ np.int32(0x7FFFFFFF), bits)
    return np.argsort((lists.astype(np.int64) << 32) + bits, kind="stable")


def ranks_of(lists: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the rank of each item, from 1, of sorted items.

    Tied items share the first rank.
    """
    starts = np.diff(lists, prepend=-1) != 0
    begins = starts.copy()
    begins[1:] |= scores[1:] != scores[:-1]
    places = np.arange(len(lists))
    first, list_ = (
        np.maximum.accumulate(np.where(x, places, 0)) for x in (begins, starts)
    )
    found: np.ndarray = first - list_ + 1
    return found


def tied_places(
    lists: np.ndarray, scores: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Return the places in an order of items that have tied neighbours."""
    lists, scores = lists[order], scores[order]
    same = (scores[1:] == scores[:-1]) & (lists[1:] == lists[:-1])
    return np.flatnonzero(np.append(same, False) | np.append(False, same))
