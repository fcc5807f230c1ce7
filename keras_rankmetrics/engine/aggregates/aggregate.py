"""`Aggregate`: which sums are kept, and how they become a number."""

from __future__ import annotations

from typing import Any, Protocol

from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.types import Tensor


class Aggregate(Protocol):
    """Which sums a metric keeps of its lists, and what it makes of them.

    The sums start at 0, and those of two batches, replicas or processes are
    added up. So an aggregate has no say in how they are merged, and there is
    none that is no function of sums: no maximum, and no median.

    It must be hashable: the metrics of a collection whose aggregates are equal
    keep their sums in one variable.

    >>> from keras import ops
    >>> import keras_rankmetrics as krm
    >>> class Sum:  # of the values, in place of their mean
    ...     shape = ()
    ...
    ...     def of_batch(self, x):
    ...         values = ops.where(x.counts, x.values, 0.0)
    ...         return ops.sum(values, axis=-1)
    ...
    ...     def result(self, sums):
    ...         return sums
    >>> class SumOfHits(krm.HitRateAtK):
    ...     aggregate = Sum()
    >>> metric = SumOfHits(k=1)
    >>> float(metric([[1, 0], [1, 0]], [[2, 1], [2, 1]]))
    2.0
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the sums of one metric."""

    def of_batch(self, x: PerList) -> Tensor:
        """What a batch adds to the sums, `[metrics, *shape]`."""

    def result(self, sums: Tensor) -> Tensor:
        """The number that the sums make, `[...]` of `[..., *shape]`."""


def check_aggregate(owner: str, aggregate: Any) -> None:
    """Raise TypeError if an aggregate lacks something, or cannot be hashed.

    Args:
        owner: the name of the class of the metric.
        aggregate: its class attribute.
    """
    if isinstance(aggregate, type):
        raise TypeError(
            f"The `aggregate` of {owner} should be an object. Received: the "
            f"class {aggregate.__name__}. Write "
            f"`aggregate = {aggregate.__name__}()`."
        )
    lacking = [
        name
        for name in ("shape", "of_batch", "result")
        if not hasattr(aggregate, name)
    ]
    if lacking:
        raise TypeError(
            f"The `aggregate` of {owner} should have a `shape`, and the "
            "methods `of_batch(x)` and `result(sums)`. Received: "
            f"{aggregate!r}, which has no `{lacking[0]}`."
        )
    if type(aggregate).__hash__ is None:
        raise TypeError(
            f"The `aggregate` of {owner} should be hashable. Received: "
            f"{aggregate!r}. Make its class a frozen dataclass: "
            "`@dataclasses.dataclass(frozen=True)`."
        )
