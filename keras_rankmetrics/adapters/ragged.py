"""`Ragged`: rows of unequal lengths, out of Arrow and into padded arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Ragged(NamedTuple):
    """Rows of unequal lengths.

    Attributes:
        values: of all rows, one after the other.
        lengths: of each row.
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of_single(cls, values: np.ndarray) -> Ragged:
        """Rows of one value each."""
        return cls(values, np.ones(len(values), np.int64))

    @property
    def longest(self) -> int:
        """The length of the longest row."""
        return int(self.lengths.max(initial=0))

    def take(self, rows: np.ndarray) -> Ragged:
        """Some of the rows, in that order."""
        ends = np.cumsum(self.lengths)
        lengths = self.lengths[rows]
        before = np.cumsum(lengths) - lengths
        starts = ends[rows] - lengths
        places = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
        return Ragged(self.values[places], lengths)

    def padded(self, rows: int, width: int, fill: float) -> np.ndarray:
        """`[rows, width]`, with `fill` where there is no value."""
        lengths = np.zeros(rows, np.int64)
        lengths[: len(self.lengths)] = self.lengths
        values = self.values
        if values.dtype.kind == "u":  # of which none is below 0
            values = values.astype(np.float64)
        dense = np.full((rows, width), fill, values.dtype)
        dense[np.arange(width) < lengths[:, None]] = values
        return dense


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """The values of a column of Arrow in one array, and how many a row has.

    A row that is null has none. A column that holds no lists has one value in
    each row.

    Args:
        array: a `pyarrow.Array`.
    """
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not is_list(array.type):
        there = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), there.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # `flatten` leaves out what lies behind a null and before a slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


def is_list(arrow_type: Any) -> bool:
    """Whether values of the type are lists."""
    from pyarrow import types

    return bool(
        types.is_list(arrow_type)
        or types.is_large_list(arrow_type)
        or types.is_fixed_size_list(arrow_type)
    )


def element(arrow_type: Any) -> Any:
    """The type of what lists hold, or the type itself."""
    return arrow_type.value_type if is_list(arrow_type) else arrow_type
