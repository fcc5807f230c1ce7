"""Shapes of inputs: leading axes, sizes unknown in a graph, pandas axes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

Shape: TypeAlias = tuple[int | None, ...]


def squeezed(x: Tensor, rank: int) -> Tensor:
    """Return `x` of this rank, dropping one extra last dimension of 1."""
    if len(x.shape) == rank + 1 and x.shape[-1] == 1:
        return ops.squeeze(x, -1)
    return x


def compatible(shape: Shape, other: Shape) -> bool:
    """Return True if two shapes can be equal; None matches any size."""
    return len(shape) == len(other) and all(
        a is None or b is None or a == b
        for a, b in zip(shape, other, strict=True)
    )


def check_shape(name: str, x: Tensor, shape: Shape, expected: str) -> None:
    """Raise ValueError if a tensor has another shape.

    Args:
        name: the argument, for the error.
        x: the tensor.
        shape: its shape, None for any size.
        expected: a description of valid values, for the error.
    """
    if not compatible(tuple(x.shape), shape):
        raise wrong_shape(name, x, shape, expected)


def wrong_shape(
    name: str, x: Tensor, shape: Shape, expected: str
) -> ValueError:
    """Return the error of `check_shape`."""
    return ValueError(
        f"`{name}` should hold {expected}, in the shape {shape}. Received: the "
        f"shape {tuple(x.shape)}."
    )


def check_is_list(name: str, x: Tensor, expected: str, axis: str) -> None:
    """Raise ValueError if a tensor is a single number.

    Args:
        name: the argument, for the error.
        x: the tensor.
        expected: a description of valid values, for the error.
        axis: the name of its last axis, for the error.
    """
    if len(x.shape) == 0:
        raise ValueError(
            f"`{name}` should hold {expected}, [{axis}] or [batch, {axis}]. "
            "Received: a single number."
        )


@dataclasses.dataclass(frozen=True)
class Leading:
    """The leading dimensions of the lists: all but the last one.

    `[batch]` as a rule, `[batch, time]` for sequences, `[]` for a single list.

    Attributes:
        shape: the static sizes, None where a size is unknown.
        sizes: the same sizes, with a scalar tensor where one is unknown.
    """

    shape: Shape
    sizes: tuple[int | Tensor, ...]

    @classmethod
    def of(cls, x: Tensor) -> Leading:
        """Return the leading dimensions of a tensor `[*leading, items]`."""
        return cls(tuple(x.shape[:-1]), tuple(ops.shape(x)[:-1]))

    @property
    def is_empty(self) -> bool:
        """True if the batch contains no list."""
        return 0 in self.shape

    @property
    def rows(self) -> tuple[int | Tensor, int | Tensor] | None:
        """`(rows, lists per row)`, or None where all lists are independent.

        With several leading dimensions, such as `[batch, time]`, the lists of
        one row of the first dimension depend on each other.
        """
        if len(self.shape) < 2 or self.is_empty:
            return None
        return self.sizes[0], math.prod(self.sizes[1:])

    def as_lists(self, x: Tensor) -> Tensor:
        """Return `[*leading, ...]` reshaped to `[lists, ...]`.

        An empty batch becomes one list of zeros, since not all backends reduce
        empty tensors. The caller must mask it.
        """
        dimensions = len(self.shape)
        if dimensions == 0:
            return ops.expand_dims(x, 0)
        if dimensions > 1:
            known = [size for size in self.shape if size is not None]
            lists = math.prod(known) if len(known) == dimensions else -1
            x = ops.reshape(x, (lists, *ops.shape(x)[dimensions:]))
        if self.is_empty:
            x = ops.pad(x, [[0, 1], *[[0, 0]] * (len(x.shape) - 1)])
        return x

    def as_rows(self, x: Tensor) -> Tensor:
        """Return `[*leading, row]` as `[lists, row]`; an empty row becomes -1.

        So does each row of an empty batch.
        """
        rows = self.as_lists(x)
        if rows.shape[-1] == 0:  # not all backends reduce empty tensors
            rows = ops.pad(rows, [[0, 0], [0, 1]], constant_values=-1)
        return ops.full_like(rows, -1) if self.is_empty else rows

    def as_passed(self, values: Tensor) -> Tensor:
        """Return `[lists]` reshaped to `[*leading]`."""
        if len(self.shape) == 0:
            return values[0]
        if self.is_empty:
            values = values[:0]
        if len(self.shape) == 1:
            return values
        return ops.reshape(values, self.sizes)

    def per_list(self, x: Tensor) -> Tensor | None:
        """Return one value per list as `[lists]`, or None for other shapes.

        Args:
            x: a scalar, `[batch]` or `[*leading]`, maybe with further last
                dimensions of 1. A value per row of the batch holds for all
                lists of the row.
        """
        shape = tuple(x.shape)
        while len(shape) > 1 and shape[-1] == 1:
            x, shape = ops.squeeze(x, -1), shape[:-1]
        further = len(self.shape) - len(shape)
        if further < 0 or not compatible(shape, self.shape[: len(shape)]):
            return None
        if further > 0 and shape:
            x = ops.reshape(x, (*ops.shape(x), *[1] * further))
        if further > 0:
            x = ops.broadcast_to(x, self.sizes)
        return self.as_lists(x)


# The index and columns of pandas objects. Inputs are matched by position, so
# two frames with the same labels in another order would be mixed up without
# an error.

# The entries of `y_true` without a column per item. `"labels"` is such an entry
# only beside relevant ids.
_NOT_PER_ITEM = {
    f'y_true["{name}"]' for name in ("exclude", "num_relevant", "labels")
}


def check_aligned(
    entries: Mapping[str, Any], y_pred: Any, sample_weight: Any
) -> None:
    """Raise ValueError if matching inputs differ in their index or columns.

    Args:
        entries: the entries of `y_true`, the main one first.
        y_pred: as passed.
        sample_weight: as passed.
    """
    ranked = {"y_pred": y_pred}
    if isinstance(y_pred, dict):
        ranked = {f'y_pred["{name}"]': x for name, x in y_pred.items()}
    values = (*entries.values(), *ranked.values(), sample_weight)
    if all(_axis(x, "columns") is _axis(x, "index") is None for x in values):
        return
    main, *others = entries
    names = ["y_true", *(f'y_true["{name}"]' for name in others)]
    names += [*ranked, "sample_weight"]
    arguments = dict(zip(names, values, strict=True))
    items = {n: x for n, x in arguments.items() if n not in _NOT_PER_ITEM}
    if main == "target":
        del items["y_true"]
    have_rows = any(map(_has_rows, ranked.values()))
    check_aligned_axis("index", arguments if have_rows else items)
    check_aligned_axis("columns", items)


def check_aligned_axis(axis: str, arguments: Mapping[str, Any]) -> None:
    """Raise ValueError if two arguments have different labels on an axis.

    Args:
        axis: `"index"` or `"columns"`.
        arguments: the arguments by name.
    """
    for (name, one), (other, two) in pairwise(_labelled(axis, arguments)):
        if len(one) != len(two):
            noun = "rows" if axis == "index" else "columns"
            raise ValueError(
                f"`{name}` and `{other}` should have the same number of "
                f"{noun}. Received: {len(one)} and {len(two)}."
                f"{_only_in(name, one, two)}{_only_in(other, two, one)}"
            )
        names = isinstance(two, _Names)
        if not (two.equals(one) if names else one.equals(two)):
            raise ValueError(
                f"`{name}` and `{other}` should have the same {axis}, in the "
                "same order, since they are read by position. Received: "
                f"{_first(one)} and {_first(two)}. Reorder one like the other, "
                "for example with `reindex_like`. If their positions match "
                "already, pass `.to_numpy()` of both."
            )


def check_positions(name: str, x: Any) -> None:
    """Raise ValueError if integer column labels differ from the positions.

    Args:
        name: the argument that contains `x`, for errors.
        x: an input that is indexed by position.
    """
    columns = _axis(x, "columns")
    if columns is None or columns.dtype.kind not in "iu":
        return
    if not np.array_equal(columns, np.arange(len(columns))):
        raise ValueError(
            f"An index into `{name}` should be the position of a column, "
            "counted from 0, not its label. Received: columns with the labels "
            f"{_first(columns)}. Convert labels to positions with "
            f"`{name}.columns.get_indexer(labels)`, and pass "
            f"`{name}.to_numpy()`."
        )


def _has_rows(x: Any) -> bool:
    """Return True for two dimensions, and for a column of lists."""
    if isinstance(x, list | tuple):
        return bool(x) and (isinstance(x[0], list | tuple) or _rank(x[0]) > 0)
    is_column = _rank(x) == 1 and hasattr(x, "dtype")
    return _rank(x) > 1 or (is_column and getattr(x.dtype, "kind", "") == "O")


def _rank(x: Any) -> int:
    return len(getattr(x, "shape", ()))


def _only_in(name: str, one: Any, two: Any) -> str:
    """Return a sentence with the labels that only the first has, or ""."""
    lacking = one[~one.isin(two)]
    return f" Only `{name}` has {_first(lacking)}." if len(lacking) else ""


def _labelled(
    axis: str, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    for name, x in arguments.items():
        labels = _axis(x, axis)
        # A single label is in order, whatever it is.
        if labels is not None and len(labels) > 1:
            yield name, labels


class _Names(np.ndarray):
    """The names of columns of polars and Arrow, like an index of pandas."""

    def equals(self, other: Any) -> bool:
        """Return True if the names are equal, in the same order."""
        return self.tolist() == other.tolist()

    def isin(self, others: Any) -> np.ndarray:
        """Return True for the names that others contain."""
        return np.isin(self, others.tolist())


def _axis(x: Any, axis: str) -> Any:
    """Return the index or columns of a frame, None for others."""
    labels = getattr(x, axis, None)
    if axis == "columns":
        names = getattr(x, "column_names", labels)
        if isinstance(names, list):
            return np.array(names, np.str_).view(_Names)
    return labels if hasattr(labels, "equals") else None


def _first(labels: Any) -> str:
    shown = ", ".join(map(repr, labels[:5].tolist()))
    return f"[{shown}{', ...' * (len(labels) > 5)}]"
