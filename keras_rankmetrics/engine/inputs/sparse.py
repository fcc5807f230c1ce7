"""`inputs="sparse"`: indices of relevant items, and scores of all items."""

from __future__ import annotations

import functools
from typing import Any

from keras import ops

from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.inputs.lists import TargetLists
from keras_rankmetrics.engine.inputs.parts.alignment import (
    check_aligned,
    check_positions,
)
from keras_rankmetrics.engine.inputs.parts.dictionary import entries_of
from keras_rankmetrics.engine.inputs.parts.exclusion import without_excluded
from keras_rankmetrics.engine.inputs.parts.leading import Leading
from keras_rankmetrics.engine.inputs.parts.masks import masks_of
from keras_rankmetrics.engine.inputs.parts.rows import (
    look_like_labels_of,
    relevant_of,
    within,
)
from keras_rankmetrics.engine.inputs.parts.weights import (
    present_and_undefined,
    weights_of_lists,
)
from keras_rankmetrics.engine.inputs.tensors.conversion import numbers, rankable
from keras_rankmetrics.engine.inputs.tensors.nan import holds_nan, may_hold_nan
from keras_rankmetrics.engine.ranking.sorting.sortable import lowest
from keras_rankmetrics.types import Tensor


def read_sparse(
    y_true: Any, y_pred: Any, sample_weight: Any, dtype: str
) -> TargetLists:
    """Reads indices of the relevant items, and the scores of all items.

    Args:
        y_true: indices, `[...]` or `[..., targets]`, negative for padding; or
            a dict with them under `"target"`, and maybe a `"mask"` and indices
            of items to `"exclude"` from the ranking.
        y_pred: scores, `[..., items]`.
        sample_weight: None, a scalar or one weight per list.
        dtype: of what is computed from them.
    """
    given = entries_of(y_true, ["target", "labels"], ["mask", "exclude"])
    check_aligned(given, y_pred, sample_weight, of_items=["mask"])
    check_positions("y_pred", y_pred)
    scores, held = numbers("y_pred", y_pred, 0)
    if len(scores.shape) == 0:
        raise ValueError(
            "`y_pred` should hold the scores of all items, [items] or "
            "[batch, items]. Received: a single number."
        )
    scores = rankable(scores)
    leading, items = Leading.of(scores), ops.shape(scores)[-1]
    targets = relevant_of(
        given["target"],
        leading,
        "indices of items",
        hint='For labels of all items, use `inputs="scores"`.',
    )
    targets, beyond = within("y_true", targets, items)
    item_masks, list_masks = masks_of(
        given["mask"], y_pred, leading, scores.shape[-1]
    )
    scores = leading.as_lists(scores)
    list_weights = weights_of_lists(sample_weight, leading, scores, dtype)
    scores, none_to_exclude = without_excluded(
        scores, given["exclude"], leading
    )
    if held is None:
        outside = ops.zeros_like(beyond)
    else:
        item_masks.append(leading.as_lists(held))
        outside = _outside(item_masks[-1], targets)
    misread = functools.reduce(
        ops.logical_or,
        [beyond, none_to_exclude, outside, _are_labels(targets, items)],
    )
    if scores.shape[-1] == 0:  # not all backends gather from nothing
        scores = ops.pad(scores, [[0, 0], [0, 1]])
        item_masks = [ops.zeros_like(scores, dtype="bool")]
    for there in item_masks:
        scores = ops.where(there, scores, lowest(scores))
        targets = ops.where(_at(there, targets), targets, -1)
    present, undefined = present_and_undefined(
        ops.any(targets >= 0, axis=-1) | misread,
        misread | holds_nan(scores, may_hold_nan(scores)),
        list_masks,
        list_weights,
    )
    return TargetLists(
        leading=leading,
        targets=targets,
        scores=scores,
        list_weights=list_weights,
        present=present,
        undefined=undefined,
        dtype=dtype,
    )


def _outside(held: Tensor, targets: Tensor) -> Tensor:
    """Which lists have a target beyond their own length, bool `[lists]`.

    Raises where that is seen.
    """
    outside = (targets >= 0) & ~_at(held, targets)
    if known(ops.any(outside)):
        raise ValueError(
            "`y_true` should hold indices of items that have a score in their "
            "list. Received: the index "
            f"{int(ops.max(ops.where(outside, targets, -1)))} for a list of "
            "`y_pred` that is shorter."
        )
    return ops.any(outside, axis=-1)


def _are_labels(targets: Tensor, items: int | Tensor) -> Tensor:
    """Whether the targets look like a label for each item, bool `[lists]`.

    Raises where that is seen.
    """
    are_labels = look_like_labels_of(targets, items)
    if known(are_labels):
        raise ValueError(
            "`y_true` should hold indices of the relevant items. Received: "
            f"{items} numbers for {items} scores, all of them 0 or 1, which "
            'look like labels. For a label of each item, use `inputs="scores"`.'
        )
    return ops.broadcast_to(are_labels, ops.shape(targets)[:1])


def _at(x: Tensor, targets: Tensor) -> Tensor:
    return ops.take_along_axis(x, ops.maximum(targets, 0), axis=-1)
