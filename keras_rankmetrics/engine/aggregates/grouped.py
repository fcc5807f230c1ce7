"""The weighted means of all lists and of each group of lists."""

from __future__ import annotations

import dataclasses

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.aggregates.mean import (
    SUMS_OF_ROWS,
    WeightedMean,
    moments_of_lists,
    moments_of_terms,
    terms_of,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Grouped:
    """The weighted mean of all lists, and the mean of each group.

    Attributes:
        groups: the number of groups. `PerList.group` holds the group of each
            list, from 0; a list with any other number is in no group.
        mean: the aggregate of the values.
    """

    groups: int
    mean: WeightedMean = dataclasses.field(default_factory=WeightedMean)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums: a row for all lists, then one a group."""
        return (1 + self.groups, *self.mean.shape)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 1 + groups, 38]`.

        In a compiled program, a valid list without a group makes the sums of
        all lists NaN.

        Raises:
            ValueError: if a valid list is in no group and values are concrete.
        """
        if x.group is None:
            raise ValueError(
                "Each list needs a group. Received: no groups. Pass them as "
                '`y_true["group"]`, or pass a function `by`.'
            )
        inside = (x.group >= 0) & (x.group < self.groups)
        outside = x.counts & ~inside
        lost = ops.any(outside, axis=-1)
        if concrete(ops.any(lost)):
            wrong = ops.where(ops.any(outside, axis=0), x.group, 0)
            found = sorted({int(ops.min(wrong)), int(ops.max(wrong))} - {0})
            raise ValueError(
                "The group of each valid list should be an integer from 0 to "
                f"{self.groups - 1}. Received: {found}."
            )
        of_all = self.mean.of_batch(x)
        of_all = ops.where(lost[:, None], float("nan"), of_all)
        group = ops.where(inside, x.group, self.groups)
        of_lists = self._in_groups(
            moments_of_lists(x, self.mean.bounded), group
        )
        of_rows = self._of_rows(x, group)
        of_groups = ops.concatenate([of_lists, of_rows], axis=-1)
        return ops.concatenate([of_all[:, None], of_groups], axis=1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the means, `[..., 1 + groups]`; 0 without lists."""
        return self.mean.result(sums)

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the means, `[..., 1 + groups]`."""
        return self.mean.errors(sums)

    def _of_rows(self, x: PerList, group: Tensor) -> Tensor:
        """Return the excess of the moments of rows, `[metrics, groups, 26]`."""
        if x.rows is None:
            shape = (x.values.shape[0], self.groups, SUMS_OF_ROWS)
            return ops.zeros(shape, x.values.dtype)
        of_lists = terms_of(x, self.mean.bounded)
        # The lists of a row that are in a group form a row of that group.
        row = ops.repeat(ops.arange(x.rows[0], dtype="int32"), x.rows[1])
        parts = x.rows[0] * (self.groups + 1)
        of_parts = ops.segment_sum(
            ops.moveaxis(of_lists, -1, 0),
            row * (self.groups + 1) + group,
            num_segments=parts,
        )
        of_parts = ops.moveaxis(of_parts, 0, -1)
        group_of_part = ops.arange(parts, dtype="int32") % (self.groups + 1)
        return self._in_groups(
            moments_of_terms(of_parts), group_of_part
        ) - self._in_groups(moments_of_terms(of_lists), group)

    def _in_groups(self, x: Tensor, group: Tensor) -> Tensor:
        """Sum `[metrics, sums, rows]` by group: `[metrics, groups, sums]`."""
        sums = ops.segment_sum(
            ops.moveaxis(x, -1, 0), group, num_segments=self.groups + 1
        )
        return ops.moveaxis(sums[: self.groups], 0, 1)
