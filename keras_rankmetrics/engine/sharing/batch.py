"""`Batch`: what has been read of a batch so far, and ranked."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.inputs import Lists, read
from keras_rankmetrics.engine.ranking import Order, Ranking
from keras_rankmetrics.engine.ranking.functions import key_of
from keras_rankmetrics.engine.sharing.company import Company, kind_of_ranking
from keras_rankmetrics.types import Tensor


class Batch:
    """What metrics have made of a batch, for others that look at it.

    It does not hold what the user passed, which comes with each call.

    Attributes:
        expected: the metrics that are likely to look at it.
        met: those that did.
        terms: what it adds to the sums of metrics, by definition and aggregate.
    """

    def __init__(self, expected: Company) -> None:
        self.expected = expected
        self.met = Company()
        self.terms: dict[Hashable, Tensor] = {}
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
            inputs, dtype = reading
            self._lists[reading] = read(
                inputs, y_true, y_pred, sample_weight, dtype
            )
        return self._lists[reading]

    def doubt(self, definition: Definition) -> str | None:
        """What to warn of, of what was read."""
        return self._lists[definition.reading].doubt

    def ranking(
        self, definition: Definition, order: Order, lists: Lists
    ) -> Ranking:
        """The lists in the order of the metric, to its cutoff or further."""
        kind = kind_of_ranking(definition), key_of(order.draw)
        ranking = self._rankings.get(kind)
        if ranking is None or (ranking.k or 0) < (order.k or 0):
            if order.k is not None:
                k = max(order.k, self.expected.deepest(definition))
                order = order._replace(k=k)
            ranking = self._rankings[kind] = lists.ranked(order)
        return ranking
