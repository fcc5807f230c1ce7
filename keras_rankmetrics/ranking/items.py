"""`Items`: what each list holds, retrieved or not, in no order."""

from __future__ import annotations

import dataclasses

from keras import ops

from keras_rankmetrics.types import GainFn, Tensor


@dataclasses.dataclass(frozen=True)
class Items:
    """The items of each list.

    Attributes:
        labels: `[lists, items]`, floats. Below 0: no item. A gain function
            is 0 there.
        weights: `[lists, items]`, or None where all items weigh the same.
    """

    labels: Tensor
    weights: Tensor | None = None

    def sum(self, gain: GainFn) -> Tensor:
        """`[lists]`, the sum of the gains."""
        return ops.sum(gain(self.labels), axis=-1)

    def weighted(self, gain: GainFn) -> Tensor:
        """`[lists, items]`, the weights times the gains."""
        gains = gain(self.labels)
        if self.weights is None:
            return gains
        return ops.where(gains > 0, self.weights * gains, 0)

    def best(self, gain: GainFn, depth: int | Tensor) -> Tensor:
        """`[lists, depth]`, the highest weights times gains, best first."""
        if self.weights is None:
            # A gain does not decrease as the label grows.
            return gain(ops.top_k(self.labels, depth)[0])
        return ops.top_k(self.weighted(gain), depth)[0]
