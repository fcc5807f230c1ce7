"""`Sortable`: scores, some of which may reach no sort."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from keras import backend

from keras_rankmetrics.engine.backend.branching import unless
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.selection import top_k
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Sortable:
    """Scores of items, of which masked ones and NaN count as the lowest.

    As they are, neither may be sorted: outside of XLA, a single NaN upsets
    TensorFlow's. To take them out makes a copy of all scores, which is avoided
    where there are none.

    Attributes:
        given: `[lists, items]`.
        may: computes which of them may be sorted, bool `[lists, items]`.
        clean: whether all of them may, a bool scalar.
    """

    given: Tensor
    may: Callable[[], Tensor]
    clean: Tensor

    def cleaned(self) -> Tensor:
        """`[lists, items]`, the lowest value of the dtype where they may not.

        That is -inf for floats, as it is for an item that is not retrieved.
        """
        return self.given if known(self.clean) else self._without()

    def retrieved(self) -> Tensor:
        """Which items have a rank, bool `[lists, items]`."""
        cleaned = self.cleaned()
        return cleaned > lowest(cleaned)

    def are_all_retrieved(self) -> Tensor:
        """Whether each item of all lists has a rank, bool."""
        return self.clean & (ops.min(self.given) > lowest(self.given))

    def levelled(self) -> Sortable:
        """The same items, those that are retrieved with one score."""
        given = self.given
        zeros = ops.zeros_like(given)
        scores = ops.where(self.retrieved(), zeros, lowest(given))
        there = ops.ones((), "bool")
        return Sortable(scores, lambda: scores == scores, there)

    def repeated(self, times: int | Tensor) -> Sortable:
        """Each list so many times."""
        return Sortable(
            ops.repeat(self.given, times, axis=0),
            lambda: ops.repeat(self.may(), times, axis=0),
            self.clean,
        )

    def top_k(self, k: int | Tensor) -> tuple[Tensor, Tensor]:
        """The highest `k` of each list, and where they stand."""
        return unless(
            self.clean,
            lambda: top_k(self._without(), k),
            if_true=lambda: top_k(self.given, k),
        )

    def _without(self) -> Tensor:
        return ops.where(self.may(), self.given, lowest(self.given))


def lowest(x: Tensor) -> float | np.integer:
    """The score of an item that is not retrieved: below every other one.

    It is -inf, or for integers the smallest one.
    """
    dtype = backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    # Not a plain int, of which Keras before 3.15 makes an int32 on torch.
    return np.dtype(dtype).type(np.iinfo(dtype).min)
