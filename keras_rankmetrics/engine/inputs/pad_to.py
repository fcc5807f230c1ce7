"""`pad_to`: batches of a size that devices can share evenly."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from keras_rankmetrics.engine.backend.operations import as_integer, ops


def pad_to(
    batch: tuple[Any, ...], multiple: int, label: float | None = None
) -> tuple[Any, Any, Any]:
    """Pad a batch with lists that do not count.

    Devices share a batch evenly, so that its length must be a multiple of their
    number. The added lists repeat the last one with the weight 0. A metric that
    receives the weights has the same value as on the original batch.

    Args:
        batch: `(x, y)` or `(x, y, sample_weight)` as `fit` takes them, or
            `(y_true, y_pred)` or `(y_true, y_pred, sample_weight)` as a metric
            does. Each part is an array or tensor, or a dict, list or tuple of
            them, whose first dimension is the batch. None stays None.
            `sample_weight` may also be None or a number.
        multiple: the length of the padded batch is a multiple of this.
        label: for `(x, y)`, the label of all items in added lists; None repeats
            the labels of the last list. With -1, metrics that receive no
            weights, as those of `compile(metrics=)`, leave these lists out too.
            The loss must then handle the label -1.

    Returns:
        The three parts. Without weights in `batch`, they are 1 for each of its
        lists, `[lists, 1]`.

    Raises:
        TypeError: if `batch` is not a tuple of two or three parts.
        ValueError: if the parts have different or unknown lengths, `multiple`
            is not positive, or the dtype of the labels cannot represent
            `label`.

    Example:
        >>> import numpy as np
        >>> from keras_rankmetrics import NDCG, pad_to
        >>> labels, scores = np.array([[1, 0], [0, 1], [1, 0]]), np.eye(3, 2)
        >>> padded = pad_to((labels, scores), 4)
        >>> [part.shape for part in padded]
        [(4, 2), (4, 2), (4, 1)]
        >>> metric = NDCG()
        >>> metric.update_state(*padded)
        >>> metric.count()
        3

    Stability: stable.
    """
    if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
        raise TypeError(
            "`batch` should be a tuple `(x, y)` or `(x, y, sample_weight)`. "
            f"Received: {type(batch).__name__} of "
            f"{len(batch) if hasattr(batch, '__len__') else 'no length'}."
        )
    whole = as_integer(multiple)
    if whole is None or whole < 1:
        raise ValueError(
            f"`multiple` should be a positive integer. Received: {multiple!r}."
        )
    x, y, weights = (*batch, None)[:3]
    lists = _length((x, y))
    if weights is None or np.shape(weights) == ():
        weight = 1.0 if weights is None else weights
        weights = np.full((lists, 1), weight, "float32")
    if _length(weights) != lists:
        raise ValueError(
            "`sample_weight` should hold a weight for each list. Received: "
            f"weights of {_length(weights)} lists for a batch of {lists}."
        )
    added = -lists % whole
    return (
        _extended(x, added, None),
        _extended(y, added, label),
        _extended(weights, added, 0.0),
    )


def _length(parts: Any) -> int:
    """Return the common first dimension of all arrays."""
    leaves = keras.tree.flatten(parts)
    shapes = [tuple(np.shape(x)) for x in leaves if x is not None]
    lengths = {shape[0] if shape else None for shape in shapes}
    length: int | None = lengths.pop() if len(lengths) == 1 else None
    if length is None:
        raise ValueError(
            "All parts of a batch should be arrays or tensors of the same "
            f"first dimension. Received the shapes: {shapes}."
        )
    return length


def _check_holds(x: Any, label: float) -> None:
    dtype = keras.backend.standardize_dtype(x.dtype)
    if dtype == "bool" or (dtype.startswith("uint") and label < 0):
        raise ValueError(
            "`label` should fit the dtype of the labels. Received: "
            f"`label` = {label} for labels of dtype {dtype}. Cast them to "
            "int32 or float32."
        )


def _extended(part: Any, added: int, value: float | None) -> Any:
    """Return the arrays with rows added: the value, or the last row."""

    def extended(x: Any) -> Any:
        if x is None:
            return None
        library = np if isinstance(x, np.ndarray) else ops
        last = x[-1:]
        if value is not None:
            _check_holds(x, value)
            last = library.full_like(library.array(last), value)
        if isinstance(x, np.ma.MaskedArray):
            library = np.ma  # keeps the mask
        return library.concatenate([x, *[last] * added], 0)

    return keras.tree.map_structure(extended, part) if added else part
