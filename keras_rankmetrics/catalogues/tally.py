"""What a chunk of the catalogue adds to the counts of relevant items.

Each place needs two numbers: how many items score higher, and how many as much.
They add up over chunks, in any order and on any device.
"""

from __future__ import annotations

from typing import NamedTuple

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.engine.ranking.sums import (
    count,
    count_column,
    for_each,
    positions,
)
from keras_rankmetrics.types import Tensor

LOWEST = float("-inf")


class Asked(NamedTuple):
    """What is asked of a catalogue.

    Attributes:
        targets: int32 `[lists, targets]`, numbers of items; below 0: padding.
        scores: `[lists, targets]`, of these items.
        exclude: int32 `[lists, excluded]`, numbers of items, each once, below 0
            for padding.
    """

    targets: Tensor
    scores: Tensor
    exclude: Tensor


class Tally(NamedTuple):
    """What has been counted.

    Attributes:
        above: int32 `[lists, targets]`, how many items score higher.
        reach: int32 `[lists, targets]`, how many score as much or higher, the
            target among them.
        found: `[lists, targets]`, the score of each target where the chunks
            had it, else 0.
        ranked: int32 `[lists]`, how many items have a rank.
        undefined: int32 `[lists]`, how many scores are NaN.
    """

    above: Tensor
    reach: Tensor
    found: Tensor
    ranked: Tensor
    undefined: Tensor

    @classmethod
    def of_nothing(cls, asked: Asked) -> Tally:
        """Before the first chunk."""
        none = ops.zeros_like(asked.targets)
        return cls(
            none, none, ops.zeros_like(asked.scores), none[:, 0], none[:, 0]
        )

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))


def tally(
    scores: Tensor,
    finite: Tensor,
    first: Tensor,
    items: Tensor | None,
    asked: Asked,
) -> Tally:
    """What a chunk adds.

    Args:
        scores: `[lists, chunk]`, of items of the catalogue in a row.
        finite: bool, whether all of them are known to be finite.
        first: int32, the number of the first of them.
        items: how many of them are items, the rest being padding; None for all.
        asked: what is asked of them.
    """
    ranked, undefined = _ranked(scores, finite, items)
    if items is not None:
        scores = ops.where(positions(scores) < items, scores, LOWEST)
    exclude = _Part.of(asked.exclude - first, scores)
    targets = _Part.of(asked.targets - first, scores)

    # In the dtype of the product, whatever holds the scores of the targets.
    of_targets = ops.cast(asked.scores, scores.dtype)
    above, reach = (
        of_all - of_excluded
        for of_all, of_excluded in zip(
            counted(scores, of_targets),
            counted(exclude.scores, of_targets),
            strict=True,
        )
    )
    return Tally(
        above=above,
        reach=reach,
        found=ops.cast(
            ops.where(targets.there, targets.scores, 0), asked.scores.dtype
        ),
        ranked=ranked - count(exclude.scores > LOWEST),
        undefined=undefined,
    )


def counted(scores: Tensor, of_targets: Tensor) -> tuple[Tensor, Tensor]:
    """How many scores are above that of each target; and at least as high.

    Both int32 `[lists, targets]`.

    Args:
        scores: `[lists, row]`.
        of_targets: `[lists, targets]`.
    """
    is_program = keras.config.backend() != "torch"
    if is_program and scores.shape[-1] < _STEP:
        both = for_each(lambda s: _both(scores, s), of_targets)
        reach = both // _STEP
        return both - _STEP * reach, reach
    return (
        for_each(lambda s: count_column(scores > s), of_targets),
        for_each(lambda s: count_column(scores >= s), of_targets),
    )


# Up to here, a float32 holds two counts: 4,095 times 4,097 is below 2 ** 24.
_STEP = 4096


def _both(scores: Tensor, s: Tensor) -> Tensor:
    """Two counts in one pass over the scores: above, and `_STEP` x reach.

    A compiler makes that one loop, and reads the product while it is near. It
    does not where two sums are taken.
    """
    at_least = ops.where(scores == s, float(_STEP), 0.0)
    worth = ops.where(scores > s, _STEP + 1.0, at_least)
    return ops.cast(ops.sum(worth, axis=-1, keepdims=True), "int32")


class _Part(NamedTuple):
    """Some items of each list, as far as a chunk has them.

    Attributes:
        scores: `[lists, row]`, the lowest where they are not in it.
        there: bool `[lists, row]`, whether they are.
    """

    scores: Tensor
    there: Tensor

    @classmethod
    def of(cls, place: Tensor, scores: Tensor) -> _Part:
        """Those at some places of the chunk, or beyond it."""
        last = scores.shape[-1] - 1
        there = (place >= 0) & (place <= last)
        found = ops.take_along_axis(scores, ops.clip(place, 0, last), axis=-1)
        return cls(ops.where(there, found, LOWEST), there)


def _ranked(
    scores: Tensor, finite: Tensor, items: Tensor | None
) -> tuple[Tensor, Tensor]:
    """How many scores are those of items with a rank, and how many are NaN."""
    none = ops.zeros_like(scores[:, 0], dtype="int32")
    held = ops.shape(scores)[-1] if items is None else items

    def counted() -> tuple[Tensor, Tensor]:
        there = positions(scores) < held
        return count(there & (scores > LOWEST)), count(
            there & (scores != scores)
        )

    return cond(finite, lambda: (none + held, none), counted)
