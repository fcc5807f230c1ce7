"""`inputs="sparse"`: indices of relevant items, and scores of all items."""

from __future__ import annotations

from typing import Any

from keras import ops

from keras_rankmetrics.dtypes import lowest
from keras_rankmetrics.inputs.dictionary import entries_of
from keras_rankmetrics.inputs.exclusion import without_excluded
from keras_rankmetrics.inputs.leading import Leading
from keras_rankmetrics.inputs.lists import TargetLists
from keras_rankmetrics.inputs.masks import masks_of
from keras_rankmetrics.inputs.nan import holds_nan, may_hold_nan
from keras_rankmetrics.inputs.rows import indices_of
from keras_rankmetrics.inputs.tensors import numbers, rankable
from keras_rankmetrics.inputs.weights import present_lists, weights_of_lists
from keras_rankmetrics.known import known
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
    scores, held = numbers("y_pred", y_pred, 0)
    if len(scores.shape) == 0:
        raise ValueError(
            "`y_pred` should hold the scores of all items, [items] or "
            "[batch, items]. Received: a single number."
        )
    scores = rankable(scores)
    leading, items = Leading.of(scores), ops.shape(scores)[-1]
    targets, beyond = indices_of(
        "y_true",
        given["target"],
        leading,
        items,
        hint='For labels of all items, use `inputs="scores"`.',
    )
    _check_no_labels(targets, items)
    item_masks, list_masks = masks_of(
        given["mask"], y_pred, leading, scores.shape[-1]
    )
    if held is not None:
        item_masks.append(leading.as_lists(held))
    scores = leading.as_lists(scores)
    list_weights = weights_of_lists(sample_weight, leading, scores, dtype)
    scores = without_excluded(scores, given["exclude"], leading)
    for there in item_masks:
        scores = ops.where(there, scores, lowest(scores))
        kept = ops.take_along_axis(there, ops.maximum(targets, 0), axis=-1)
        targets = ops.where(kept, targets, -1)
    present = ops.logical_or(ops.any(targets >= 0, axis=-1), beyond)
    present = present_lists(present, list_masks, list_weights)
    undefined = ops.logical_or(beyond, holds_nan(scores, may_hold_nan(scores)))
    if list_weights is not None:
        undefined = ops.logical_or(undefined, ops.isnan(list_weights))
    return TargetLists(
        leading=leading,
        targets=targets,
        scores=scores,
        list_weights=list_weights,
        present=present,
        undefined=ops.logical_and(present, undefined),
        dtype=dtype,
    )


def _check_no_labels(targets: Tensor, items: int | Tensor) -> None:
    if not isinstance(items, int) or targets.shape[-1] != items or items < 3:
        return
    if known(ops.all(ops.logical_and(targets >= 0, targets <= 1))):
        raise ValueError(
            "`y_true` should hold indices of the relevant items. Received: "
            f"{items} numbers for {items} scores, all of them 0 or 1, which "
            'look like labels. For a label of each item, use `inputs="scores"`.'
        )
