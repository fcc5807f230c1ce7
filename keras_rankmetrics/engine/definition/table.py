"""Tables: what a metric is told of each item of a catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_rankmetrics.types import OfItems


def checked_table(name: str, value: Any, of_items: OfItems) -> np.ndarray:
    """The table as floats that nobody can change.

    Raises:
        ValueError: if it does not hold such numbers.
    """
    try:
        table = np.asarray(value)
    except Exception as error:  # rows of unequal lengths, tensors elsewhere
        raise _wrong(name, of_items, f"what numpy cannot read: {error}") from (
            error
        )
    if table.dtype.kind not in "fiub":
        raise _wrong(name, of_items, f"{value!r}")
    if table.ndim != of_items.dimensions or 0 in table.shape:
        raise _wrong(name, of_items, f"the shape {table.shape}")
    beyond = (table < of_items.low) | (table > of_items.high)
    wrong = beyond | ~np.isfinite(table)
    if wrong.any():
        raise _wrong(name, of_items, f"the number {table[wrong][0]}")
    if table.dtype == np.float32 and not table.flags.writeable:
        return table
    table = np.array(table, dtype="float32", order="C")
    table.flags.writeable = False
    return table


def _wrong(name: str, of_items: OfItems, received: str) -> ValueError:
    shape = "[items]" if of_items.dimensions == 1 else "[items, numbers]"
    limits = [
        f"{word} {limit:g}"
        for word, limit in (
            ("at least", of_items.low),
            ("at most", of_items.high),
        )
        if np.isfinite(limit)
    ]
    return ValueError(
        f"`{name}` should hold {of_items.what}, in the order of the catalogue: "
        f"finite numbers {shape}{', ' * bool(limits)}{' and '.join(limits)}. "
        f"Received: {received}."
    )
