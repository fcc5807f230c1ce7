"""`inputs="sparse"`: indices of relevant items, and scores of all items."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.nan import holds, may_hold_nan
from keras_rankmetrics.engine.inputs.raw_batch import Belongings, Given
from keras_rankmetrics.engine.inputs.rows import (
    look_like_labels_of,
    relevant_of,
    within,
    without_excluded,
)
from keras_rankmetrics.engine.inputs.shapes import Leading, check_positions
from keras_rankmetrics.engine.inputs.tensors import numbers, rankable
from keras_rankmetrics.engine.ranking import Targets
from keras_rankmetrics.engine.ranking.sort_keys import Sortable, lowest
from keras_rankmetrics.types import Tensor


def read_sparse(given: Given) -> Lists:
    """Reads indices of the relevant items, and the scores of all items.

    Args:
        given: in `y_true` indices, `[...]` or `[..., targets]`, negative for
            padding; in `y_pred` scores, `[..., items]`; indices of items to
            `"exclude"` from the ranking; and one weight per list.
    """
    check_positions("y_pred", given.y_pred)
    scores, held = numbers("y_pred", given.y_pred, 0)
    if len(scores.shape) == 0:
        raise ValueError(
            "`y_pred` should hold the scores of all items, [items] or "
            "[batch, items]. Received: a single number."
        )
    scores = rankable(scores)
    leading, items = Leading.of(scores), ops.shape(scores)[-1]
    targets = relevant_of(
        given.entries["target"],
        leading,
        "indices of items",
        hint='For labels of all items, use `inputs="scores"`.',
    )
    targets, beyond = within("y_true", targets, items)
    belongings = Belongings.of(given, leading, scores.shape[-1])
    scores, none_to_exclude = without_excluded(
        leading.as_lists(scores), given.entries["exclude"], leading
    )
    item_masks, outside = [*belongings.item_masks], False
    if scores.shape[-1] == 0:  # not all backends gather from nothing
        scores = ops.pad(scores, [[0, 0], [0, 1]])
        scores = ops.full_like(scores, lowest(scores))
    elif held is not None:
        item_masks.append(leading.as_lists(held))
        outside = _outside(item_masks[-1], targets)
    misread = beyond | none_to_exclude | outside | _are_labels(targets, items)
    for there in item_masks:
        scores = ops.where(there, scores, lowest(scores))
        targets = ops.where(_at(there, targets), targets, -1)
    with_nan = holds(may_hold_nan(scores), lambda: scores != scores)
    present, undefined = belongings.there(
        ops.any(targets >= 0, axis=-1) | misread, misread | with_nan
    )
    sortable = Sortable(
        scores, valid=lambda: scores == scores, all_valid=~ops.any(with_nan)
    )
    return belongings.lists(
        Targets(targets, sortable, given.dtype), present, undefined
    )


def _outside(held: Tensor, targets: Tensor) -> Tensor:
    """Which lists have a target beyond their own length, bool `[lists]`.

    Raises where that is seen.
    """
    outside = (targets >= 0) & ~_at(held, targets)
    if concrete(ops.any(outside)):
        raise ValueError(
            "`y_true` should hold indices of items that have a score in their "
            "list. Received: the index "
            f"{int(ops.max(ops.where(outside, targets, -1)))} for a list of "
            "`y_pred` that is shorter."
        )
    return ops.any(outside, axis=-1)


def _are_labels(targets: Tensor, items: int | Tensor) -> Tensor:
    """Whether the targets look like a label for each item, bool.

    Raises where that is seen.
    """
    are_labels = look_like_labels_of(targets, items)
    if concrete(are_labels):
        raise ValueError(
            "`y_true` should hold indices of the relevant items. Received: "
            f"{items} numbers for {items} scores, all of them 0 or 1, which "
            'look like labels. For a label of each item, use `inputs="scores"`.'
        )
    return are_labels


def _at(x: Tensor, targets: Tensor) -> Tensor:
    return ops.take_along_axis(x, ops.maximum(targets, 0), axis=-1)
