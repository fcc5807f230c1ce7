"""Which items and which lists exist."""

from __future__ import annotations

from typing import Any

from keras import backend

from keras_rankmetrics.engine.backend.keras_internals import implicit_mask
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import numbers
from keras_rankmetrics.types import Tensor


def masks_of(
    explicit: Any, y_pred: Any, leading: Leading, items: int | None
) -> tuple[list[Tensor], list[Tensor]]:
    """The masks of a batch, True where something exists.

    Args:
        explicit: the mask that the user passed, or None.
        y_pred: what the mask of Keras layers may be attached to.
        leading: the leading dimensions of the lists.
        items: the number of items in a list.

    Returns:
        Masks of items, `[lists, items]`, none where lists have no items; and
        masks of lists, `[lists]`.
    """
    of_items: list[Tensor] = []
    of_lists: list[Tensor] = []
    given = {
        'y_true["mask"]': explicit,
        "the Keras mask of `y_pred`": implicit_mask(y_pred),
    }
    for name, mask in given.items():
        if mask is None:
            continue
        mask = _checked(name, mask, leading, items)
        if len(mask.shape) == len(leading.shape):
            of_lists.append(leading.as_lists(mask))
        elif items != 0:
            of_items.append(leading.as_lists(mask))
    return of_items, of_lists


def judged_of(
    judged: Any, leading: Leading, items: int | None
) -> Tensor | None:
    """`y_true["judged"]`, bool `[lists, items]`, True where somebody judged."""
    if judged is None or items == 0:
        return None
    name = 'y_true["judged"]'
    judged = _checked(name, judged, leading, items)
    if len(judged.shape) == len(leading.shape):
        raise ValueError(
            f"{name} should be True for each item that somebody has judged, in "
            f"the shape {(*leading.shape, items)}. Received: the shape "
            f"{tuple(judged.shape)}."
        )
    return leading.as_lists(judged)


def _checked(
    name: str, mask: Any, leading: Leading, items: int | None
) -> Tensor:
    mask, _ = numbers(name, mask, 1)  # what it does not speak of counts
    shape = (*leading.shape, items)
    received = tuple(mask.shape)
    mask = squeezed(mask, len(shape))
    dtype = backend.standardize_dtype(mask.dtype)
    if dtype != "bool" and "int" not in dtype:
        raise ValueError(
            "A mask should hold bools, True where an item counts. Received: "
            f"{name} of dtype {dtype}. Make it bool: `mask > 0`."
        )
    if not any(compatible(mask.shape, s) for s in (shape, leading.shape)):
        per_list = f", or {leading.shape} for whole lists" * bool(leading.shape)
        raise ValueError(
            f"A mask should have the shape {shape}, and be True where an item "
            f"counts{per_list}. Received: {name} of shape {received}."
        )
    return ops.cast(mask, "bool")
