"""Two rankings of the same items, each with its own ties."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import in_order, lowest
from keras_rankmetrics.engine.backend.tracing import length_at_most
from keras_rankmetrics.engine.ranking import counting
from keras_rankmetrics.types import Tensor


class Standing(NamedTuple):
    """The tie group of each item in one ranking.

    Attributes:
        start: int32 `[lists, items]`, the number of items above the group.
        size: int32, the number of items in the group.
        there: bool, True for items that are retrieved.
        length: `[lists]`, floats, the number of items that are retrieved.
    """

    start: Tensor
    size: Tensor
    there: Tensor
    length: Tensor

    @classmethod
    def of(
        cls, start: Tensor, size: Tensor, there: Tensor, dtype: str
    ) -> Standing:
        """Return the tie groups with the length of each ranking."""
        length = ops.cast(counting.count(there), dtype)
        return cls(start, ops.maximum(size, 1), there, length)

    @classmethod
    def by(cls, scores: Tensor, dtype: str) -> Standing:
        """Return the tie groups of equal scores.

        Args:
            scores: `[lists, items]`, without NaN; the lowest value of the dtype
                for items that are not retrieved.
            dtype: the float dtype of the results.
        """
        places = ops.argsort(scores, axis=-1)
        ascending = ops.take_along_axis(scores, places, axis=-1)
        before, size = counting.sums_over_runs(
            ascending,
            ops.ones_like(ascending, dtype="float32"),
            length_at_most(scores),
        )
        before, size = ops.cast(before, "int32"), ops.cast(size, "int32")
        items, position = ops.shape(scores)[-1], counting.positions(scores)
        start = items - (position - before) - size
        back = ops.argsort(places, axis=-1)
        start, size = counting.taken(back, start, size)
        return cls.of(start, size, scores > lowest(scores), dtype)

    def share(self, depth: Tensor) -> Tensor:
        """Return the probability of being within a depth, `[lists, items]`.

        Args:
            depth: floats, in a shape that broadcasts.
        """
        dtype = self.length.dtype
        start, size = ops.cast(self.start, dtype), ops.cast(self.size, dtype)
        share = ops.clip((depth - start) / size, 0.0, 1.0)
        return ops.where(self.there, share, 0)

    def middle(self) -> Tensor:
        """Return the mean ranks of tied items, from their mean over the list.

        All items must be ranked. Ranks and their differences are exact.
        """
        dtype = self.length.dtype
        start, size = ops.cast(self.start, dtype), ops.cast(self.size, dtype)
        return start + (size - self.length[:, None]) / 2.0

    def untied(self) -> Tensor:
        """Return the number of pairs that are not tied, `[lists]`."""
        others = self.length[:, None] - ops.cast(self.size, self.length.dtype)
        return ops.sum(ops.where(self.there, others, 0), axis=-1) / 2.0

    def ranked_last(self, exists: Tensor) -> Standing:
        """Return the tie groups with the items not retrieved as the last one.

        Args:
            exists: bool `[lists, items]`, True for items and not for padding.
        """
        retrieved = counting.count(self.there)[:, None]
        others = counting.count(exists)[:, None] - retrieved
        return Standing.of(
            ops.where(self.there, self.start, retrieved),
            ops.where(self.there, self.size, others),
            exists,
            self.length.dtype,
        )


@dataclasses.dataclass(frozen=True)
class TwoRankings:
    """A reference ranking and a ranking of the same items.

    Attributes:
        reference: the tie group of each item in the reference.
        ranking: the same in the ranking.
        exists: bool `[lists, items]`, True for items and not for padding.

    A measure calls `Ranking.against_reference`; its class declares it:

    >>> import keras_rankmetrics as krm
    >>> from keras import ops
    >>> class SameLength(krm.RankingMetric):
    ...     reads = "two_rankings"
    ...
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         shorter, longer = ranking.against_reference().lengths(k)
    ...         return ops.cast(shorter == longer, "float32")
    >>> float(SameLength(inputs="ids")([[4, 7, 2]], [[7, 4]]))
    0.0
    """

    reference: Standing
    ranking: Standing
    exists: Tensor

    def lengths(self, k: int | None) -> tuple[Tensor, Tensor]:
        """Return the shorter and the longer length, at most `k`, `[lists]`."""
        lengths = self.reference.length, self.ranking.length
        most = float("inf") if k is None else float(k)
        shorter, longer = ops.minimum(*lengths), ops.maximum(*lengths)
        return ops.minimum(shorter, most), ops.minimum(longer, most)

    def overlap(self, depth: Tensor) -> Tensor:
        """Return the expected number of items within a depth of both rankings.

        Args:
            depth: floats, `[lists]`.

        Returns:
            `[lists]`, the mean over all orders of tied items in both.
        """
        depth = depth[:, None]
        both = self.reference.share(depth) * self.ranking.share(depth)
        return ops.sum(both, axis=-1)

    def of_all_items(self) -> TwoRankings:
        """Return the same rankings, items not retrieved being last and tied."""
        return TwoRankings(
            self.reference.ranked_last(self.exists),
            self.ranking.ranked_last(self.exists),
            self.exists,
        )

    def pairs(self) -> counting.Pairs:
        """Return the pairs that are not tied in the reference.

        A pair that is tied in the ranking alone is half right. All items must
        be ranked.
        """
        row = self._in_ranking()
        grades = ops.cast(row.labels, self.ranking.length.dtype)
        return counting.pairs_of(row._replace(labels=grades))

    def share_right(self) -> Tensor:
        """Return the expected sum over ranks of the share in the right order.

        At rank i it is the share of the i - 1 items above that are above in the
        reference too, where a tie counts half; 0 for i = 1. All items must be
        ranked.

        Returns:
            `[lists]`, the mean over all orders of items tied in the ranking.
        """
        row, dtype = self._in_ranking(), self.ranking.length.dtype
        most = length_at_most(row.labels)
        # By tie group of the ranking, then by grade, the lowest first.
        row = row.taken(_order(row.labels))
        row = row.taken(_order(row.start))
        position = ops.cast(counting.positions(row.labels), dtype)
        inside = position - ops.cast(row.start, dtype)
        size = ops.cast(row.size, dtype)
        ones = ops.ones_like(inside)
        share = ops.where(position > 0, 1.0 / ops.maximum(position, 1.0), 0)
        _, sums = counting.sums_over_runs(
            row.start, ops.stack([ones * share, inside * share]), most
        )
        of_above, of_tied = ops.unstack(sums, 2)
        of_above = of_above / size
        # The other items of the group are equally likely to be above.
        of_tied = of_tied / (size * ops.maximum(size - 1.0, 1.0))
        runs = counting.run_numbers(row.start, row.labels)
        before, equal = counting.sums_over_runs(runs, ones, most)
        tied = size - inside + before - equal + (equal - 1.0) / 2.0
        # By grade: the order in which `higher_before` returns.
        places = _order(row.labels)
        ahead = ops.cast(counting.higher_before(row.labels), dtype)
        grade, there, of_above, before = counting.taken(
            places, row.labels, row.there, of_above, before
        )
        equal_before, _ = counting.sums_over_runs(grade, ones, most)
        above = ahead + (equal_before - before) / 2.0
        return ops.sum(ops.where(row.there, of_tied * tied, 0), -1) + ops.sum(
            ops.where(there, of_above * above, 0), axis=-1
        )

    def _in_ranking(self) -> counting.ItemsInOrder:
        """Return the items with their grades in the reference, from 1."""
        items = ops.shape(self.exists)[-1]
        return counting.ItemsInOrder(
            ops.where(self.exists, items - self.reference.start, 0),
            self.exists,
            ops.where(self.exists, self.ranking.start, items),
            self.ranking.size,
        )


def _order(keys: Tensor) -> Tensor:
    """Return the stable ascending order of the keys, int32."""
    return ops.cast(in_order(keys)[1], "int32")
