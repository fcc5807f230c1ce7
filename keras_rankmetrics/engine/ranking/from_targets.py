"""Rankings of a few relevant items among the scores of a whole catalogue.

The catalogue is not sorted: the place of an item is one behind all that score
higher, and the items that score the same are counted too.
"""

from __future__ import annotations

from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond
from keras_rankmetrics.engine.ranking.exposure import Showing
from keras_rankmetrics.engine.ranking.from_ids import (
    located_at,
    relevant_items,
    relevant_of,
)
from keras_rankmetrics.engine.ranking.from_scores import Top
from keras_rankmetrics.engine.ranking.matching import is_in, is_new
from keras_rankmetrics.engine.ranking.ranking import Order
from keras_rankmetrics.engine.ranking.sort_keys import (
    Sortable,
    input_order,
    lowest,
    shuffle_keys,
)
from keras_rankmetrics.engine.ranking.sums import (
    count,
    count_column,
    for_each,
    positions,
)
from keras_rankmetrics.engine.ranking.target_ranking import Groups, Located
from keras_rankmetrics.types import Tensor


def from_targets(
    targets: Tensor, sortable: Sortable, order: Order, dtype: str
) -> Groups:
    """Ranks the relevant items of each list by the scores of all its items.

    The other items are those that groups hold besides. Relevant items have the
    label 1, all others 0.

    Args:
        targets: int `[lists, targets]`, indices of the relevant items,
            negative for padding.
        sortable: the scores of all items. The lowest value of the dtype (-inf)
            marks an item that is not retrieved.
        order: how, and how far down.
        dtype: of the labels.
    """
    scores = sortable.given
    relevant = is_new(targets)
    most = ops.shape(targets)[-1]
    items = relevant_items(count(relevant), most, order.k, dtype)
    indices = ops.maximum(targets, 0)
    score = ops.take_along_axis(scores, indices, axis=-1)
    there = relevant & (score > lowest(scores))
    depth = depth_beyond(order.k, ops.shape(scores)[-1])

    def located() -> Located:
        above = for_each(lambda s: count_column(scores > s), score)
        if order.ties == "average":
            start, size = above, _tied(scores, score)
        else:
            ahead = _ahead_in_group(order, scores, indices, score, there)
            start, size = above + ahead, ops.ones_like(above)
        return located_at(start, size, there, depth, dtype)

    return Groups(
        items=items,
        locate=located,
        count_retrieved=lambda: count(scores > lowest(scores)),
        count_others=lambda _: count(scores > lowest(scores)) - count(there),
        all_tied=lambda: from_targets(
            targets,
            sortable.levelled(),
            order._replace(ties="average"),
            dtype,
        ),
        showing=lambda: _showing(targets, sortable, order, dtype),
        k=order.k,
        strict=order.ties != "average",
        depth=depth,
    )


def _showing(
    targets: Tensor, scores: Sortable, order: Order, dtype: str
) -> Showing:
    """Where the items of the catalogue stand, whether relevant or not."""
    in_order = ops.sort(targets, axis=-1)
    numbers = positions(scores.given)

    def are_relevant(numbers: Tensor) -> Tensor:
        return is_in(ops.cast(numbers, targets.dtype), in_order)

    def all_of_them() -> Tensor:
        return are_relevant(ops.broadcast_to(numbers, ops.shape(scores.given)))

    top = Top.of(scores, order, lambda: ops.cast(all_of_them(), dtype))
    return top.showing(
        gains_at=lambda gain: gain.of_either(
            are_relevant(top.order), 1, 0, dtype
        ),
        gains=lambda gain: gain.of_either(all_of_them(), 1, 0, dtype),
        relevant=lambda gain: relevant_of(targets, gain, dtype),
    )


def _ahead_in_group(
    order: Order, scores: Tensor, targets: Tensor, score: Tensor, there: Tensor
) -> Tensor:
    """How many items of the same score stand before each target."""

    def by_key(key: Tensor) -> Tensor:
        """Of all items, the highest key first."""
        of_targets = ops.take_along_axis(key, targets, axis=-1)
        return for_each(
            lambda s, k: count_column((scores == s) & (key > k)),
            score,
            of_targets,
        )

    def among_targets(before: Callable[[Tensor], Tensor]) -> Tensor:
        """Of the retrieved targets."""

        def ahead(s: Tensor, t: Tensor) -> Tensor:
            tied = there & (score == s)
            return count_column(tied & before(t))

        return for_each(ahead, score, targets)

    return {
        "stable": lambda: by_key(input_order(scores)),
        "shuffle": lambda: by_key(shuffle_keys(scores, order.seed, order.draw)),
        "optimistic": lambda: among_targets(lambda t: targets < t),
        "pessimistic": lambda: (
            _tied(scores, score) - among_targets(lambda t: targets >= t)
        ),
    }[order.ties]()


def _tied(scores: Tensor, score: Tensor) -> Tensor:
    """How many items have the score of each target."""
    return for_each(lambda s: count_column(scores == s), score)
