"""The protocol of aggregates, their input `PerList`, and `Tally`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# The fields of `PerList` that have a row for each metric.
_PER_METRIC = ("values", "weights", "has_own_weight", "valid")


class PerList(NamedTuple):
    """The values and weights of the lists of a batch, for one or more metrics.

    Attributes:
        values: `[metrics, lists]`, the values of the measures.
        weights: `[metrics, lists]`, for the lists that have their own weight.
        has_own_weight: bool `[metrics, lists]`. The other lists take the mean
            weight of these.
        valid: bool `[metrics, lists]`, True for valid lists. Values of
            excluded lists may be NaN.
        rows: None if all lists are independent, else `(rows, lists per row)`.
            Lists of one row, such as the steps of a session, are dependent.
        group: int32 `[lists]`, the group of each list, or None.
        rankings: one for each metric, for aggregates of the items that lists
            show.

    The package passes one to an `Aggregate`. A test can make its own:

    >>> from keras import ops
    >>> from keras_rankmetrics import PerList
    >>> values, yes = ops.array([[1.0, 0.0]]), ops.array([[True, True]])
    >>> PerList(values, ops.ones_like(values), yes, yes).group is None
    True

    Stability: stable.
    """

    values: Tensor
    weights: Tensor
    has_own_weight: Tensor
    valid: Tensor
    rows: tuple[int | Tensor, int | Tensor] | None = None
    group: Tensor | None = None
    rankings: tuple[Any, ...] = ()

    def of(self, rows: list[int]) -> PerList:
        """Return the `PerList` of some of the metrics, by their positions."""
        if len(rows) == self.values.shape[0]:
            return self
        start, stop = rows[0], rows[-1] + 1

        def taken(x: Tensor) -> Tensor:
            # A slice is faster than `take`.
            if rows == list(range(start, stop)):
                return x[start:stop]
            return ops.take(x, rows, axis=0)

        return self._replace(
            rankings=tuple(self.rankings[row] for row in rows),
            **{name: taken(getattr(self, name)) for name in _PER_METRIC},
        )

    @staticmethod
    def joined(parts: Sequence[PerList]) -> PerList:
        """Return one `PerList` of all metrics; the parts share their lists."""
        return parts[0]._replace(
            rankings=sum((part.rankings for part in parts), ()),
            **{
                name: ops.concatenate([getattr(part, name) for part in parts])
                for name in _PER_METRIC
            },
        )

    def per_list(self) -> Tensor:
        """Return the values, NaN for excluded lists."""
        return ops.where(self.valid, self.values, float("nan"))


class Aggregate(Protocol):
    """The sums that a metric keeps, and the result computed from them.

    The sums start at 0. The sums of batches, replicas and processes are added,
    so every result is a function of sums: a maximum or a median is impossible.

    An aggregate must be hashable: the metrics of a collection whose aggregates
    are equal keep their sums in one variable.

    It may have `names`, a tuple with a name for each sum along the last axis.
    Saved states then have their sums by name, and a sum that a state lacks is
    NaN.

    >>> from keras import ops
    >>> import keras_rankmetrics as krm
    >>> class Sum:  # of the values, in place of their mean
    ...     shape = ()
    ...
    ...     def of_batch(self, x):
    ...         values = ops.where(x.valid, x.values, 0.0)
    ...         return ops.sum(values, axis=-1)
    ...
    ...     def result(self, sums):
    ...         return sums
    >>> class SumOfHits(krm.HitRateAtK):
    ...     aggregate = Sum()
    >>> metric = SumOfHits(k=1)
    >>> float(metric([[1, 0], [1, 0]], [[2, 1], [2, 1]]))
    2.0

    Stability: stable.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums of one metric."""

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, *shape]`."""

    def result(self, sums: Tensor) -> Tensor:
        """Return the results, `[...]`, for sums `[..., *shape]`."""


@dataclasses.dataclass(frozen=True)
class Tally:
    """Sums for each item of a catalogue, and one number computed from them.

    Attributes:
        items: the size of the catalogue.
        shape: the shape of the sums of one metric.
        count: a function `(ranking, weights, items)` that returns the sums of
            a batch. The weights are `[lists]`, 0 for excluded lists.
        number: a function `(sums)` that returns the result.
    """

    items: int
    shape: tuple[int, ...]
    count: Callable[[Any, Tensor, int], Tensor]
    number: Callable[[Tensor], Tensor]

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, *shape]`.

        They are NaN for a metric if the value of a valid list is.
        """
        weights = ops.where(x.valid, x.weights, 0)
        lost = ops.any(x.valid & ops.isnan(x.values), axis=-1)
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
        """Return the results, `[...]`, for sums `[..., *shape]`."""
        if len(sums.shape) == len(self.shape):
            return self.number(sums)
        return ops.stack([self.number(each) for each in ops.unstack(sums)])


def check_aggregate(owner: str, aggregate: Any) -> None:
    """Raise TypeError if an aggregate lacks an attribute or is not hashable.

    Args:
        owner: the name of the metric's class.
        aggregate: the class attribute of that name.
    """
    parts = "shape", "of_batch", "result"
    lacking = [name for name in parts if not hasattr(aggregate, name)]
    if isinstance(aggregate, type):
        name = aggregate.__name__
        received = f"the class {name}. Write `aggregate = {name}()`."
    elif lacking:
        received = f"{aggregate!r}, which has no `{lacking[0]}`."
    elif type(aggregate).__hash__ is None:
        received = (
            f"{aggregate!r}. Make its class a frozen dataclass with "
            "`@dataclasses.dataclass(frozen=True)`."
        )
    else:
        return
    raise TypeError(
        f"The `aggregate` of {owner} should be hashable and have a `shape` and "
        "the methods `of_batch(x)` and `result(sums)`. Received: " + received
    )
