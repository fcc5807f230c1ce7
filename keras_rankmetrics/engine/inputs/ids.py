"""`inputs="ids"`: ids of the relevant items, and of the recommended ones."""

from __future__ import annotations

from typing import Any

from keras import backend, ops

from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.inputs.lists import IdLists
from keras_rankmetrics.engine.inputs.parts.alignment import check_aligned
from keras_rankmetrics.engine.inputs.parts.dictionary import entries_of
from keras_rankmetrics.engine.inputs.parts.leading import Leading
from keras_rankmetrics.engine.inputs.parts.masks import masks_of
from keras_rankmetrics.engine.inputs.parts.rows import (
    ids_of,
    look_like_labels,
    relevant_of,
)
from keras_rankmetrics.engine.inputs.parts.weights import (
    present_and_undefined,
    weights_of_lists,
)
from keras_rankmetrics.engine.inputs.tensors.conversion import integers
from keras_rankmetrics.engine.ranking.sorting.matching import is_in
from keras_rankmetrics.types import Tensor

_RELEVANT = "the ids of the relevant items"
_RECOMMENDED = "the recommended ids, best first"
_HINT = 'For labels and scores of the same items, use `inputs="scores"`.'


def read_ids(
    y_true: Any, y_pred: Any, sample_weight: Any, dtype: str
) -> IdLists:
    """Reads ids of the relevant items, and recommended ids, best first.

    Args:
        y_true: ids, `[...]` or `[..., relevant]`, negative for padding; or a
            dict with them under `"target"`, and maybe a `"mask"` and ids to
            `"exclude"` from what is recommended.
        y_pred: ids, `[..., recommended]`, negative for padding.
        sample_weight: None, a scalar or one weight per list.
        dtype: of what is computed from them.
    """
    given = entries_of(y_true, ["target", "labels"], ["mask", "exclude"])
    check_aligned(given, y_pred, sample_weight, of_items=["mask"])
    recommended = integers(
        "y_pred",
        y_pred,
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
    recommended = ids_of("y_pred", recommended, leading, _RECOMMENDED)
    relevant = relevant_of(given["target"], leading, _RELEVANT, hint=_HINT)
    if known(look_like_labels(relevant)):
        raise ValueError(
            f"`y_true` should hold {_RELEVANT}. Received: "
            f"{relevant.shape[-1]} numbers for each list, all of them 0 or 1, "
            f"which look like labels. {_HINT}"
        )
    place_masks, list_masks = masks_of(given["mask"], y_pred, leading, places)
    list_weights = weights_of_lists(sample_weight, leading, relevant, dtype)
    if places != 0:
        for there in place_masks:
            recommended = ops.where(there, recommended, -1)
    named = ops.any(relevant >= 0, axis=-1) | ops.any(recommended >= 0, axis=-1)
    present, undefined = present_and_undefined(
        named, ops.zeros_like(named), list_masks, list_weights
    )
    if given["exclude"] is not None:
        excluded = ids_of('y_true["exclude"]', given["exclude"], leading, "ids")
        recommended, excluded = _of_one_dtype(recommended, excluded)
        excluded = ops.sort(excluded, axis=-1)
        recommended = ops.where(is_in(recommended, excluded), -1, recommended)
    relevant, recommended = _of_one_dtype(relevant, recommended)
    return IdLists(
        leading=leading,
        relevant=relevant,
        recommended=recommended,
        list_weights=list_weights,
        present=present,
        undefined=undefined,
        dtype=dtype,
    )


def _of_one_dtype(ids: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    dtypes = {backend.standardize_dtype(x.dtype) for x in (ids, others)}
    return ops.cast(ids, max(dtypes)), ops.cast(others, max(dtypes))
