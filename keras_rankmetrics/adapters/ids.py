"""Ids as small integers: only which of them are equal matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def numbered(columns: Sequence[Any]) -> list[np.ndarray]:
    """The ids of several columns as int32, the same id as the same number.

    Integers that fit stay as they are. Others, and strings, are numbered among
    themselves: no number outlives the call. Negative integers stay negative.

    Args:
        columns: arrays of Arrow, all of integers or all of strings.
    """
    import pyarrow as pa

    together = pa.concat_arrays(_of_one_type(columns))
    if pa.types.is_integer(together.type):
        numbers = _integers(together)
    else:
        numbers = _places(together)
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers, ends[:-1])


def _of_one_type(columns: Sequence[Any]) -> list[Any]:
    """The columns in the widest of their types; what holds nothing, in that."""
    import pyarrow as pa

    kinds = {column.type for column in columns if len(column)}
    if len(kinds) < 2:
        wide = kinds.pop() if kinds else pa.int64()
    elif any(pa.types.is_integer(kind) for kind in kinds):
        wide = pa.uint64() if pa.uint64() in kinds else pa.int64()
    else:
        wide = pa.large_string()
    return [
        column.cast(wide) if len(column) else pa.array([], wide)
        for column in columns
    ]


def _integers(ids: Any) -> np.ndarray:
    values = ids.to_numpy()
    largest = int(values.max(initial=0))
    if largest <= np.iinfo(np.int32).max:
        return np.where(values < 0, -1, values).astype(np.int32)
    return np.where(values < 0, np.int32(-1), _places(ids))


def _places(ids: Any) -> np.ndarray:
    """The place of each id among the different ones."""
    indices: np.ndarray = ids.dictionary_encode().indices.to_numpy()
    return indices.astype(np.int32)
