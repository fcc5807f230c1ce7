"""The names that pandas gives rows and columns, which must be the same.

What is read is read by position. Rows or columns of two frames that have the
same names in another order would be taken for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress, pairwise
from typing import Any

import numpy as np

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
