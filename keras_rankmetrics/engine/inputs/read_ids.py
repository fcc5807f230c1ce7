"""`inputs="ids"`: ids of the relevant items, and of the recommended ones."""

from __future__ import annotations

from keras import backend

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.masks_and_weights import MasksAndWeights
from keras_rankmetrics.engine.inputs.raw_batch import RawBatch
from keras_rankmetrics.engine.inputs.rows import (
    as_rows,
    check_are_ids,
    excluded_rows,
    relevant_rows,
)
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.ranking import Ids
from keras_rankmetrics.engine.ranking.runs import is_in
from keras_rankmetrics.types import Tensor

RELEVANT = "the ids of the relevant items"
LABELS_HINT = 'For labels and scores of the same items, use `inputs="scores"`.'
_RECOMMENDED = "the recommended ids, best first"


def read_ids(raw: RawBatch) -> Lists:
    """Read ids of the relevant items, and recommended ids, best first.

    Args:
        raw: `y_true` contains ids, `[*leading]` or `[*leading, relevant]`, and
            ids to `"exclude"` from the recommended ones. `y_pred` contains
            ids, `[*leading, recommended]`. Negative ids are padding. Weights
            are per list.

    Raises:
        ValueError: if the input is invalid.
    """
    recommended = integers(
        "y_pred",
        raw.y_pred,
        _RECOMMENDED,
        hint="For scores of all items and indices of the relevant ones, use "
        '`inputs="sparse"`; for scores and labels, `inputs="scores"`.',
    )
    if len(recommended.shape) == 0:
        raise ValueError(
            f"`y_pred` should hold {_RECOMMENDED}, [recommended] or "
            "[batch, recommended]. Received: a single number."
        )
    leading, places = Leading.of(recommended), recommended.shape[-1]
    recommended = as_rows(recommended, leading)
    relevant = relevant_rows(
        raw.entries["target"], leading, RELEVANT, hint=LABELS_HINT
    )
    check_are_ids(relevant, RELEVANT, LABELS_HINT)
    masks_and_weights = MasksAndWeights.of(raw, leading, places)
    for mask in masks_and_weights.item_masks:
        recommended = ops.where(mask, recommended, -1)
    has_ids = ops.any(relevant >= 0, axis=-1) | ops.any(
        recommended >= 0, axis=-1
    )
    present, undefined = masks_and_weights.presence(
        has_ids, ops.zeros_like(has_ids)
    )
    relevant, recommended = _in_one_dtype(relevant, recommended)
    exclude = raw.entries["exclude"]
    if exclude is not None:
        excluded = ops.sort(excluded_rows(exclude, leading, "ids"), axis=-1)
        one, other = _in_one_dtype(recommended, excluded)
        recommended = ops.where(is_in(one, other), -1, recommended)
    return masks_and_weights.lists(
        Ids(relevant, recommended, raw.dtype), present, undefined
    )


def _in_one_dtype(ids: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    dtypes = {backend.standardize_dtype(x.dtype) for x in (ids, others)}
    return ops.cast(ids, max(dtypes)), ops.cast(others, max(dtypes))
