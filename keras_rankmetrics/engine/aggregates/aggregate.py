"""What is kept of the lists: sums, one value per list, or a count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# `PerList`: what metrics make of the lists of a batch.

# What has a row for each metric.
_OF_METRICS = ("values", "weights", "has_own_weight", "counts")


class PerList(NamedTuple):
    """What metrics that read the same make of a batch.

    Attributes:
        values: `[metrics, lists]`, what the measures say of the lists.
        weights: `[metrics, lists]`, of the lists that have one of their own.
        has_own_weight: bool `[metrics, lists]`. The others weigh as much as
            these do on average.
        counts: bool `[metrics, lists]`, which lists count. What does not count
            may be NaN.
        rows: None where all lists are independent. Else `(rows, lists of each
            row)`: lists of one row, as the steps of a session, belong together.
        group: int32 `[lists]`, the group of each list, or None.
        rankings: one for each metric, for sums of what lists show.

    An `Aggregate` gets one from the package. A test can make one:

    >>> from keras import ops
    >>> from keras_rankmetrics import PerList
    >>> values, yes = ops.array([[1.0, 0.0]]), ops.array([[True, True]])
    >>> PerList(values, ops.ones_like(values), yes, yes).group is None
    True
    """

    values: Tensor
    weights: Tensor
    has_own_weight: Tensor
    counts: Tensor
    rows: tuple[int | Tensor, int | Tensor] | None = None
    group: Tensor | None = None
    rankings: tuple[Any, ...] = ()

    def of(self, rows: list[int]) -> PerList:
        """That of some of the metrics, by their places."""
        if len(rows) == self.values.shape[0]:
            return self
        first, last = rows[0], rows[-1]
        in_a_row = rows == list(range(first, last + 1))

        def taken(x: Tensor) -> Tensor:
            # A slice takes a backend less time.
            if in_a_row:
                return x[first : last + 1]
            return ops.take(x, rows, axis=0)

        return self._replace(
            rankings=tuple(self.rankings[row] for row in rows),
            **{name: taken(getattr(self, name)) for name in _OF_METRICS},
        )

    @staticmethod
    def joined(parts: Sequence[PerList]) -> PerList:
        """That of the metrics of all parts, which read the same lists."""
        return parts[0]._replace(
            rankings=sum((part.rankings for part in parts), ()),
            **{
                name: ops.concatenate([getattr(part, name) for part in parts])
                for name in _OF_METRICS
            },
        )

    def per_list(self) -> Tensor:
        """The values, NaN for a list that does not count."""
        return ops.where(self.counts, self.values, float("nan"))


# `Aggregate`: which sums are kept, and how they become a number.


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


# `Tally`: sums of what lists show, rather than of values of lists.


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
