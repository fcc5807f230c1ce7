"""`inputs="ids"`: ids of the relevant items, and of the recommended ones."""

from __future__ import annotations

from keras import backend

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.raw_batch import Belongings, Given
from keras_rankmetrics.engine.inputs.rows import (
    check_are_ids,
    excluded_of,
    relevant_of,
    rows_of,
)
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.ranking import Ids
from keras_rankmetrics.engine.ranking.matching import is_in
from keras_rankmetrics.types import Tensor

_RELEVANT = "the ids of the relevant items"
_RECOMMENDED = "the recommended ids, best first"
_HINT = 'For labels and scores of the same items, use `inputs="scores"`.'


def read_ids(given: Given) -> Lists:
    """Reads ids of the relevant items, and recommended ids, best first.

    Args:
        given: in `y_true` ids, `[...]` or `[..., relevant]`, in `y_pred` ids,
            `[..., recommended]`, both negative for padding; ids to `"exclude"`
            from what is recommended; and one weight per list.
    """
    recommended = integers(
        "y_pred",
        given.y_pred,
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
    recommended = rows_of(recommended, leading)
    relevant = relevant_of(
        given.entries["target"], leading, _RELEVANT, hint=_HINT
    )
    check_are_ids(relevant, _RELEVANT, _HINT)
    belongings = Belongings.of(given, leading, places)
    for there in belongings.item_masks:
        recommended = ops.where(there, recommended, -1)
    named = ops.any(relevant >= 0, axis=-1) | ops.any(recommended >= 0, axis=-1)
    present, undefined = belongings.there(named, ops.zeros_like(named))
    relevant, recommended = _of_one_dtype(relevant, recommended)
    exclude = given.entries["exclude"]
    if exclude is not None:
        excluded = ops.sort(excluded_of(exclude, leading, "ids"), axis=-1)
        one, other = _of_one_dtype(recommended, excluded)
        recommended = ops.where(is_in(one, other), -1, recommended)
    return belongings.lists(
        Ids(relevant, recommended, given.dtype), present, undefined
    )


def _of_one_dtype(ids: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    dtypes = {backend.standardize_dtype(x.dtype) for x in (ids, others)}
    return ops.cast(ids, max(dtypes)), ops.cast(others, max(dtypes))
