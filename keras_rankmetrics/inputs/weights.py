"""`sample_weight`, as weights of items or of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_rankmetrics.inputs.leading import Leading, compatible
from keras_rankmetrics.inputs.tensors import numbers
from keras_rankmetrics.known import known
from keras_rankmetrics.types import Tensor


def weights_of_lists(
    sample_weight: Any, leading: Leading, lists: Tensor, dtype: str
) -> Tensor | None:
    """`[lists]`, or None.

    Args:
        sample_weight: a scalar, or one weight per list.
        leading: the leading dimensions of the lists.
        lists: `[lists, ...]`, for their number alone.
        dtype: of the weights.
    """
    if sample_weight is None:
        return None
    weights = _tensor(sample_weight, dtype)
    of_lists = _per_list(weights, leading, lists)
    if of_lists is None:
        raise ValueError(
            f"`sample_weight` should have one of the shapes {_shapes(leading)}"
            ": one weight for all or per list, since these lists have no items "
            "to weigh. Received: `sample_weight.shape` = "
            f"{tuple(weights.shape)}."
        )
    return of_lists


def weights_of_items_or_lists(
    sample_weight: Any, leading: Leading, labels: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """`[lists, items]` and `[lists]`: one of them, the other None.

    Args:
        sample_weight: a scalar, one weight per list or one per item.
        leading: the leading dimensions of the lists.
        labels: `[lists, items]`, whose shape and dtype the weights take.
    """
    if sample_weight is None:
        return None, None
    weights = _tensor(sample_weight, labels.dtype)
    of_lists = _per_list(weights, leading, labels)
    if of_lists is not None:
        return None, of_lists
    received = tuple(weights.shape)
    shape = (*leading.shape, labels.shape[-1])
    if len(received) == len(shape) + 1 and received[-1] == 1:
        weights = ops.squeeze(weights, -1)
    if not compatible(weights.shape, shape):
        raise ValueError(
            f"`sample_weight` should have one of the shapes {_shapes(leading)}"
            f", {shape}: one weight for all, per list or per item. Received: "
            f"`sample_weight.shape` = {received} with labels of shape {shape}."
        )
    weights = leading.as_lists(weights)
    return ops.broadcast_to(weights, ops.shape(labels)), None


def weighing(weights: Tensor, labels: Tensor) -> Tensor:
    """The labels, -1 where the weight is 0: what weighs nothing is not there.

    Raises where the weight of something that is there is seen to be negative.

    Args:
        weights: `[lists, items]` or `[lists, 1]`.
        labels: `[lists, items]`. Below 0: not there.
    """
    negative = ops.logical_and(weights < 0, labels >= 0)
    if known(ops.any(negative)):
        lowest = float(ops.min(ops.where(negative, weights, 0)))
        raise ValueError(
            "`sample_weight` should not be negative. Received: a weight of "
            f"{lowest}. Give the weight 0 to what should not count."
        )
    # NaN is no reason to leave an item out. (Not `not weights <= 0`, which
    # TensorFlow's graphs turn into `weights > 0`.)
    there = ops.logical_or(weights > 0, ops.isnan(weights))
    return ops.where(there, labels, -1)


def present_lists(
    present: Tensor, masks: Sequence[Tensor], weights: Tensor | None
) -> Tensor:
    """Which lists are there by masks and weights too, bool `[lists]`."""
    for there in masks:
        present = ops.logical_and(present, there)
    if weights is None:
        return present
    label = weighing(weights[:, None], ops.where(present, 0.0, -1.0)[:, None])
    return label[:, 0] >= 0


def _tensor(sample_weight: Any, dtype: str) -> Tensor:
    return ops.cast(numbers("sample_weight", sample_weight, 0)[0], dtype)


def _per_list(
    weights: Tensor, leading: Leading, lists: Tensor
) -> Tensor | None:
    """The weights as `[lists]`, None where they are not those of lists."""
    shape = tuple(weights.shape)
    if shape == ():
        return ops.broadcast_to(weights, ops.shape(lists)[:1])
    while len(shape) > 1 and shape[-1] == 1:
        weights, shape = ops.squeeze(weights, -1), shape[:-1]
    further = len(leading.shape) - len(shape)
    if further < 0 or not compatible(shape, leading.shape[: len(shape)]):
        return None
    if further > 0:  # one for each sample is one for all its steps
        weights = ops.reshape(weights, (*ops.shape(weights), *[1] * further))
        weights = ops.broadcast_to(weights, leading.sizes)
    return leading.as_lists(weights)


def _shapes(leading: Leading) -> str:
    shapes = ["()"]
    if leading.shape:
        shapes += [str(leading.shape), str((*leading.shape, 1))]
    return ", ".join(shapes)
