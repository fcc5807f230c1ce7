"""Rankings of lists of which only the place of a single item is known."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond
from keras_rankmetrics.engine.ranking.exposure import Showing
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.ranking import Order
from keras_rankmetrics.engine.ranking.target_ranking import Groups, Located
from keras_rankmetrics.types import Tensor


def from_places(
    start: Tensor, size: Tensor, label: Tensor, items: int, order: Order
) -> Groups:
    """Ranks one item of each list, of which it is known where it stands.

    It is equally likely to be at each of the ranks `start + 1` to
    `start + size`. All other items are retrieved too, and worth nothing.

    Args:
        start: int32 `[lists]`.
        size: int32 `[lists]`, 1 in a strict order.
        label: `[lists]`, of the item.
        items: how many each list has.
        order: how far down ranks count, and whether the order is strict.
    """
    labels, depth = label[:, None], depth_beyond(order.k, items)

    def located() -> Located:
        return Located(
            labels, ops.minimum(start, depth)[:, None], size[:, None]
        )

    def all_tied() -> Groups:
        return from_places(
            ops.zeros_like(start),
            ops.full_like(size, items),
            label,
            items,
            order._replace(ties="average"),
        )

    def showing() -> Showing:
        raise ValueError(
            "A measure should ask of such a list where its relevant item "
            "stands, not which items the list shows."
        )

    return Groups(
        items=Items(labels, label, order.k),
        locate=located,
        count_retrieved=lambda: ops.full_like(start, items),
        count_others=lambda _: ops.full_like(start, items - 1),
        all_tied=all_tied,
        showing=showing,
        k=order.k,
        strict=order.ties != "average",
        depth=depth,
    )
