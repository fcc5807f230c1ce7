"""Rankings of recommended ids, which are in order already."""

from __future__ import annotations

import dataclasses
from typing import NoReturn

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.ranking import counting, exposure
from keras_rankmetrics.engine.ranking.items import Items, RelevantItems
from keras_rankmetrics.engine.ranking.list_ranking import ListRanking
from keras_rankmetrics.engine.ranking.ranking import Content, Cutoff
from keras_rankmetrics.engine.ranking.relevance import Relevance, remembered
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.two_rankings import Standing, TwoRankings
from keras_rankmetrics.types import RankDiscountFn, Tensor


@dataclasses.dataclass(frozen=True)
class Ids(Content):
    """Ids of relevant items and ids of recommended ones.

    Relevant items have the label 1 unless labels are passed, all others 0.
    Padding and duplicates of a recommended id have no rank.

    Attributes:
        relevant_ids: int `[lists, relevant]`. Below 0: padding.
        recommended: int `[lists, recommended]`, of the same dtype, best first.
            Below 0: padding.
        dtype: the dtype of the labels.
        labels: `[lists, relevant]`, the labels of the relevant ids, or None.
        excluded: int `[lists, excluded]`, ascending, the ids that were removed
            from the recommended ones, or None.
    """

    relevant_ids: Tensor
    recommended: Tensor
    dtype: str
    labels: Tensor | None = None
    excluded: Tensor | None = None

    def ranked(self, order: Order) -> ListRanking:
        """Return the recommended ids in the order in which they were passed."""
        found = counting.matched(self.relevant_ids, self.recommended)
        counted = ops.cast(found.new, "int32")
        is_dense = concrete(ops.all(found.new))
        kind = IdRanking if is_dense else SpacedIdRanking
        depth, labels = ops.shape(found.hits)[-1], None
        items: Items = RelevantItems.of(
            found.relevant, self.relevant_ids, order.k, self.dtype
        )
        if self.labels is not None:
            every = self._labels_of_all(self.labels)
            items = Items(every, ops.max(every, axis=-1), order.k)
            labels = every[:, :depth]
        return kind(
            content=self,
            order=order,
            items=items,
            k=order.k,
            depth=depth,
            labels=labels,
            there=None if is_dense else found.new,
            found=found,
            above=ops.cumsum(counted, axis=-1) - counted,
        )

    def hidden(self) -> Tensor | None:
        """Return True for relevant ids that are excluded, bool."""
        if self.excluded is None:
            return None
        ids = ops.cast(self.relevant_ids, self.excluded.dtype)
        is_new = counting.is_new(self.relevant_ids)
        hidden = is_new & counting.is_in(ids, self.excluded)
        return hidden if self.labels is None else hidden & (self.labels > 0)

    def all_tied(self) -> NoReturn:
        """Raise ValueError: the items that were not recommended are unknown."""
        raise ValueError(
            "The value of a random order needs all items that could have been "
            "ranked. Received: ids of the recommended ones only."
        )

    def relevant(self, gain: Relevance) -> tuple[exposure.ItemNumbers, Tensor]:
        """Return the relevant ids and their gains, 0 for duplicates."""
        are_new = counting.is_new(self.relevant_ids)
        if self.labels is None:
            gains = gain.of_either(are_new, 1, -1, self.dtype)
        else:
            gains = ops.where(are_new, gain(self.labels), 0)
        return exposure.ItemNumbers(self.relevant_ids), gains

    def _labels_of_all(self, labels: Tensor) -> Tensor:
        """Return the labels of the recommended and of the relevant ids.

        Each label is that of the first place of the id among the relevant ones,
        0 if there is none. It is -1 for padding and wherever an id is repeated.

        Args:
            labels: `[lists, relevant]`, the labels of the relevant ids.

        Returns:
            `[lists, recommended + relevant]`.
        """
        ids = ops.concatenate([self.recommended, self.relevant_ids], axis=-1)
        order = ops.argsort(self.relevant_ids, axis=-1)
        row = ops.take_along_axis(self.relevant_ids, order, axis=-1)
        place = counting.place_in(ids, row)
        has_label = ops.take_along_axis(row, place, axis=-1) == ids
        label = ops.take_along_axis(
            labels, ops.take_along_axis(order, place, axis=-1), axis=-1
        )
        label = ops.where(has_label, label, 0)
        return ops.where(counting.is_new(ids), label, -1)

    def outside_catalogue(self, items: int) -> Tensor:
        """Return True for lists with an id outside of a catalogue."""
        return self._highest() >= items

    def describe_items(self) -> str:
        """Return the highest id, for errors."""
        return f"the id {int(ops.max(self._highest()))}"

    def _highest(self) -> Tensor:
        return ops.maximum(
            ops.max(self.relevant_ids, -1), ops.max(self.recommended, -1)
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class IdRanking(ListRanking):
    """A ranking of recommended ids, of which each has a rank.

    Attributes:
        content: the ids.
        found: the recommended ids, matched with the relevant ones.
        above: int32 `[lists, entries]`, the number of retrieved items above.
        labels: `[lists, entries]`, the labels of the recommended ids, or None.
    """

    content: Ids
    found: counting.Matched
    above: Tensor
    labels: Tensor | None

    @property
    def strict(self) -> bool:
        """True: ids have no ties."""
        return True

    def _gains_in_order(self, gain: Relevance) -> Tensor:
        if self.labels is not None:
            return gain(self.labels)
        return gain.of_either(self.found.hits, 1, 0, self._dtype)

    def _count_retrieved(self) -> Tensor:
        return counting.count(self.found.new)

    def _count_others(self) -> Tensor:
        hits = self.found.hits
        if self.labels is not None:
            hits = self.gain(self.labels) > 0
        return counting.count(self.found.new & ~hits)

    @remembered("gain")
    def pairs(self) -> counting.Pairs:
        """Return the pairs of different gains, the lower one retrieved."""
        if self.labels is None:
            return super().pairs()
        gains = self.items.gains(self.gain)
        place, items = counting.positions(gains), ops.shape(gains)[-1]
        there = ops.pad(self.found.new, [[0, 0], [0, items - self.depth]])
        start = ops.where(there, place, place + items)  # the others come last
        return counting.pairs_of(
            counting.ItemsInOrder(gains, there, start, ops.ones_like(start))
        )

    @remembered()
    def against_reference(self) -> TwoRankings:
        """Return the ranking together with that by the ids of `y_true`.

        An id of one ranking alone is in no overlap, so those of the reference
        alone have no entry.
        """
        reference, found = self.content.relevant_ids, self.found
        places = ops.argsort(reference, axis=-1)
        row = ops.take_along_axis(reference, places, axis=-1)
        index = counting.place_in(self.content.recommended, row)
        new = ops.cast(counting.is_new(reference), "int32")
        above = ops.take_along_axis(ops.cumsum(new, -1) - new, places, axis=-1)
        (start,) = counting.taken(index, above)
        one = ops.ones_like(start)
        return TwoRankings(
            Standing(
                start, one, found.hits, ops.cast(found.relevant, self._dtype)
            ),
            Standing.of(self.above, one, found.new, self._dtype),
            found.new,
        )

    @remembered()
    def _exposure(self) -> exposure.Exposure:
        first = exposure.GroupedItems(
            exposure.ItemNumbers(self.content.recommended),
            self.above,
            ops.ones_like(self.above),
            self.found.new,
            self._gains_in_order,
        )
        return exposure.Exposure(first, self.found.new)


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpacedIdRanking(IdRanking):
    """A ranking of recommended ids, of which some have no rank.

    These are padding and duplicates: their entries are between the others.
    """

    there: Tensor

    @property
    def _width(self) -> int | Tensor:
        return self.depth

    def _above(self) -> Tensor:
        return self.above

    def _best_so_far(self) -> Tensor:
        return ops.take_along_axis(super()._best_so_far(), self.above, axis=-1)

    def _within(self, k: Cutoff, x: Tensor) -> Tensor:
        return ops.where(self.above < self._column(k), x, 0)

    def _at_ranks(self, value: RankDiscountFn, k: Cutoff) -> Tensor:
        return self._within(k, self._at_entries(value, self._most(value)))

    @remembered()
    def _at_entries(self, value: RankDiscountFn, most: int | None) -> Tensor:
        values = self._values(value, self.depth)
        return ops.take(values, self.above, axis=0)

    def _of_each_list(self, x: Tensor) -> Tensor:
        return ops.where(self.there, x, 0)
