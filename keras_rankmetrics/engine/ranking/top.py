"""The highest scores of each list, in order, and the ties among them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import keras

from keras_rankmetrics.engine.backend import tracing
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import lowest, top_k
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.engine.ranking.exposure import (
    AllItems,
    Exposure,
    GroupedItems,
    ItemNumbers,
)
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.ties import Order, settled
from keras_rankmetrics.types import Tensor

# The number of ranks that a ranking computes.


def ranks_that_count(k: int | None) -> int | None:
    """Return `k`, or None for all ranks if `k` exceeds any possible length."""
    return None if k is None or k >= tracing.MANY else k


def depth_beyond(
    k: int | None, items: int | Tensor = tracing.MANY
) -> int | Tensor:
    """Return a depth of more than `k`, at most the number of items.

    It is the next of 11, 101, 1001, ..., so metrics of the usual cutoffs use
    the same `top_k`, and a compiler computes it once. One rank more than `k`
    shows whether a tie group extends beyond.
    """
    if k is None:
        return items
    cutoff = 10
    while cutoff < k:
        cutoff *= 10
    return at_most(min(cutoff + 1, tracing.MANY), items)


def most_of(numbers: Tensor, reason: str) -> int | Tensor:
    """Return the largest of several numbers of ranks, as an int if concrete.

    Args:
        numbers: of ranks.
        reason: what needs so many ranks, for the error.

    Raises:
        ValueError: if jax is tracing: it must know all shapes.
    """
    most = ops.cast(ops.max(numbers), "int32")
    try:
        return int(most)
    except TypeError as error:  # it is traced
        if keras.config.backend() != "jax":
            return most
        raise ValueError(
            f"{reason}, and jax cannot compile for a number that it does not "
            "know. Give the metric a `k`, or call it outside of `jax.jit`."
        ) from error


def at_most(depth: int | Tensor, items: int | Tensor) -> int | Tensor:
    """Return the smaller value, as an int if both are ints."""
    if isinstance(depth, int) and isinstance(items, int):
        return min(depth, items)
    return ops.minimum(depth, items)


@dataclasses.dataclass(frozen=True)
class Sortable:
    """Scores of items, with masked ones and NaN counting as the lowest.

    These must not reach a sort: outside of XLA, a single NaN breaks that of
    TensorFlow. Replacing them copies all scores, so it is skipped if there are
    none.

    Attributes:
        raw: `[lists, items]`, the scores as passed.
        valid: computes which scores are valid, bool `[lists, items]`.
        all_valid: True if all scores are valid, a bool scalar.
    """

    raw: Tensor
    valid: Callable[[], Tensor]
    all_valid: Tensor

    def cleaned(self) -> Tensor:
        """Return the scores, the lowest of the dtype where they are invalid.

        For floats that is -inf, the score of an item that is not retrieved.
        """
        is_clean = tracing.concrete(self.all_valid)
        return self.raw if is_clean else self._replaced()

    def retrieved(self) -> Tensor:
        """Return True for items with a rank, bool `[lists, items]`."""
        cleaned = self.cleaned()
        return cleaned > lowest(cleaned)

    def are_all_retrieved(self) -> Tensor:
        """Return True if all items of all lists have a rank, a bool scalar."""
        return self.all_valid & (ops.min(self.raw) > lowest(self.raw))

    def all_equal(self) -> Sortable:
        """Return the scores with the same value for all retrieved items."""
        zeros = ops.zeros_like(self.raw)
        scores = ops.where(self.retrieved(), zeros, lowest(self.raw))
        return Sortable(scores, lambda: scores == scores, ops.ones((), "bool"))

    def repeated(self, times: int | Tensor) -> Sortable:
        """Return the scores with each list repeated."""
        return Sortable(
            ops.repeat(self.raw, times, axis=0),
            lambda: ops.repeat(self.valid(), times, axis=0),
            self.all_valid,
        )

    def top_k(self, k: int | Tensor) -> tuple[Tensor, Tensor]:
        """Return the highest `k` scores of each list and their indices."""
        return tracing.cond_if_cheap(
            self.all_valid,
            lambda: top_k(self.raw, k),
            lambda: top_k(self._replaced(), k),
        )

    def _replaced(self) -> Tensor:
        return ops.where(self.valid(), self.raw, lowest(self.raw))


class Shared(NamedTuple):
    """Values of tied items, by the tie group of each rank, `[lists, ranks]`.

    Attributes:
        mean: the mean of the values of the group.
        total: the sum of the values of the group.
        before: the sum over the items of the group before this one in the row.
        start: int32, the number of items above the group.
        size: int32, the number of items in the group, which may extend beyond
            the row; 1 where no item is retrieved.
    """

    mean: Tensor
    total: Tensor
    before: Tensor
    start: Tensor
    size: Tensor

    @classmethod
    def alone(cls, x: Tensor, start: Tensor) -> Shared:
        """Return the values of items without ties.

        Args:
            x: `[lists, ranks]`, the value of the item at each rank.
            start: int32, the number of items above, in a shape that broadcasts.
        """
        start, none = ops.broadcast_to(start, ops.shape(x)), ops.zeros_like(x)
        return cls(x, x, none, start, ops.ones_like(start))


class TieGroups(NamedTuple):
    """The tie group of each rank, `[lists, ranks]`.

    Attributes:
        start: int32, the number of items above the group.
        size: int32, the number of all its items, in the row or not; 1 where no
            item is retrieved.
        beyond: bool, True if the group may extend beyond the row.
    """

    start: Tensor
    size: Tensor
    beyond: Tensor


@dataclasses.dataclass(frozen=True)
class Top:
    """The highest scores of each list, and the tie groups among them.

    Attributes:
        scores: all scores.
        values: `[lists, depth]`, the highest ones. All of them, or more than
            the ranks that count.
        indices: `[lists, depth]`, the indices of these. Tied ones are in any
            order, or in that of the policy.
        there: bool `[lists, depth]`, True for retrieved items.
        depth: the number of these scores.
        tie: True if any two retrieved items tie, a bool scalar; None if there
            are no ties to average over.
        most: an upper bound for `depth`.
        tied: the tie group of each rank; None if there are no ties to average
            over.
    """

    scores: Sortable
    values: Tensor
    indices: Tensor
    there: Tensor
    depth: int | Tensor
    tie: Tensor | None
    most: int
    tied: TieGroups | None = None

    @classmethod
    def of(
        cls, scores: Sortable, order: Order, labels: Callable[[], Tensor]
    ) -> Top:
        """Find the highest scores and settle ties.

        Args:
            scores: the scores of all items.
            order: the options of the ranking.
            labels: returns the labels of all items, `[lists, items]`.
        """
        depth = depth_beyond(order.k, ops.shape(scores.raw)[-1])
        values, indices = scores.top_k(depth)
        there = values > lowest(values)
        # XLA would turn a `top_k` whose results are sliced into a full sort.
        negated = -values
        tie = ops.any(there[:, 1:] & (negated[:, 1:] == negated[:, :-1]))
        if order.ties != "average":
            indices = tracing.cond(
                tie,
                lambda: settled(scores.cleaned(), order, labels, depth),
                lambda: indices,
            )
        if order.ties != "average" or tracing.concrete(~tie):
            tie = None
        most = min(depth_beyond(order.k), tracing.length_at_most(values))
        top = cls(scores, values, indices, there, depth, tie, most)
        if tie is None:
            return top
        # Not at first use, which may be in a branch: see `tracing.trace`.
        tied = tracing.cond(tie, top._groups_in_ties, top._groups_alone)
        return dataclasses.replace(top, tied=TieGroups(*tied))

    def repeated(self, times: int | Tensor) -> Top:
        """Return the highest scores with each list repeated."""

        def again(x: Tensor) -> Tensor:
            return ops.repeat(x, times, axis=0)

        return dataclasses.replace(
            self,
            scores=self.scores.repeated(times),
            values=again(self.values),
            indices=again(self.indices),
            there=again(self.there),
            tied=self.tied and TieGroups(*map(again, self.tied)),
        )

    def share(self, x: Tensor, of_items: Callable[[], Tensor]) -> Shared:
        """Share the values of tied items among their ranks.

        Args:
            x: `[lists, ranks]`, the value of the item at each rank, 0 where
                none is retrieved.
            of_items: computes the values of all items, `[lists, items]`.
        """
        groups = self.groups

        def tied() -> tuple[Tensor, Tensor]:
            before, in_row = counting.sums_over_runs(self.values, x, self.most)

            def whole() -> Tensor:
                values = ops.where(self.is_lowest(), of_items(), 0)
                total = ops.sum(values, axis=-1)
                return ops.where(groups.beyond, total[:, None], in_row)

            total = tracing.cond(ops.any(groups.beyond), whole, lambda: in_row)
            return total, before

        total, before = tracing.cond(
            self.tie, tied, lambda: (x, ops.zeros_like(x))
        )
        mean = total / ops.cast(groups.size, x.dtype)
        return Shared(mean, total, before, groups.start, groups.size)

    def exposure(
        self,
        gains_in_order: Callable[[Relevance], Tensor],
        gains: Callable[[Relevance], Tensor],
    ) -> Exposure:
        """Return the items by their ranks.

        Args:
            gains_in_order: computes the gains of the first items, `[lists,
                depth]`.
            gains: computes the gains of all items, `[lists, items]`.
        """
        start, size, beyond = self.groups
        is_whole = self.there if self.tie is None else self.there & ~beyond
        first = GroupedItems(
            ItemNumbers(self.indices), start, size, is_whole, gains_in_order
        )
        if self.tie is None:
            return Exposure(first, self.there)

        def rest() -> GroupedItems:
            """Return all items of the groups that may extend beyond the row."""
            above = ops.where(beyond, start, 0)
            tied = self.is_lowest() & ops.any(beyond, axis=-1)[:, None]
            return GroupedItems(
                AllItems.of(self.scores.raw),
                ops.max(above, axis=-1, keepdims=True),
                ops.maximum(counting.count(tied), 1)[:, None],
                tied,
                gains,
            )

        return Exposure(first, self.there, ops.any(beyond), rest)

    def is_lowest(self) -> Tensor:
        """Return True for items with the lowest score of the row."""
        # XLA would turn a `top_k` whose results are sliced into a full sort.
        lowest = ops.min(self.values, axis=-1, keepdims=True)
        return self.scores.cleaned() == lowest

    @property
    def groups(self) -> TieGroups:
        """The tie group of each rank."""
        return self._groups_alone() if self.tied is None else self.tied

    def _groups_alone(self) -> TieGroups:
        position = counting.positions(self.values)
        start = ops.broadcast_to(position, ops.shape(self.values))
        ones = ops.ones_like(start)
        return TieGroups(start, ones, ops.zeros_like(self.there))

    def _groups_in_ties(self) -> TieGroups:
        ones = ops.ones_like(self.values, dtype="float32")
        sums = counting.sums_over_runs(self.values, ones, self.most)
        before, in_row = (ops.cast(x, "int32") for x in sums)
        start = counting.positions(self.values) - before
        end = ops.shape(self.values)[-1]
        more_items = ops.shape(self.scores.raw)[-1] > end
        # The group may extend beyond the row.
        beyond = (start + in_row == end) & (start < end - 1)
        beyond = beyond & self.there & more_items

        def whole() -> Tensor:
            items = counting.count(self.is_lowest())
            return ops.where(beyond, items[:, None], in_row)

        size = tracing.cond(ops.any(beyond), whole, lambda: in_row)
        size = ops.where(self.there, size, 1)
        return TieGroups(start, size, beyond)
