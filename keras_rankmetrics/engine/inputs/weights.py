"""`sample_weight`, as weights of items or of lists.

Whatever it weighs, a weight of 0 takes that out: it is as if it were masked. A
weight below 0 or of inf is an error where it is seen. NaN is no reason to leave
something out, but what it weighs has no meaning, and the list no value; so it
is with what is below 0 or inf where that is not seen.
"""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible, squeezed
from keras_rankmetrics.engine.inputs.tensors import numbers
from keras_rankmetrics.types import Tensor

_NAN, _INFINITE = float("nan"), float("inf")


def counted(weights: Tensor, exists: Tensor) -> Tensor:
    """Whether what has such a weight counts, bool.

    Raises where a weight of what exists is seen to be negative or inf.

    Args:
        weights: of items or of lists.
        exists: bool, of the same shape.
    """
    wrong = exists & ((weights < 0) | (weights == _INFINITE))
    if concrete(ops.any(wrong)):
        raise _wrong(float(ops.min(ops.where(wrong, weights, 0))))
    return (weights != 0) | ops.isnan(weights)


def has_no_meaning(weights: Tensor) -> Tensor:
    """Whether what has such a weight has no value, bool."""
    return ~ops.isfinite(weights) | (weights < 0)


def weights_of(
    sample_weight: Any,
    leading: Leading,
    items: int | None,
    dtype: str,
    labels: Tensor | None,
) -> tuple[Tensor | None, Tensor | None]:
    """`[lists, items]` and `[lists]`: at most one of them, else None.

    Args:
        sample_weight: a scalar, one weight per list or one per item.
        leading: the leading dimensions of the lists.
        items: the number of items in a list.
        dtype: of the weights of lists that have no items to weigh.
        labels: `[lists, items]`, of the items to weigh, whose dtype the weights
            take; or None.
    """
    if sample_weight is None:
        return None, None
    weights, held = numbers("sample_weight", sample_weight, 0)
    weights = ops.cast(weights, dtype if labels is None else labels.dtype)
    of_lists = per_list(weights, leading)
    if of_lists is not None:
        return None, of_lists
    if labels is None:
        raise ValueError(
            f"`sample_weight` should have one of the shapes {_shapes(leading)}"
            ": one weight for all or per list, since these lists have no items "
            "to weigh. Received: `sample_weight.shape` = "
            f"{tuple(weights.shape)}."
        )
    received, shape = tuple(weights.shape), (*leading.shape, items)
    weights = squeezed(weights, len(shape))
    if not compatible(weights.shape, shape):
        raise ValueError(
            f"`sample_weight` should have one of the shapes {_shapes(leading)}"
            f", {shape}: one weight for all, per list or per item. Received: "
            f"`sample_weight.shape` = {received} with labels of shape {shape}."
        )
    if held is not None:  # an item without a weight has none to count by
        weights = ops.where(
            ops.reshape(held, ops.shape(weights)), weights, _NAN
        )
    if items == 0:
        return None, None
    weights = leading.as_lists(weights)
    return ops.broadcast_to(weights, ops.shape(labels)), None


def per_list(weights: Tensor, leading: Leading) -> Tensor | None:
    """The weights as `[lists]`, None where they are not those of lists."""
    shape = tuple(weights.shape)
    while len(shape) > 1 and shape[-1] == 1:
        weights, shape = ops.squeeze(weights, -1), shape[:-1]
    further = len(leading.shape) - len(shape)
    if further < 0 or not compatible(shape, leading.shape[: len(shape)]):
        return None
    if further > 0 and shape:
        weights = ops.reshape(weights, (*ops.shape(weights), *[1] * further))
    if further > 0:  # one for each sample is one for all its steps
        weights = ops.broadcast_to(weights, leading.sizes)
    return leading.as_lists(weights)


def _shapes(leading: Leading) -> str:
    shapes = ["()"]
    if leading.shape:
        shapes += [str(leading.shape), str((*leading.shape, 1))]
    return ", ".join(shapes)


def _wrong(lowest: float) -> ValueError:
    if lowest < 0:
        return ValueError(
            "`sample_weight` should not be negative. Received: a weight of "
            f"{lowest}. Give the weight 0 to what should not count."
        )
    return ValueError(
        "`sample_weight` should be finite. Received: a weight of inf. Give "
        "a weight of 0 to all others, to count this one alone."
    )
