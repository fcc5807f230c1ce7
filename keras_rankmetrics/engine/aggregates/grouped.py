"""The weighted mean of each group of lists, and of all."""

from __future__ import annotations

import dataclasses

from keras import ops

from keras_rankmetrics.engine.aggregates.mean import (
    TERMS,
    WeightedMean,
    products,
    terms_of,
    with_one_for_each_row,
)
from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Grouped:
    """The weighted mean of all lists, and that of each group of them.

    Attributes:
        groups: how many groups there are. `PerList.group` says to which of them
            a list belongs; below 0 or from `groups` on, to none.
    """

    groups: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the sums: those of all lists, then those of each group."""
        return (1 + self.groups, *WeightedMean().shape)

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, 1 + groups, 6, 9]`, what the batch adds.

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
        if known(ops.any(lost)):
            wrong = ops.where(ops.any(outside, axis=0), x.group, 0)
            found = sorted({int(ops.min(wrong)), int(ops.max(wrong))} - {0})
            raise ValueError(
                "The group of each list that counts should be an integer from "
                f"0 to {self.groups - 1}. Received: {found}."
            )
        of_all = WeightedMean().of_batch(x)
        of_all = ops.where(lost[:, None, None], float("nan"), of_all)
        group = ops.where(inside, x.group, self.groups)
        terms = terms_of(x)
        if x.rows is not None:
            terms, group = self._by_row(terms, group, x.rows)
        of_groups = self._in_groups(products(terms), group)
        return ops.concatenate([of_all[:, None], of_groups], axis=1)

    def result(self, sums: Tensor) -> Tensor:
        """The means, `[..., 1 + groups]`; 0 without lists."""
        return WeightedMean().result(sums)

    def errors(self, sums: Tensor) -> Tensor:
        """The standard errors of the means, `[..., 1 + groups]`."""
        return WeightedMean().errors(sums)

    def _in_groups(self, x: Tensor, group: Tensor) -> Tensor:
        """`[metrics, groups, ...]`, the sums of `[metrics, ..., rows]`."""
        by_row = ops.moveaxis(x, -1, 0)
        sums = ops.segment_sum(by_row, group, num_segments=self.groups + 1)
        return ops.moveaxis(sums[: self.groups], 0, 1)

    def _by_row(
        self, terms: Tensor, group: Tensor, rows: tuple[int | Tensor, ...]
    ) -> tuple[Tensor, Tensor]:
        """The terms of what a row has in each group, and these groups."""
        row = ops.repeat(ops.arange(rows[0], dtype="int32"), rows[1])
        parts = rows[0] * (self.groups + 1)
        terms = ops.segment_sum(
            ops.moveaxis(terms, -1, 0),
            row * (self.groups + 1) + group,
            num_segments=parts,
        )
        terms = with_one_for_each_row(ops.moveaxis(terms, 0, -1))
        group = ops.arange(parts, dtype="int32") % (self.groups + 1)
        return ops.reshape(terms, (-1, len(TERMS), parts)), group
