"""`sample_weight`, as weights of items or of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.inputs.parts.leading import Leading, compatible
from keras_rankmetrics.engine.inputs.tensors.conversion import numbers
from keras_rankmetrics.types import Tensor

_NAN, _INFINITE = float("nan"), float("inf")


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
    weights, _ = _tensor(sample_weight, dtype)
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
    weights, held = _tensor(sample_weight, labels.dtype)
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
    if held is not None:  # an item without a weight has none to count by
        weights = ops.where(
            ops.reshape(held, ops.shape(weights)), weights, _NAN
        )
    weights = leading.as_lists(weights)
    return ops.broadcast_to(weights, ops.shape(labels)), None


def check_weights(weights: Tensor, exists: Tensor) -> None:
    """Raises where what exists is seen to weigh less than 0, or inf."""
    wrong = exists & ((weights < 0) | (weights == _INFINITE))
    if not known(ops.any(wrong)):
        return
    lowest = float(ops.min(ops.where(wrong, weights, 0)))
    if lowest < 0:
        raise ValueError(
            "`sample_weight` should not be negative. Received: a weight of "
            f"{lowest}. Give the weight 0 to what should not count."
        )
    raise ValueError(
        "`sample_weight` should be finite. Received: a weight of inf. Give "
        "a weight of 0 to all others, to count this one alone."
    )


def counts(weights: Tensor) -> Tensor:
    """Whether what has such a weight is there."""
    # NaN is no reason to leave something out. (Not `not weights <= 0`, which
    # TensorFlow's graphs turn into `weights > 0`.)
    return (weights > 0) | ops.isnan(weights)


def present_and_undefined(
    present: Tensor,
    undefined: Tensor,
    masks: Sequence[Tensor],
    weights: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Which lists are there, and which of these have no value.

    Args:
        present: bool `[lists]`, which lists hold a valid item.
        undefined: bool `[lists]`, which hold what has no meaning.
        masks: of lists.
        weights: of lists, or None.
    """
    for there in masks:
        present = present & there
    if weights is not None:
        check_weights(weights, present)
        present = present & counts(weights)
        undefined = undefined | ~ops.isfinite(weights)
    return present, present & undefined


def _tensor(sample_weight: Any, dtype: str) -> tuple[Tensor, Tensor | None]:
    weights, held = numbers("sample_weight", sample_weight, 0)
    return ops.cast(weights, dtype), held


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
