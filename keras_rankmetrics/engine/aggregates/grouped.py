"""The weighted mean of each group of lists, and of all."""

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
    """The weighted mean of all lists, and that of each group of them.

    Attributes:
        groups: how many groups there are. `PerList.group` says to which of them
            a list belongs; below 0 or from `groups` on, to none.
        mean: of the values.
    """

    groups: int
    mean: WeightedMean = dataclasses.field(default_factory=WeightedMean)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the sums: those of all lists, then those of each group."""
        return (1 + self.groups, *self.mean.shape)

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, 1 + groups, 38]`, what the batch adds.

        A list that counts and belongs to no group is an error where that is
        seen. Elsewhere it makes the sums of all lists NaN.
        """
        if x.group is None:
            raise ValueError(
                "The group of each list should be known. Pass it as "
                '`y_true["group"]`, or give a function `by`.'
            )
        inside = (x.group >= 0) & (x.group < self.groups)
        outside = x.counts & ~inside
        lost = ops.any(outside, axis=-1)
        if concrete(ops.any(lost)):
            wrong = ops.where(ops.any(outside, axis=0), x.group, 0)
            found = sorted({int(ops.min(wrong)), int(ops.max(wrong))} - {0})
            raise ValueError(
                "The group of each list that counts should be an integer from "
                f"0 to {self.groups - 1}. Received: {found}."
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
        """The means, `[..., 1 + groups]`; 0 without lists."""
        return self.mean.result(sums)

    def errors(self, sums: Tensor) -> Tensor:
        """The standard errors of the means, `[..., 1 + groups]`."""
        return self.mean.errors(sums)

    def _of_rows(self, x: PerList, group: Tensor) -> Tensor:
        """What the moments of rows have more, `[metrics, groups, 26]`."""
        if x.rows is None:
            shape = (x.values.shape[0], self.groups, SUMS_OF_ROWS)
            return ops.zeros(shape, x.values.dtype)
        of_lists = terms_of(x, self.mean.bounded)
        # The part of a row that is in a group is a row of that group.
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
        """`[metrics, groups, sums]`, of `[metrics, sums, rows]`."""
        sums = ops.segment_sum(
            ops.moveaxis(x, -1, 0), group, num_segments=self.groups + 1
        )
        return ops.moveaxis(sums[: self.groups], 0, 1)
