"""`Company`: metrics that look at the same batches.

The first of them ranks as deep as the deepest will ask, and computes for the
others what they will ask. Which ones they are is a guess, made by `Looker`. A
wrong guess costs time, and changes no number.
"""

from __future__ import annotations

from collections.abc import Hashable

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition


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
        kind, k = definition.kind_of_ranking, definition.k or 0
        self._deepest[kind] = max(k, self._deepest.get(kind, 0))

    def deepest(self, definition: Definition) -> int:
        """The largest cutoff of the metrics that can share its ranking."""
        return self._deepest.get(definition.kind_of_ranking, 0)


def can_be_computed_by_others(definition: Definition) -> bool:
    """Whether nothing is needed but the batch."""
    return definition.ties != "shuffle" and definition.by is None
