"""`inputs="scores"`: labels and scores of the same items."""

from __future__ import annotations

import reprlib
from typing import Any

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.masks import judged_of
from keras_rankmetrics.engine.inputs.nan import holds, may_hold_nan
from keras_rankmetrics.engine.inputs.ragged import widened
from keras_rankmetrics.engine.inputs.raw_batch import Belongings, Given
from keras_rankmetrics.engine.inputs.rows import rows_of, without_excluded
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import floats, numbers, rankable
from keras_rankmetrics.engine.inputs.warn_once import doubt_about
from keras_rankmetrics.engine.inputs.weights import counted, has_no_meaning
from keras_rankmetrics.engine.ranking import Scored
from keras_rankmetrics.engine.ranking.relevance import (
    condensed,
    exists,
    judged_where,
)
from keras_rankmetrics.engine.ranking.sort_keys import Sortable
from keras_rankmetrics.types import Tensor


def read_scores(given: Given) -> Lists:
    """Reads labels and scores of the same items.

    Args:
        given: in `y_true` labels, `[..., items]`, maybe with a last dimension
            of 1; in `y_pred` scores of the same items; indices of items to
            `"exclude"` from the ranking; which items are `"judged"`;
            `"num_relevant"`; and one weight per list or per item.
    """
    entries = given.entries
    labels, scores = _labels_and_scores(
        entries["labels"], given.y_pred, given.dtype
    )
    leading, items = Leading.of(labels), labels.shape[-1]
    labels, scores = rows_of(labels, leading), leading.as_lists(scores)
    belongings = Belongings.of(given, leading, items, labels)
    item_weights = belongings.item_weights
    scores, beyond = without_excluded(scores, entries["exclude"], leading)
    judged = judged_of(entries["judged"], leading, items)
    if judged is not None:
        labels = judged_where(judged, labels)
    if given.unjudged == "condense":
        labels = condensed(labels)
    for there in belongings.item_masks:
        labels = ops.where(there, labels, -1)
    if item_weights is not None:
        labels = ops.where(counted(item_weights, exists(labels)), labels, -1)
    if items == 0:
        scores = ops.pad(scores, [[0, 0], [0, 1]])
    sortable, with_nan = _sortable(labels, scores, item_weights)
    highest = ops.max(labels, axis=-1)
    present, undefined = belongings.there(
        _hold_items(labels, highest) | with_nan, with_nan | beyond
    )
    num_relevant, no_number = _num_relevant(
        entries["num_relevant"], leading, present, labels.dtype
    )
    return belongings.lists(
        Scored(labels, highest, sortable, item_weights, num_relevant),
        present,
        undefined | no_number,
        doubt=doubt_about(leading, items),
    )


def _labels_and_scores(
    y_true: Any, y_pred: Any, dtype: str
) -> tuple[Tensor, Tensor]:
    """Labels and scores of one shape, `[..., items]`."""
    labels, labels_held = numbers("y_true", y_true, -1)
    scores, scores_held = numbers("y_pred", y_pred, 0)
    labels, scores = _without_last_one(floats(labels, dtype), rankable(scores))
    if labels_held is not None:
        labels_shape = ops.shape(labels)
        labels = widened(labels, scores, -1)
    if scores_held is not None:
        scores_shape = ops.shape(scores)
        scores = widened(scores, labels, 0)
    _check_shapes(labels, scores)
    if scores_held is None:
        return labels, scores
    scores_held = widened(ops.reshape(scores_held, scores_shape), labels, False)
    if labels_held is None:
        return ops.where(scores_held, labels, -1), scores
    labels_held = widened(ops.reshape(labels_held, labels_shape), labels, False)
    uneven = uneven_places(labels_held, scores_held)
    return ops.where(uneven, float("nan"), labels), scores


def uneven_places(labels_held: Tensor, scores_held: Tensor) -> Tensor:
    """Where ragged labels and ragged scores are of unequal lengths, bool.

    Raises where that is seen in time. Elsewhere the labels there should become
    NaN, so that their list has no value.
    """
    uneven = labels_held != scores_held
    if concrete(ops.any(uneven)):
        raise ValueError(
            "The lists of `y_true` and `y_pred` should have the same lengths. "
            f"Received: {_lengths(labels_held)} labels and "
            f"{_lengths(scores_held)} scores."
        )
    return uneven


def _lengths(held: Tensor) -> str:
    lengths = ops.convert_to_numpy(held).sum(axis=-1)
    return reprlib.repr(lengths.tolist())


def _without_last_one(labels: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Without the last dimension of 1 that `Dense(1)` over items leaves."""
    labels_rank, scores_rank = len(labels.shape), len(scores.shape)
    if scores_rank < 2 or scores.shape[-1] != 1:
        return labels, scores
    if labels_rank == scores_rank - 1:
        return labels, ops.squeeze(scores, -1)
    if labels_rank == scores_rank > 2 and labels.shape[-1] == 1:
        return ops.squeeze(labels, -1), ops.squeeze(scores, -1)
    return labels, scores


def _check_shapes(labels: Tensor, scores: Tensor) -> None:
    received = (
        f"Received: `y_true.shape` = {tuple(labels.shape)}, "
        f"`y_pred.shape` = {tuple(scores.shape)}."
    )
    if not len(labels.shape) or not len(scores.shape):
        raise ValueError(
            "`y_true` and `y_pred` should hold lists, [items] or "
            f"[batch, items]. {received}"
        )
    if not compatible(labels.shape, scores.shape):
        raise ValueError(
            "`y_true` and `y_pred` should have the same shape, [items] or "
            f"[batch, items]: one label for each score. {received} If `y_true` "
            'holds indices of the relevant items, use `inputs="sparse"`; if '
            'both hold ids, use `inputs="ids"`.'
        )


def _hold_items(labels: Tensor, highest: Tensor) -> Tensor:
    """Which lists hold an item, bool `[lists]`."""
    graded = highest >= 0
    return cond(
        ops.all(graded),
        lambda: graded,
        lambda: ops.any(exists(labels), axis=-1),
    )


def _num_relevant(
    x: Any, leading: Leading, present: Tensor, dtype: str
) -> tuple[Tensor | None, Tensor | bool]:
    """`y_true["num_relevant"]`, `[lists]`, and in which lists it is a NaN."""
    if x is None:
        return None, False
    count, _ = numbers('y_true["num_relevant"]', x, 0)
    received = tuple(count.shape)
    count = squeezed(count, len(leading.shape))
    if not compatible(count.shape, leading.shape):
        raise ValueError(
            '`y_true["num_relevant"]` should hold one number for each list, '
            f"in the shape {leading.shape}. Received: the shape {received}."
        )
    count = leading.as_lists(ops.cast(count, dtype))
    negative = present & (count < 0)
    if concrete(ops.any(negative)):
        raise ValueError(
            '`y_true["num_relevant"]` should not be negative. Received: '
            f"{float(ops.min(ops.where(negative, count, 0)))}."
        )
    is_number = ops.isfinite(count)
    return ops.where(is_number, count, 0), present & ~is_number


def _sortable(
    labels: Tensor, scores: Tensor, weights: Tensor | None
) -> tuple[Sortable, Tensor]:
    """The scores, and whether a list holds NaN in a valid item."""

    def valid() -> Tensor:
        return exists(labels)

    in_scores = may_hold_nan(scores)
    found = may_hold_nan(labels) | holds(
        in_scores, lambda: valid() & (scores != scores)
    )
    if weights is not None:
        found = found | holds(
            has_no_meaning(ops.sum(weights, axis=-1))
            | has_no_meaning(ops.min(weights, axis=-1)),
            lambda: valid() & has_no_meaning(weights),
        )
    sortable = Sortable(
        scores,
        valid=lambda: valid() & (scores == scores),
        all_valid=ops.all(ops.min(labels, axis=-1) >= 0) & ~ops.any(in_scores),
    )
    return sortable, found
