"""`inputs="sparse"`: indices of relevant items, and scores of all items."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.masks_and_weights import (
    MasksAndWeights,
    lists_with,
    may_contain_nan,
)
from keras_rankmetrics.engine.inputs.raw_batch import RawBatch
from keras_rankmetrics.engine.inputs.rows import (
    checked_indices,
    look_like_labels_of,
    relevant_rows,
    without_excluded,
)
from keras_rankmetrics.engine.inputs.shapes import Leading, check_positions
from keras_rankmetrics.engine.inputs.tensors import numbers, rankable
from keras_rankmetrics.engine.ranking import Targets
from keras_rankmetrics.engine.ranking.top import Sortable, lowest
from keras_rankmetrics.types import Tensor


def read_sparse(raw: RawBatch) -> Lists:
    """Read indices of the relevant items, and the scores of all items.

    Args:
        raw: `y_true` contains indices, `[*leading]` or `[*leading, targets]`,
            negative for padding, and indices of items to `"exclude"` from the
            ranking. `y_pred` contains scores, `[*leading, items]`. Weights are
            per list.

    Raises:
        ValueError: if the input is invalid.
    """
    check_positions("y_pred", raw.y_pred)
    scores, ragged_mask = numbers("y_pred", raw.y_pred, 0)
    if len(scores.shape) == 0:
        raise ValueError(
            "`y_pred` should hold the scores of all items, [items] or "
            "[batch, items]. Received: a single number."
        )
    scores = rankable(scores)
    leading, items = Leading.of(scores), ops.shape(scores)[-1]
    targets = relevant_rows(
        raw.entries["target"],
        leading,
        "indices of items",
        hint='For labels of all items, use `inputs="scores"`.',
    )
    targets, beyond = checked_indices("y_true", targets, items)
    masks_and_weights = MasksAndWeights.of(raw, leading, scores.shape[-1])
    scores, exclude_beyond = without_excluded(
        leading.as_lists(scores), raw.entries["exclude"], leading
    )
    item_masks, no_score = [*masks_and_weights.item_masks], False
    if scores.shape[-1] == 0:  # not all backends gather from an empty axis
        scores = ops.pad(scores, [[0, 0], [0, 1]])
        scores = ops.full_like(scores, lowest(scores))
    elif ragged_mask is not None:
        item_masks.append(leading.as_lists(ragged_mask))
        no_score = _without_score(item_masks[-1], targets)
    invalid = beyond | exclude_beyond | no_score | _are_labels(targets, items)
    for mask in item_masks:
        scores = ops.where(mask, scores, lowest(scores))
        targets = ops.where(_at(mask, targets), targets, -1)
    with_nan = lists_with(may_contain_nan(scores), lambda: scores != scores)
    present, undefined = masks_and_weights.presence(
        ops.any(targets >= 0, axis=-1) | invalid, invalid | with_nan
    )
    sortable = Sortable(
        scores, valid=lambda: scores == scores, all_valid=~ops.any(with_nan)
    )
    return masks_and_weights.lists(
        Targets(sortable, targets, raw.dtype), present, undefined
    )


def _without_score(ragged_mask: Tensor, targets: Tensor) -> Tensor:
    """Return True for lists with a target beyond their length, bool `[lists]`.

    Raises:
        ValueError: if a concrete target is beyond.
    """
    beyond = (targets >= 0) & ~_at(ragged_mask, targets)
    if concrete(ops.any(beyond)):
        raise ValueError(
            "`y_true` should hold indices of items that have a score in their "
            "list. Received: the index "
            f"{int(ops.max(ops.where(beyond, targets, -1)))} for a list of "
            "`y_pred` that is shorter."
        )
    return ops.any(beyond, axis=-1)


def _are_labels(targets: Tensor, items: int | Tensor) -> Tensor:
    """Return True if the targets look like labels, a bool scalar.

    Raises:
        ValueError: if concrete targets do.
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
