"""`inputs="counts"`: how many items rank above each relevant one, or tie."""

from __future__ import annotations

import reprlib
from typing import Any, NamedTuple

from keras import backend

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    MANY,
    concrete,
    length_at_most,
)
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.masks_and_weights import MasksAndWeights
from keras_rankmetrics.engine.inputs.raw_batch import RawBatch
from keras_rankmetrics.engine.inputs.read_ids import LABELS_HINT, RELEVANT
from keras_rankmetrics.engine.inputs.rows import (
    as_rows,
    check_are_ids,
    relevant_rows,
)
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import integers, ragged_mask
from keras_rankmetrics.engine.ranking import Counted
from keras_rankmetrics.engine.ranking.runs import is_new, sums_over_runs
from keras_rankmetrics.types import Tensor

_KEYS = ("above", "tied", "num_items")


class Counts(NamedTuple):
    """The entries of `y_pred`, int32.

    Attributes:
        above: `[lists, relevant]`, the number of items with a higher score.
        tied: `[lists, relevant]`, the number of others with an equal score.
        num_items: `[lists]`, the number of items that were ranked.
    """

    above: Tensor
    tied: Tensor
    num_items: Tensor


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
    counts, leading = _counts_of(raw.y_pred)
    targets = relevant_rows(
        raw.entries["target"], leading, RELEVANT, hint=LABELS_HINT
    )
    check_are_ids(targets, RELEVANT, LABELS_HINT)
    width = counts.above.shape[-1]
    if not compatible(tuple(targets.shape[1:]), (width,)):
        raise ValueError(
            "`y_true` should hold an id for each of the numbers in `y_pred`. "
            f"Received: {targets.shape[-1]} ids for {width} numbers in a list."
        )
    unpaired = _unpaired(raw, targets, leading)
    masks_and_weights = MasksAndWeights.of(raw, leading, width)
    for mask in masks_and_weights.item_masks:
        targets = ops.where(mask, targets, -1)
    relevant = is_new(targets)
    retrieved = relevant & (counts.above >= 0)
    counts = Counts(
        ops.where(retrieved, counts.above, -1),
        ops.where(retrieved, counts.tied, 0),
        counts.num_items,
    )
    invalid = _impossible(counts) | unpaired
    present, undefined = masks_and_weights.presence(
        ops.any(relevant, axis=-1), invalid
    )
    if concrete(ops.any(undefined & invalid)):
        raise _impossible_counts(counts, undefined & invalid, leading)
    return masks_and_weights.lists(
        Counted(
            relevant,
            *_without(invalid, counts),
            _static(raw.y_pred["num_items"]),
            raw.dtype,
        ),
        present,
        undefined,
    )


def _counts_of(y_pred: Any) -> tuple[Counts, Leading]:
    """Return the entries of `y_pred`, and the leading dimensions."""
    if not isinstance(y_pred, dict) or set(y_pred) != set(_KEYS):
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
        _as_int32(integers(f'y_pred["{key}"]', y_pred[key], "numbers of items"))
        for key in _KEYS
    )
    if len(above.shape) == 0:
        raise ValueError(
            '`y_pred["above"]` should have a number for each relevant item, '
            "[relevant] or [batch, relevant]. Received: a single number."
        )
    leading = Leading.of(above)
    if not compatible(tuple(tied.shape), tuple(above.shape)):
        raise ValueError(
            '`y_pred["tied"]` should have the shape of `y_pred["above"]`, '
            f"{tuple(above.shape)}. Received: the shape {tuple(tied.shape)}."
        )
    items = squeezed(items, len(leading.shape))
    if len(items.shape) == 0:
        items = ops.broadcast_to(items, leading.sizes)
    elif not compatible(tuple(items.shape), leading.shape):
        raise ValueError(
            '`y_pred["num_items"]` should be one number, or one for each list, '
            f"in the shape {leading.shape}. Received: the shape "
            f"{tuple(items.shape)}."
        )
    above, tied = as_rows(above, leading), as_rows(tied, leading)
    return Counts(above, tied, leading.as_lists(items)), leading


def _as_int32(x: Tensor) -> Tensor:
    if backend.standardize_dtype(x.dtype) == "int32":
        return x
    return ops.cast(ops.clip(x, -1, MANY), "int32")


def _static(num_items: Any) -> int | None:
    """Return the number of items if it is a Python integer."""
    return max(num_items, 1) if type(num_items) is int else None


def _unpaired(raw: RawBatch, targets: Tensor, leading: Leading) -> Tensor:
    """Return True for lists whose ids and counts do not match, `[lists]`.

    Only ragged rows can differ: dense ones have the same length.

    Raises:
        ValueError: if concrete rows differ.
    """
    ids = ragged_mask("y_true", raw.entries["target"])
    unpaired = ops.zeros_like(targets[:, 0], dtype="bool")
    for key in ("above", "tied"):
        mask = ragged_mask(f'y_pred["{key}"]', raw.y_pred[key])
        if mask is None:
            continue
        has_id = targets >= 0 if ids is None else as_rows(ids, leading)
        has_count = as_rows(mask, leading)
        wrong = has_id != has_count if ids is not None else has_id & ~has_count
        if concrete(ops.any(wrong)):
            place = int(ops.argmax(ops.cast(ops.any(wrong, -1), "int32")))
            number = int(ops.sum(ops.cast(has_count[place], "int32")))
            raise ValueError(
                f'`y_pred["{key}"]` should hold a number for each id of '
                f"`y_true`. Received: for the list {place}, {number} numbers "
                f"for {int(ops.sum(ops.cast(has_id[place], 'int32')))} ids."
            )
        unpaired = unpaired | ops.any(wrong, axis=-1)
    return unpaired


def _impossible(counts: Counts) -> Tensor:
    """Return True for counts that no ranking has, bool `[lists]`."""
    order = ops.argsort(counts.above, axis=-1)
    above, tied = (ops.take_along_axis(x, order, axis=-1) for x in counts[:2])
    retrieved = above >= 0
    # Differences, since sums may overflow int32.
    beyond = tied >= counts.num_items[:, None] - above
    before, _ = sums_over_runs(
        above, ops.cast(retrieved, "int32"), length_at_most(above)
    )
    step = above[:, 1:] - above[:, :-1]
    apart = ops.where(
        step == 0, tied[:, 1:] != tied[:, :-1], step <= tied[:, :-1]
    )
    return ops.any(
        retrieved & ((tied < 0) | beyond | (before > tied)), axis=-1
    ) | (ops.any(retrieved[:, :-1] & apart, axis=-1) | (counts.num_items < 0))


def _impossible_counts(
    counts: Counts, invalid: Tensor, leading: Leading
) -> ValueError:
    place = int(ops.argmax(ops.cast(invalid, "int32")))
    above, tied, items = (
        reprlib.repr(ops.convert_to_numpy(x[place]).tolist()) for x in counts
    )
    hint = (
        ""
        if leading.shape
        else (
            " They were read as one list. For lists of one relevant item each, "
            "pass [batch, 1]."
        )
    )
    return ValueError(
        '`y_pred["above"]` should count the items that score higher than each '
        "relevant one, or be negative for one that is not retrieved, and "
        '`y_pred["tied"]` the others that score the same. Tied items have the '
        "same counts, and items below them count all of them as above. "
        f"Received: for the list {place}, above {above} and tied {tied} of "
        f"{items} items.{hint}"
    )


def _without(invalid: Tensor, counts: Counts) -> Counts:
    """Return the counts, with no item retrieved in invalid lists."""
    return Counts(
        ops.where(invalid[:, None], -1, counts.above),
        ops.where(invalid[:, None], 0, counts.tied),
        ops.where(invalid, 1, counts.num_items),
    )
