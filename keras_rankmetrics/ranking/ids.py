"""Rankings from ids that stand in order already."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.branching import unless_known
from keras_rankmetrics.matching import distinct, is_in, is_new
from keras_rankmetrics.ranking.counting import count
from keras_rankmetrics.ranking.depth import depth_beyond
from keras_rankmetrics.ranking.items import Items
from keras_rankmetrics.ranking.ranking import Ranking
from keras_rankmetrics.ranking.runs import positions
from keras_rankmetrics.types import Tensor


def from_ids(
    relevant: Tensor, recommended: Tensor, k: int | None, dtype: str
) -> Ranking:
    """Takes the recommended ids as ranked, the first one best.

    An id that comes again has been ranked already: it holds no rank, nor does
    padding. Relevant items have the label 1, all others 0.

    Args:
        relevant: int `[lists, relevant]`, negative for padding.
        recommended: int `[lists, recommended]`, of the same dtype, negative
            for padding.
        k: how many ranks count, or None for all.
        dtype: of the labels.
    """
    relevant, counts = distinct(relevant)
    items = relevant_items(counts, k, dtype)
    there = is_new(recommended)
    depth = depth_beyond(k, ops.shape(recommended)[-1])
    start, size = unless_known(
        ops.all(there), lambda: _places(there), if_true=lambda: _row(there)
    )
    hits = ops.logical_and(there, is_in(recommended, relevant))
    return Ranking(
        items=items,
        labels=ops.cast(hits, dtype),
        weights=None,
        start=ops.minimum(start, depth),
        size=size,
        count_retrieved=lambda: count(there),
        k=k,
        depth=depth,
    )


def _places(there: Tensor) -> tuple[Tensor, Tensor]:
    """How many stand above each, and how many it is, `[lists, places]`."""
    size = ops.cast(there, "int32")
    return ops.cumsum(size, axis=-1) - size, size


def _row(there: Tensor) -> tuple[Tensor, Tensor]:
    """The same, `[1, places]`, where none is missing in any list."""
    place = positions(there)[None]
    return place, ops.ones_like(place)


def relevant_items(relevant: Tensor, k: int | None, dtype: str) -> Items:
    """Items of which only the relevant ones are known."""
    labels = labels_of_relevant(relevant, dtype)
    return Items(labels, ops.max(labels, axis=-1), k)


def labels_of_relevant(relevant: Tensor, dtype: str) -> Tensor:
    """The label 1 for relevant items, and that of no item elsewhere."""
    return ops.where(relevant, ops.ones((), dtype), -1)
