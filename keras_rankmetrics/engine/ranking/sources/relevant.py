"""Relevant items of which nothing is known but that they are relevant."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.items import RelevantItems
from keras_rankmetrics.engine.ranking.kinds.groups import Located
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.shown import Picked
from keras_rankmetrics.engine.ranking.sorting.matching import is_new
from keras_rankmetrics.types import Tensor


def relevant_of(
    ids: Tensor, gain: Relevance, dtype: str
) -> tuple[Picked, Tensor]:
    """The relevant items and what they are worth, an id that comes again 0.

    Args:
        ids: int `[lists, relevant]`, negative for padding.
        gain: what a label is worth.
        dtype: of the labels.
    """
    return Picked(ids), gain.of_either(is_new(ids), 1, -1, dtype)


def relevant_items(
    counts: Tensor, most: int | Tensor, k: int | None, dtype: str
) -> RelevantItems:
    """Items of which only the relevant ones are known, with the label 1.

    Args:
        counts: int32 `[lists]`, how many are relevant.
        most: how many can be.
        k: how many ranks count, or None for all.
        dtype: of the labels.
    """
    place = ops.arange(most, dtype="int32")
    labels = labels_of_relevant(place < counts[:, None], dtype)
    highest = labels_of_relevant(counts > 0, dtype)
    return RelevantItems(labels, highest, k)


def labels_of_relevant(relevant: Tensor, dtype: str) -> Tensor:
    """The label 1 for relevant items, and that of no item elsewhere."""
    return ops.where(relevant, ops.ones((), dtype), -1)


def located_at(
    start: Tensor,
    size: Tensor,
    there: Tensor,
    depth: int | Tensor,
    dtype: str,
) -> Located:
    """Where they stand, in the order of their ranks.

    Args:
        start: int32 `[lists, relevant]`, how many items stand above the group.
        size: int32 `[lists, relevant]`, how many the group has.
        there: bool `[lists, relevant]`, whether there is one that is retrieved.
        depth: how many ranks are told apart.
        dtype: of the labels.
    """
    start = ops.where(there, ops.minimum(start, depth), depth)
    place = ops.argsort(start, axis=-1)
    start, size, there = (
        ops.take_along_axis(x, place, axis=-1) for x in (start, size, there)
    )
    return Located(
        labels_of_relevant(there, dtype), start, ops.where(there, size, 0)
    )
