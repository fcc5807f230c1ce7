"""Forms in which `y_true` names the relevant items, by index or by id.

- `inputs="sparse"`: indices, and scores of all items.
- `inputs="ids"`: ids, maybe with labels, and recommended ids.
- `inputs="counts"`: ids, and how many items rank above each one, or tie.
"""

from __future__ import annotations

import dataclasses
import reprlib
from typing import Any

from keras import backend

from keras_rankmetrics.engine.backend import tracing
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest
from keras_rankmetrics.engine.inputs import id_rows, shapes, tensors
from keras_rankmetrics.engine.inputs.batch import Lists, RawBatch
from keras_rankmetrics.engine.inputs.masks_and_weights import (
    MasksAndWeights,
    lists_with,
    may_contain_nan,
)
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.ranking import Counted, Ids, Targets, counting
from keras_rankmetrics.engine.ranking.top import Sortable
from keras_rankmetrics.types import Tensor

_INDICES = "indices of items"
_RELEVANT = "the ids of the relevant items"
_LABELS_HINT = 'For labels and scores of the same items, use `inputs="scores"`.'
_RECOMMENDED = "the recommended ids, best first"
_LABELS = 'y_true["labels"]'
_COUNTS = ("above", "tied", "num_items")


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
    shapes.check_positions("y_pred", raw.y_pred)
    scores, scores_mask = tensors.numbers("y_pred", raw.y_pred, 0)
    shapes.check_is_list("y_pred", scores, "the scores of all items", "items")
    scores = tensors.rankable(scores)
    leading, items = Leading.of(scores), ops.shape(scores)[-1]
    targets = id_rows.relevant_rows(
        raw.entries["target"],
        leading,
        _INDICES,
        hint='For labels of all items, use `inputs="scores"`.',
    )
    targets, beyond = id_rows.checked_indices("y_true", targets, items)
    if leading.shape == () and targets.shape[-1] == scores.shape[-1]:
        id_rows.check_is_one_list(
            targets, remedy="pass the scores of all items, `[lists, items]`"
        )
    masks_and_weights = MasksAndWeights.of(raw, leading, scores.shape[-1])
    scores, exclude = leading.as_lists(scores), raw.entries.get("exclude")
    invalid = beyond
    if exclude is not None:
        scores, beyond = id_rows.without_excluded(scores, exclude, leading)
        invalid = invalid | beyond
    item_masks = [*masks_and_weights.item_masks]
    if scores.shape[-1] == 0:  # not all backends gather from an empty axis
        scores = ops.pad(scores, [[0, 0], [0, 1]])
        scores = ops.full_like(scores, lowest(scores))
    elif scores_mask is not None:
        item_masks.append(leading.as_lists(scores_mask))
        invalid = invalid | _without_score(item_masks[-1], targets)
    are_labels = id_rows.check_no_labels(
        "y_true",
        targets,
        _INDICES,
        'For a label of each item, use `inputs="scores"`.',
        items,
    )
    invalid = invalid | are_labels
    for mask in item_masks:
        scores = ops.where(mask, scores, lowest(scores))
        targets = ops.where(_at(mask, targets), targets, -1)
    with_nan = lists_with(may_contain_nan(scores), lambda: scores != scores)
    sortable = Sortable(
        scores, valid=lambda: scores == scores, all_valid=~ops.any(with_nan)
    )
    return masks_and_weights.lists(
        Targets(sortable, targets, raw.dtype),
        ops.any(targets >= 0, axis=-1) | invalid,
        invalid | with_nan,
    )


def _without_score(scores_mask: Tensor, targets: Tensor) -> Tensor:
    """Return True for lists with a target beyond their length, bool `[lists]`.

    Raises:
        ValueError: if a concrete target is beyond.
    """
    beyond = (targets >= 0) & ~_at(scores_mask, targets)
    if tracing.concrete(ops.any(beyond)):
        raise ValueError(
            "`y_true` should hold indices of items that have a score in their "
            "list. Received: the index "
            f"{int(ops.max(ops.where(beyond, targets, -1)))} for a list of "
            "`y_pred` that is shorter."
        )
    return ops.any(beyond, axis=-1)


def _at(x: Tensor, targets: Tensor) -> Tensor:
    return ops.take_along_axis(x, ops.maximum(targets, 0), axis=-1)


def read_ids(raw: RawBatch) -> Lists:
    """Read ids of the relevant items, and recommended ids, best first.

    Args:
        raw: `y_true` contains ids, `[*leading]` or `[*leading, relevant]`,
            maybe their `"labels"` in the same shape, and ids to `"exclude"`
            from the recommended ones. `y_pred` contains ids,
            `[*leading, recommended]`. In dense ids -1 is padding, and so are
            ids with a negative label. Weights are per list.

    Raises:
        ValueError: if the input is invalid.
    """
    recommended = tensors.integers(
        "y_pred",
        raw.y_pred,
        _RECOMMENDED,
        hint="For scores of all items and indices of the relevant ones, use "
        '`inputs="sparse"`; for scores and labels, `inputs="scores"`.',
    )
    shapes.check_is_list("y_pred", recommended, _RECOMMENDED, "recommended")
    leading, places = Leading.of(recommended), recommended.shape[-1]
    recommended = leading.as_rows(recommended)
    relevant = _relevant_ids(raw, leading)
    if leading.shape == ():
        id_rows.check_is_one_list(
            relevant, recommended, remedy="pass `y_pred[:, None]`"
        )
    masks_and_weights = MasksAndWeights.of(raw, leading, places)
    for mask in masks_and_weights.item_masks:
        recommended = ops.where(mask, recommended, -1)
    relevant, recommended = _in_one_dtype(relevant, recommended)
    labels = None
    invalid = id_rows.with_negative_id(
        "y_pred", recommended, id_rows.look_like_labels(recommended)
    )
    has_recommended = ops.any(recommended >= 0, -1)
    if raw.entries.get("labels") is not None:
        labels = _labels_of(raw, relevant, leading)
        relevant = ops.where(labels < 0, -1, relevant)
        unlabelled = (relevant >= 0) & ops.isnan(labels)
        invalid = invalid | ops.any(unlabelled, axis=-1)
        if raw.unjudged == "condense":
            judged = counting.is_in(recommended, ops.sort(relevant, axis=-1))
            recommended = ops.where(judged, recommended, -1)
    invalid = invalid | id_rows.with_negative_id("y_true", relevant)
    has_ids = ops.any(relevant >= 0, -1) | has_recommended
    exclude, excluded = raw.entries.get("exclude"), None
    if exclude is not None:
        excluded = ops.sort(id_rows.excluded(exclude, leading, "ids"), axis=-1)
        wrong = id_rows.with_negative_id(
            id_rows.EXCLUDE, excluded, id_rows.look_like_labels(excluded)
        )
        invalid = invalid | wrong
        one, excluded = _in_one_dtype(recommended, excluded)
        is_excluded = counting.is_in(one, excluded)
        recommended = ops.where(is_excluded, -1, recommended)
    content = Ids(relevant, recommended, raw.dtype, labels, excluded)
    return masks_and_weights.lists(content, has_ids | invalid, invalid)


def _relevant_ids(raw: RawBatch, leading: Leading) -> Tensor:
    """Return the ids of the relevant items, `[lists, relevant]`.

    Raises:
        ValueError: if they are invalid, or look like labels.
    """
    ids = id_rows.relevant_rows(
        raw.entries["target"], leading, _RELEVANT, hint=_LABELS_HINT
    )
    id_rows.check_no_labels("y_true", ids, _RELEVANT, _LABELS_HINT)
    return ids


def _labels_of(raw: RawBatch, ids: Tensor, leading: Leading) -> Tensor:
    """Return the labels of the relevant ids, `[lists, relevant]`.

    They are NaN in lists whose ids and labels do not match.

    Raises:
        ValueError: if they have a wrong shape.
    """
    passed, expected = raw.entries["labels"], "a label for each id"
    labels = ops.cast(tensors.numbers(_LABELS, passed, -1)[0], raw.dtype)
    if len(labels.shape) == len(leading.shape):
        labels = ops.expand_dims(labels, -1)
    shapes.check_shape(_LABELS, labels, (*leading.shape, None), expected)
    labels = leading.as_rows(labels)
    shapes.check_shape(_LABELS, labels, tuple(ids.shape), expected)
    unpaired = _unpaired(raw, {_LABELS: passed}, ids, leading)
    return ops.where(unpaired[:, None], float("nan"), labels)


def _in_one_dtype(ids: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    dtypes = {backend.standardize_dtype(x.dtype) for x in (ids, others)}
    return ops.cast(ids, max(dtypes)), ops.cast(others, max(dtypes))


def read_counts(raw: RawBatch) -> Lists:
    """Read the positions of relevant items as counts of other items.

    Args:
        raw: `y_true` contains ids of the relevant items, `[*leading]` or
            `[*leading, relevant]`, negative for padding. `y_pred` is a dict of
            `"above"` and `"tied"`, `[*leading, relevant]`, and `"num_items"`,
            one number for all lists or `[*leading]`. Weights are per list.

    Raises:
        ValueError: if the input is invalid, or no ranking has such counts.
    """
    (above, tied, items), leading = _counts_of(raw.y_pred)
    targets = _relevant_ids(raw, leading)
    width = above.shape[-1]
    if None not in (width, targets.shape[-1]) and width != targets.shape[-1]:
        raise ValueError(
            "`y_true` should hold an id for each of the numbers in `y_pred`. "
            f"Received: {targets.shape[-1]} ids for {width} numbers in a list."
        )
    numbers = {f'y_pred["{key}"]': raw.y_pred[key] for key in ("above", "tied")}
    unpaired = _unpaired(raw, numbers, targets, leading)
    masks_and_weights = MasksAndWeights.of(raw, leading, width)
    for mask in masks_and_weights.item_masks:
        targets = ops.where(mask, targets, -1)
    relevant, num_items = counting.is_new(targets), raw.y_pred["num_items"]
    most = max(num_items, 1) if type(num_items) is int else None
    content = Counted(relevant, above, tied, items, most, raw.dtype)
    content = content.without(~(relevant & (above >= 0)))
    invalid = _impossible(content) | unpaired
    possible = dataclasses.replace(
        content.without(invalid[:, None]),
        num_items=ops.where(invalid, 1, items),
    )
    lists = masks_and_weights.lists(possible, ops.any(relevant, -1), invalid)
    wrong = lists.present & invalid
    if tracing.concrete(ops.any(wrong)):
        raise _impossible_counts(content, wrong, leading)
    return lists


def _counts_of(y_pred: Any) -> tuple[tuple[Tensor, ...], Leading]:
    """Return the entries of `y_pred`, int32, and the leading dimensions."""
    if not isinstance(y_pred, dict) or set(y_pred) != set(_COUNTS):
        is_dict = isinstance(y_pred, dict)
        received = sorted(map(str, y_pred)) if is_dict else type(y_pred)
        raise ValueError(
            '`y_pred` should be a dict with the keys "above", "tied" and '
            '"num_items": how many items score higher than each relevant one, '
            "how many others score the same, and how many items were ranked. "
            f"Received: {received}. For scores of all items, use "
            '`inputs="sparse"`.'
        )
    above, tied, items = (
        tensors.integers(f'y_pred["{key}"]', y_pred[key], "numbers of items")
        for key in _COUNTS
    )
    above, tied, items = map(_as_int32, (above, tied, items))
    expected = "a number for each relevant item"
    shapes.check_is_list('y_pred["above"]', above, expected, "relevant")
    leading, shape = Leading.of(above), tuple(above.shape)
    shapes.check_shape('y_pred["tied"]', tied, shape, expected)
    items = shapes.squeezed(items, len(leading.shape))
    if len(items.shape) == 0:
        items = ops.broadcast_to(items, leading.sizes)
    expected = "one number, or one for each list"
    shapes.check_shape('y_pred["num_items"]', items, leading.shape, expected)
    above, tied = leading.as_rows(above), leading.as_rows(tied)
    return (above, tied, leading.as_lists(items)), leading


def _as_int32(x: Tensor) -> Tensor:
    if backend.standardize_dtype(x.dtype) == "int32":
        return x
    return ops.cast(ops.clip(x, -1, tracing.MANY), "int32")


def _unpaired(
    raw: RawBatch, numbers: dict[str, Any], targets: Tensor, leading: Leading
) -> Tensor:
    """Return True for lists whose ids and numbers do not match, `[lists]`.

    Only ragged rows can differ: dense ones have the same length.

    Args:
        raw: the input.
        numbers: the inputs with a number for each id, by name.
        targets: the ids, `[lists, relevant]`.
        leading: the leading dimensions of the lists.

    Raises:
        ValueError: if concrete rows differ.
    """
    _, ids = tensors.rectangular("y_true", raw.entries["target"], -1)
    unpaired = ops.zeros_like(targets[:, 0], dtype="bool")
    for name, x in numbers.items():
        _, mask = tensors.rectangular(name, x, -1)
        if mask is None:
            continue
        has_id = targets >= 0 if ids is None else leading.as_rows(ids)
        has_count = leading.as_rows(mask)
        wrong = has_id != has_count if ids is not None else has_id & ~has_count
        if tracing.concrete(ops.any(wrong)):
            place = int(ops.argmax(ops.cast(ops.any(wrong, -1), "int32")))
            ids_and_counts = [
                int(ops.sum(ops.cast(x[place], "int32")))
                for x in (has_id, has_count)
            ]
            raise ValueError(
                f"`{name}` should hold a number for each id of `y_true`. "
                f"Received: for the list {place}, {ids_and_counts[1]} numbers "
                f"for {ids_and_counts[0]} ids."
            )
        unpaired = unpaired | ops.any(wrong, axis=-1)
    return unpaired


def _impossible(counts: Counted) -> Tensor:
    """Return True for counts that no ranking has, bool `[lists]`."""
    order = ops.argsort(counts.above, axis=-1)
    above, tied = counting.taken(order, counts.above, counts.tied)
    retrieved = above >= 0
    # Differences, since sums may overflow int32.
    beyond = tied >= counts.num_items[:, None] - above
    before, _ = counting.sums_over_runs(
        above, ops.cast(retrieved, "int32"), tracing.length_at_most(above)
    )
    step, upper = above[:, 1:] - above[:, :-1], tied[:, :-1]
    apart = ops.where(step == 0, tied[:, 1:] != upper, step <= upper)
    wrong = retrieved & ((tied < 0) | beyond | (before > tied))
    apart = ops.any(retrieved[:, :-1] & apart, axis=-1)
    return ops.any(wrong, axis=-1) | (apart | (counts.num_items < 0))


def _impossible_counts(
    counts: Counted, invalid: Tensor, leading: Leading
) -> ValueError:
    place = int(ops.argmax(ops.cast(invalid, "int32")))
    above, tied, items = (
        reprlib.repr(ops.convert_to_numpy(x[place]).tolist())
        for x in (counts.above, counts.tied, counts.num_items)
    )
    hint = (
        " They were read as one list. For lists of one relevant item each, "
        "pass [batch, 1]."
    )
    return ValueError(
        '`y_pred["above"]` should count the items that score higher than each '
        "relevant one, or be negative for one that is not retrieved, and "
        '`y_pred["tied"]` the others that score the same. Tied items have the '
        "same counts, and items below them count all of them as above. "
        f"Received: for the list {place}, above {above} and tied {tied} of "
        f"{items} items.{'' if leading.shape else hint}"
    )
