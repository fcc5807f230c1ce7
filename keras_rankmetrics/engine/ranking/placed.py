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

    def ranks(self) -> Tensor:
        """`[lists]`, the ranks of all items times their gains: Σ g rank."""
        middle = self.start + (self.size + 1.0) / 2.0
        return ops.sum(self.gains * middle, axis=-1)

    def others_above(self, most: Tensor | None) -> Tensor:
        """`[lists]`, how many items without a gain stand above those with one.

        For gains of 0 and 1.

        Args:
            most: `[lists]`, above each no more than so many are counted.
        """
        above = self.start - self.hits_above
        tied = self.size - self.hits
        # As likely none, one, ... or all of those that tie stand above.
        if most is None:
            counted = above + tied / 2.0
        else:
            most = most[:, None]
            room = ops.clip(most - above, 0.0, tied)
            ways = room * (2.0 * tied - room + 1.0) / 2.0
            counted = ops.minimum(above, most) + ways / (tied + 1.0)
        return ops.sum(self.gains * counted, axis=-1)
