"""`Batch`: what has been made of a batch so far."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.inputs import Lists, read
from keras_rankmetrics.engine.ranking import Order, Ranking
from keras_rankmetrics.engine.ranking.functions import key_of
from keras_rankmetrics.engine.sharing.company import Company
from keras_rankmetrics.types import Tensor


class Batch:
    """What metrics have made of a batch, for others that look at it.

    It does not hold the objects that the user passed: they come with each call,
    and must be the same each time.

    Attributes:
        expected: the metrics that are likely to look at it; none if it is for
            one that shares nothing.
        met: those that did.
        fails_together: whether computing for many metrics at once raised.
    """

    def __init__(self, expected: Company | None = None) -> None:
        self.expected = expected or Company()
        self.met = Company()
        self.fails_together = False
        self._terms: dict[tuple[Definition, Aggregate], Tensor] = {}
        self._doubts: dict[Hashable, str | None] = {}
        self._lists: dict[Hashable, Lists] = {}
        self._rankings: dict[Hashable, Ranking] = {}

    def lists(
        self,
        definition: Definition,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any,
    ) -> Lists:
        """What the metric reads.

        Raises:
            ValueError: if they do not fit together, or do not hold what they
                should.
        """
        reading = definition.reading
        if reading not in self._lists:
            lists = read(*reading, y_true, y_pred, sample_weight)
            self._lists[reading] = lists
            self._doubts[reading] = lists.doubt
        return self._lists[reading]

    def doubt(self, definition: Definition) -> str | None:
        """What to warn of, of what was read for the metric."""
        return self._doubts[definition.reading]

    def ranking(
        self, definition: Definition, order: Order, lists: Lists
    ) -> Ranking:
        """The lists in the order of the metric, to its cutoff or further."""
        kind = definition.kind_of_ranking, key_of(order.draw)
        ranking = self._rankings.get(kind)
        if ranking is None or (ranking.k or 0) < (order.k or 0):
            if order.k is not None:
                k = max(order.k, self.expected.deepest(definition))
                order = order._replace(k=k)
            ranking = self._rankings[kind] = lists.ranked(order)
        return ranking

    def terms(
        self, definition: Definition, aggregate: Aggregate
    ) -> Tensor | None:
        """What it adds to the sums of the metric, if that was computed."""
        return self._terms.get((definition, aggregate))

    def keep_terms(
        self, definition: Definition, aggregate: Aggregate, terms: Tensor
    ) -> None:
        """Keeps what it adds to the sums of the metric.

        If that is all that anyone is expected to ask, the rest is let go.
        """
        self._terms[definition, aggregate] = terms
        expected = self.expected
        if not expected.has_others and expected.members <= self._terms.keys():
            self._lists.clear()
            self._rankings.clear()
