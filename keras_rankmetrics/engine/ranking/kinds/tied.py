"""`TiedRanks`: a ranking whose entries are ranks, which tied items share."""

from __future__ import annotations

import dataclasses

from keras_rankmetrics.engine.backend.branching import cond
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.kinds.chances import (
    Group,
    precision_per_hit,
    precisions_in_group,
    rate_of_others,
    value_at_first_hit,
)
from keras_rankmetrics.engine.ranking.kinds.ranks import Ranks
from keras_rankmetrics.engine.ranking.kinds.stopping import (
    Row,
    chances_in_ties,
)
from keras_rankmetrics.engine.ranking.kinds.ties import Shared, Ties
from keras_rankmetrics.engine.ranking.memo import remembered
from keras_rankmetrics.engine.ranking.pairs import InOrder
from keras_rankmetrics.engine.ranking.placed import Placed
from keras_rankmetrics.engine.ranking.ranked import Cutoff
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True, kw_only=True)
class TiedRanks(Ranks):
    """Ranks of which those of a tie group hold the mean over its items.

    Attributes:
        ties: the tie groups.
    """

    ties: Ties

    def _held(self) -> Tensor:
        return self._shared().mean

    @remembered("gain")
    def _weighted(self) -> Tensor:
        return self.ties.share(
            super()._weighted(), lambda: self.items.weighted(self.gain)
        ).mean

    @remembered("gain")
    def _hits_if_hit(self) -> Tensor:
        if known(~self.ties.found):
            return super()._hits_if_hit()
        shared = self._shared()
        hits = self.as_binary()._shared().total
        found = precisions_in_group(
            0.0,
            rate=rate_of_others(hits, self._float(shared.size)),
            reciprocals=1.0,
            shares_above=shared.ahead,
        )
        mean = ops.divide_no_nan(shared.total, hits)
        return self._hits_above_group() + mean * found

    @remembered("gain")
    def _chances_to_stop(self) -> Tensor:
        alone = super()._chances_to_stop()
        if known(~self.ties.found):
            return alone
        stops, shared = self._gains(), self._shared()
        row = Row(stops, shared.start, shared.size)

        def tied() -> Tensor:
            chances = chances_in_ties(
                row, lambda: self.ties.of_lowest(self.items.gains(self.gain))
            )
            return ops.where(self.ties.there, chances, 0)

        return cond(self.ties.found, tied, lambda: alone)

    @remembered("gain")
    def _placed(self) -> Placed:
        shared = self._shared()
        return Placed(
            self._gains(),
            self._float(shared.start),
            self._float(shared.size),
            self._hits_above_group(),
            shared.total,
        )

    def _row(self) -> InOrder:
        shared = self._shared()
        return super()._row()._replace(start=shared.start, size=shared.size)

    @remembered("gain")
    def _hits_above_group(self) -> Tensor:
        """The relevant items above the tie group of each rank."""
        hits = self._gains()
        return self._running(hits) - hits - self._shared().before

    def _per_hit(self, precisions: Tensor, k: Cutoff) -> Tensor:
        hits, weighted = self.total(), self.weighted_total()
        shared = self._shared()

        def group_at(split: Tensor) -> Group:
            weight = ops.divide_no_nan(
                _of_one(split, weighted), _of_one(split, hits)
            )
            return self._group_at(split)._replace(weight=weight)

        return precision_per_hit(
            super()._per_hit(precisions, k),
            hits,
            precisions,
            start=self._within(None, shared.start),
            size=self._within(None, shared.size),
            group_at=group_at,
            cutoff=self._column(k),
            depth=self._width,
        )

    def _value_at(self, first: Tensor, values: Tensor) -> Tensor:
        certain = super()._value_at(first, values)
        uncertain = ops.any(first & (self.total() < 1), axis=-1)

        def by_chance() -> Tensor:
            group = self._group_at(first)
            # A single one is as likely at each rank: nothing to multiply up.
            inside = self._within(None, self._shared().start) == group.start
            evenly = ops.sum(ops.where(inside, values, 0), -1, keepdims=True)
            expected = ops.where(
                group.relevant < 1.5,
                evenly / ops.maximum(group.size, 1.0),
                value_at_first_hit(group, values),
            )
            return ops.where(uncertain, expected[:, 0], certain)

        return cond(ops.any(uncertain), by_chance, lambda: certain)

    @remembered("gain")
    def _shared(self) -> Shared:
        """The gains, shared among the items that tie."""
        return self.ties.share(
            self._gains(), lambda: self.items.gains(self.gain)
        )

    def _group_at(self, chosen: Tensor) -> Group:
        """The group of the chosen ranks, of which each list has one."""
        shared = self._shared()
        start, size, relevant = (
            _of_one(chosen, self._within(None, x))
            for x in (shared.start, shared.size, shared.total)
        )
        return Group(start, self._float(size), relevant)


def _of_one(chosen: Tensor, x: Tensor) -> Tensor:
    """What all chosen ranks of a list have, `[lists, 1]`; 0 if none is."""
    return ops.max(ops.where(chosen, x, 0), axis=-1, keepdims=True)
