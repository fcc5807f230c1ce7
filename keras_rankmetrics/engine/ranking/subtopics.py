"""`Subtopics`: the lists, once for each thing that a user may be after."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.ranking.cutoffs import at_most
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.engine.ranking.stopping import greedy_chances
from keras_rankmetrics.types import RankDiscountFn, Tensor

if TYPE_CHECKING:
    from keras_rankmetrics.engine.ranking.ranking import Ranking


@dataclasses.dataclass(frozen=True)
class Subtopics:
    """The lists, ranked once for each of their subtopics.

    An item has another label in each, and stands at the same rank.

    Attributes:
        number: how many subtopics the labels have room for.
        rows: the ranking of `[lists * subtopics]` lists.

    `Ranking.by_subtopic` returns one to a measure whose class says so:

    >>> import keras_rankmetrics as krm
    >>> class MeanHits(krm.RankingMetric):
    ...     by_subtopic = True
    ...
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         each = ranking.by_subtopic()
    ...         return each.mean(each.rows.hits(k))
    >>> float(MeanHits(k=2)([[[1, 0], [1, 0], [0, 1]]], [[0.9, 0.8, 0.7]]))
    1.0
    """

    number: int | Tensor
    rows: Ranking

    def judged_by(self, gain: Relevance, k: int | None) -> Subtopics:
        """The same where a label is worth `gain(label)`, to rank `k`."""
        return dataclasses.replace(self, rows=self.rows.judged_by(gain, k))

    def total(self, values: Tensor) -> Tensor:
        """`[lists]`, the sum of what the rows have."""
        return ops.sum(self._by_list(values), axis=-1)

    def mean(self, values: Tensor) -> Tensor:
        """`[lists]`, the mean over the subtopics in which an item has a gain.

        In the others, the values must be 0.
        """
        found = ops.cast(self.rows.has_gain(), values.dtype)
        return ops.divide_no_nan(self.total(values), self.total(found))

    def best_at_stop(self, value: RankDiscountFn, k: int | None) -> Tensor:
        """`[lists]`, the total of `at_stop` in the best order of all items.

        It is a greedy order: at each rank the item that adds most chances to
        stop, and of several the first of the input.
        """
        stops = self.rows.items.gains(self.rows.gain)
        stops = ops.reshape(stops, (-1, self.number, ops.shape(stops)[-1]))
        ranks = at_most(MANY if k is None else k, ops.shape(stops)[-1])
        return self.rows.discounted(greedy_chances(stops, ranks), value, k)

    def _by_list(self, values: Tensor) -> Tensor:
        return ops.reshape(values, (-1, self.number))
