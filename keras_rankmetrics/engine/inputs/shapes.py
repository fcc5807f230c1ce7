"""Shapes: which inputs fit together, and the leading axes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from itertools import compress, pairwise
from typing import Any, TypeAlias

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# The names that pandas gives rows and columns, which must be the same.
#
# What is read is read by position. Rows or columns of two frames that have
# the same names in another order would be taken for each other.

# The main entry of `inputs="scores"`, and masks.
_OF_ITEMS = ("labels", "mask", "judged")


def check_aligned(
    entries: Mapping[str, Any], y_pred: Any, sample_weight: Any
) -> None:
    """Raises where rows or columns that belong together have other names.

    Args:
        entries: those of `y_true`, the main one first.
        y_pred: as the user passed it.
        sample_weight: as the user passed it.
    """
    ranked = {"y_pred": y_pred}
    if isinstance(y_pred, dict):
        ranked = {f'y_pred["{name}"]': x for name, x in y_pred.items()}
    passed = (*entries.values(), *ranked.values(), sample_weight)
    if all(_names(x, "index") is None for x in passed):
        return
    names = ["y_true", *(f'y_true["{name}"]' for name in [*entries][1:])]
    names += [*ranked, "sample_weight"]
    given = dict(zip(names, passed, strict=True))
    of_items = [name in _OF_ITEMS for name in entries]
    of_items += [True] * (len(ranked) + 1)
    by_item = dict(compress(given.items(), of_items))
    have_rows = any(map(_has_rows, ranked.values()))
    check_same("index", given if have_rows else by_item)
    check_same("columns", by_item)


def check_positions(name: str, x: Any) -> None:
    """Raises where columns are numbered, and not by their positions.

    Args:
        name: of the argument, for errors.
        x: what is indexed by position.
    """
    columns = _names(x, "columns")
    if columns is None or columns.dtype.kind not in "iu":
        return
    if not np.array_equal(columns, np.arange(len(columns))):
        raise ValueError(
            f"An index into `{name}` is the position of a column, from 0, and "
            f"not its name. Received: columns with the names {_few(columns)}. "
            "Turn names into positions by "
            f"`{name}.columns.get_indexer(names)`, and pass "
            f"`{name}.to_numpy()`."
        )


def _has_rows(x: Any) -> bool:
    """Whether it is two-dimensional, or a column of lists."""
    if isinstance(x, list | tuple):
        return len(x) > 0 and (
            isinstance(x[0], list | tuple) or _rank(x[0]) > 0
        )
    is_column = _rank(x) == 1 and hasattr(x, "dtype")
    return _rank(x) > 1 or (is_column and getattr(x.dtype, "kind", "") == "O")


def _rank(x: Any) -> int:
    return len(getattr(x, "shape", ()))


def check_same(axis: str, given: Mapping[str, Any]) -> None:
    """Raise ValueError if two arguments have different names along an axis.

    Args:
        axis: `"index"` or `"columns"`.
        given: the arguments by name.
    """
    for (name, one), (other, two) in pairwise(_named(axis, given)):
        if len(one) != len(two):
            noun = "rows" if axis == "index" else "columns"
            raise ValueError(
                f"`{name}` and `{other}` should have the same number of "
                f"{noun}. Received: {len(one)} and {len(two)}."
                f"{_only_in(name, one, two)}{_only_in(other, two, one)}"
            )
        if not one.equals(two):
            raise ValueError(
                f"`{name}` and `{other}` should have the same {axis}, in the "
                "same order, since they are read by position. Received: "
                f"{_few(one)} and {_few(two)}. Bring one into the order of the "
                "other, as `reindex_like` does. Only if they correspond "
                "already, pass `.to_numpy()` of both."
            )


def _only_in(name: str, one: Any, two: Any) -> str:
    """Return a sentence with the names that the other lacks, if there are."""
    lacking = one[~one.isin(two)]
    return f" Only `{name}` has {_few(lacking)}." if len(lacking) else ""


def _named(axis: str, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, x in given.items():
        names = _names(x, axis)
        # A single one is in order, whatever its name.
        if names is not None and len(names) > 1:
            yield name, names


def _names(x: Any, axis: str) -> Any:
    """The index or the columns, None of what has no names."""
    names = getattr(x, axis, None)
    return names if hasattr(names, "equals") else None


def _few(names: Any) -> str:
    listed = ", ".join(map(repr, names[:5].tolist()))
    return f"[{listed}{', ...' * (len(names) > 5)}]"


# Shapes, as far as they are known.

Shape: TypeAlias = tuple[int | None, ...]


def squeezed(x: Tensor, rank: int) -> Tensor:
    """`x`, without a last dimension of 1 if it has one more than `rank`."""
    if len(x.shape) == rank + 1 and x.shape[-1] == 1:
        return ops.squeeze(x, -1)
    return x


def compatible(shape: Shape, other: Shape) -> bool:
    """Whether two shapes can be the same, as far as they are known."""
    return len(shape) == len(other) and all(
        a is None or b is None or a == b
        for a, b in zip(shape, other, strict=True)
    )


# The leading dimensions: all but the last one, which holds a list's items.


@dataclasses.dataclass(frozen=True)
class Leading:
    """How the lists are laid out: `[batch]`, `[batch, time]`, `[]` for one.

    Attributes:
        shape: as far as it is known, None for what is not.
        sizes: the same, with tensors for what is not.
    """

    shape: Shape
    sizes: tuple[int | Tensor, ...]

    @classmethod
    def of(cls, x: Tensor) -> Leading:
        """The leading dimensions of a tensor."""
        return cls(tuple(x.shape[:-1]), tuple(ops.shape(x)[:-1]))

    @property
    def is_empty(self) -> bool:
        """Whether there is no list at all."""
        return 0 in self.shape

    @property
    def rows(self) -> tuple[int | Tensor, int | Tensor] | None:
        """`(rows, lists of each row)`, None where lists are independent.

        With more than one leading dimension, as `[batch, time]`, the lists of
        one row of the first belong together.
        """
        if len(self.shape) < 2 or self.is_empty:
            return None
        return self.sizes[0], math.prod(self.sizes[1:])

    def as_lists(self, x: Tensor) -> Tensor:
        """`[*leading, ...]` as `[lists, ...]`.

        If there is no list, it is one of zeros, since not all backends reduce
        empty tensors; whoever reads it must mask it.
        """
        dimensions = len(self.shape)
        if dimensions == 0:
            return ops.expand_dims(x, 0)
        if dimensions > 1:
            x = ops.reshape(x, (self._lists(), *ops.shape(x)[dimensions:]))
        if self.is_empty:
            x = ops.pad(x, [[0, 1], *[[0, 0]] * (len(x.shape) - 1)])
        return x

    def as_passed(self, values: Tensor) -> Tensor:
        """`[lists]` as `[*leading]`."""
        if len(self.shape) == 0:
            return values[0]
        if self.is_empty:
            values = values[:0]
        if len(self.shape) == 1:
            return values
        return ops.reshape(values, self.sizes)

    def _lists(self) -> int:
        """How many lists there are, -1 where that is not known."""
        sizes = [size for size in self.shape if size is not None]
        return math.prod(sizes) if len(sizes) == len(self.shape) else -1
