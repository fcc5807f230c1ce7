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
        columns: arrays of Arrow of one type, integers or strings.
    """
    import pyarrow as pa

    together = pa.concat_arrays(columns)
    if pa.types.is_integer(together.type):
        numbers = _integers(together)
    else:
        numbers = _places(together)
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers, ends[:-1])


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
