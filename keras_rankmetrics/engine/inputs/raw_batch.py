"""A batch as the user passes it, and the entries of `y_true`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.masks import masks_of
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.inputs.weights import (
    counted,
    has_no_meaning,
    per_list,
    weights_of,
)
from keras_rankmetrics.engine.ranking import Content
from keras_rankmetrics.types import Tensor, UnjudgedPolicy

# What belongs to lists, whatever is ranked in them: masks and weights.
#
# A further entry that `y_true` may have in all forms of input is read here.


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


# `y_true` as a dict: what belongs to the lists besides their labels.


def entries_of(
    y_true: Any, main: Sequence[str], others: Sequence[str]
) -> dict[str, Any]:
    """The entries of a dict `y_true`, or what is no dict as its main entry.

    Args:
        y_true: what the user passed.
        main: the names that the main entry may go by, the first one preferred.
        others: the names of further entries.

    Returns:
        The entries, the main one under the first of its names, and None where
        there is none.
    """
    missing = dict.fromkeys((main[0], *others))
    if not isinstance(y_true, dict):
        return {**missing, main[0]: y_true}
    given = [name for name in main if y_true.get(name) is not None]
    if len(given) != 1 or set(y_true) - {*main, *others}:
        raise ValueError(
            "A dict `y_true` should have the key "
            f"{' or '.join(map(_quoted, main))} and may have the "
            f"key{'s' * (len(others) > 1)} "
            f"{', '.join(map(_quoted, others))}. Received the keys: "
            f"{sorted(map(str, y_true))}."
        )
    entries = {**missing, **y_true}
    return {**entries, main[0]: entries.pop(given[0])}


def _quoted(name: str) -> str:
    return f'"{name}"'


# The group of each list: `y_true["group"]`.


def without_group(y_true: Any) -> tuple[Any, Any]:
    """What is relevant, and the groups, or None.

    Args:
        y_true: what the user passed.
    """
    if not isinstance(y_true, dict) or "group" not in y_true:
        return y_true, None
    rest = {name: x for name, x in y_true.items() if name != "group"}
    return rest, y_true["group"]


def groups_of(group: Any, leading: Leading) -> Tensor:
    """int32 `[lists]`, the group of each list.

    Args:
        group: one integer for each list, `[...]` or `[..., 1]`, or for each row
            of the batch.
        leading: the leading dimensions of the lists.
    """
    expected = "the group of each list"
    groups = integers('y_true["group"]', group, expected)
    of_lists = per_list(groups, leading)
    if of_lists is None:
        raise ValueError(
            f'`y_true["group"]` should hold {expected}, in the shape '
            f"{leading.shape}. Received: the shape {tuple(groups.shape)}."
        )
    return ops.cast(ops.clip(of_lists, -1, MANY), "int32")
