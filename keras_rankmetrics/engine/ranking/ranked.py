"""`Ranked`: items in order, and values of their ranks."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, Self, TypeAlias, TypeVar

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY, cond
from keras_rankmetrics.engine.ranking.exposure import Showing, Shown, Standing
from keras_rankmetrics.engine.ranking.items import Items
from keras_rankmetrics.engine.ranking.memo import Memo, remembered
from keras_rankmetrics.engine.ranking.probabilities import (
    sums_over_ranks,
    table_of,
)
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.gains import SHARED_DISCOUNTS
from keras_rankmetrics.types import RankDiscountFn, Tensor

T = TypeVar("T")

# How many ranks count: in all lists as many, or `[lists]`. None: as many as the
# ranking has been made for, which is also the most.
Cutoff: TypeAlias = int | Tensor | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ranked(abc.ABC):
    """The retrieved items of each list, and how they are judged.

    Attributes:
        items: all items, retrieved or not.
        count_retrieved: returns `[lists]`, how many items are retrieved, at
            least down to rank `k`.
        count_others: returns `[lists]`, how many retrieved items are worth
            nothing, at whatever rank.
        all_tied: makes the ranking of the same items where all that are
            retrieved tie.
        showing: finds where which items stand.
        k: how many ranks count, or None for all.
        strict: whether items that tie have been put into an order, rather than
            averaged over all orders.
        gain: what a label is worth.
    """

    items: Items
    count_retrieved: Callable[[], Tensor]
    count_others: Callable[[Relevance], Tensor]
    all_tied: Callable[[], Any]
    showing: Callable[[], Showing]
    k: int | None
    strict: bool
    gain: Relevance = dataclasses.field(default_factory=Relevance)
    _memo: Memo = dataclasses.field(default_factory=Memo, compare=False)

    def judged_by(self, gain: Relevance, k: int | None) -> Self:
        """The same ranking where a label is worth `gain(label)`, to rank `k`.

        What does not depend on these, or has been asked for before, is not
        computed again. The ranking must have been made for `k` or more ranks.
        """
        return dataclasses.replace(self, gain=gain, k=k)

    def by_chance(self) -> Self:
        """The ranking of the same items where all that are retrieved tie.

        What is asked of it is the mean over all their orders.
        """
        return self._all_tied().judged_by(self.gain, self.k)

    @remembered()
    def _all_tied(self) -> Any:
        return self.all_tied()

    def for_measures_that_branch(self) -> Self:
        """The same ranking, which remembers no more than it does already."""
        return self._that_reads()

    def _that_reads(self) -> Self:
        return dataclasses.replace(
            self,
            items=self.items.for_measures_that_branch(),
            _memo=self._memo.for_reading(),
        )

    # Which items they are.

    def shown(self, sum_of: Callable[[Shown], T], k: Cutoff = None) -> T:
        """A sum over the items that stand within rank `k`, by their numbers.

        The number of an item is its place among the scores, or its id. Each is
        equally likely to be at each rank of its tie group:

            ranking.shown(lambda items: ops.sum(items.chance, axis=-1), k)

        Items that tie with the last one within rank `k` are looked at apart, in
        a branch, and only where there are any.

        Args:
            sum_of: makes of some of the items, a `Shown`, a sum over them, or
                several. Sums of parts are added up.
            k: the cutoff, None for all ranks.
        """
        showing = self._showing()
        entries, reading = ops.shape(showing.there)[-1], self._that_reads()

        def of(standing: Standing) -> T:
            return sum_of(
                Shown(
                    standing,
                    self._column(k),
                    self.gain,
                    lambda value: reading._values(value, entries),
                    self._dtype,
                )
            )

        first, rest = of(showing.first), showing.rest
        if rest is None:
            return first
        return cond(
            showing.goes_on,
            lambda: keras.tree.map_structure(ops.add, first, of(rest())),
            lambda: first,
        )

    @remembered("k")
    def number_shown(self, k: Cutoff = None) -> Tensor:
        """`[lists]`, how many items stand within rank `k`."""
        there, cutoff = self._showing().there, self._column(k)
        number = ops.sum(self._float(there), axis=-1, keepdims=True)
        return ops.minimum(number, ops.cast(cutoff, number.dtype))[:, 0]

    @remembered("k")
    def shows_any(self) -> Tensor:
        """Which lists show an item within rank `k`, bool `[lists]`."""
        return self.number_shown() > 0

    def mean_of_relevant(self, table: Any) -> Tensor:
        """`[lists]`, the mean of a table over the relevant items: Σ g t / Σ g.

        Whether they are retrieved or not; 0 without any.

        Args:
            table: `[items]`, of all items of the catalogue.
        """
        which, gains = self._showing().relevant(self.gain)
        values = self._float(which.at(ops.convert_to_tensor(table)))
        return ops.divide_no_nan(
            ops.sum(gains * values, axis=-1), ops.sum(gains, axis=-1)
        )

    def sum_over_ranks(
        self, discount: RankDiscountFn, start: Tensor, stop: Tensor
    ) -> Tensor:
        """`[lists]`, Σ discount(rank) over the ranks start + 1 to stop.

        As far as rank `k`, and as the items that there are.

        Args:
            discount: of ranks.
            start: `[lists]`, how many ranks lie above.
            stop: `[lists]`, the last one.
        """
        ranks = self.k
        if ranks is None:
            entries = ops.shape(self._showing().there)[-1]
            ranks = entries + ops.shape(self.items.labels)[-1]
        start, stop = (
            ops.minimum(ops.cast(x, "int32"), ranks) for x in (start, stop)
        )
        table = table_of(self._values(discount, ranks))
        return sums_over_ranks(table, start, stop)

    def strangers(self, items: int) -> Tensor | bool:
        """Which lists are not of a catalogue of so many items, bool `[lists]`.

        A plain bool, if that is so of all lists whatever they hold.

        Args:
            items: how many it has.
        """
        return self._showing().strangers(items)

    def what_is_shown(self) -> str:
        """What lists have instead, for errors."""
        return self._showing().received()

    # For the kinds of rankings.

    @property
    @abc.abstractmethod
    def _lowest_rank(self) -> int | Tensor:
        """How far down values of the rank may be asked for."""

    @remembered()
    def _showing(self) -> Showing:
        return self.showing()

    @property
    def _dtype(self) -> str:
        return self.items.labels.dtype

    def _float(self, x: Tensor) -> Tensor:
        return ops.cast(x, self._dtype)

    def _values(self, value: RankDiscountFn, ranks: int | Tensor) -> Tensor:
        """`value(rank)` of so many ranks, `[ranks]`."""
        # For all cutoffs the same values, as far as lengths are known.
        lengths = (ranks, self.items.depth, self._lowest_rank)
        if all(isinstance(length, int) for length in lengths):
            widest = max(lengths)
        else:
            widest = ranks
        return self._first_values(value, self._most(value), widest)[:ranks]

    def _most(self, value: RankDiscountFn) -> int | None:
        """The last rank at which the value may be asked for, None for all."""
        shared = any(value is discount for discount in SHARED_DISCOUNTS)
        return None if shared else self.k

    @remembered()
    def _first_values(
        self, value: RankDiscountFn, most: int | None, ranks: int | Tensor
    ) -> Tensor:
        ranks = ops.arange(1, ranks + 1, dtype=self._dtype)
        if most is not None:
            ranks = ops.minimum(ranks, most)
        return ops.ones_like(ranks) * value(ranks)

    def _column(self, k: Cutoff) -> int | Tensor:
        """A cutoff that broadcasts against `[lists, entries]`."""
        most = MANY if self.k is None else self.k
        if k is None:
            return most
        if isinstance(k, int):
            return max(min(k, most), 0)
        return ops.minimum(ops.cast(k, "int32"), most)[:, None]
