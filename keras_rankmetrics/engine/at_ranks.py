"""What a metric says of lists whose only relevant item stands at a given rank.

Nothing is ranked for it, so that a catalogue of millions takes no longer than
its ranks need to be looked up.
"""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.definition.policies import needs_order
from keras_rankmetrics.engine.evaluation import adjusted_values
from keras_rankmetrics.engine.ranking import Order, from_places
from keras_rankmetrics.types import TiePolicy


def values_at_ranks(
    definition: Definition, start: np.ndarray, stop: np.ndarray, items: int
) -> np.ndarray:
    """The mean value over the ranks `start + 1` to `stop`, float64 `[ranges]`.

    A metric that needs a strict order is asked for the rank in the middle.

    Args:
        definition: of the metric.
        start: integers `[ranges]`.
        stop: integers `[ranges]`. A range that ends beyond the cutoff should
            not begin within it.
        items: how many each list has.
    """
    size, depth = stop - start, definition.depth
    if depth is not None:
        # All ranks beyond are one, also where lists end there.
        size = np.where(start >= depth, 1, size)
    if needs_order(definition.metric, definition.options):
        start, size = start + (size - 1) // 2, np.ones_like(size)
    ties: TiePolicy = "stable" if np.all(size == 1) else "average"
    relevance = definition.relevance
    label = ops.full(start.shape, relevance.unseen_label, definition.dtype)
    ranking = from_places(
        ops.convert_to_tensor(start, "int32"),
        ops.convert_to_tensor(size, "int32"),
        label,
        items,
        Order(depth, ties),
    ).judged_by(relevance, depth)
    values = adjusted_values(definition, ranking)
    return ops.convert_to_numpy(values).astype("float64")
