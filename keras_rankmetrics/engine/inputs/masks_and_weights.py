"""Masks, weights and NaN: which lists count, and which have no valid value.

A weight of 0 excludes an item or a list, as a mask does. A negative or infinite
weight is an error if its value is concrete. If it is traced, and for NaN
always, the item counts, but its list has no valid value: it becomes NaN.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from keras import backend

from keras_rankmetrics.engine.backend.keras_internals import implicit_mask
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, cond
from keras_rankmetrics.engine.inputs.batch import Lists, RawBatch
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import numbers
from keras_rankmetrics.engine.ranking import Content
from keras_rankmetrics.types import Tensor

_NAN, _INFINITE = float("nan"), float("inf")


@dataclasses.dataclass(frozen=True)
class MasksAndWeights:
    """The masks and weights of a batch, in every form of input.

    Attributes:
        leading: the leading dimensions of the input.
        item_masks: bool tensors `[lists, items]`, True where an item exists.
        list_masks: bool tensors `[lists]`, True where a list exists.
        item_weights: `[lists, items]`, or None.
        list_weights: `[lists]`, or None.
    """

    leading: Leading
    item_masks: Sequence[Tensor]
    list_masks: Sequence[Tensor]
    item_weights: Tensor | None
    list_weights: Tensor | None

    @classmethod
    def of(
        cls,
        raw: RawBatch,
        leading: Leading,
        items: int | None,
        labels: Tensor | None = None,
    ) -> MasksAndWeights:
        """Read the masks and weights of a batch.

        Args:
            raw: the input.
            leading: the leading dimensions of the lists.
            items: the number of items in a list.
            labels: `[lists, items]`, if items may have weights.

        Raises:
            ValueError: if a mask or `sample_weight` has a wrong shape or dtype.
        """
        masks = _masks(raw.entries.get("mask"), raw.y_pred, leading, items)
        weights = _weights(raw.sample_weight, leading, items, raw.dtype, labels)
        return cls(leading, *masks, *weights)

    def lists(
        self,
        content: Content,
        has_items: Tensor,
        undefined: Tensor,
        warning: str | None = None,
        labels: Tensor | None = None,
    ) -> Lists:
        """Return the lists of the batch with this content.

        Args:
            content: the items of the lists.
            has_items: bool `[lists]`, True for lists with a valid item.
            undefined: bool `[lists]`, True for lists with invalid contents.
            warning: a warning for the user, or None.
            labels: `[lists, items]`, labels as passed, or None.
        """
        present, weights = has_items, self.list_weights
        for mask in self.list_masks:
            present = present & mask
        if weights is not None:
            present = present & checked_nonzero(weights, present)
            undefined = undefined | is_invalid(weights)
        if self.item_masks or self.item_weights is not None:
            labels = None
        undefined, leading = present & undefined, self.leading
        return Lists(
            content, weights, present, undefined, leading, warning, labels
        )


def judged_mask(judged: Any, leading: Leading, items: int | None) -> Tensor:
    """Return `y_true["judged"]`, bool `[lists, items]`.

    Args:
        judged: the entry, True for each item that was judged.
        leading: the leading dimensions of the lists.
        items: the number of items in a list.

    Raises:
        ValueError: if it has a wrong shape or dtype.
    """
    name = 'y_true["judged"]'
    judged = _checked_mask(name, judged, leading, items)
    if len(judged.shape) == len(leading.shape):
        raise ValueError(
            f"{name} should be True for each judged item, in the shape "
            f"{(*leading.shape, items)}. Received: the shape "
            f"{tuple(judged.shape)}."
        )
    return leading.as_lists(judged)


def checked_nonzero(weights: Tensor, exists: Tensor) -> Tensor:
    """Return True where a weight is not 0; NaN is not 0.

    Args:
        weights: the weights of items or of lists.
        exists: bool, True for valid items or lists.

    Raises:
        ValueError: if a concrete weight is negative or inf.
    """
    wrong = exists & ((weights < 0) | (weights == _INFINITE))
    if concrete(ops.any(wrong)):
        lowest = float(ops.min(ops.where(wrong, weights, 0)))
        if lowest < 0:
            raise ValueError(
                "`sample_weight` should not be negative. Received: a weight of "
                f"{lowest}. Use the weight 0 to exclude a list or an item."
            )
        raise ValueError(
            "`sample_weight` should be finite. Received: a weight of inf. To "
            "count this one alone, set all other weights to 0."
        )
    return (weights != 0) | ops.isnan(weights)


def is_invalid(weights: Tensor) -> Tensor:
    """Return True where a weight is NaN, infinite or negative."""
    return ~ops.isfinite(weights) | (weights < 0)


# A sum costs a third of an elementwise comparison. So rows are summed first,
# and compared only if some sum is NaN.


def may_contain_nan(x: Tensor) -> Tensor:
    """Return True for rows that may contain NaN, bool `[lists]`.

    Rows with both inf and -inf also return True.
    """
    total = ops.sum(x, axis=-1)
    return total != total


def lists_with(suspects: Tensor, find: Callable[[], Tensor]) -> Tensor:
    """Return True for the lists in which `find()` is True anywhere.

    Args:
        suspects: bool `[lists]`, False where `find()` is False for sure.
        find: returns bool `[lists, items]`; called only if there is a suspect.
    """
    return cond(
        ops.any(suspects), lambda: ops.any(find(), axis=-1), lambda: suspects
    )


def _masks(
    explicit: Any, y_pred: Any, leading: Leading, items: int | None
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the item masks `[lists, items]` and the list masks `[lists]`.

    Args:
        explicit: `y_true["mask"]`, or None.
        y_pred: the input to which Keras layers may have attached a mask.
        leading: the leading dimensions of the lists.
        items: the number of items in a list; for 0, item masks are left out.
    """
    of_items: list[Tensor] = []
    of_lists: list[Tensor] = []
    masks = {
        'y_true["mask"]': explicit,
        "the Keras mask of `y_pred`": implicit_mask(y_pred),
    }
    for name, mask in masks.items():
        if mask is None:
            continue
        mask = _checked_mask(name, mask, leading, items)
        if len(mask.shape) == len(leading.shape):
            of_lists.append(leading.as_lists(mask))
        elif items != 0:
            of_items.append(leading.as_lists(mask))
    return of_items, of_lists


def _checked_mask(
    name: str, mask: Any, leading: Leading, items: int | None
) -> Tensor:
    mask, _ = numbers(name, mask, 1)  # items beyond a ragged mask count
    shape = (*leading.shape, items)
    received = tuple(mask.shape)
    mask = squeezed(mask, len(shape))
    dtype = backend.standardize_dtype(mask.dtype)
    if dtype != "bool" and "int" not in dtype:
        raise ValueError(
            "A mask should hold bools, True where an item counts. Received: "
            f"{name} of dtype {dtype}. Make it bool: `mask > 0`; or, if it is "
            "added to scores, `mask == 0`."
        )
    if dtype != "bool":
        is_wrong = concrete(ops.any((mask < 0) | (mask > 1)))
        # Nobody knows while tracing: integers for whole lists may be lengths.
        if is_wrong or (is_wrong is None and len(mask.shape) < len(shape)):
            raise ValueError(
                "A mask should hold bools, or 0 and 1. Received: "
                f"{name} of dtype {dtype}, with other numbers, or for whole "
                "lists in a compiled step. If these are lengths, pass "
                "`numpy.arange(items) < lengths.reshape(-1, 1)`; otherwise "
                "make it bool."
            )
    if not any(compatible(mask.shape, s) for s in (shape, leading.shape)):
        per_list = f", or {leading.shape} for whole lists" * bool(leading.shape)
        raise ValueError(
            f"A mask should have the shape {shape}, and be True where an item "
            f"counts{per_list}. Received: {name} of shape {received}."
        )
    return ops.cast(mask, "bool")


def _weights(
    sample_weight: Any,
    leading: Leading,
    items: int | None,
    dtype: str,
    labels: Tensor | None,
) -> tuple[Tensor | None, Tensor | None]:
    """Return item weights `[lists, items]` and list weights `[lists]`.

    At least one of them is None.

    Args:
        sample_weight: None, a scalar, one weight per list or one per item.
        leading: the leading dimensions of the lists.
        items: the number of items in a list.
        dtype: the dtype of the weights if there are no labels.
        labels: `[lists, items]`, if items may have weights. The weights take
            their dtype.
    """
    if sample_weight is None:
        return None, None
    weights, mask = numbers("sample_weight", sample_weight, 0)
    weights = ops.cast(weights, dtype if labels is None else labels.dtype)
    of_lists = leading.per_list(weights)
    if of_lists is not None:
        return None, of_lists
    received, shape = tuple(weights.shape), (*leading.shape, items)
    weights = squeezed(weights, len(shape))
    if labels is None or not compatible(weights.shape, shape):
        valid = [leading.shape, (*leading.shape, 1)] if leading.shape else []
        purpose = "for all or per list, since these lists have no items"
        if labels is not None:
            valid.append(shape)
            purpose = "for all, per list or per item"
        raise ValueError(
            "`sample_weight` should have one of the shapes "
            f"{', '.join(map(str, [(), *valid]))}: one weight {purpose}. "
            f"Received: `sample_weight.shape` = {received}."
        )
    if mask is not None:  # an item beyond ragged weights has no valid weight
        has_weight = ops.reshape(mask, ops.shape(weights))
        weights = ops.where(has_weight, weights, _NAN)
    if items == 0:
        return None, None
    weights = leading.as_lists(weights)
    return ops.broadcast_to(weights, ops.shape(labels)), None
