"""`inputs="scores"`: labels and scores of the same items.

Metrics of subtopics read a label for each item and subtopic, metrics of two
rankings read reference scores in place of labels, and metrics of clicks read
what was logged with them.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

from keras_rankmetrics.engine.backend.keras_internals import compiled_model
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.inputs import id_rows, shapes, tensors
from keras_rankmetrics.engine.inputs.batch import Lists, RawBatch
from keras_rankmetrics.engine.inputs.masks_and_weights import (
    MasksAndWeights,
    checked_nonzero,
    is_invalid,
    judged_mask,
    lists_with,
    may_contain_nan,
)
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.ranking import Scored, relevance
from keras_rankmetrics.engine.ranking.top import Sortable
from keras_rankmetrics.types import UNJUDGED, Tensor


def read_scores(raw: RawBatch) -> Lists:
    """Read labels and scores of the same items.

    Args:
        raw: `y_true` contains labels, `[*leading, items]`, maybe with a last
            dimension of 1; indices of items to `"exclude"` from the ranking;
            which items are `"judged"`; and `"num_relevant"`. `y_pred` contains
            scores of the same items. Weights are per list or per item.

    Raises:
        ValueError: if the input is invalid.
    """
    exclude, judged = map(raw.entries.get, ("exclude", "judged"))
    labels, scores, masks = _of_same_items(
        raw, -1, lambda labels: tensors.floats(labels, raw.dtype)
    )
    _check_lengths(raw, labels, *masks)
    labels = _of_valid(labels, masks)
    leading, items = Leading.of(labels), labels.shape[-1]
    labels, scores = leading.as_rows(labels), leading.as_lists(scores)
    passed = labels
    masks_and_weights = MasksAndWeights.of(raw, leading, items, labels)
    item_weights = masks_and_weights.item_weights
    beyond: Tensor | bool = False
    if exclude is not None:
        scores, beyond = id_rows.without_excluded(scores, exclude, leading)
    if judged is not None and items != 0:
        judged = judged_mask(judged, leading, items)
        labels = ops.where((labels < 0) | judged, labels, UNJUDGED)
    for mask in masks_and_weights.item_masks:
        labels = ops.where(mask, labels, -1)
    if item_weights is not None:
        valid = checked_nonzero(item_weights, relevance.exists(labels))
        labels = ops.where(valid, labels, -1)
    if raw.unjudged == "condense":
        labels, scores = _condensed(labels, scores)
    if items == 0:
        scores = ops.pad(scores, [[0, 0], [0, 1]])
    sortable, with_nan = _sortable(labels, scores, item_weights)
    highest = ops.max(labels, axis=-1)
    content = Scored(sortable, labels, highest, item_weights)
    lists = masks_and_weights.lists(
        content,
        _have_items(labels, highest) | with_nan,
        with_nan | beyond,
        _pointwise_warning(leading, items, raw.y_pred),
        passed,
    )
    num_relevant = raw.entries.get("num_relevant")
    if num_relevant is None:
        return lists
    number, no_number = _num_relevant(num_relevant, lists, labels.dtype)
    return dataclasses.replace(
        lists,
        content=dataclasses.replace(content, num_relevant=number),
        undefined=lists.undefined | no_number,
    )


def _with_labels(raw: RawBatch, labels: Any) -> tuple[Lists, Scored]:
    """Return the lists that `read_scores` reads with other labels."""
    entries = {**raw.entries, "labels": labels}
    lists = read_scores(raw._replace(entries=entries))
    assert isinstance(lists.content, Scored)
    return lists, lists.content


def read_subtopics(raw: RawBatch) -> Lists:
    """Read a label for each item and subtopic, and scores of the items.

    The label of an item is the highest of its labels. An item without a label
    of 0 or more is unjudged if one of its labels is; otherwise it is padding.

    Args:
        raw: `y_true` contains labels, `[*leading, items, subtopics]`, and the
            entries that `read_scores` takes, except `"num_relevant"`.

    Raises:
        ValueError: if the input is invalid.
    """
    labels = _labels_by_subtopic(raw)
    undefined = ops.any(labels != labels, axis=-1)
    # `initial`, since TensorFlow has no maximum over an empty axis.
    of_items = ops.max(labels, axis=-1, initial=-math.inf)
    # The padding of subtopics, -1, is higher than the label of unjudged items.
    unjudged = ops.any(labels == UNJUDGED, axis=-1) & (of_items < 0)
    of_items = ops.where(unjudged, float(UNJUDGED), of_items)
    of_items = ops.where(undefined, float("nan"), of_items)
    lists, scored = _with_labels(raw, of_items)
    flat = Leading.of(labels[..., 0])
    by_subtopic = ops.swapaxes(flat.as_lists(labels), -1, -2)
    if labels.shape[-2] == 0:  # `read_scores` pads empty lists too
        by_subtopic = ops.pad(by_subtopic, [[0, 0], [0, 0], [0, 1]])
    is_item = (scored.labels >= 0)[:, None]
    graded = ops.where(is_item, ops.maximum(by_subtopic, 0), -1)
    content = dataclasses.replace(scored, by_subtopic=graded)
    return dataclasses.replace(lists, content=content)


def read_rankings(raw: RawBatch) -> Lists:
    """Read reference scores and scores of the same items.

    The lowest value (-inf for floats) means that the item is not retrieved on
    that side; on both sides, that the item is padding.

    Args:
        raw: `y_true` contains reference scores and `y_pred` scores, both
            `[*leading, items]`. Weights are per list or per item.

    Raises:
        ValueError: if the input is invalid.
    """
    reference, scores, masks = _of_same_items(raw, 0, tensors.rankable)
    retrieved = (reference != lowest(reference)) | (scores != lowest(scores))
    labels = ops.where(retrieved, ops.ones((), raw.dtype), -1)
    labels = ops.where(reference != reference, float("nan"), labels)
    lists, scored = _with_labels(raw, _of_valid(labels, masks))
    reference = Leading.of(reference).as_rows(reference)
    # Labels of NaN are not above 0 either: NaN must not reach a sort.
    reference = ops.where(scored.labels > 0, reference, lowest(reference))
    content = dataclasses.replace(scored, reference=reference)
    return dataclasses.replace(lists, content=content, labels=None)


def read_clicks(raw: RawBatch) -> Lists:
    """Read clicks, what was logged about the items, and scores of the items.

    Args:
        raw: `y_true` contains clicks, `[*leading, items]`, with
            `"propensities"` or `"positions"` in the same shape; or both in one
            array, `[*leading, items, 2]`. The rest is as for `read_scores`.

    Raises:
        ValueError: if the input is invalid.
    """
    entries = raw.entries
    clicks, at = entries["labels"], entries.get("positions")
    logged = entries.get("propensities")
    if at is not None and logged is not None:
        raise ValueError(
            'A dict `y_true` should have either "propensities" or "positions". '
            "Received: both. Leave one of them out."
        )
    name = f'y_true["{"propensities" if at is None else "positions"}"]'
    logged = logged if at is None else at
    if logged is None:
        clicks, logged = _clicks_and_logged(clicks, raw.y_pred)
    lists, scored = _with_labels(raw, clicks)
    if logged is None:
        return lists
    logged, mask = tensors.numbers(name, logged, 1)
    logged, _ = _padded(ops.cast(logged, scored.labels.dtype), mask, clicks, 1)
    expected = tuple(lists.leading.shape)
    logged, _ = _without_last_one(logged, ops.expand_dims(scored.labels, -1))
    if not shapes.compatible(logged.shape[:-1], expected) or (
        not shapes.compatible(logged.shape[-1:], scored.labels.shape[-1:])
    ):
        raise ValueError(
            f"`{name}` should have the shape of the clicks, one number for "
            f"each item. Received: the shape {tuple(logged.shape)} for scores "
            f"of the shape {(*expected, scored.labels.shape[-1])}."
        )
    content = dataclasses.replace(scored, logged=lists.leading.as_rows(logged))
    return dataclasses.replace(lists, content=content)


def _clicks_and_logged(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return the two parts of `[*leading, items, 2]`; else None as second."""
    both, mask = tensors.numbers("y_true", y_true, -1)
    scores, _ = tensors.numbers("y_pred", y_pred, 0)
    rank, of_scores = len(both.shape), len(scores.shape)
    is_flat = rank == of_scores > 2 and scores.shape[-1] == 1
    are_both = mask is None and (rank == of_scores + 1 or is_flat)
    if not are_both or both.shape[-1] != 2:
        return y_true, None
    return both[..., 0], both[..., 1]


def _of_same_items(
    raw: RawBatch, padding: float, converted: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor, tuple[Tensor | None, Tensor | None]]:
    """Return `y_true` and scores in one shape, and the masks of ragged ones.

    Args:
        raw: the input.
        padding: the value that fills a ragged `y_true`.
        converted: converts `y_true` to the dtype that is read.
    """
    y_true, y_pred = raw.entries["labels"], raw.y_pred
    labels, labels_mask = tensors.numbers("y_true", y_true, padding)
    scores, scores_mask = tensors.numbers("y_pred", y_pred, 0)
    labels, scores = converted(labels), tensors.rankable(scores)
    labels, scores = _without_last_one(labels, scores)
    labels, labels_mask = _padded(labels, labels_mask, scores, padding)
    scores, scores_mask = _padded(scores, scores_mask, labels, 0)
    _check_shapes(labels, scores)
    return labels, scores, (labels_mask, scores_mask)


def _check_lengths(
    raw: RawBatch,
    labels: Tensor,
    labels_mask: Tensor | None,
    scores_mask: Tensor | None,
) -> None:
    """Raise ValueError if lists of numbers have a number that is alone.

    Anything may pad a tensor next to ragged lists, and labels below 0 a list.

    Args:
        raw: the input.
        labels: the labels, -1 at padding.
        labels_mask: False at the padding of ragged labels; None of others.
        scores_mask: the same for scores.
    """
    mask = labels_mask if scores_mask is None else scores_mask
    sides = raw.entries["labels"], raw.y_pred
    is_pair = labels_mask is None or scores_mask is None
    if mask is None or not is_pair:
        return
    if not all(isinstance(x, list | tuple) for x in sides):
        return
    alone = ~mask if scores_mask is None else ~mask & (labels >= 0)
    if concrete(ops.any(alone)):
        what = "scores without a label", "labels without a score"
        raise ValueError(
            "The lists of `y_true` and `y_pred` should have the same lengths. "
            f"Received: {what[labels_mask is None]}. Remove them, or pad the "
            "other side by labels of -1."
        )


def _of_valid(labels: Tensor, pair: Sequence[Tensor | None]) -> Tensor:
    """Return the labels, -1 at padding, and NaN where one list is longer."""
    masks = [mask for mask in pair if mask is not None]
    for mask in masks:
        labels = ops.where(mask, labels, -1)
    if len(masks) < 2:
        return labels
    return ops.where(_unequal_lengths(*masks), float("nan"), labels)


def _padded(
    x: Tensor, mask: Tensor | None, like: Tensor, value: float
) -> tuple[Tensor, Tensor | None]:
    """Return a ragged `x` and its mask, padded to the sizes of `like`.

    Anything else has no mask, and stays as it is.
    """
    if mask is None:
        return x, None
    mask = ops.reshape(mask, ops.shape(x))
    padded_mask = tensors.padded_like(mask, like, False)
    return tensors.padded_like(x, like, value), padded_mask


def _labels_by_subtopic(raw: RawBatch) -> Tensor:
    """Return labels, floats `[*leading, items, subtopics]`; below 0: none."""
    y_true, y_pred = raw.entries["labels"], raw.y_pred
    labels, labels_mask = tensors.numbers("y_true", y_true, -1)
    scores, scores_mask = tensors.numbers("y_pred", y_pred, 0)
    shape = tuple(tensors.rankable(scores).shape)
    expected = [shape, shape[:-1]] if shape[-1:] == (1,) else [shape]
    if labels.shape[-1:] in ((), (0,)) or not any(
        shapes.compatible(labels.shape[:-1], each) for each in expected
    ):
        raise ValueError(
            "`y_true` should hold a label for each item and subtopic, [batch, "
            "items, subtopics], for scores `y_pred`, [batch, items]. Received: "
            f"`y_true.shape` = {tuple(labels.shape)}, `y_pred.shape` = {shape}."
        )
    labels = tensors.floats(labels, raw.dtype)
    if labels_mask is None or scores_mask is None:
        return labels
    of_items = ops.any(labels_mask, axis=-1)
    scores_mask = ops.reshape(scores_mask, ops.shape(of_items))
    unequal = _unequal_lengths(of_items, scores_mask)
    return ops.where(unequal[..., None], float("nan"), labels)


def _unequal_lengths(labels_mask: Tensor, scores_mask: Tensor) -> Tensor:
    """Return True where only one of ragged labels and scores has a value.

    The caller should set these labels to NaN, so that their list has no valid
    value where lengths are traced.

    Raises:
        ValueError: if concrete lengths are unequal.
    """
    unequal = labels_mask != scores_mask
    if concrete(ops.any(unequal)):
        raise ValueError(
            "The lists of `y_true` and `y_pred` should have the same lengths. "
            f"Received: {_lengths(labels_mask)} labels and "
            f"{_lengths(scores_mask)} scores."
        )
    return unequal


def _lengths(mask: Tensor) -> str:
    lengths = ops.convert_to_numpy(mask).sum(axis=-1)
    return reprlib.repr(lengths.tolist())


def _without_last_one(labels: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Drop the last dimension of 1 that `Dense(1)` over items leaves."""
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
    if not shapes.compatible(labels.shape, scores.shape):
        if len(scores.shape) > 1 and labels.shape == (*scores.shape, 1):
            raise ValueError(
                "`y_true` and `y_pred` should have the same shape, [items] or "
                f"[batch, items]. {received} Pass `y_true[..., 0]`."
            )
        raise ValueError(
            "`y_true` and `y_pred` should have the same shape, [items] or "
            f"[batch, items]: one label for each score. {received} If `y_true` "
            'holds indices of the relevant items, use `inputs="sparse"`; if '
            'both hold ids, use `inputs="ids"`.'
        )


def _condensed(labels: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return the labels and scores without unjudged items.

    A list without any other item keeps them, but they are not retrieved: it
    has no relevant item, and is not padding.
    """
    condensed = ops.where(labels == UNJUDGED, -1, labels)
    alone = ~ops.any(condensed >= 0, axis=-1)[:, None]
    return (
        ops.where(alone, labels, condensed),
        ops.where(alone, lowest(scores), scores),
    )


def _have_items(labels: Tensor, highest: Tensor) -> Tensor:
    """Return True for lists with an item, bool `[lists]`."""
    graded = highest >= 0
    return cond(
        ops.all(graded),
        lambda: graded,
        lambda: ops.any(relevance.exists(labels), axis=-1),
    )


def _num_relevant(x: Any, lists: Lists, dtype: str) -> tuple[Tensor, Tensor]:
    """Return `y_true["num_relevant"]`, `[lists]`, and the lists with NaN."""
    name, leading = 'y_true["num_relevant"]', lists.leading
    count, _ = tensors.numbers(name, x, 0)
    count = shapes.squeezed(count, len(leading.shape))
    shapes.check_shape(name, count, leading.shape, "one number for each list")
    count = leading.as_lists(ops.cast(count, dtype))
    negative = lists.present & (count < 0)
    if concrete(ops.any(negative)):
        raise ValueError(
            f"`{name}` should not be negative. Received: "
            f"{float(ops.min(ops.where(negative, count, 0)))}."
        )
    is_number = ops.isfinite(count)
    return ops.where(is_number, count, 0), lists.present & ~is_number


_REMEDY = (
    "Pass lists: labels and scores [batch, items], with the label -1 for "
    "padding. If the model scores rows one by one, use the callback "
    '`callbacks.EvaluateByQuery`: see "Point-wise models" in docs/in_keras.md.'
)


def _pointwise_warning(
    leading: Leading, items: int | None, y_pred: Any
) -> str | None:
    """Return a warning if the shapes look like those of single rows.

    Point-wise models score (query, item) rows one by one, and a metric cannot
    determine which rows belong to one list. The shape may be intended all the
    same: a batch may be one list, or the longest list may have one item.

    Args:
        leading: the leading dimensions of the lists.
        items: the number of items in a list.
        y_pred: the scores, as passed.
    """
    shape = (*leading.shape, items)
    if leading.shape == ():
        if compiled_model():
            return (
                f"Labels of the shape {shape} make each batch one list, so "
                f"that the result depends on the batch size. {_REMEDY}"
            )
        if len(getattr(y_pred, "shape", ())) == 2 and items != 1:
            return (
                f"Labels of the shape {shape} and scores of the shape "
                f"{tuple(y_pred.shape)} are one list. {_REMEDY} If they are "
                "one list, pass `y_pred[:, 0]`."
            )
        return None
    several = any(size != 1 for size in leading.shape)
    if items == 1 and several and not leading.is_empty:
        return (
            f"Labels and scores of the shape {shape} are lists of one item "
            "each, so that the result does not depend on the scores. "
            f"{_REMEDY}"
        )
    return None


def _sortable(
    labels: Tensor, scores: Tensor, weights: Tensor | None
) -> tuple[Sortable, Tensor]:
    """Return the scores to sort, and the lists with NaN in a valid item."""
    in_scores = may_contain_nan(scores)
    with_nan = may_contain_nan(labels) | lists_with(
        in_scores, lambda: relevance.exists(labels) & (scores != scores)
    )
    if weights is not None:
        with_nan = with_nan | lists_with(
            is_invalid(ops.sum(weights, axis=-1))
            | is_invalid(ops.min(weights, axis=-1)),
            lambda: relevance.exists(labels) & is_invalid(weights),
        )
    sortable = Sortable(
        scores,
        valid=lambda: relevance.exists(labels) & (scores == scores),
        all_valid=ops.all(ops.min(labels, axis=-1) >= 0) & ~ops.any(in_scores),
    )
    return sortable, with_nan
