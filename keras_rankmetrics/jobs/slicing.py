"""`Slicing`: from a column to the numbers of groups."""

from __future__ import annotations

import dataclasses

import numpy as np

from keras_rankmetrics.jobs.ragged import Ragged


@dataclasses.dataclass(frozen=True)
class Slicing:
    """A column that says to which group a list belongs.

    Attributes:
        column: its name.
        groups: the names of the groups, or how many there are.
    """

    column: str
    groups: tuple[str, ...] | int

    @property
    def name(self) -> str:
        """Of the numbers, unlike that of any column of the same table."""
        return f"{self.column} as one of {self.groups}"

    def numbers(self, held: Ragged) -> Ragged:
        """The number of the group of each list, from what the column holds.

        Raises:
            ValueError: if it is none of the groups.
        """
        if held.values.dtype.kind in "iu":
            return Ragged.of_single(self._in_range(held.values))
        names = () if isinstance(self.groups, int) else self.groups
        different, places = np.unique(held.values, return_inverse=True)
        known = {name: number for number, name in enumerate(names)}
        unknown = [name for name in different if name not in known]
        if unknown:
            raise ValueError(self._message(unknown[0]))
        numbers = np.array([known[name] for name in different], np.int32)
        return Ragged.of_single(numbers[places])

    def _in_range(self, numbers: np.ndarray) -> np.ndarray:
        groups = self.groups
        count = groups if isinstance(groups, int) else len(groups)
        wrong = (numbers < 0) | (numbers >= count)
        if wrong.any():
            raise ValueError(self._message(numbers[wrong][0]))
        return numbers.astype(np.int32)

    def _message(self, received: object) -> str:
        groups = self.groups
        count = groups if isinstance(groups, int) else len(groups)
        names = "" if isinstance(groups, int) else f", or of {list(groups)}"
        return (
            f"The column {self.column!r} should hold the group of each list, "
            f"an integer from 0 to {count - 1}{names}. Received: {received!r}."
        )
