"""From what users pass to checked lists: the only place that sees user input.

Every error about the data is raised here, before any state is touched.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Iterable
from typing import Any

import keras
from keras import backend, ops

from keras_rankmetrics.branching import cond
from keras_rankmetrics.dtypes import lowest
from keras_rankmetrics.implicit_mask import implicit_mask
from keras_rankmetrics.types import Tensor

_repr = reprlib.Repr()  # for errors: what a user passed may be large
_repr.maxother = 300


@dataclasses.dataclass(frozen=True)
class Lists:
    """Lists of items with labels and scores, checked and cleaned.

    Attributes:
        labels: `[lists, items]`, floats. Below 0: masked, no item.
        scores: `[lists, items]`, without NaN. The lowest value of the dtype
            (-inf for floats) where an item is masked or not retrieved.
        item_weights: `[lists, items]` in the dtype of the labels, or None.
        list_weights: `[lists]` in that dtype, or None. Never both.
        undefined: bool `[lists]`, whether a valid item holds a NaN.
        batch_shape: of what the user passed: `()` for a single list.
    """

    labels: Tensor
    scores: Tensor
    item_weights: Tensor | None
    list_weights: Tensor | None
    undefined: Tensor
    batch_shape: tuple[int | None, ...]

    def as_passed(self, values: Tensor) -> Tensor:
        """Values, `[lists]`, in the shape of the batch that the user passed."""
        return values[: self.batch_shape[0]] if self.batch_shape else values[0]


def read_scores(
    y_true: Any, y_pred: Any, sample_weight: Any = None, dtype: str = "float32"
) -> Lists:
    """Reads labels and scores of the same items.

    Args:
        y_true: labels, `[items]`, `[batch, items]` or either with a last
            dimension of 1; or a dict with them under `"labels"` and a mask of
            the same shape under `"mask"`.
        y_pred: scores of the same items.
        sample_weight: None, a scalar, one weight per list (`[batch]` or
            `[batch, 1]`), or one per item.
        dtype: the dtype of labels that have no floating dtype of their own.
    """
    attached = implicit_mask(y_pred)
    labels, mask = _labels_and_mask(y_true)
    labels = _as_floats(_tensor("y_true", labels), dtype)
    scores = _rankable(_tensor("y_pred", y_pred))
    labels, scores = _without_last_one(labels, scores)
    _check_lists(labels, scores)
    shape = tuple(labels.shape)
    masks = [
        _mask_like(shape, name, x)
        for name, x in (
            ('y_true["mask"]', mask),
            ("the Keras mask of `y_pred`", attached),
        )
        if x is not None
    ]
    single = len(shape) == 1
    if single:
        labels, scores, *masks = (x[None] for x in (labels, scores, *masks))
    item_weights, list_weights = _weights(labels, sample_weight, single)
    if item_weights is not None:
        masks.append(_counts(item_weights))
    if list_weights is not None:
        masks.append(_counts(list_weights)[:, None])
    for there in masks:
        labels = ops.where(there, labels, -1)
    # Not all backends reduce empty tensors: they get a masked list or item.
    more_lists, more_items = shape[0] == 0 and not single, shape[-1] == 0
    if more_lists or more_items:
        padding = [[0, int(more_lists)], [0, int(more_items)]]
        labels = ops.pad(labels, padding, constant_values=-1)
        scores = ops.pad(scores, padding)
        if item_weights is not None:
            item_weights = ops.pad(item_weights, padding)
        if list_weights is not None:
            list_weights = ops.pad(list_weights, padding[:1])
    scores, undefined = _cleaned(labels, scores, item_weights)
    if list_weights is not None:
        undefined = ops.logical_or(undefined, ops.isnan(list_weights))
    return Lists(
        labels, scores, item_weights, list_weights, undefined, shape[:-1]
    )


def _labels_and_mask(y_true: Any) -> tuple[Any, Any]:
    if not isinstance(y_true, dict):
        return y_true, None
    unknown = sorted(str(key) for key in set(y_true) - {"labels", "mask"})
    if "labels" not in y_true or unknown:
        raise ValueError(
            'A dict `y_true` should have the key "labels" and may have the key '
            f'"mask". Received the keys: {sorted(map(str, y_true))}.'
        )
    return y_true["labels"], y_true.get("mask")


def _tensor(name: str, x: Any) -> Tensor:
    """`x` as a dense tensor of numbers, outside of any gradient."""
    if not _is_dense(x):
        raise ValueError(
            f"`{name}` should be a dense tensor. Received: a "
            f"{type(x).__name__} that is not. Make it dense, and let the "
            "labels of what it does not hold be -1: so a ragged tensor of "
            "labels becomes `labels.to_tensor(-1)`."
        )
    if isinstance(x, keras.KerasTensor):
        raise ValueError(
            f"`{name}` should be a tensor of numbers. Received: a symbolic "
            f"tensor, {x!r}. Call the metric with what the model returns, or "
            "give it to `compile`."
        )
    try:
        tensor = ops.convert_to_tensor(x)
        backend.standardize_dtype(tensor.dtype)  # which knows if it is one
    except Exception as error:
        raise ValueError(
            f"`{name}` should be a tensor of numbers, or what converts to one "
            "(lists of lists must be of equal length). Received: "
            f"{_repr.repr(x)}."
        ) from error
    dtype = backend.standardize_dtype(tensor.dtype)
    if dtype == "string" or "complex" in dtype:
        raise ValueError(
            f"`{name}` should be a tensor of numbers that have an order. "
            f"Received: {_repr.repr(x)}, of dtype {dtype}."
        )
    return ops.stop_gradient(tensor)


def _is_dense(x: Any) -> bool:
    others = ("RaggedTensor", "SparseTensor", "IndexedSlices", "BCOO", "BCSR")
    if type(x).__name__ in others or getattr(x, "is_nested", False):
        return False
    # Of torch, which has one class for all.
    return str(getattr(x, "layout", "torch.strided")) == "torch.strided"


def _as_floats(x: Tensor, dtype: str) -> Tensor:
    """In the given float dtype, or in that of `x` if it is more precise."""
    if backend.standardize_dtype(x.dtype) == "float64":
        dtype = "float64"
    return ops.cast(x, dtype)


def _rankable(scores: Tensor) -> Tensor:
    """In a dtype that keeps every order and tie, and has a lowest value.

    float32 holds all values of the smaller dtypes. Casting the larger ones to
    it would make ties.
    """
    dtype = backend.standardize_dtype(scores.dtype)
    if dtype in ("float32", "float64", "int32", "int64"):
        return scores
    if dtype in ("uint32", "uint64"):
        raise ValueError(
            "`y_pred` should be floats or signed integers. Received: dtype "
            f'{dtype}. Cast it: `ops.cast(y_pred, "int64")`.'
        )
    return ops.cast(scores, "float32")


def _without_last_one(labels: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Without the last dimension of 1 that `Dense(1)` over items leaves."""
    labels_rank, scores_rank = len(labels.shape), len(scores.shape)
    if scores_rank < 2 or scores.shape[-1] != 1:
        return labels, scores
    if labels_rank == scores_rank - 1:
        return labels, ops.squeeze(scores, -1)
    if labels_rank == scores_rank == 3 and labels.shape[-1] == 1:
        return ops.squeeze(labels, -1), ops.squeeze(scores, -1)
    return labels, scores


def _check_lists(labels: Tensor, scores: Tensor) -> None:
    expected = "[items] or [batch, items]"
    for name, x in (("y_true", labels), ("y_pred", scores)):
        if len(x.shape) not in (1, 2):
            raise ValueError(
                f"`{name}` should have the shape {expected}. "
                f"Received: `{name}.shape` = {tuple(x.shape)}."
            )
    if not _compatible(labels.shape, scores.shape):
        raise ValueError(
            "`y_true` and `y_pred` should have the same shape, "
            f"{expected}. Received: `y_true.shape` = {tuple(labels.shape)}, "
            f"`y_pred.shape` = {tuple(scores.shape)}."
        )


def _compatible(
    shape: Iterable[int | None], other: Iterable[int | None]
) -> bool:
    """Whether two shapes can be the same, as far as they are known."""
    shape, other = tuple(shape), tuple(other)
    return len(shape) == len(other) and all(
        a is None or b is None or a == b
        for a, b in zip(shape, other, strict=True)
    )


def _mask_like(shape: tuple[int | None, ...], name: str, mask: Any) -> Tensor:
    mask = _tensor(name, mask)
    if len(mask.shape) == len(shape) + 1 and mask.shape[-1] == 1:
        mask = ops.squeeze(mask, -1)
    if not _compatible(mask.shape, shape):
        raise ValueError(
            f"A mask should have the shape of the labels, {shape}, and be True "
            f"where an item counts. Received: {name} of shape "
            f"{tuple(mask.shape)}."
        )
    return ops.cast(mask, "bool")


def _weights(
    labels: Tensor, sample_weight: Any, single: bool
) -> tuple[Tensor | None, Tensor | None]:
    """`sample_weight` as weights of items or of lists, the other one None."""
    if sample_weight is None:
        return None, None
    weights = ops.cast(_tensor("sample_weight", sample_weight), labels.dtype)
    received = tuple(weights.shape)
    if len(received) == 3 and received[-1] == 1:
        weights = ops.squeeze(weights, -1)
    if single and len(received) > 0:
        weights = weights[None]
    batch, items = labels.shape
    shape = tuple(weights.shape)
    if shape == ():
        return None, ops.broadcast_to(weights, ops.shape(labels)[:1])
    if _compatible(shape, (batch,)):
        return None, weights
    if _compatible(shape, (batch, 1)) and shape[1] == 1:
        return None, ops.squeeze(weights, -1)
    if _compatible(shape, (batch, items)):
        return ops.broadcast_to(weights, ops.shape(labels)), None
    expected = (
        "(), (items,)" if single else "(), (batch,), (batch, 1), (batch, items)"
    )
    raise ValueError(
        f"`sample_weight` should have one of the shapes {expected}: one weight "
        "for all, per list or per item. Received: `sample_weight.shape` = "
        f"{received} with labels of shape "
        f"{(items,) if single else (batch, items)}."
    )


def _counts(weights: Tensor) -> Tensor:
    # NaN is no reason to leave an item out. (Not `not weights <= 0`, which
    # TensorFlow's graphs turn into `weights > 0`.)
    return ops.logical_or(weights > 0, ops.isnan(weights))


def _cleaned(
    labels: Tensor, scores: Tensor, weights: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Takes NaN and the scores of masked items out of `scores`.

    Neither may reach a sort: outside of XLA, a single NaN upsets TensorFlow's.
    No `ops.cond` saves these passes: metrics in one TensorFlow graph could then
    not share the sort that follows.

    Returns:
        The scores, and whether a list holds NaN in a valid item.
    """
    valid = labels >= 0
    there = ops.logical_and(valid, scores == scores)
    holds_nan = ops.logical_or(
        ops.isnan(ops.sum(labels, axis=-1)), _nan_in_valid(scores, valid)
    )
    if weights is not None:
        holds_nan = ops.logical_or(holds_nan, _nan_in_valid(weights, valid))
    return ops.where(there, scores, lowest(scores)), holds_nan


def _nan_in_valid(x: Tensor, valid: Tensor) -> Tensor:
    """Whether a valid item of a list holds NaN, `[lists]`."""
    # A sum costs a third of a comparison, and tells whether to look closer: it
    # is NaN also where a masked item is, or where inf meets -inf.
    suspicious = ops.isnan(ops.sum(x, axis=-1))
    return cond(
        ops.any(suspicious),
        lambda: ops.any(ops.logical_and(valid, x != x), axis=-1),
        lambda: suspicious,
    )
