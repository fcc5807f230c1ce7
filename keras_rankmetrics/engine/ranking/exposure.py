"""The items that a ranking shows, and the attention each receives."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.probabilities import (
    sums_over_ranks,
    table_of,
)
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.types import RankDiscountFn, Tensor

# Which items stand where: what metrics about items look at.
#
# An item has a number: its place among the scores of a catalogue, or its id.
# It stands in a tie group, so that it is equally likely to be at each of its
# ranks.


class Which(abc.ABC):
    """Which items they are that a row of entries stands for."""

    @abc.abstractmethod
    def at(self, table: Tensor) -> Tensor:
        """What a table says of each: of `[items, ...]`, `[..., entries, ...]`.

        An item that the table does not know may get any of its values.
        """

    @abc.abstractmethod
    def times(self, x: Tensor, table: Tensor) -> Tensor:
        """`[lists, d]`, Σ x table over the entries, of `[items, d]`."""

    @abc.abstractmethod
    def by_item(self, x: Tensor, items: int) -> Tensor:
        """`[items]`, the sum of `x`, `[lists, entries]`, for each item."""


@dataclasses.dataclass(frozen=True)
class Picked(Which):
    """Some items, by their numbers.

    Attributes:
        numbers: int `[lists, entries]`.
    """

    numbers: Tensor

    def at(self, table: Tensor) -> Tensor:
        """`[lists, entries, ...]`."""
        return ops.take(table, self._within(table.shape[0]), axis=0)

    def times(self, x: Tensor, table: Tensor) -> Tensor:
        """`[lists, d]`, Σ x table over the entries."""
        return ops.sum(x[:, :, None] * self.at(table), axis=1)

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """`[items]`, the sum of `x` for each item."""
        numbers = ops.reshape(self._within(items), (-1,))
        return ops.segment_sum(
            ops.reshape(x, (-1,)), numbers, num_segments=items
        )

    def _within(self, items: int) -> Tensor:
        return ops.cast(ops.clip(self.numbers, 0, items - 1), "int32")


@dataclasses.dataclass(frozen=True)
class All(Which):
    """All items of the catalogue, in order.

    Attributes:
        number: how many they are.
    """

    number: int | Tensor

    def at(self, table: Tensor) -> Tensor:
        """`[1, items, ...]`."""
        return ops.take(table, self._within(table.shape[0]), axis=0)[None]

    def times(self, x: Tensor, table: Tensor) -> Tensor:
        """`[lists, d]`, Σ x table over the items."""
        return ops.matmul(x, self.at(table)[0])

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """`[items]`, the sum of `x` for each item."""
        return ops.segment_sum(
            ops.sum(x, axis=0), self._within(items), num_segments=items
        )

    def _within(self, items: int) -> Tensor:
        return ops.minimum(ops.arange(self.number, dtype="int32"), items - 1)


class Standing(NamedTuple):
    """Items, and their tie groups.

    Attributes:
        which: the items.
        start: int32 `[lists, entries]`, how many items stand above the group.
        size: int32, how many it has, at least 1; in a shape that broadcasts, as
            that of `start`.
        there: bool `[lists, entries]`, whether there is an item.
        gains: what the items are worth, `[lists, entries]`.
    """

    which: Which
    start: Tensor
    size: Tensor
    there: Tensor
    gains: Callable[[Relevance], Tensor]


class Showing(NamedTuple):
    """Where the items of a ranking stand, to more than rank `k`.

    Attributes:
        first: those that stand first, but for a group that may go on beyond.
        there: bool `[lists, ranks]`, whether a rank has an item.
        goes_on: whether any list has such a group, a bool scalar.
        rest: computes the items of these groups; None where there are none.
        relevant: the items that may have a gain, and their gains.
        strangers: bool `[lists]`, which lists do not have the items of a
            catalogue of this size; or a plain bool, if that is so of all.
        received: says what they have instead.
    """

    first: Standing
    there: Tensor
    goes_on: Tensor | bool
    rest: Callable[[], Standing] | None
    relevant: Callable[[Relevance], tuple[Which, Tensor]]
    strangers: Callable[[int], Tensor | bool]
    received: Callable[[], str]


@dataclasses.dataclass(frozen=True)
class Shown:
    """Items of each list, and which of the first ranks they have.

    Attributes:
        standing: the items, and their tie groups.
        cutoff: how many ranks count, in all lists as many, or `[lists, 1]`.
        gain: what a label is worth.
        values_of: a function of the rank to its values at ranks 1, 2, 3, ...
        dtype: of what is computed.

    `Ranking.shown` hands one to a function of yours:

    >>> from keras import ops
    >>> import keras_rankmetrics as krm
    >>> class NumberShown(krm.RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         return ranking.shown(lambda x: ops.sum(x.chance, axis=-1), k)
    >>> float(NumberShown(k=2)([[1, 0, 1]], [[0.9, 0.8, 0.7]]))
    2.0
    """

    standing: Standing
    cutoff: int | Tensor
    gain: Relevance
    values_of: Callable[[RankDiscountFn], Tensor]
    dtype: str

    # Of each item, `[lists, entries]`, floats, 0 where there is none.

    @property
    def start(self) -> Tensor:
        """How many items stand above its tie group."""
        return self._float(self.standing.start)

    @property
    def size(self) -> Tensor:
        """How many items the group has."""
        return self._float(self.standing.size)

    @property
    def ranks(self) -> Tensor:
        """How many of the ranks of the group count."""
        return self._float(self._stop() - self.standing.start)

    @property
    def chance(self) -> Tensor:
        """The chance that it has a rank that counts."""
        return self.ranks / self.size

    @property
    def is_certain(self) -> Tensor:
        """Whether it has, in all orders of tied items, bool."""
        standing = self.standing
        end = standing.start + standing.size
        return standing.there & (end <= self.cutoff)

    def exposure(self, discount: RankDiscountFn) -> Tensor:
        """The mean of `discount(rank)` over its ranks, 0 beyond the cutoff."""
        table = table_of(self.values_of(discount))
        last = ops.shape(table)[0] - 1
        start, stop = (
            ops.minimum(rank, last)
            for rank in (self.standing.start, self._stop())
        )
        return sums_over_ranks(table, start, stop) / self.size

    def gains(self) -> Tensor:
        """What it is worth."""
        gains = self.standing.gains(self.gain)
        return ops.where(self.standing.there, gains, 0)

    def at(self, table: Any) -> Tensor:
        """What a table of all items, `[items]`, says of it.

        It may say anything where no item is.
        """
        return self.standing.which.at(self._table(table))

    # Sums over the items.

    def times(self, x: Tensor, table: Any) -> Tensor:
        """`[lists, d]`, the sum of `x` times the rows of a table.

        Args:
            x: `[lists, entries]`.
            table: `[items, d]`, a row for each item of the catalogue.
        """
        return self.standing.which.times(x, self._table(table))

    def by_item(self, x: Tensor, items: int) -> Tensor:
        """`[items]`, the sum of `x` over all lists, for each item.

        Args:
            x: `[lists, entries]`.
            items: how many the catalogue has.
        """
        return self.standing.which.by_item(x, items)

    def _stop(self) -> Tensor:
        """The last rank of the group that counts; `start` without any."""
        start, size, there = self.standing[1:4]
        ranks = ops.minimum(ops.maximum(self.cutoff - start, 0), size)
        return start + ops.where(there, ranks, 0)

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self.dtype)

    def _table(self, table: Any) -> Tensor:
        return self._float(ops.convert_to_tensor(table))


# `Placed`: where items stand, each somewhere in its tie group.


class Placed(NamedTuple):
    """Items, each somewhere in its tie group, `[lists, entries]`, floats.

    What they hold is not averaged over the group: so whole numbers stay whole.

    Attributes:
        gains: of the item, 0 where there is none.
        start: how many items stand above the group.
        size: how many it has.
        hits_above: the gains above the group.
        hits: those of the group.
    """

    gains: Tensor
    start: Tensor
    size: Tensor
    hits_above: Tensor
    hits: Tensor

    def others_above(self, most: Tensor | None) -> Tensor:
        """How many items without a gain stand above each, of gains of 0 and 1.

        Args:
            most: `[lists]`, no more than so many are counted, or None for all.
        """
        above = self.start - self.hits_above
        tied = self.size - self.hits
        # As likely none, one, ... or all of those that tie stand above.
        if most is None:
            return above + tied / 2.0
        most = most[:, None]
        room = ops.clip(most - above, 0.0, tied)
        ways = room * (2.0 * tied - room + 1.0) / 2.0
        return ops.minimum(above, most) + ways / (tied + 1.0)

    def ranks(self) -> Tensor:
        """`[lists]`, the ranks of all items times their gains: Σ g rank."""
        middle = self.start + (self.size + 1.0) / 2.0
        return ops.sum(self.gains * middle, axis=-1)
