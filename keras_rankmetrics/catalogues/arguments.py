"""Checks of the arguments of `count_ranks`."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.inputs.tensors import integers

# This many scores stay in the processor's cache.
_SCORES = 2**21
_AT_LEAST, _AT_MOST = 2**10, 2**17
# torch counts rows of this many scores, or a multiple, fastest.
_BLOCK = 2040


def checked_items(items: Any) -> tuple[Any, int]:
    """Return the catalogue as an array, and its number of items."""
    if isinstance(items, list | tuple):
        items = np.asarray(items)
    shape = getattr(items, "shape", None)
    if not shape or not shape[0]:
        received = type(items).__name__ if shape is None else f"shape {shape}"
        raise ValueError(
            "`items` should be an array with a row for each item of the "
            f"catalogue, [items, ...]. Received: {received}."
        )
    return items, int(shape[0])


def item_numbers(name: str, x: Any, items: int) -> np.ndarray:
    """Return numbers of items, int32 `[lists, row]`, -1 for padding.

    Args:
        name: the name of the argument, for errors.
        x: the argument, `[lists]` or `[lists, row]`.
        items: the size of the catalogue.

    Raises:
        ValueError: if the shape or a number is invalid.
    """
    rows = ops.convert_to_numpy(integers(name, x, "numbers of items"))
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim == 2 and rows.shape[1] == 0:
        rows = np.full((len(rows), 1), -1)
    if rows.ndim != 2:
        raise ValueError(
            f"`{name}` should hold the numbers of items of each list, "
            f"[lists] or [lists, row]. Received: the shape {rows.shape}."
        )
    if rows.shape[1] == items > 2 and set(np.unique(rows)) == {0, 1}:
        raise ValueError(
            f"`{name}` should hold numbers of items. Received: {items} numbers "
            "for each list, all of them 0 or 1, which look like labels. Pass "
            "the positions of the ones."
        )
    if rows.max(initial=-1) >= items:
        raise ValueError(
            f"`{name}` should hold numbers of items from 0 to {items - 1}, "
            f"since there are {items} items. Received: {rows.max()}."
        )
    return np.maximum(rows, -1).astype("int32")


def excluded_items(exclude: Any, items: int, lists: int) -> np.ndarray:
    """Return the items without a rank, each once, int32 `[lists, excluded]`.

    Raises:
        ValueError: if there is not one row for each list.
    """
    if exclude is None:
        return np.full((lists, 1), -1, "int32")
    is_flat = np.ndim(exclude) == 1 and not np.ndim(exclude[0])
    rows = np.sort(item_numbers("exclude", exclude, items), axis=-1)
    if is_flat or len(rows) != lists:
        received = "no" if is_flat else len(rows)
        raise ValueError(
            "`exclude` should have a row for each list, [lists, excluded]. "
            f"Received: {received} rows for {lists} lists."
        )
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = -1
    return rows


def checked_queries(queries: Any, items: Any, lists: int, score_fn: Any) -> Any:
    """Return the queries: vectors, or any input of `score_fn`.

    Raises:
        TypeError: if `score_fn` is not callable.
        ValueError: if vectors of queries and items do not fit together.
    """
    if score_fn is not None:
        if not callable(score_fn):
            raise TypeError(
                "`score_fn` should be a function of queries and rows of items. "
                f"Received: {score_fn!r}."
            )
        return queries
    queries = ops.convert_to_tensor(queries)
    expected = (lists, *items.shape[1:])
    if tuple(queries.shape) != expected or len(expected) != 2:
        raise ValueError(
            "`queries` should hold a vector for each list and `items` one for "
            "each item, of the same length: [lists, d] and [items, d]. "
            f"Received: `queries.shape` = {tuple(queries.shape)} and "
            f"`items.shape` = {tuple(items.shape)}, and targets of {lists} "
            "lists. For scores other than inner products, pass a `score_fn`."
        )
    return queries


def checked_chunk(chunk: Any, lists: int, items: int) -> int:
    """Return the number of items to score at once.

    Raises:
        ValueError: if `chunk` is not a positive integer or None.
    """
    if chunk is None:
        chunk = min(max(_SCORES // lists, _AT_LEAST), _AT_MOST)
        chunk -= chunk % _BLOCK if chunk > _BLOCK else 0
    whole = as_integer(chunk)
    if whole is None or whole < 1:
        raise ValueError(
            "`chunk` should be a positive integer or None. Received: "
            f"{chunk!r}."
        )
    return min(whole, items)
