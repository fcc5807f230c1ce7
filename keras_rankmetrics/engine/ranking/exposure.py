"""The items that a ranking shows, and the attention that each receives."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import probabilities
from keras_rankmetrics.engine.ranking.counting import positions
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.types import RankDiscountFn, Tensor

# An item is identified by its number: its index in the scores of a catalogue,
# or its id. It is in a tie group, so it is equally likely to be at each of the
# group's ranks.


@dataclasses.dataclass(frozen=True)
class Shown:
    """Items of each list, and their probabilities of being at the first ranks.

    Attributes:
        items: the items and their tie groups.
        cutoff: the number of ranks that count, for all lists or `[lists, 1]`.
        gain: the gain of each label.
        values_of: returns the values of a function of the rank at 1, 2, 3, ...
        dtype: the dtype of the results.

    `Ranking.shown` passes one to your function:

    >>> from keras import ops
    >>> import keras_rankmetrics as krm
    >>> class NumberShown(krm.RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         return ranking.shown(lambda x: ops.sum(x.probability, -1), k)
    >>> float(NumberShown(k=2)([[1, 0, 1]], [[0.9, 0.8, 0.7]]))
    2.0

    Stability: stable.
    """

    items: GroupedItems
    cutoff: int | Tensor
    gain: Relevance
    values_of: Callable[[RankDiscountFn], Tensor]
    dtype: str

    # Per item, `[lists, entries]`, floats, 0 where there is no item.

    @property
    def start(self) -> Tensor:
        """The number of items above the item's tie group."""
        return self._float(self.items.start)

    @property
    def size(self) -> Tensor:
        """The number of items in the group."""
        return self._float(self.items.size)

    @property
    def ranks(self) -> Tensor:
        """The number of the group's ranks that count."""
        return self._float(self._stop() - self.items.start)

    @property
    def probability(self) -> Tensor:
        """The probability that the item is at a rank that counts."""
        return self.ranks / self.size

    @property
    def is_certain(self) -> Tensor:
        """True if it is at such a rank in all orders of tied items, bool."""
        items = self.items
        return items.there & (items.start + items.size <= self.cutoff)

    def exposure(self, discount: RankDiscountFn) -> Tensor:
        """Return the mean of `discount(rank)`, 0 at ranks that do not count."""
        table = probabilities.table_of(self.values_of(discount))
        last = ops.shape(table)[0] - 1
        start, stop = (
            ops.minimum(rank, last) for rank in (self.items.start, self._stop())
        )
        return probabilities.sums_over_ranks(table, start, stop) / self.size

    def gains(self) -> Tensor:
        """Return the gain of the item."""
        gains = self.items.gains(self.gain)
        return ops.where(self.items.there, gains, 0)

    def at(self, table: Any) -> Tensor:
        """Return the item's entry in a table of all items, `[items]`.

        It is NaN for an item at a rank that counts if the table does not have
        the item. It is arbitrary where there is no item.
        """
        table = self._table(table)
        found = self.items.numbers.at(table)
        is_missing = self._missing(table.shape[0])
        return found if is_missing is None else _nan_at(is_missing, found)

    # Sums over the items. They are NaN if an item at a rank that counts is not
    # in the catalogue.

    def times(self, x: Tensor, table: Any) -> Tensor:
        """Return the sum of `x` times the rows of a table, `[lists, d]`.

        Args:
            x: `[lists, entries]`.
            table: `[items, d]`, a row for each item of the catalogue.
        """
        table = self._table(table)
        return self.items.numbers.times(self._counted(x, table.shape[0]), table)

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """Return the sum of `x` over all lists for each item, `[items]`.

        Args:
            x: `[lists, entries]`.
            items: the number of items in the catalogue.
        """
        return self.items.numbers.by_item(self._counted(x, items), items)

    def _missing(self, items: int) -> Tensor | None:
        """Return True for shown items that `items` items do not have.

        None stands for False everywhere.
        """
        beyond = self.items.numbers.beyond(items)
        shown = self.items.start < self._stop()
        return None if beyond is None else beyond & shown

    def _counted(self, x: Tensor, items: int) -> Tensor:
        """Return `x`, or NaN if it is not 0 for an item that is missing."""
        is_missing = self._missing(items)
        return x if is_missing is None else _nan_at(is_missing & (x != 0), x)

    def _stop(self) -> Tensor:
        """Return the group's last rank that counts; `start` if none does."""
        start, size, there = self.items[1:4]
        ranks = ops.minimum(ops.maximum(self.cutoff - start, 0), size)
        return start + ops.where(there, ranks, 0)

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self.dtype)

    def _table(self, table: Any) -> Tensor:
        return self._float(ops.convert_to_tensor(table))


def _nan_at(where: Tensor, x: Tensor) -> Tensor:
    """Return `x` with NaN at some entries, `[lists, entries, ...]`."""
    more = (None,) * (len(x.shape) - len(where.shape))
    return ops.where(where[(..., *more)], math.nan, x)


class Exposure(NamedTuple):
    """The items of a ranking by their ranks, to more than rank `k`.

    Attributes:
        first: the items at the first ranks, except for those of a tie group
            that may extend beyond.
        there: bool `[lists, ranks]`, True for ranks with an item.
        extends: True if a list has such a group, a bool scalar.
        rest: computes the items of these groups; None if there are none.
    """

    first: GroupedItems
    there: Tensor
    extends: Tensor | bool = False
    rest: Callable[[], GroupedItems] | None = None


class GroupedItems(NamedTuple):
    """Items and their tie groups.

    Attributes:
        numbers: the numbers of the items.
        start: int32 `[lists, entries]`, the number of items above the group.
        size: int32, the number of items in the group, at least 1; in a shape
            that broadcasts to that of `start`.
        there: bool `[lists, entries]`, True for entries with an item.
        gains: computes the gains of the items, `[lists, entries]`.
    """

    numbers: ItemNumbers
    start: Tensor
    size: Tensor
    there: Tensor
    gains: Callable[[Relevance], Tensor]


@dataclasses.dataclass(frozen=True)
class ItemNumbers:
    """The numbers of some items of each list.

    Attributes:
        numbers: int `[lists, entries]`, or `[1, entries]` if they are the same
            in all lists.
    """

    numbers: Tensor

    def beyond(self, items: int) -> Tensor | None:
        """Return True for numbers that `items` items do not have.

        None stands for False everywhere.
        """
        return (self.numbers < 0) | (self.numbers >= items)

    def at(self, table: Tensor) -> Tensor:
        """Return the rows of a table, `[lists, entries, ...]`.

        The result is arbitrary for numbers that are not in the table.

        Args:
            table: `[items, ...]`.
        """
        return ops.take(table, self._clipped(table.shape[0]), axis=0)

    def times(self, x: Tensor, table: Tensor) -> Tensor:
        """Return the sum of `x` times the rows of a table, `[lists, d]`.

        Args:
            x: `[lists, entries]`.
            table: `[items, d]`.
        """
        return ops.sum(x[:, :, None] * self.at(table), axis=1)

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """Return the sum of `x` for each item, `[items]`.

        Args:
            x: `[lists, entries]`.
            items: the number of items in the catalogue.
        """
        numbers = ops.reshape(self._clipped(items), (-1,))
        x = ops.reshape(x, (-1,))
        return ops.segment_sum(x, numbers, num_segments=items)

    def _clipped(self, items: int) -> Tensor:
        return ops.cast(ops.clip(self.numbers, 0, items - 1), "int32")


class AllItems(ItemNumbers):
    """The numbers 0, 1, 2, ... of all items of a catalogue, `[1, items]`."""

    @classmethod
    def of(cls, x: Tensor) -> AllItems:
        """Return the numbers of the items of `x`, `[lists, items]`."""
        return cls(positions(x)[None])

    def beyond(self, items: int) -> Tensor | None:
        """Return True for numbers that `items` items do not have."""
        is_whole = self.numbers.shape[1] == items
        return None if is_whole else super().beyond(items)

    def times(self, x: Tensor, table: Tensor) -> Tensor:
        """Return the sum of `x` times the rows of a table, `[lists, d]`."""
        return ops.matmul(x, self.at(table)[0])

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """Return the sum of `x` for each item, `[items]`."""
        return super().by_item(ops.sum(x, axis=0), items)


class GroupedGains(NamedTuple):
    """Gains and their tie groups, `[lists, entries]`, floats.

    They are not averaged over the group, so whole numbers stay whole.

    Attributes:
        gains: the gain of the item, 0 where there is none.
        start: the number of items above the tie group.
        size: the number of items in the group.
        hits_above: the sum of the gains above the group.
        hits: the sum of the gains in the group.
    """

    gains: Tensor
    start: Tensor
    size: Tensor
    hits_above: Tensor
    hits: Tensor
