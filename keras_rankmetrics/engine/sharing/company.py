"""`Company`: metrics that look at the same batches.

The first of them ranks as deep as the deepest will ask, and computes for the
others what they will ask. Which ones they are is a guess: those that looked at
the last batch together, and before that, those that were made together. A wrong
guess costs time, and changes no number.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.ranking import ranks_that_count


class Company:
    """Metrics that look at the same batches.

    Attributes:
        members: those for which others can compute, each by its definition and
            its aggregate.
        has_others: whether there are more, which need what was read.
    """

    def __init__(self) -> None:
        self.members: set[tuple[Definition, Aggregate]] = set()
        self.has_others = False
        self._deepest: dict[Hashable, int] = {}

    def join(self, definition: Definition, aggregate: Aggregate | None) -> None:
        """Takes a metric in.

        Args:
            definition: of the metric.
            aggregate: its aggregate; None if nobody is to compute for it.
        """
        if aggregate is not None and can_be_computed_by_others(definition):
            self.members.add((definition, aggregate))
        else:
            self.has_others = True
        kind, k = kind_of_ranking(definition), definition.k or 0
        self._deepest[kind] = max(k, self._deepest.get(kind, 0))

    def deepest(self, definition: Definition) -> int:
        """The largest cutoff of the metrics that can share its ranking."""
        return self._deepest.get(kind_of_ranking(definition), 0)


def can_be_computed_by_others(definition: Definition) -> bool:
    """Whether nothing is needed but the batch."""
    return definition.ties != "shuffle" and definition.by is None


def kind_of_ranking(definition: Definition) -> Hashable:
    """Metrics of the same kind are answered from one ranking.

    Few ranks are found at a fraction of the cost of all.
    """
    seed = definition.seed if definition.ties == "shuffle" else 0
    whole = ranks_that_count(definition.k) is None
    return definition.reading, definition.ties, seed, whole


class _Making(threading.local):
    """Those that are being made in a thread, none of which has looked yet."""

    company: Company | None = None


_making = _Making()


def made_together() -> Company:
    """The company of metrics that are made now."""
    if _making.company is None:
        _making.company = Company()
    return _making.company


def has_looked(company: Company) -> None:
    """Whoever is made from now on is no longer of this company."""
    if _making.company is company:
        _making.company = None
