"""`inputs="counts"`: how many items stand above each relevant one, and tie."""

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
from keras_rankmetrics.engine.inputs.raw_batch import Belongings, Given
from keras_rankmetrics.engine.inputs.rows import (
    check_are_ids,
    relevant_of,
    rows_of,
)
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import integers, places_held
from keras_rankmetrics.engine.ranking import Counted
from keras_rankmetrics.engine.ranking.matching import is_new
from keras_rankmetrics.engine.ranking.sums import sums_over_runs
from keras_rankmetrics.types import Tensor

_RELEVANT = "the ids of the relevant items"
_HINT = 'For labels and scores of the same items, use `inputs="scores"`.'
_KEYS = ("above", "tied", "num_items")


class Counts(NamedTuple):
    """What `y_pred` holds, int32.

    Attributes:
        above: `[lists, relevant]`.
        tied: `[lists, relevant]`.
        num_items: `[lists]`.
    """

    above: Tensor
    tied: Tensor
    num_items: Tensor


def read_counts(given: Given) -> Lists:
    """Reads where relevant items stand, as somebody else has counted it.

    Args:
        given: in `y_true` ids of the relevant items, `[...]` or
            `[..., relevant]`, negative for padding; in `y_pred` a dict of
            `"above"` and `"tied"`, `[..., relevant]`, and `"num_items"`, one
            number for all lists or for each; and one weight per list.
    """
    counts, leading = _counts_of(given.y_pred)
    targets = relevant_of(
        given.entries["target"],
        leading,
        _RELEVANT,
        hint=_HINT,
    )
    check_are_ids(targets, _RELEVANT, _HINT)
    width = counts.above.shape[-1]
    if not compatible(tuple(targets.shape[1:]), (width,)):
        raise ValueError(
            "`y_true` should hold an id for each of the numbers in `y_pred`. "
            f"Received: {targets.shape[-1]} ids for {width} numbers in a list."
        )
    unpaired = _unpaired(given, targets, leading)
    belongings = Belongings.of(given, leading, width)
    for there in belongings.item_masks:
        targets = ops.where(there, targets, -1)
    relevant = is_new(targets)
    ranked = relevant & (counts.above >= 0)
    counts = Counts(
        ops.where(ranked, counts.above, -1),
        ops.where(ranked, counts.tied, 0),
        counts.num_items,
    )
    misread = _misread(counts) | unpaired
    present, undefined = belongings.there(ops.any(relevant, axis=-1), misread)
    if concrete(ops.any(undefined & misread)):
        raise ValueError(_of_impossible(counts, undefined & misread, leading))
    return belongings.lists(
        Counted(
            relevant,
            *_without(misread, counts),
            _as_plain(given.y_pred["num_items"]),
            given.dtype,
        ),
        present,
        undefined,
    )


def _unpaired(given: Given, targets: Tensor, leading: Leading) -> Tensor:
    """Which lists have a number for no id, or an id without one, `[lists]`.

    Rows of the same length cannot, but ragged ones.

    Raises where that is seen.
    """
    ids = places_held("y_true", given.entries["target"])
    unpaired = ops.zeros_like(targets[:, 0], dtype="bool")
    for key in ("above", "tied"):
        held = places_held(f'y_pred["{key}"]', given.y_pred[key])
        if held is None:
            continue
        there = targets >= 0 if ids is None else rows_of(ids, leading)
        held = rows_of(held, leading)
        wrong = there != held if ids is not None else there & ~held
        if concrete(ops.any(wrong)):
            place = int(ops.argmax(ops.cast(ops.any(wrong, -1), "int32")))
            number = int(ops.sum(ops.cast(held[place], "int32")))
            raise ValueError(
                f'`y_pred["{key}"]` should hold a number for each id of '
                f"`y_true`. Received: for the list {place}, {number} numbers "
                f"for {int(ops.sum(ops.cast(there[place], 'int32')))} ids."
            )
        unpaired = unpaired | ops.any(wrong, axis=-1)
    return unpaired


def _counts_of(y_pred: Any) -> tuple[Counts, Leading]:
    """The entries of `y_pred`, and the leading dimensions of the lists."""
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
    above, tied = rows_of(above, leading), rows_of(tied, leading)
    return Counts(above, tied, leading.as_lists(items)), leading


def _as_int32(x: Tensor) -> Tensor:
    if backend.standardize_dtype(x.dtype) == "int32":
        return x
    return ops.cast(ops.clip(x, -1, MANY), "int32")


def _misread(counts: Counts) -> Tensor:
    """Which lists no ranking gives such counts of, bool `[lists]`."""
    order = ops.argsort(counts.above, axis=-1)
    above, tied = (ops.take_along_axis(x, order, axis=-1) for x in counts[:2])
    ranked = above >= 0
    # In differences, since a sum may be more than an int32 holds.
    beyond = tied >= counts.num_items[:, None] - above
    before, _ = sums_over_runs(
        above, ops.cast(ranked, "int32"), length_at_most(above)
    )
    further = above[:, 1:] - above[:, :-1]
    apart = ops.where(
        further == 0, tied[:, 1:] != tied[:, :-1], further <= tied[:, :-1]
    )
    return ops.any(
        ranked & ((tied < 0) | beyond | (before > tied)), axis=-1
    ) | (ops.any(ranked[:, :-1] & apart, axis=-1) | (counts.num_items < 0))


def _of_impossible(counts: Counts, misread: Tensor, leading: Leading) -> str:
    place = int(ops.argmax(ops.cast(misread, "int32")))
    above, tied, items = (
        reprlib.repr(ops.convert_to_numpy(x[place]).tolist()) for x in counts
    )
    one = (
        ""
        if leading.shape
        else (
            " They are those of one list: for lists of one relevant item each, "
            "pass [batch, 1]."
        )
    )
    return (
        '`y_pred["above"]` should say how many items score higher than each '
        "relevant one, or be negative for one that is not retrieved, and "
        '`y_pred["tied"]` how many others score the same: so those that tie '
        "have the same numbers, and others stand below all that tie. Received: "
        f"for the list {place}, above {above} and tied {tied} of {items} items."
        f"{one}"
    )


def _without(misread: Tensor, counts: Counts) -> Counts:
    """The counts, and those of nothing retrieved where they were misread."""
    return Counts(
        ops.where(misread[:, None], -1, counts.above),
        ops.where(misread[:, None], 0, counts.tied),
        ops.where(misread, 1, counts.num_items),
    )


def _as_plain(num_items: Any) -> int | None:
    """How many items there are, if that is a plain number."""
    return max(num_items, 1) if type(num_items) is int else None
