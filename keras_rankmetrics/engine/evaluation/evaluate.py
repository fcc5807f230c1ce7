"""From a batch and definitions of metrics to values and weights."""

from __future__ import annotations

import functools
import operator
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.definition.common_options import needs_order
from keras_rankmetrics.engine.evaluation.batch_cache import Batch
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.inputs.raw_batch import groups_of, without_group
from keras_rankmetrics.engine.ranking import Order, Places, Ranking
from keras_rankmetrics.engine.ranking.memo import Identity
from keras_rankmetrics.types import Tensor, TiePolicy

# From a batch to what metrics make of it, with nothing done twice.
#
# Metrics that read the same input share what was read; if they settle ties in
# the same way, one ranking to the largest cutoff; and if labels are worth the
# same to them, all that depends on these alone.

# Where chance is closer to 1, rounding would be a good part of what is left.
_LEAST_ROOM = 1e-4


class Evaluated(NamedTuple):
    """What was made of a batch by metrics that read the same.

    Attributes:
        places: where these metrics stand among all that were asked for.
        lists: what was read.
        per_list: what the metrics make of it.
    """

    places: tuple[int, ...]
    lists: Lists
    per_list: PerList


def evaluate(
    definitions: Sequence[Definition],
    passed: Sequence[Any],
    batch: Batch,
    draws: Sequence[Tensor | int] | None = None,
) -> list[Evaluated]:
    """What metrics make of a batch, by what they read.

    Args:
        definitions: of the metrics.
        passed: `y_true`, labels, indices or ids, by the `inputs` of the
            definitions; `y_pred`, scores or ids; and `sample_weight`, None, a
            scalar, one weight per list, or per item.
        batch: what others have made of it already.
        draws: for each metric with `ties="shuffle"` the number of the batch.

    Raises:
        ValueError: if they do not fit together, or do not hold what they
            should.
    """
    y_true, y_pred, sample_weight = passed
    evaluated = []
    for places in same_reading(definitions):
        asked = [definitions[place] for place in places]
        relevant, group = _with_group(asked[0], y_true, y_pred)
        try:
            lists = batch.lists(asked[0], relevant, y_pred, sample_weight)
            if group is not None:
                group = groups_of(group, lists.leading)
        except (TypeError, ValueError) as error:
            if len(definitions) > 1:
                names = ", ".join(definition.name for definition in asked)
                form = f'`inputs="{asked[0].inputs}"`'
                error.add_note(f"The metrics with {form} are: {names}.")
            raise
        orders = [
            definition.order(draws[place] if draws else 0)
            for place, definition in zip(places, asked, strict=True)
        ]
        per_list = _per_list(asked, orders, lists, batch)._replace(group=group)
        evaluated.append(Evaluated(places, lists, per_list))
    return evaluated


def same_reading(definitions: Sequence[Definition]) -> list[tuple[int, ...]]:
    """The places of the definitions, together if they read the same."""
    found: dict[Hashable, list[int]] = {}
    for place, definition in enumerate(definitions):
        reading = definition.reading, Identity(definition.by)
        found.setdefault(reading, []).append(place)
    return [tuple(places) for places in found.values()]


def _with_group(
    definition: Definition, y_true: Any, y_pred: Any
) -> tuple[Any, Any]:
    """What is relevant, and the group of each list, or None."""
    relevant, group = without_group(y_true)
    if definition.by is None:
        return relevant, group
    return relevant, definition.by(y_true, y_pred)


def _per_list(
    definitions: Sequence[Definition],
    orders: Sequence[Order],
    lists: Lists,
    batch: Batch,
) -> PerList:
    """What the metrics make of lists that were read."""
    rankings = {
        kind: batch.ranking(definition, order, lists)
        for kind, (definition, order) in _deepest(definitions, orders).items()
    }
    judged = [
        rankings[definition.kind_of_ranking].judged_by(
            definition.relevance, order.k
        )
        for definition, order in zip(definitions, orders, strict=True)
    ]
    has_value = [
        definition.traits.has_value(ranking)
        for definition, ranking in zip(definitions, judged, strict=True)
    ]
    weights, has_own_weight = zip(
        *(
            _list_weights(definition, lists, ranking)
            for definition, ranking in zip(definitions, judged, strict=True)
        ),
        strict=True,
    )
    values = _stacked(
        [
            _values(definition, ranking, lists)
            for definition, ranking in zip(definitions, judged, strict=True)
        ]
    )
    relevant = _stacked(has_value)
    values = ops.where(relevant, values, _of_empty(definitions))
    undefined = _undefined(definitions, judged, lists)
    values = ops.where(undefined, float("nan"), values)
    return PerList(
        values,
        _stacked(weights),
        relevant
        if _are_same(has_own_weight, has_value)
        else _stacked(has_own_weight),
        _counts(definitions, lists, relevant),
        lists.leading.rows,
        rankings=tuple(judged),
    )


def _stacked(rows: Sequence[Tensor]) -> Tensor:
    """`[metrics, lists]`. What metrics share is the same tensor, taken once."""
    if len(rows) == 1:
        return rows[0][None]
    if all(row is rows[0] for row in rows):
        return ops.broadcast_to(rows[0], (len(rows), *ops.shape(rows[0])))
    return ops.stack(rows)


def _are_same(rows: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return all(a is b for a, b in zip(rows, others, strict=True))


def _of_empty(definitions: Sequence[Definition]) -> Tensor | float:
    """What a list without relevant items counts as, for each metric."""
    values = [float(definition.empty == "one") for definition in definitions]
    if len(set(values)) == 1:
        return values[0]
    return ops.array(values)[:, None]


def _counts(
    definitions: Sequence[Definition], lists: Lists, relevant: Tensor
) -> Tensor:
    """Which lists count, bool `[metrics, lists]`."""
    skips = [definition.empty == "skip" for definition in definitions]
    if not any(skips):
        return ops.broadcast_to(lists.present, ops.shape(relevant))
    defined = relevant | lists.undefined
    if all(skips):
        return lists.present & defined
    kept = defined | ~ops.array(skips)[:, None]
    return lists.present & kept


def _undefined(
    definitions: Sequence[Definition], judged: Sequence[Ranking], lists: Lists
) -> Tensor:
    """Which lists have no value, bool `[lists]` or `[metrics, lists]`.

    Raises where gains are seen to add up to more than a float holds, or to less
    than it has fractions of, and where lists are seen to hold other items than
    a metric knows.
    """
    rows = []
    for definition, ranking in zip(definitions, judged, strict=True):
        reasons = (
            (ranking.items.overflow(ranking.gain), _overflow_error),
            (ranking.items.underflow(ranking.gain), _underflow_error),
            (_strangers(definition, ranking), _strangers_error),
        )
        found = []
        for wrong, error in reasons:
            seen = wrong is None or concrete(ops.any(wrong & lists.present))
            if wrong is not None and seen:
                raise error(definition, ranking, wrong)
            if seen is None:
                found.append(wrong)
        rows.append(functools.reduce(operator.or_, found) if found else None)
    if all(row is None for row in rows):
        return lists.undefined
    none = ops.zeros_like(lists.undefined)
    return lists.undefined | _stacked(
        [none if row is None else row for row in rows]
    )


def _strangers(definition: Definition, ranking: Ranking) -> Tensor | None:
    """Which lists are of another catalogue; None if none is.

    Raises where the lengths of lists tell so already.
    """
    if definition.catalogue is None:
        return None
    strangers = ranking.content.outside_catalogue(definition.catalogue)
    if strangers is True:
        raise _strangers_error(definition, ranking, strangers)
    return None if strangers is False else strangers


def _strangers_error(
    definition: Definition, ranking: Ranking, strangers: Tensor
) -> ValueError:
    items, option = definition.catalogue or 0, definition.traits.of_catalogue
    return ValueError(
        "The items should be those of the catalogue, of which the metric "
        f"{definition.name} knows {items} by its `{option}`: a list should "
        f"have as many scores, or ids from 0 to {items - 1}. Received: "
        f"{ranking.content.describe_items()}."
    )


def _underflow_error(
    definition: Definition, ranking: Ranking, underflow: Tensor
) -> ValueError:
    weights = ops.where(underflow[:, None], ranking.items.weights, 0)
    return ValueError(
        "The gains of a list, times the weights of its items, should add up to "
        "1e-30 or more, since single precision has no fractions of smaller "
        f"numbers. Received: for the metric {definition.name}, a list of "
        f"weights up to {float(ops.max(weights))}. Multiply all weights by the "
        "same factor, or give 0 to what should not count."
    )


def _overflow_error(
    definition: Definition, ranking: Ranking, overflow: Tensor
) -> ValueError:
    items = ranking.items
    advice = (
        "Use a higher `max_grade`."
        if "max_grade" in definition.options
        else "Use smaller labels or weights, or a gain that grows more slowly, "
        "as `linear_gain` does."
    )
    label = float(ops.max(ops.where(overflow, items.highest, 0)))
    gain = float(ops.max(ranking.gain(items.highest)))
    return ValueError(
        "The gains of a list, times the weights of its items, should add up to "
        f"a finite number. Received: for the metric {definition.name}, a list "
        f"whose highest label is {label}, with the gain {gain}. {advice}"
    )


def _deepest(
    definitions: Sequence[Definition], orders: Sequence[Order]
) -> dict[Hashable, tuple[Definition, Order]]:
    """For each kind of ranking the metric with the largest cutoff."""
    deepest: dict[Hashable, tuple[Definition, Order]] = {}
    for definition, order in zip(definitions, orders, strict=True):
        kind = definition.kind_of_ranking
        _, largest = deepest.setdefault(kind, (definition, order))
        if (order.k or 0) > (largest.k or 0):
            # Metrics of one collection share their draws.
            deepest[kind] = definition, order._replace(draw=largest.draw)
    return deepest


def _list_weights(
    definition: Definition, lists: Lists, ranking: Ranking
) -> tuple[Tensor, Tensor]:
    """The weight of each list, and whether it is one of its own."""
    items, of_lists = ranking.items, lists.list_weights
    if definition.list_weight == "mean":
        if of_lists is None:
            of_lists = items.mean_weight_of_all()
        return of_lists, ops.ones_like(lists.present)
    if of_lists is None:
        weights = items.mean_weight(ranking.gain)
        return weights, items.has_seen_gain(ranking.gain)
    return of_lists, ranking.has_gain()


def _measured(definition: Definition, ranking: Ranking) -> Tensor:
    if definition.may_branch:
        ranking = ranking.read_only()
    return definition.measure(ranking)


def _beyond_chance(values: Tensor, chance: Tensor) -> Tensor:
    """The values on a scale where chance is 0 and 1 is the best."""
    room = 1.0 - chance
    matters = room > _LEAST_ROOM
    return ops.where(
        matters, (values - chance) / ops.where(matters, room, 1.0), 0.0
    )


def adjusted_values(definition: Definition, ranking: Ranking) -> Tensor:
    """What the measure says of each list, adjusted as the metric is."""
    values = _measured(definition, ranking)
    if definition.adjusted is None:
        return values
    chance = _measured(definition, ranking.by_chance())
    return _beyond_chance(values, chance)


def _values(definition: Definition, ranking: Ranking, lists: Lists) -> Tensor:
    """The same, of lists that were read."""
    values = adjusted_values(definition, ranking)
    received, expected = tuple(values.shape), tuple(lists.present.shape)
    if len(received) != 1 or (
        None not in (*received, *expected) and received != expected
    ):
        raise ValueError(
            f"The `measure` of the metric {definition.name} should return one "
            f"value for each list, in the shape {expected}. Received: the "
            f"shape {received}."
        )
    return ops.cast(values, ranking.items.labels.dtype)


# What a metric says of lists whose only relevant item stands at a given rank.
#
# Nothing is ranked for it, so that a catalogue of millions takes no longer
# than its ranks need to be looked up.


def values_at_ranks(
    definition: Definition, start: np.ndarray, stop: np.ndarray, items: int
) -> np.ndarray:
    """The mean value over the ranks `start + 1` to `stop`, float64 `[ranges]`.

    A metric that needs a strict order is asked for the rank in the middle.

    Args:
        definition: of the metric.
        start: integers `[ranges]`.
        stop: integers `[ranges]`. A range that ends beyond the cutoff should
            not begin within it.
        items: how many each list has.
    """
    size, depth = stop - start, definition.depth
    if depth is not None:
        # All ranks beyond are one, also where lists end there.
        size = np.where(start >= depth, 1, size)
    if needs_order(definition.traits, definition.options):
        start, size = start + (size - 1) // 2, np.ones_like(size)
    ties: TiePolicy = "stable" if np.all(size == 1) else "average"
    relevance = definition.relevance
    label = ops.full(start.shape, relevance.unseen_label, definition.dtype)
    places = Places(
        ops.convert_to_tensor(start, "int32"),
        ops.convert_to_tensor(size, "int32"),
        label,
        items,
    )
    ranking = places.ranked(Order(depth, ties)).judged_by(relevance, depth)
    values = adjusted_values(definition, ranking)
    return ops.convert_to_numpy(values).astype("float64")
