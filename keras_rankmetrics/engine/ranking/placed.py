"""`Placed`: where items stand, each somewhere in its tie group."""

from __future__ import annotations

from typing import NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor


class Placed(NamedTuple):
    """Items, each somewhere in its tie group, `[lists, entries]`, floats.

    What they hold is not averaged over the group: so whole numbers stay whole.

    Attributes:
        gains: of the item, 0 where there is none.
        start: how many items stand above the group.
        size: how many it has.
        hits_above: the gains above the group.
        hits: those of the group.
    """

    gains: Tensor
    start: Tensor
    size: Tensor
    hits_above: Tensor
    hits: Tensor

    def others_above(self, most: Tensor | None) -> Tensor:
        """How many items without a gain stand above each, of gains of 0 and 1.

        Args:
            most: `[lists]`, no more than so many are counted, or None for all.
        """
        above = self.start - self.hits_above
        tied = self.size - self.hits
        # As likely none, one, ... or all of those that tie stand above.
        if most is None:
            return above + tied / 2.0
        most = most[:, None]
        room = ops.clip(most - above, 0.0, tied)
        ways = room * (2.0 * tied - room + 1.0) / 2.0
        return ops.minimum(above, most) + ways / (tied + 1.0)

    def ranks(self) -> Tensor:
        """`[lists]`, the ranks of all items times their gains: Σ g rank."""
        middle = self.start + (self.size + 1.0) / 2.0
        return ops.sum(self.gains * middle, axis=-1)
