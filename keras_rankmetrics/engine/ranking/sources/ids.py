"""Rankings from ids that stand in order already."""

from __future__ import annotations

import functools
from collections.abc import Callable

from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.kinds.ranks import Ranks, SpacedRanks
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.shown import (
    Picked,
    Showing,
    Standing,
)
from keras_rankmetrics.engine.ranking.sorting.counting import count
from keras_rankmetrics.engine.ranking.sorting.matching import matched
from keras_rankmetrics.engine.ranking.sources.relevant import (
    relevant_items,
    relevant_of,
)
from keras_rankmetrics.types import Tensor


def from_ids(
    relevant: Tensor, recommended: Tensor, k: int | None, dtype: str
) -> Ranks:
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
    most = ops.shape(relevant)[-1]
    counts, there, hits = matched(relevant, recommended)
    counted = ops.cast(there, "int32")
    above = ops.cumsum(counted, axis=-1) - counted
    kind: Callable[..., Ranks] = Ranks
    if not known(ops.all(there)):
        kind = functools.partial(SpacedRanks, there=there, above=above)

    def gains(gain: Relevance) -> Tensor:
        return gain.of_either(hits, 1, 0, dtype)

    def showing() -> Showing:
        highest = ops.maximum(ops.max(relevant, -1), ops.max(recommended, -1))
        return Showing(
            first=Standing(
                Picked(recommended), above, ops.ones_like(above), there, gains
            ),
            there=there,
            goes_on=False,
            rest=None,
            relevant=lambda gain: relevant_of(relevant, gain, dtype),
            strangers=lambda items: highest >= items,
            received=lambda: f"the id {int(ops.max(highest))}",
        )

    def all_tied() -> Ranks:
        raise ValueError("Ids do not say what there was to choose from.")

    return kind(
        items=relevant_items(counts, most, k, dtype),
        entries=ops.shape(hits)[-1],
        gains_in_order=lambda _, gain: gains(gain),
        count_retrieved=lambda: count(there),
        count_others=lambda gain: count(there & ~hits),
        all_tied=all_tied,
        showing=showing,
        k=k,
        strict=True,
    )
