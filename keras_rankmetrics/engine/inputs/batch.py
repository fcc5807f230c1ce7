"""A batch: the input of the user, and the checked lists that readers return.

`pad_to` makes a batch of a size that devices can share evenly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.backend import keras_internals
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.backend.tracing import MANY, writes
from keras_rankmetrics.engine.inputs.shapes import (
    Leading,
    squeezed,
    wrong_shape,
)
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.ranking import Content
from keras_rankmetrics.types import Tensor, UnjudgedPolicy


class RawBatch(NamedTuple):
    """The arguments of `update_state`, unchecked.

    Attributes:
        entries: the entries of `y_true`, the main one first.
        y_pred: as passed.
        sample_weight: as passed.
        dtype: the float dtype of the computation.
        unjudged: the policy for unjudged items.
    """

    entries: Mapping[str, Any]
    y_pred: Any
    sample_weight: Any
    dtype: str
    unjudged: UnjudgedPolicy


@dataclasses.dataclass(frozen=True)
class Lists:
    """The checked lists of a batch.

    Attributes:
        content: the items of the lists.
        list_weights: `[lists]`, or None.
        present: bool `[lists]`, True for lists with a valid item. Others are
            padding and do not count.
        undefined: bool `[lists]`, True for lists without a value, since they
            contain invalid numbers such as NaN.
        leading: the leading dimensions of the input.
        warning: a warning for the user, or None.
        labels: `[lists, items]`, labels as passed, of which negative ones alone
            mark padding; or None.
        group: int32 `[lists]`, the group of each list, or None.
    """

    content: Content
    list_weights: Tensor | None
    present: Tensor
    undefined: Tensor
    leading: Leading
    warning: str | None = None
    labels: Tensor | None = None
    group: Tensor | None = None

    def with_group(self, group: Any) -> Lists:
        """Return the same lists with the group of each.

        Args:
            group: one integer for each list, `[*leading]` or `[*leading, 1]`,
                or for each row of the batch.

        Raises:
            ValueError: if it has a wrong shape or dtype.
        """
        name, expected = 'y_true["group"]', "the group of each list"
        groups = integers(name, group, expected)
        of_lists = self.leading.per_list(groups)
        if of_lists is None:
            raise wrong_shape(name, groups, self.leading.shape, expected)
        group = ops.cast(ops.clip(of_lists, -1, MANY), "int32")
        return dataclasses.replace(self, group=group)


def entries_of(
    y_true: Any, main: Sequence[str], others: Sequence[str]
) -> dict[str, Any]:
    """Return the entries of `y_true`; without a dict, it is the main entry.

    Args:
        y_true: as passed.
        main: the names of the main entry, the preferred one first.
        others: the names of optional entries.

    Returns:
        All entries but `"group"`. The main entry is the first, under the first
        of its names.

    Raises:
        ValueError: if the main entry is missing or given twice, or a key is
            unknown.
    """
    if not isinstance(y_true, dict):
        return {main[0]: y_true}
    passed = {name: x for name, x in y_true.items() if name != "group"}
    found = [name for name in main if passed.get(name) is not None]
    if len(found) != 1 or set(passed) - {*main, *others}:
        quoted = [" or ".join(f'"{name}"' for name in main)]
        quoted.append(", ".join(f'"{name}"' for name in [*others, "group"]))
        raise ValueError(
            f"A dict `y_true` should have the key {quoted[0]} and may have the "
            f"keys {quoted[1]}. Received the keys: {sorted(map(str, y_true))}."
        )
    return {
        main[0]: passed[found[0]],
        **{name: passed[name] for name in others if name in passed},
    }


# The weights that the user passed, before a loss of Keras changed them.
# `keras.Loss` multiplies weights by its mask, which combines the mask of
# `y_pred` and that of `ignore_class`. torch does it in place, so the metrics of
# `compile`, which come next, receive the product. If the reduction is a mean,
# the weights of each batch are also divided by its share of entries that are
# not masked.

_WARNING = (
    "`sample_weight` should be the weights passed to the model. Received: "
    "weights that were changed in place, as a masked loss does on torch, by a "
    "factor that depends on the batch. Use a loss with "
    '`reduction="mean_with_sample_weight"`: see docs/masks.md.'
)


def before_loss(
    y_true: Any, y_pred: Any, weights: Any
) -> tuple[Any, str | None]:
    """Return the weights without the factor of a masked loss, and a warning.

    The weights of masked entries stay 0. If the factor is unknown, nothing
    changes, and there is a warning.

    Args:
        y_true: as passed to the metric.
        y_pred: as passed to the metric.
        weights: as passed to the metric, after the loss.
    """
    times = writes(weights)
    _, loss = (times and keras_internals.compiled_model()) or ((), None)
    if not any(map(_is_mean, keras.tree.flatten(loss))):
        return weights, None
    valid, filled = _valid(loss, y_true, y_pred), _share(weights != 0)
    share = 1.0 if valid is None else _share(valid)
    if filled == 1 or filled > share:  # no mask, or the loss changed a copy
        return weights, None
    # More zeros than masked entries are those of the user, or of a mask that
    # only the loss knows. More writes are those of another output.
    is_of_keras = type(loss).__module__.startswith("keras.")
    is_known = filled == share or isinstance(loss, str) or is_of_keras
    if valid is not None and times == 1 and is_known:
        return weights * share, None
    return weights, _WARNING


def _is_mean(loss: Any) -> bool:
    reduction = getattr(loss, "reduction", "mean")
    return loss is not None and reduction in ("mean", "sum_over_batch_size")


def _share(mask: Tensor) -> float:
    return float(ops.mean(ops.cast(mask, "float32")))


def _valid(loss: Any, y_true: Any, y_pred: Any) -> Tensor | None:
    """Return False for entries that `y_pred` or the loss masks; or None."""
    mask = keras_internals.implicit_mask(y_pred)
    ignored = getattr(loss, "ignore_class", None)
    if ignored is None:
        return mask
    valid = y_true != ignored
    return valid if mask is None else mask & squeezed(valid, len(mask.shape))


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
