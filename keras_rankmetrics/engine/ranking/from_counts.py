"""Rankings of relevant items whose ranks were counted elsewhere."""

from __future__ import annotations

import dataclasses
from typing import NoReturn

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY, length_at_most
from keras_rankmetrics.engine.ranking.cutoffs import depth_beyond, most_of
from keras_rankmetrics.engine.ranking.items import Items, RelevantItems
from keras_rankmetrics.engine.ranking.ranking import Content, Order
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.sums import count, sums_over_runs
from keras_rankmetrics.engine.ranking.target_ranking import (
    Located,
    TargetRanking,
)
from keras_rankmetrics.types import Tensor, TiePolicy


class _Anonymous(Content):
    """Content without the numbers of the items."""

    def relevant(self, gain: Relevance) -> NoReturn:
        """Raise ValueError: the items are unknown."""
        raise _no_items()


class _AnonymousRanking(TargetRanking):
    def _expose(self) -> NoReturn:
        raise _no_items()


def _no_items() -> ValueError:
    return ValueError(
        "A measure that depends on which items are ranked needs scores or "
        "ids. Received: only the ranks of the relevant items."
    )


@dataclasses.dataclass(frozen=True)
class Counted(_Anonymous):
    """Relevant items, and the number of other items above each.

    Relevant items have the label 1, all others 0.

    Attributes:
        is_relevant: bool `[lists, relevant]`, False for padding.
        above: int32 `[lists, relevant]`, the number of items with a higher
            score. Below 0: not retrieved.
        tied: int32 `[lists, relevant]`, the number of others with an equal
            score.
        num_items: int32 `[lists]`, the number of retrieved items.
        most: the largest of these, if concrete even while tracing.
        dtype: the dtype of the labels.
    """

    is_relevant: Tensor
    above: Tensor
    tied: Tensor
    num_items: Tensor
    most: int | None
    dtype: str

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the relevant items."""
        last = self.most
        if order.k is None and last is None:
            last = most_of(
                self.num_items, "Without `k`, ranks go down to the last item"
            )
        return CountedRanking(
            content=self,
            order=order,
            items=RelevantItems.of(
                count(self.is_relevant),
                ops.shape(self.is_relevant)[-1],
                order.k,
                self.dtype,
            ),
            k=order.k,
            depth=depth_beyond(order.k, MANY if last is None else last),
        )

    def all_tied(self) -> Counted:
        """Return the same items with equal scores for all retrieved ones."""
        there = self.retrieved()
        return dataclasses.replace(
            self,
            above=ops.where(there, 0, -1),
            tied=ops.where(there, self.num_items[:, None] - 1, 0),
        )

    def retrieved(self) -> Tensor:
        """Return True for relevant items that are retrieved."""
        return self.is_relevant & (self.above >= 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CountedRanking(_AnonymousRanking):
    """A ranking of relevant items by the counts of items above them."""

    content: Counted

    def _count_retrieved(self) -> Tensor:
        return self.content.num_items

    def _count_others(self) -> Tensor:
        return self.content.num_items - count(self.content.retrieved())

    def _locate(self) -> Located:
        start, size = self.content.above, self.content.tied + 1
        there = self.content.retrieved()
        if self.order.ties != "average":
            start, size, there = _one_by_one(
                self.order.ties, start, size, there
            )
        return Located.sorted(start, size, there, self.depth, self._dtype)


def _one_by_one(
    ties: TiePolicy, start: Tensor, size: Tensor, there: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Put the relevant items of each tie group into an order.

    Args:
        ties: `"optimistic"` to put them first, or `"pessimistic"`.
        start: int32 `[lists, relevant]`, the number of items above the group.
        size: int32 `[lists, relevant]`, the number of items in the group.
        there: bool `[lists, relevant]`, True for retrieved items.

    Returns:
        The new `start`, `size` (1) and `there`, from the first group down.
    """
    place = ops.argsort(start, axis=-1)
    start, size, there = (
        ops.take_along_axis(x, place, axis=-1) for x in (start, size, there)
    )
    ahead, relevant = sums_over_runs(
        start, ops.cast(there, "int32"), length_at_most(start)
    )
    if ties == "pessimistic":
        ahead = size - relevant + ahead
    return start + ahead, ops.ones_like(size), there


@dataclasses.dataclass(frozen=True)
class Places(_Anonymous):
    """Lists with a single item that may have a gain, and its possible ranks.

    It is equally likely to be at each rank from `start + 1` to `start + size`.
    All other items are retrieved too, without a gain.

    Attributes:
        start: int32 `[lists]`.
        size: int32 `[lists]`, 1 in a strict order.
        label: `[lists]`, the label of the item.
        number: the number of items in each list.
    """

    start: Tensor
    size: Tensor
    label: Tensor
    number: int

    def ranked(self, order: Order) -> TargetRanking:
        """Return the ranking of the item, which is not computed by sorting."""
        return PlaceRanking(
            content=self,
            order=order,
            items=Items(self.label[:, None], self.label, order.k),
            k=order.k,
            depth=depth_beyond(order.k, self.number),
        )

    def all_tied(self) -> Places:
        """Return the same items with equal scores for all."""
        return dataclasses.replace(
            self,
            start=ops.zeros_like(self.start),
            size=ops.full_like(self.size, self.number),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlaceRanking(_AnonymousRanking):
    """A ranking of lists with a single item at concrete ranks."""

    content: Places

    def _count_retrieved(self) -> Tensor:
        return ops.full_like(self.content.start, self.content.number)

    def _count_others(self) -> Tensor:
        return ops.full_like(self.content.start, self.content.number - 1)

    def _locate(self) -> Located:
        start = ops.minimum(self.content.start, self.depth)
        return Located(
            self.items.labels, start[:, None], self.content.size[:, None]
        )
