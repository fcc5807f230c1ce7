"""The forms of input: how each is read, and how what was read is ranked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from keras_rankmetrics.engine.inputs import (
    IdLists,
    Lists,
    ScoredLists,
    TargetLists,
    read_ids,
    read_scores,
    read_sparse,
)
from keras_rankmetrics.engine.ranking import (
    Items,
    Order,
    Ranking,
    from_ids,
    from_scores,
    from_targets,
)
from keras_rankmetrics.types import InputForm


class Form(NamedTuple):
    """A form of input.

    Attributes:
        read: `(y_true, y_pred, sample_weight, dtype)` to checked lists.
        rank: these lists, and how to rank them, to a ranking.
    """

    read: Callable[[Any, Any, Any, str], Lists]
    rank: Callable[[Any, Order], Ranking]


def _rank_scores(lists: ScoredLists, order: Order) -> Ranking:
    items = Items(
        lists.labels,
        lists.highest,
        order.k,
        lists.item_weights,
        lists.num_relevant,
    )
    return from_scores(items, lists.scores, order)


def _rank_targets(lists: TargetLists, order: Order) -> Ranking:
    return from_targets(lists.targets, lists.scores, order, lists.dtype)


def _rank_ids(lists: IdLists, order: Order) -> Ranking:
    return from_ids(lists.relevant, lists.recommended, order.k, lists.dtype)


FORMS: dict[InputForm, Form] = {
    "scores": Form(read_scores, _rank_scores),
    "sparse": Form(read_sparse, _rank_targets),
    "ids": Form(read_ids, _rank_ids),
}
