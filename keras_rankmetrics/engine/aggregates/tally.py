"""`Tally`: sums of what lists show, rather than of values of lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Tally:
    """Sums for the items of a catalogue, and a number that is made of them.

    Attributes:
        items: how many items there are.
        shape: of the sums of one metric.
        count: `(ranking, weights, items)` to what lists add to the sums. The
            weights are `[lists]`, 0 for a list that does not count.
        number: `(sums)` to the number.
    """

    items: int
    shape: tuple[int, ...]
    count: Callable[[Any, Tensor, int], Tensor]
    number: Callable[[Tensor], Tensor]

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, *shape]`, what the batch adds.

        NaN where a list that counts has no value.
        """
        weights = ops.where(x.counts, x.weights, 0)
        lost = ops.any(x.counts & ops.isnan(x.values), axis=-1)
        return ops.stack(
            [
                ops.where(
                    lost[row],
                    float("nan"),
                    self.count(ranking, weights[row], self.items),
                )
                for row, ranking in enumerate(x.rankings)
            ]
        )

    def result(self, sums: Tensor) -> Tensor:
        """The numbers, `[...]` of `[..., *shape]`."""
        if len(sums.shape) == len(self.shape):
            return self.number(sums)
        return ops.stack([self.number(each) for each in ops.unstack(sums)])
