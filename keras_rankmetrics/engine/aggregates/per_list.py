"""`PerList`: what metrics make of the lists of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

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
