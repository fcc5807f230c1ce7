"""Tables: what a metric is told of each item of a catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from keras_rankmetrics.engine.ranking.functions import Identity
from keras_rankmetrics.types import OfItems


def checked_table(name: str, value: Any, kind: OfItems) -> np.ndarray:
    """A copy of the table, in float32.

    Raises:
        ValueError: if it does not hold such numbers.
    """
    _check_positions(name, value)
    try:
        table = np.asarray(value)
    except Exception as error:  # rows of unequal lengths, tensors elsewhere
        raise _error(name, kind, f"what is no array: {error}") from error
    if table.dtype.kind not in "fiub":
        raise _error(name, kind, f"{value!r}")
    if table.ndim != kind.dimensions or 0 in table.shape:
        raise _error(name, kind, f"the shape {table.shape}")
    table = np.array(table, dtype="float32", order="C")
    wrong = (table < kind.low) | (table > kind.high) | (table <= kind.above)
    wrong |= ~np.isfinite(table)
    if wrong.any():
        raise _error(name, kind, f"the number {table[wrong][0]}")
    return table


def derived(
    function: Callable[[np.ndarray], np.ndarray], table: np.ndarray
) -> np.ndarray:
    """What a function makes of a table, computed once for each of the last.

    Args:
        function: to be computed.
        table: as a metric has it, which nobody changes.
    """
    return _derived(function, Identity(table))


@functools.lru_cache(maxsize=8)
def _derived(
    function: Callable[[np.ndarray], np.ndarray], table: Identity
) -> np.ndarray:
    return np.asarray(function(table.of), "float32")


def _check_positions(name: str, value: Any) -> None:
    """Raises where rows are numbered, and not by their positions."""
    index: Any = getattr(value, "index", None)
    if not hasattr(index, "equals") or index.dtype.kind not in "iu":
        return
    if not np.array_equal(index, np.arange(len(index))):
        raise ValueError(
            f"`{name}` is read by position: its row 0 is of item 0. Received: "
            f"rows with the names {index[:5].tolist()}. Bring them into order, "
            f"with a row for each item, by `{name}.reindex(range(num_items), "
            "fill_value=0)`."
        )


def _error(name: str, kind: OfItems, received: str) -> ValueError:
    shape = "one" if kind.dimensions == 1 else "a row"
    limits = {"at least": kind.low, "at most": kind.high, "above": kind.above}
    text = ", ".join(
        f"{word} {limit:g}"
        for word, limit in limits.items()
        if np.isfinite(limit)
    )
    return ValueError(
        f"`{name}` should hold {kind.what}: finite numbers{' ' * bool(text)}"
        f"{text}, {shape} for each {kind.each}. Received: {received}."
    )
