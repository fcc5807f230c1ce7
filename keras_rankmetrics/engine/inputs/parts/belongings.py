"""What belongs to lists, whatever is ranked in them: masks and weights.

A further entry that `y_true` may have in all forms of input is read here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.inputs.lists import Content, Lists
from keras_rankmetrics.engine.inputs.parts.leading import Leading
from keras_rankmetrics.engine.inputs.parts.masks import masks_of
from keras_rankmetrics.engine.inputs.parts.weights import (
    counted,
    has_no_meaning,
    weights_of,
)
from keras_rankmetrics.types import Tensor, UnjudgedPolicy


class Given(NamedTuple):
    """What the user passed.

    Attributes:
        entries: of `y_true`, None for those that are not there.
        y_pred: as it was passed.
        sample_weight: as it was passed.
        dtype: of what is computed from them.
        unjudged: what becomes of items that nobody has judged.
    """

    entries: Mapping[str, Any]
    y_pred: Any
    sample_weight: Any
    dtype: str
    unjudged: UnjudgedPolicy


@dataclasses.dataclass(frozen=True)
class Belongings:
    """What belongs to the lists of a batch.

    Attributes:
        leading: the leading dimensions of what the user passed.
        item_masks: each `[lists, items]`, True where an item exists.
        list_masks: each `[lists]`, True where a list exists.
        item_weights: `[lists, items]`, or None.
        list_weights: `[lists]`, or None.
    """

    leading: Leading
    item_masks: Sequence[Tensor]
    list_masks: Sequence[Tensor]
    item_weights: Tensor | None
    list_weights: Tensor | None

    @classmethod
    def of(
        cls,
        given: Given,
        leading: Leading,
        items: int | None,
        labels: Tensor | None = None,
    ) -> Belongings:
        """Reads what the user passed besides what is ranked.

        Args:
            given: what the user passed.
            leading: the leading dimensions of the lists.
            items: the number of items in a list.
            labels: `[lists, items]`, if items may have weights.
        """
        masks = masks_of(given.entries["mask"], given.y_pred, leading, items)
        weights = weights_of(
            given.sample_weight, leading, items, given.dtype, labels
        )
        return cls(leading, *masks, *weights)

    def there(self, exists: Tensor, unclear: Tensor) -> tuple[Tensor, Tensor]:
        """Which lists are there, and which of these have no value.

        Args:
            exists: bool `[lists]`, which lists hold a valid item.
            unclear: bool `[lists]`, which hold what has no meaning.
        """
        for mask in self.list_masks:
            exists = exists & mask
        if self.list_weights is not None:
            exists = exists & counted(self.list_weights, exists)
            unclear = unclear | has_no_meaning(self.list_weights)
        return exists, exists & unclear

    def lists(
        self,
        content: Content,
        present: Tensor,
        undefined: Tensor,
        doubt: str | None = None,
    ) -> Lists:
        """The lists to which all this belongs."""
        weights = self.list_weights
        return Lists(content, weights, present, undefined, self.leading, doubt)
