"""`LogJob`: a job on a log, whose rows are in no order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from keras_rankmetrics.tables.checks import Facts
from keras_rankmetrics.tables.jobs import Job, refuse_nan
from keras_rankmetrics.tables.ragged import Lists


class ColumnNames(TypedDict, total=False):
    """The columns that any job may have next to `y_true` and `y_pred`."""

    sample_weight: str | None
    group: str | Mapping[str, str] | None
    exclude: str | None
    num_relevant: str | None
    order: str | None


@dataclasses.dataclass(eq=False)
class LogJob(Job):
    """A job whose rows arrive in any order, as partitions and shuffles do.

    Attributes:
        order: the column whose values order the rows of a list, ascending; or
            None.

    Raises:
        ValueError: if the arguments do not fit together, or the metrics need an
            order of rows that there is not.
    """

    order: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order is not None and self.query in (None, self.order):
            raise ValueError(
                "`order` should be a column that differs between the items of "
                f"a `query`. Received: `order={self.order!r}` and "
                f"`query={self.query!r}`. Rows that are lists keep the order "
                "of their arrays: leave `order` out."
            )
        ordered = [m.name for m in self.members if self._needs_order(m)]
        if ordered and self.query is not None and self.order is None:
            raise ValueError(
                "Metrics whose value depends on the order of tied items should "
                "have a column of that order, since rows are in none after a "
                f"shuffle. Received: {ordered} without `order`. Name a column "
                "such as the position or the id of the item, "
                '`order="position"`; or create the metrics with '
                '`ties="average"`.'
            )

    def _needs_order(self, member: Any) -> bool:
        """Return True if the order of tied rows may change a value."""
        ties = member.definition.ties
        of_items = self.sample_weight is not None
        # The best and the worst order leave items with equal labels as they
        # come, which may have different weights.
        by_label = ties in ("optimistic", "pessimistic")
        return ties == "stable" or (by_label and of_items)

    def _collected(self, lists: Lists) -> list[Facts]:
        """Return what the rows show, which the driver says."""
        return self.facts_of(lists)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The name of each argument with the column that it names."""
        named = super().columns
        return named if self.order is None else [*named, ("order", self.order)]

    def lists_of_items(
        self, values: Mapping[str, np.ndarray], starts: np.ndarray
    ) -> Lists:
        """Return the lists of items, each in the order of the column.

        Args:
            values: as for `Job.lists_of_items`.
            starts: as for `Job.lists_of_items`.

        Raises:
            ValueError: if a value of the whole list differs between its items,
                or two items have the same place in the order.
        """
        if self.order is not None:
            values = _ordered(values, starts, self.order)
        return super().lists_of_items(values, starts)


def _ordered(
    values: Mapping[str, np.ndarray], starts: np.ndarray, by: str
) -> dict[str, np.ndarray]:
    """Return the columns with the rows of each list in order.

    Args:
        values: the columns.
        starts: the first row of each list.
        by: the column of the order.

    Raises:
        ValueError: if a value of that column is NaN, or occurs twice in a list.
    """
    keys = values[by]
    refuse_nan(by, keys)
    if keys.dtype.kind == "O":  # text
        keys = np.unique(keys, return_inverse=True)[1]
    lengths = np.diff(starts, append=len(keys))
    lists = np.repeat(np.arange(len(starts)), lengths)
    order = np.lexsort((keys, lists))
    keys = keys[order]
    again = (keys[1:] == keys[:-1]) & (lists[1:] == lists[:-1])
    for place in order[1:][again][:1]:
        raise ValueError(
            "The items of a list should have different values in the column "
            f"{by!r} of `order`. Received: {values[by][place]} twice. Name a "
            "column such as the ids of the items."
        )
    return {name: column[order] for name, column in values.items()}
