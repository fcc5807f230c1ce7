"""The leading dimensions: all but the last one, which holds a list's items."""

from __future__ import annotations

import dataclasses
import math

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.parts.shapes import Shape
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Leading:
    """How the lists are laid out: `[batch]`, `[batch, time]`, `[]` for one.

    Attributes:
        shape: as far as it is known, None for what is not.
        sizes: the same, with tensors for what is not.
    """

    shape: Shape
    sizes: tuple[int | Tensor, ...]

    @classmethod
    def of(cls, x: Tensor) -> Leading:
        """The leading dimensions of a tensor."""
        return cls(tuple(x.shape[:-1]), tuple(ops.shape(x)[:-1]))

    @property
    def is_empty(self) -> bool:
        """Whether there is no list at all."""
        return 0 in self.shape

    @property
    def rows(self) -> tuple[int | Tensor, int | Tensor] | None:
        """`(rows, lists of each row)`, None where lists are independent.

        With more than one leading dimension, as `[batch, time]`, the lists of
        one row of the first belong together.
        """
        if len(self.shape) < 2 or self.is_empty:
            return None
        return self.sizes[0], math.prod(self.sizes[1:])

    def as_lists(self, x: Tensor) -> Tensor:
        """`[*leading, ...]` as `[lists, ...]`.

        If there is no list, it is one of zeros, since not all backends reduce
        empty tensors; whoever reads it must mask it.
        """
        dimensions = len(self.shape)
        if dimensions == 0:
            return ops.expand_dims(x, 0)
        if dimensions > 1:
            x = ops.reshape(x, (self._lists(), *ops.shape(x)[dimensions:]))
        if self.is_empty:
            x = ops.pad(x, [[0, 1], *[[0, 0]] * (len(x.shape) - 1)])
        return x

    def as_passed(self, values: Tensor) -> Tensor:
        """`[lists]` as `[*leading]`."""
        if len(self.shape) == 0:
            return values[0]
        if self.is_empty:
            values = values[:0]
        if len(self.shape) == 1:
            return values
        return ops.reshape(values, self.sizes)

    def _lists(self) -> int:
        """How many lists there are, -1 where that is not known."""
        sizes = [size for size in self.shape if size is not None]
        return math.prod(sizes) if len(sizes) == len(self.shape) else -1
