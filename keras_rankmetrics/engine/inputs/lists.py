"""The checked lists of a batch, which the readers return."""

from __future__ import annotations

import dataclasses

from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.ranking import Content, Order, Ranking
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Lists:
    """The lists of a batch.

    Attributes:
        content: the items of the lists.
        list_weights: `[lists]`, or None.
        present: bool `[lists]`, True for lists with a valid item. Others are
            padding and do not count.
        undefined: bool `[lists]`, True for lists without a value, since they
            contain invalid numbers such as NaN.
        leading: the leading dimensions of the input.
        doubt: a warning for the user, or None.
    """

    content: Content
    list_weights: Tensor | None
    present: Tensor
    undefined: Tensor
    leading: Leading
    doubt: str | None

    def ranked(self, order: Order) -> Ranking:
        """Return the ranking of the lists."""
        return self.content.ranked(order)
