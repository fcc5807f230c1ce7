"""What users pass of a catalogue, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.inputs.tensors import integers

# So many scores at a time are few enough to stay near the processor.
_SCORES = 2**21
_AT_LEAST, _AT_MOST = 2**10, 2**17
# Rows of so many scores, or multiples, are those that torch counts fastest.
_BLOCK = 2040


def checked_items(items: Any) -> tuple[Any, int]:
    """The catalogue as an array of rows, and how many it has."""
    if isinstance(items, list | tuple):
        items = np.asarray(items)
    shape = getattr(items, "shape", None)
    if not shape or not shape[0]:
        received = type(items).__name__ if shape is None else f"shape {shape}"
        raise ValueError(
            "`items` should be an array of a row for each item of the "
            f"catalogue, [items, ...]. Received: {received}."
        )
    return items, int(shape[0])


def numbers_of(name: str, x: Any, items: int) -> np.ndarray:
    """Numbers of items, int32 `[lists, row]`, -1 for padding.

    Args:
        name: of the argument, for errors.
        x: what the user passed, `[lists]` or `[lists, row]`.
        items: how many there are.
    """
    rows = ops.convert_to_numpy(integers(name, x, "numbers of items"))
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim == 2 and rows.shape[1] == 0:
        rows = np.full((len(rows), 1), -1)
    if rows.ndim != 2:
        raise ValueError(
            f"`{name}` should hold numbers of items, a row for each list, "
            f"[lists] or [lists, row]. Received: the shape {rows.shape}."
        )
    if rows.shape[1] == items > 2 and set(np.unique(rows)) == {0, 1}:
        raise ValueError(
            f"`{name}` should hold numbers of items. Received: {items} numbers "
            "for each list, all of them 0 or 1, which look like labels. The "
            "places of the ones are the numbers."
        )
    if rows.max(initial=-1) >= items:
        raise ValueError(
            f"`{name}` should hold numbers of items, from 0 to {items - 1}, "
            f"since there are {items} items. Received: {rows.max()}."
        )
    return np.maximum(rows, -1).astype("int32")


def excluded_of(exclude: Any, items: int, lists: int) -> np.ndarray:
    """The items that have no rank, each once, int32 `[lists, excluded]`."""
    if exclude is None:
        return np.full((lists, 1), -1, "int32")
    is_flat = np.ndim(exclude) == 1 and not np.ndim(exclude[0])
    rows = np.sort(numbers_of("exclude", exclude, items), axis=-1)
    if is_flat or len(rows) != lists:
        received = "no" if is_flat else len(rows)
        raise ValueError(
            "`exclude` should have a row for each list, [lists, excluded]. "
            f"Received: {received} rows for {lists} lists."
        )
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = -1
    return rows


def checked_queries(queries: Any, items: Any, lists: int, score_fn: Any) -> Any:
    """What scores the items: vectors, or what a function takes."""
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
            "`queries` should have a vector for each list and `items` one for "
            "each item, of the same length: [lists, d] and [items, d]. "
            f"Received: `queries.shape` = {tuple(queries.shape)} and "
            f"`items.shape` = {tuple(items.shape)}, and targets of {lists} "
            "lists. For anything but inner products, pass a `score_fn`."
        )
    return queries


def checked_chunk(chunk: Any, lists: int, items: int) -> int:
    """How many items are scored at once."""
    if chunk is None:
        chunk = min(max(_SCORES // lists, _AT_LEAST), _AT_MOST)
        chunk -= chunk % _BLOCK if chunk > _BLOCK else 0
    whole = as_integer(chunk)
    if whole is None or whole < 1:
        raise ValueError(
            "`chunk` should be a positive integer, or None. Received: "
            f"{chunk!r}."
        )
    return min(whole, items)
