"""The counts that a chunk of the catalogue adds to the ranks of relevant items.

A rank needs two numbers: how many items score higher, and how many score the
same. Both add up over chunks, in any order and on any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.engine.ranking.counting import count, positions
from keras_rankmetrics.types import Tensor

LOWEST = float("-inf")


class RankCounts(NamedTuple):
    """Counts over the items scored so far.

    Attributes:
        above: int32 `[lists, targets]`, the number of items that score higher.
        reach: int32 `[lists, targets]`, the number of items that score the same
            or higher, including the target.
        ranked: int32 `[lists]`, the number of items that have a rank.
        undefined: int32 `[lists]`, 0 if all scores are certainly numbers. After
            `count_any`, the number of scores that are NaN.
    """

    above: Tensor
    reach: Tensor
    ranked: Tensor
    undefined: Tensor

    @classmethod
    def zeros(cls, thresholds: Tensor) -> RankCounts:
        """Return the counts before the first chunk."""
        none = ops.zeros_like(thresholds, dtype="int32")
        return cls(none, none, none[:, 0], none[:, 0])

    def plus(self, other: RankCounts) -> RankCounts:
        """Return the sum of both counts."""
        return RankCounts(*(a + b for a, b in zip(self, other, strict=True)))


class Wanted(NamedTuple):
    """Items of each list whose scores are kept, sorted by chunk.

    Attributes:
        pairs: int32 `[2, wanted]`, the list of each wanted item, and its column
            in the scores of its chunk.
        flat_index: `[wanted]`, the index of each wanted item in the flattened
            rows that `of` received.
        per_chunk: int32 `[chunks]`, the number of wanted items of each chunk.
    """

    pairs: np.ndarray
    flat_index: np.ndarray
    per_chunk: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, first_items: np.ndarray) -> Wanted:
        """Return the items of each list, sorted by chunk.

        Args:
            rows: int `[lists, row]`, numbers of items; below 0: padding.
            first_items: int `[chunks]`, the number of the first item of each
                chunk.
        """
        flat_index = np.flatnonzero(rows.ravel() >= 0)
        items = rows.ravel()[flat_index]
        chunks = np.searchsorted(first_items, items, side="right") - 1
        order = np.argsort(chunks, kind="stable")
        flat_index = flat_index[order]
        columns = (items - first_items[chunks])[order]
        pairs = np.stack([flat_index // rows.shape[1], columns])
        per_chunk = np.bincount(chunks, minlength=len(first_items))
        return cls(pairs.astype("int32"), flat_index, per_chunk.astype("int32"))

    @property
    def offsets(self) -> np.ndarray:
        """The index in `pairs` at which each chunk begins, int32 `[chunks]`."""
        ends: np.ndarray = np.cumsum(self.per_chunk, dtype="int32")
        return ends - self.per_chunk

    def padded(self) -> Iterator[np.ndarray]:
        """Yield the pairs of each chunk, `[2, rounded up]`, 0 for padding.

        The lengths are at least 64 and powers of 4, so that most chunks share
        a program.
        """
        for pairs in np.split(self.pairs, self.offsets[1:], axis=1):
            length, wanted = 64, pairs.shape[1]
            while length < wanted:
                length *= 4
            yield np.pad(pairs, ((0, 0), (0, length - wanted)))

    def scores(self, kept: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the scores of the items, the lowest for padding.

        Args:
            kept: `[wanted]`, the scores at `pairs`, floats.
            rows: the rows that `of` received.
        """
        scores = np.full(rows.size, LOWEST, kept.dtype)
        scores[self.flat_index] = kept
        return scores.reshape(rows.shape)


class ChunkRequest(NamedTuple):
    """A request to count in the scores of one chunk, and to keep some of them.

    Attributes:
        items_in_chunk: the number of columns that are items, the rest being
            padding; None for all.
        thresholds: `[lists, targets]`, the scores of the relevant items.
        pairs: int32 `[2, kept]`, the lists and columns of the scores to keep.
    """

    items_in_chunk: Tensor | None
    thresholds: Tensor
    pairs: Tensor


def count_finite(
    scores: Tensor, are_finite: Tensor, request: ChunkRequest
) -> tuple[RankCounts, Tensor]:
    """Count one chunk whose scores are finite, as almost all are.

    Args:
        scores: `[lists, chunk]`, the scores of consecutive items.
        are_finite: bool, False if some may not be finite. The counts are then
            marked as undefined, and may be wrong.
        request: what to count.

    Returns:
        The counts of the chunk, and the kept scores, `[kept]`.
    """
    kept, items = _kept(scores, request.pairs), _items_in(scores, request)
    # torch runs each operation at once, and exact signs are its fastest.
    is_eager = keras.config.backend() == "torch"
    is_exact = counting.counting_dtype(scores.shape[-1]) == "float32"
    count_both = above_and_reach
    if is_eager and is_exact:
        count_both = _above_and_reach_by_sign
    above, reach = count_both(*_comparable(scores, request))
    none = ops.zeros_like(above[:, 0])
    undefined = none + ops.cast(ops.logical_not(are_finite), "int32")
    return RankCounts(above, reach, none + items, undefined), kept


def count_any(
    scores: Tensor, request: ChunkRequest
) -> tuple[RankCounts, Tensor]:
    """Count one chunk of any scores.

    Args:
        scores: `[lists, chunk]`, the scores of consecutive items.
        request: what to count.

    Returns:
        The counts of the chunk, and the kept scores, `[kept]`.
    """
    kept = _kept(scores, request.pairs)
    ranked, undefined = _ranked(scores, _items_in(scores, request))
    above, reach = above_and_reach(*_comparable(scores, request))
    return RankCounts(above, reach, ranked, undefined), kept


def _kept(scores: Tensor, pairs: Tensor) -> Tensor:
    """Return the scores at some lists and columns.

    The index has two dimensions, since one of all scores overflows int32, the
    only integers of jax, if lists x chunk is 2^31 or more.
    """
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        return tf.gather_nd(scores, ops.transpose(pairs))
    return scores[pairs[0], pairs[1]]


def _items_in(scores: Tensor, request: ChunkRequest) -> Tensor:
    """Return the number of columns that are items."""
    items = request.items_in_chunk
    return ops.shape(scores)[-1] if items is None else items


def _comparable(scores: Tensor, request: ChunkRequest) -> tuple[Tensor, Tensor]:
    """Return the scores, the lowest for padding, and the thresholds.

    They are compared in the dtype of the scores, whatever dtype the targets
    have.
    """
    if request.items_in_chunk is not None:
        there = positions(scores) < request.items_in_chunk
        scores = ops.where(there, scores, LOWEST)
    return scores, ops.cast(request.thresholds, scores.dtype)


def above_and_reach(
    scores: Tensor, of_targets: Tensor
) -> tuple[Tensor, Tensor]:
    """Count the scores above that of each target, and those at least as high.

    Args:
        scores: `[lists, row]`.
        of_targets: `[lists, targets]`.

    Returns:
        Both counts, int32 `[lists, targets]`.
    """
    is_program = keras.config.backend() != "torch"
    if is_program and scores.shape[-1] < _STEP:
        both = counting.for_each(lambda s: _both(scores, s), of_targets)
        reach = both // _STEP
        return both - _STEP * reach, reach
    return (
        counting.count_for_each(lambda s: scores > s, of_targets),
        counting.count_for_each(lambda s: scores >= s, of_targets),
    )


# Below this length, a float32 holds two counts: 4,095 times 4,097 < 2 ** 24.
_STEP = 4096


def _both(scores: Tensor, s: Tensor) -> Tensor:
    """Return above + `_STEP` x reach, counted in one pass over the scores.

    A compiler fuses it into the product as one loop, which it does not do for
    two sums.
    """
    at_least = ops.where(scores == s, float(_STEP), 0.0)
    worth = ops.where(scores > s, _STEP + 1.0, at_least)
    return ops.cast(ops.sum(worth, axis=-1, keepdims=True), "int32")


def _above_and_reach_by_sign(
    scores: Tensor, of_targets: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the counts of `above_and_reach`, for finite scores on torch.

    The signs of the differences sum to above - below, and their absolute values
    to above + below. torch sums floats faster than bools. The last differences
    replace the scores: new memory of that size would take as long as counting.
    """
    columns: list[Tensor] = []
    for s in of_targets.split(1, dim=-1):
        is_last = len(columns) == of_targets.shape[-1] - 1
        signs = (scores.sub_(s) if is_last else scores - s).sign_()
        difference = signs.sum(-1)
        both = signs.abs_().sum(-1)
        above, below = (both + difference) / 2, (both - difference) / 2
        columns.append(ops.stack([above, scores.shape[-1] - below]))
    above, reach = ops.unstack(ops.cast(ops.stack(columns, axis=-1), "int32"))
    return above, reach


def _ranked(scores: Tensor, items: Tensor) -> tuple[Tensor, Tensor]:
    """Count the items with a rank, and the scores that are NaN.

    Args:
        scores: `[lists, chunk]`.
        items: the number of columns that are items.
    """
    none = ops.zeros_like(scores[:, 0], dtype="int32")

    def counted() -> tuple[Tensor, Tensor]:
        there = positions(scores) < items
        undefined = count(there & (scores != scores))
        return count(there & (scores > LOWEST)), undefined

    # A sum is finite only if every score is.
    finite = ops.isfinite(ops.sum(scores))
    return cond(finite, lambda: (none + items, none), counted)
