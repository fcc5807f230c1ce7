"""`Ragged`: rows of unequal lengths, and padded arrays of them."""

from __future__ import annotations

from typing import NamedTuple

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
