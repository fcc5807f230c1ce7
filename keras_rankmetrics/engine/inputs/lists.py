"""What the readers return: checked lists, their content as the form has it."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.ranking import (
    Items,
    Order,
    Ranking,
    from_counts,
    from_ids,
    from_scores,
    from_targets,
)
from keras_rankmetrics.engine.ranking.sort_keys import Sortable
from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Scored:
    """Labels and scores of the same items.

    Attributes:
        labels: `[lists, items]`, floats. Below 0: masked, no item.
        highest: `[lists]`, the highest label.
        scores: of the items. The lowest value of the dtype (-inf for floats)
            where an item is not retrieved.
        item_weights: `[lists, items]` in the dtype of the labels, or None.
            Never together with weights of lists.
        num_relevant: `[lists]` in that dtype, how many relevant items there
            are, whether the list holds them or not; or None.
    """

    labels: Tensor
    highest: Tensor
    scores: Sortable
    item_weights: Tensor | None
    num_relevant: Tensor | None

    def ranked(
        self, order: Order, by_subtopic: Tensor | None = None
    ) -> Ranking:
        """The items, from the highest score down."""
        items = Items(
            self.labels,
            self.highest,
            order.k,
            self.item_weights,
            self.num_relevant,
        )
        return from_scores(items, self.scores, order, by_subtopic)


@dataclasses.dataclass(frozen=True)
class Diverse:
    """Items with scores, and with a label for each subtopic.

    Attributes:
        scored: the items, each with the highest of its labels.
        by_subtopic: `[lists, subtopics, items]`, floats. Below 0: no item.
    """

    scored: Scored
    by_subtopic: Tensor

    def ranked(self, order: Order) -> Ranking:
        """The items, from the highest score down."""
        return self.scored.ranked(order, self.by_subtopic)


@dataclasses.dataclass(frozen=True)
class Targets:
    """Scores of a whole catalogue, and which of its items are relevant.

    Attributes:
        targets: int `[lists, targets]`, indices into the catalogue. Below 0:
            padding.
        scores: of all items. The lowest value of the dtype where an item is not
            retrieved.
        dtype: of what is computed from them.
    """

    targets: Tensor
    scores: Sortable
    dtype: str

    def ranked(self, order: Order) -> Ranking:
        """The catalogue, as far as its order decides where targets stand."""
        return from_targets(self.targets, self.scores, order, self.dtype)


@dataclasses.dataclass(frozen=True)
class Ids:
    """Ids of relevant items and ids of recommended ones.

    Attributes:
        relevant: int `[lists, relevant]`. Below 0: padding.
        recommended: int `[lists, recommended]`, best first. Below 0: padding.
        dtype: of what is computed from them.
    """

    relevant: Tensor
    recommended: Tensor
    dtype: str

    def ranked(self, order: Order) -> Ranking:
        """The recommended ids, in the order in which they were passed."""
        return from_ids(self.relevant, self.recommended, order.k, self.dtype)


@dataclasses.dataclass(frozen=True)
class Counted:
    """Relevant items, and how many others stand above each.

    Attributes:
        relevant: bool `[lists, relevant]`, False for padding.
        above: int32 `[lists, relevant]`, how many items score higher. Below 0:
            not retrieved.
        tied: int32 `[lists, relevant]`, how many others score the same.
        num_items: int32 `[lists]`, how many items are retrieved.
        most: the largest of these, if it is known in programs too.
        dtype: of what is computed from them.
    """

    relevant: Tensor
    above: Tensor
    tied: Tensor
    num_items: Tensor
    most: int | None
    dtype: str

    def ranked(self, order: Order) -> Ranking:
        """The items that were counted, as far as relevant ones tell."""
        return from_counts(
            self.relevant,
            self.above,
            self.tied,
            self.num_items,
            self.most,
            order,
            self.dtype,
        )


Content: TypeAlias = Scored | Diverse | Targets | Ids | Counted


@dataclasses.dataclass(frozen=True)
class Lists:
    """The lists of a batch.

    Attributes:
        content: what the lists hold.
        list_weights: `[lists]`, or None.
        present: bool `[lists]`, whether a list holds a valid item. One that
            does not is padding, and does not count.
        undefined: bool `[lists]`, whether a list holds what has no meaning,
            such as a NaN, so that it has no value.
        leading: the leading dimensions of what the user passed.
        doubt: what to warn the user of, or None.
    """

    content: Content
    list_weights: Tensor | None
    present: Tensor
    undefined: Tensor
    leading: Leading
    doubt: str | None

    def ranked(self, order: Order) -> Ranking:
        """The ranking of what was read, in the given order."""
        return self.content.ranked(order)
