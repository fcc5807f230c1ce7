"""`Slot`: where a metric keeps an array of its state."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import keras
import numpy as np

from keras_rankmetrics.engine.backend.keras_internals import is_symbolic
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.replicas import assign, values_here
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Slot:
    """A variable, or a row of one that the metrics of a collection share.

    Attributes:
        variable: of Keras.
        row: which of its rows, or None for all of it.
    """

    variable: keras.Variable
    row: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        shape = tuple(self.variable.shape)
        return shape if self.row is None else shape[1:]

    def read(self) -> Tensor:
        """The array."""
        value = ops.convert_to_tensor(self.variable)
        return value if self.row is None else value[self.row]

    def values_here(self) -> list[np.ndarray]:
        """The array of each replica that this process has, or the only one."""
        values = values_here(self.variable)
        return values if self.row is None else [x[self.row] for x in values]

    def write(self, x: Tensor | np.ndarray) -> None:
        """Replaces the array.

        What the symbolic pass of Keras writes, nobody reads; and on torch it
        would come without values into a second one.
        """
        if is_symbolic():
            return
        if self.row is not None:
            x = ops.convert_to_tensor(x, dtype=self.variable.dtype)[None]
            start = (self.row, *[0] * len(self.shape))
            x = ops.slice_update(self.variable.value, start, x)
        assign(self.variable, x)

    def clear(self) -> None:
        """Sets the array to 0."""
        self.write(ops.zeros(self.shape, self.variable.dtype))


def read_all(slots: Sequence[Slot]) -> Tensor:
    """The arrays of several slots, `[slots, ...]`."""
    if _are_one_variable(slots):
        return ops.convert_to_tensor(slots[0].variable)
    return ops.stack([slot.read() for slot in slots])


def write_all(slots: Sequence[Slot], x: Tensor) -> None:
    """Replaces the arrays of several slots."""
    if is_symbolic():
        return
    if _are_one_variable(slots):
        assign(slots[0].variable, x)
        return
    for slot, its_part in zip(slots, ops.unstack(x, len(slots)), strict=True):
        slot.write(its_part)


def _are_one_variable(slots: Sequence[Slot]) -> bool:
    """Whether they are all the rows of a variable, in order."""
    variable = slots[0].variable
    return slots[0].row is not None and [
        (slot.variable is variable, slot.row) for slot in slots
    ] == [(True, row) for row in range(variable.shape[0])]
