"""The counts that a chunk of the catalogue adds to the ranks of relevant items.

A rank needs two numbers: how many items score higher, and how many score the
same. Both add up over chunks, in any order and on any device.
"""

from __future__ import annotations

from typing import NamedTuple

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.engine.ranking.counting import count, positions
from keras_rankmetrics.types import Tensor

LOWEST = float("-inf")


class Targets(NamedTuple):
    """The relevant items of each list, and the items to leave out.

    Attributes:
        items: int32 `[lists, targets]`, numbers of items; below 0: padding.
        scores: `[lists, targets]`, the scores of these items.
        exclude: int32 `[lists, excluded]`, numbers of items, each once, below 0
            for padding.
    """

    items: Tensor
    scores: Tensor
    exclude: Tensor


class RankCounts(NamedTuple):
    """Counts over the items scored so far.

    Attributes:
        above: int32 `[lists, targets]`, the number of items that score higher.
        reach: int32 `[lists, targets]`, the number of items that score the same
            or higher, including the target.
        scores: `[lists, targets]`, the score of each target that is among these
            items, else 0.
        ranked: int32 `[lists]`, the number of items that have a rank.
        undefined: int32 `[lists]`, the number of scores that are NaN.
    """

    above: Tensor
    reach: Tensor
    scores: Tensor
    ranked: Tensor
    undefined: Tensor

    @classmethod
    def zeros(cls, targets: Targets) -> RankCounts:
        """Return the counts before the first chunk."""
        none = ops.zeros_like(targets.items)
        return cls(
            none, none, ops.zeros_like(targets.scores), none[:, 0], none[:, 0]
        )

    def plus(self, other: RankCounts) -> RankCounts:
        """Return the sum of both counts."""
        return RankCounts(*(a + b for a, b in zip(self, other, strict=True)))


def count_chunk(
    scores: Tensor,
    finite: Tensor,
    first: Tensor,
    held: Tensor | None,
    targets: Targets,
) -> RankCounts:
    """Return the counts of one chunk.

    Args:
        scores: `[lists, chunk]`, the scores of consecutive items.
        finite: bool, True if all scores are certainly finite.
        first: int32, the number of the first item of the chunk.
        held: the number of columns that are items, the rest being padding; None
            for all.
        targets: the targets to count for.
    """
    ranked, undefined = _ranked(scores, finite, held)
    if held is not None:
        scores = ops.where(positions(scores) < held, scores, LOWEST)
    _, excluded = _in_chunk(targets.exclude - first, scores)
    there, of_targets = _in_chunk(targets.items - first, scores)

    # Compared in the dtype of the product, whatever dtype the targets have.
    thresholds = ops.cast(targets.scores, scores.dtype)
    above, reach = (
        of_all - of_excluded
        for of_all, of_excluded in zip(
            above_and_reach(scores, thresholds),
            above_and_reach(excluded, thresholds),
            strict=True,
        )
    )
    return RankCounts(
        above=above,
        reach=reach,
        scores=ops.cast(ops.where(there, of_targets, 0), targets.scores.dtype),
        ranked=ranked - count(excluded > LOWEST),
        undefined=undefined,
    )


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


def _in_chunk(place: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Look up places, which may lie outside the chunk.

    Returns:
        Whether each place is in the chunk, and its score, the lowest outside.
    """
    last = scores.shape[-1] - 1
    there = (place >= 0) & (place <= last)
    found = ops.take_along_axis(scores, ops.clip(place, 0, last), axis=-1)
    return there, ops.where(there, found, LOWEST)


def _ranked(
    scores: Tensor, finite: Tensor, held: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Count the items with a rank, and the scores that are NaN."""
    none = ops.zeros_like(scores[:, 0], dtype="int32")
    items = ops.shape(scores)[-1] if held is None else held

    def counted() -> tuple[Tensor, Tensor]:
        there = positions(scores) < items
        undefined = count(there & (scores != scores))
        return count(there & (scores > LOWEST)), undefined

    return cond(finite, lambda: (none + items, none), counted)
