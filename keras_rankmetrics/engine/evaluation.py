"""From a batch to what metrics make of it, with nothing done twice.

Metrics that read the same input share what was read; if they settle ties in the
same way, one ranking to the largest cutoff; and if labels are worth the same to
them, all that depends on these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from keras import ops

from keras_rankmetrics import gains
from keras_rankmetrics.engine import inputs
from keras_rankmetrics.engine.aggregates.mean import Evaluation
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.ranking import Order, Ranking, Relevance
from keras_rankmetrics.types import (
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
)

_PRESENT = Relevance(gains.present, key=gains.present)


class Reading(NamedTuple):
    """How a batch is read: in which form, and with how many digits."""

    inputs: InputForm
    dtype: str


class Question(NamedTuple):
    """What a metric asks of lists that have been read.

    Attributes:
        name: of the metric, for errors.
        order: how they are to be ranked.
        relevance: what a label is worth.
        measure: the value of each list of a ranking.
        may_branch: whether the measure may ask the ranking in a branch.
        empty: what a list without relevant items counts as.
        list_weight: what the weight of a list is.
    """

    name: str
    order: Order
    relevance: Relevance
    measure: Callable[[Ranking], Tensor]
    may_branch: bool
    empty: EmptyPolicy
    list_weight: ListWeight


def read(
    reading: Reading, y_true: Any, y_pred: Any, sample_weight: Any
) -> Lists:
    """The lists of a batch."""
    return inputs.read(
        reading.inputs, y_true, y_pred, sample_weight, reading.dtype
    )


def evaluate(lists: Lists, questions: Sequence[Question]) -> Evaluation:
    """What the metrics make of the lists of a batch."""
    rankings = {
        sort: lists.ranked(order) for sort, order in _orders(questions).items()
    }
    judged = [
        rankings[_sort(question)].judged_by(
            question.relevance, question.order.k
        )
        for question in questions
    ]
    has_gain = [ranking.items.has_gain(ranking.gain) for ranking in judged]
    weights, has_own_weight = zip(
        *(
            _list_weights(question.list_weight, lists, ranking)
            for question, ranking in zip(questions, judged, strict=True)
        ),
        strict=True,
    )
    values = _stacked(
        [
            _values(question, ranking, lists)
            for question, ranking in zip(questions, judged, strict=True)
        ]
    )
    relevant = _stacked(has_gain)
    values = ops.where(relevant, values, _of_empty(questions))
    undefined = _undefined(questions, judged, lists)
    values = ops.where(undefined, float("nan"), values)
    return Evaluation(
        values,
        _stacked(weights),
        relevant
        if _are_same(has_own_weight, has_gain)
        else _stacked(has_own_weight),
        _counts(questions, lists, relevant),
    )


def _stacked(rows: Sequence[Tensor]) -> Tensor:
    """`[metrics, lists]`. What metrics share is the same tensor, taken once."""
    if all(row is rows[0] for row in rows):
        return ops.broadcast_to(rows[0], (len(rows), *ops.shape(rows[0])))
    return ops.stack(rows)


def _are_same(rows: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return all(a is b for a, b in zip(rows, others, strict=True))


def _of_empty(questions: Sequence[Question]) -> Tensor | float:
    """What a list without relevant items counts as, for each metric."""
    values = [float(question.empty == "one") for question in questions]
    if len(set(values)) == 1:
        return values[0]
    return ops.array(values)[:, None]


def _counts(
    questions: Sequence[Question], lists: Lists, relevant: Tensor
) -> Tensor:
    """Which lists count, bool `[metrics, lists]`."""
    skips = [question.empty == "skip" for question in questions]
    if not any(skips):
        return ops.broadcast_to(lists.present, ops.shape(relevant))
    defined = relevant | lists.undefined
    kept = defined | ~ops.array(skips)[:, None]
    return lists.present & kept


def _undefined(
    questions: Sequence[Question], judged: Sequence[Ranking], lists: Lists
) -> Tensor:
    """Which lists have no value, bool `[lists]` or `[metrics, lists]`.

    Raises where gains are seen to add up to more than a float holds.
    """
    rows = []
    for question, ranking in zip(questions, judged, strict=True):
        overflow = ranking.items.overflow(ranking.gain)
        seen = overflow is not None and known(ops.any(overflow & lists.present))
        if seen:
            raise _overflow_error(question.name, ranking, overflow)
        rows.append(overflow if seen is None else None)
    if all(row is None for row in rows):
        return lists.undefined
    none = ops.zeros_like(lists.undefined)
    return lists.undefined | _stacked(
        [none if row is None else row for row in rows]
    )


def _overflow_error(
    name: str, ranking: Ranking, overflow: Tensor
) -> ValueError:
    items = ranking.items
    label = float(ops.max(ops.where(overflow, items.highest, 0)))
    gain = float(ops.max(ranking.gain(items.highest)))
    return ValueError(
        "The gains of a list, times the weights of its items, should add up to "
        f"a finite number. Received: for the metric {name}, a list whose "
        f"highest label is {label}, with the gain {gain}. Use smaller labels "
        "or weights, or a gain that grows more slowly, as `linear_gain` does."
    )


class _Sort(NamedTuple):
    """Questions of the same sort are answered from one ranking."""

    ties: str
    seed: int
    whole: bool  # Few ranks are found at a fraction of the cost of all.


def _sort(question: Question) -> _Sort:
    order = question.order
    seed = order.seed if order.ties == "shuffle" else 0
    return _Sort(order.ties, seed, order.k is None)


def _orders(questions: Iterable[Question]) -> dict[_Sort, Order]:
    """For each sort of questions the order to the largest cutoff."""
    orders: dict[_Sort, Order] = {}
    for question in questions:
        order = orders.setdefault(_sort(question), question.order)
        if order.k is not None and question.order.k is not None:
            k = max(order.k, question.order.k)
            orders[_sort(question)] = order._replace(k=k)
    return orders


def _list_weights(
    list_weight: ListWeight, lists: Lists, ranking: Ranking
) -> tuple[Tensor, Tensor]:
    """The weight of each list, and whether it is one of its own."""
    items, of_lists = ranking.items, lists.list_weights
    if list_weight == "mean":
        if of_lists is None:
            of_lists = items.mean_weight(_PRESENT)
        return of_lists, ops.ones_like(lists.present)
    if of_lists is None:
        weights = items.mean_weight(ranking.gain)
        return weights, items.has_seen_gain(ranking.gain)
    return of_lists, items.has_gain(ranking.gain)


def _values(question: Question, ranking: Ranking, lists: Lists) -> Tensor:
    """What the measure says of each list."""
    if question.may_branch:
        ranking = ranking.for_measures_that_branch()
    values = question.measure(ranking)
    received, expected = tuple(values.shape), tuple(lists.present.shape)
    if len(received) != 1 or (
        None not in (*received, *expected) and received != expected
    ):
        raise ValueError(
            f"The `measure` of the metric {question.name} should return one "
            f"value for each list, in the shape {expected}. Received: the "
            f"shape {received}."
        )
    return ops.cast(values, ranking.items.labels.dtype)
