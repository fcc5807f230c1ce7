"""From a batch and definitions of metrics to values and weights.

Nothing is computed twice: metrics with the same form of input share the lists,
metrics that also handle ties alike share one ranking to the largest cutoff, and
metrics that also value labels alike share all that depends on these alone. So
the first metric of a batch computes the terms of its peers too.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.aggregates import Aggregate, PerList, WeightedMean
from keras_rankmetrics.engine.backend.operations import ops, quiet
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation.batch_cache import Batch, is_shareable
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.ranking import Ids, Order, Ranking
from keras_rankmetrics.engine.ranking.relevance import Identity, probability
from keras_rankmetrics.types import Tensor

# `adjusted="chance"` divides by 1 - chance. A smaller difference has lost most
# of its digits.
_SMALLEST_ROOM = 1e-4
_OUTSIDE = 1e-3  # of [0, 1], more than by rounding


class PerReading(NamedTuple):
    """The values of metrics that read the same lists.

    Attributes:
        places: the positions of these metrics among all that were evaluated.
        lists: the lists that they read.
        per_list: their values and weights.
    """

    places: tuple[int, ...]
    lists: Lists
    per_list: PerList


@quiet
def terms_of(
    definition: Definition,
    aggregate: Aggregate,
    batch: Batch,
    inputs: Sequence[Any],
    draw: Tensor | int,
) -> Tensor:
    """Return the terms that the batch adds to the sums, `[*shape]`.

    Args:
        definition: the definition of the metric.
        aggregate: the sums that it keeps.
        batch: the batch, with the results of peers.
        inputs: `y_true`, `y_pred` and `sample_weight`.
        draw: the number of the batch, for `ties="shuffle"`.

    Raises:
        ValueError: if the inputs are invalid.
    """
    metric = definition, aggregate
    if metric in batch.terms:
        return batch.terms[metric]
    together = [definition, *_peers_of(definition, aggregate, batch)]
    terms = None
    try:
        lists = batch.lists(definition, inputs)
        draws = [draw] * len(together)
        terms = aggregate.of_batch(values_of(together, lists, batch, draws))
    except Exception:  # functions of users may raise anything
        if len(together) == 1:
            raise
    if terms is None:
        # Each metric computes its own terms, so that the error comes from the
        # metric that causes it.
        batch.fails_together = True
        return terms_of(definition, aggregate, batch, inputs, draw)
    if is_shareable(definition):
        batch.add_terms(aggregate, together, terms)
    return terms[0]


def _peers_of(
    definition: Definition, aggregate: Aggregate, batch: Batch
) -> list[Definition]:
    """Return the other metrics to compute with this one.

    Many metrics at once cost little more than one.
    """
    if batch.fails_together or not is_shareable(definition):
        return []
    return [
        other
        for other, its_aggregate in batch.expected.sharing
        if its_aggregate == aggregate
        and other != definition
        and other.reading == definition.reading
        and (other, aggregate) not in batch.terms
    ]


@quiet
def evaluate_batch(
    definitions: Sequence[Definition],
    inputs: Sequence[Any],
    batch: Batch,
    draws: Sequence[Tensor | int] | None = None,
) -> list[PerReading]:
    """Return the values of metrics, grouped by the lists that they read.

    Args:
        definitions: the definitions of the metrics.
        inputs: `y_true`, labels, indices or ids, by the `inputs` of the
            definitions; `y_pred`, scores or ids; and `sample_weight`, None, a
            scalar, one weight per list, or per item.
        batch: the batch, with the results of peers.
        draws: for each metric the number of the batch, for `ties="shuffle"`.

    Raises:
        ValueError: if the inputs are invalid.
    """
    draws = draws or [0] * len(definitions)
    evaluated = []
    for places in same_reading(definitions):
        readers = [definitions[place] for place in places]
        try:
            lists = batch.lists(readers[0], inputs)
        except (TypeError, ValueError) as error:
            if len(definitions) > 1:
                names = ", ".join(definition.name for definition in readers)
                form = f'`inputs="{readers[0].inputs}"`'
                error.add_note(f"The metrics with {form} are: {names}.")
            raise
        its_draws = [draws[place] for place in places]
        per_list = values_of(readers, lists, batch, its_draws)
        evaluated.append(PerReading(places, lists, per_list))
    return evaluated


def same_reading(definitions: Sequence[Definition]) -> list[tuple[int, ...]]:
    """Return the positions of the definitions, grouped by what they read."""
    found: dict[Hashable, list[int]] = {}
    for place, definition in enumerate(definitions):
        reading = definition.reading, Identity(definition.by)
        found.setdefault(reading, []).append(place)
    return [tuple(places) for places in found.values()]


def values_of(
    definitions: Sequence[Definition],
    lists: Lists,
    batch: Batch,
    draws: Sequence[Tensor | int],
) -> PerList:
    """Return the values of metrics on the lists that all of them read.

    Args:
        definitions: the definitions of the metrics.
        lists: the lists.
        batch: the batch, with the results of peers.
        draws: for each metric the number of the batch.
    """
    if isinstance(lists.content, Ids) and lists.content.labels is None:
        for definition in definitions:
            if definition.needs_grades:
                keys = '`y_true={"target": ids, "labels": labels}`'
                remedy = f"For grades, pass {keys}."
                raise ValueError(f"{definition.needs_grades} {remedy}")
    incomplete = getattr(lists.content, "num_relevant", None) is not None
    if incomplete and any(d.labels == "probabilities" for d in definitions):
        raise ValueError(
            'With `labels="probabilities"`, each item that may be relevant '
            "should have a label. Received: `num_relevant`. Leave it out."
        )
    orders = list(map(Definition.order, definitions, draws))
    rankings = {
        kind: batch.ranking(kind, order, lists)
        for kind, order in _deepest(definitions, orders).items()
    }
    judged = [
        rankings[definition.kind_of_ranking].with_gain(
            definition.relevance, order.k
        )
        for definition, order in zip(definitions, orders, strict=True)
    ]
    pairs = list(zip(definitions, judged, strict=True))
    has_value = [
        definition.traits.has_value(ranking) for definition, ranking in pairs
    ]
    weights, has_own_weight = zip(
        *(_list_weights(*pair, lists) for pair in pairs), strict=True
    )
    measured = [
        _checked(definition, ranking, definition.measure(ranking, definition.k))
        for definition, ranking in pairs
    ]
    by_chance = [_by_chance(*pair) for pair in pairs]
    values = _stacked(list(map(_adjusted, measured, by_chance)))
    is_defined = _stacked(has_value)
    values = ops.where(is_defined, values, _empty_values(definitions))
    bounded = list(map(_bounded, definitions, measured, by_chance))
    undefined = _undefined(pairs, bounded, has_value, lists)
    values = ops.where(undefined, float("nan"), values)
    are_same = all(map(operator.is_, has_own_weight, has_value))
    return PerList(
        values,
        _stacked(weights),
        is_defined if are_same else _stacked(has_own_weight),
        _valid(definitions, lists, is_defined),
        lists.leading.rows,
        lists.group,
        tuple(judged),
    )


def _deepest(
    definitions: Sequence[Definition], orders: Sequence[Order]
) -> dict[Hashable, Order]:
    """Return the order with the largest cutoff for each kind of ranking."""
    deepest: dict[Hashable, Order] = {}
    for definition, order in zip(definitions, orders, strict=True):
        kind = definition.kind_of_ranking
        # Metrics of one collection share their draws.
        first = deepest.setdefault(kind, order)
        if order.k is not None:
            deepest[kind] = first._replace(k=max(order.k, first.k or 0))
    return deepest


def _stacked(rows: Sequence[Tensor]) -> Tensor:
    """Return `[metrics, lists]`; a row that all metrics share is broadcast."""
    if len(rows) == 1:
        return rows[0][None]
    if all(row is rows[0] for row in rows):
        return ops.broadcast_to(rows[0], (len(rows), *ops.shape(rows[0])))
    return ops.stack(rows)


def _empty_values(definitions: Sequence[Definition]) -> Tensor | float:
    """Return the value of an empty list, for each metric."""
    values = [float(definition.empty == "one") for definition in definitions]
    if len(set(values)) == 1:
        return values[0]
    return ops.array(values)[:, None]


def _valid(
    definitions: Sequence[Definition], lists: Lists, is_defined: Tensor
) -> Tensor:
    """Return True for valid lists, False for excluded ones.

    Bool `[metrics, lists]`.
    """
    skips = [definition.empty == "skip" for definition in definitions]
    if not any(skips):
        return ops.broadcast_to(lists.present, ops.shape(is_defined))
    valid = is_defined | lists.undefined
    if not all(skips):
        valid = valid | ~ops.array(skips)[:, None]
    return lists.present & valid


def _list_weights(
    definition: Definition, ranking: Ranking, lists: Lists
) -> tuple[Tensor, Tensor]:
    """Return the weight of each list, and whether the list defines it."""
    items, weights = ranking.items, lists.list_weights
    if definition.list_weight == "mean":
        has_own = ops.ones_like(lists.present)
        if weights is None:
            weights = items.mean_weight_of_all()
    elif weights is None:
        weights = items.mean_weight(ranking.gain)
        if items.weights is None and definition.own_weight is None:
            has_own = lists.present  # all weights are 1
        else:
            has_own = items.has_seen_gain(ranking.gain)
    else:
        has_own = ranking.has_gain()
    if definition.own_weight is not None:
        weights = weights * definition.own_weight(ranking)
    return weights, has_own


def _checked(
    definition: Definition, ranking: Ranking, values: Tensor
) -> Tensor:
    """Return the values of a measure, `[lists]`.

    Raises:
        ValueError: if they have another shape.
    """
    shape = getattr(values, "shape", None)
    received = () if shape is None else tuple(shape)
    expected = tuple(ranking.items.highest.shape)
    if len(received) != 1 or (
        None not in (*received, *expected) and received != expected
    ):
        found = repr(values) if shape is None else f"the shape {received}"
        raise ValueError(
            f"The `measure` of the metric {definition.name} should return one "
            f"value for each list, in the shape {expected}. Received: "
            f"{found}. Reduce the last axis of [lists, items], for example "
            "by `keras.ops.sum(..., axis=-1)`."
        )
    return ops.cast(values, ranking.items.labels.dtype)


def _by_chance(definition: Definition, ranking: Ranking) -> Tensor | None:
    """Return the values of a measure if all items are tied, `[lists]`.

    None if the metric is not adjusted for them.
    """
    if definition.adjusted is None:
        return None
    tied = ranking.by_chance()
    return _checked(definition, ranking, definition.measure(tied, definition.k))


def _adjusted(values: Tensor, chance: Tensor | None) -> Tensor:
    """Return the values, adjusted for those by chance unless they are None."""
    if chance is None:
        return values
    room = 1.0 - chance
    is_small = room <= _SMALLEST_ROOM
    adjusted = (values - chance) / ops.where(is_small, 1.0, room)
    return ops.where(is_small, 0.0, adjusted)


# Lists without a valid value


def _undefined(
    pairs: Sequence[tuple[Definition, Ranking]],
    bounded: Sequence[Tensor | None],
    has_value: Sequence[Tensor],
    lists: Lists,
) -> Tensor:
    """Return True for lists without a valid value, bool `[metrics, lists]`.

    Args:
        pairs: the definition and the ranking of each metric.
        bounded: the values that should be in [0, 1], `[lists]`; None without.
        has_value: True for the lists that the measure has a value for.
        lists: the lists.

    Raises:
        ValueError: if concrete gains overflow or underflow when summed,
            concrete items are not those of the metric's catalogue, or concrete
            values of a user's measure are not in [0, 1] as it says.
    """
    rows = []
    for pair, values, counts in zip(pairs, bounded, has_value, strict=True):
        definition, ranking = pair
        undefined = lists.undefined
        reasons = (
            (ranking.items.overflow(ranking.gain), _overflow_error),
            (ranking.items.underflow(ranking.gain), _underflow_error),
            (_strangers(definition, ranking), _catalogue_error),
            (
                None if values is None else _outside(values) & counts,
                functools.partial(_bounds_error, values),
            ),
        )
        for wrong, error in reasons:
            if wrong is None:
                continue
            of_valid = wrong & lists.present
            is_wrong = concrete(ops.any(of_valid))
            if is_wrong:
                raise error(definition, ranking, of_valid)
            if is_wrong is None:
                undefined = undefined | wrong
        rows.append(undefined)
    return _stacked(rows)


def _bounded(
    definition: Definition, values: Tensor, chance: Tensor | None
) -> Tensor | None:
    """Return the values by functions of a user that should be in [0, 1].

    None if the metric is one of the package, or has other bounds.

    Args:
        definition: the definition of the metric.
        values: those of its measure, `[lists]`.
        chance: those by chance, which replace values that are closer to 0.5.
    """
    traits = definition.traits
    is_mean = traits.metric.aggregate == WeightedMean()
    if (
        not definition.function_of_user
        or not traits.has_upper_bound
        or not (is_mean or definition.adjusted)
    ):
        return None
    if chance is None:
        return values
    is_farther = ops.abs(chance - 0.5) > ops.abs(values - 0.5)
    return ops.where(is_farther, chance, values)


def _outside(values: Tensor) -> Tensor:
    """Return True for values that are not in [0, 1], up to rounding."""
    return ops.abs(values - 0.5) > 0.5 + _OUTSIDE


def _bounds_error(
    values: Tensor, definition: Definition, ranking: Ranking, wrong: Tensor
) -> ValueError:
    place = int(ops.argmax(ops.where(wrong, ops.abs(values - 0.5), 0.0)))
    name = definition.function_of_user
    remedy = f"Let `{name}` return 0 or more."
    if name.endswith("measure"):
        remedy = "Set `has_upper_bound = False` in the class if there are more."
    elif name == "relevance":
        remedy = (
            "Let `relevance` return what this measure takes, mostly 0 or 1."
        )
    return ValueError(
        f"{definition.traits.metric.__name__} should have values in [0, 1], as "
        "confidence intervals and `adjusted` assume. Received: "
        f"{float(values[place]):g}, by your own `{name}`. {remedy}"
    )


def _strangers(definition: Definition, ranking: Ranking) -> Tensor | None:
    """Return True for lists of another catalogue; None if there are none.

    Raises:
        ValueError: if static shapes show that all lists are.
    """
    if definition.catalogue is None:
        return None
    strangers = ranking.content.outside_catalogue(definition.catalogue)
    if strangers is True:
        raise _catalogue_error(definition, ranking, strangers)
    return None if strangers is False else strangers


def _catalogue_error(
    definition: Definition, ranking: Ranking, wrong: Tensor
) -> ValueError:
    items, option = definition.catalogue or 0, definition.traits.of_catalogue
    return ValueError(
        f"The metric {definition.name} expects a catalogue of {items} items, "
        f"by its `{option}`: each list should have {items} scores, or ids from "
        f"0 to {items - 1}. Received: {ranking.content.describe_items()}."
    )


def _underflow_error(
    definition: Definition, ranking: Ranking, wrong: Tensor
) -> ValueError:
    weights = ops.where(wrong[:, None], ranking.items.weights, 0)
    return ValueError(
        "The gains of a list, times the weights of its items, should add up to "
        "1e-30 or more, since smaller numbers lose digits in single precision. "
        f"Received: for the metric {definition.name}, a list of weights up to "
        f"{float(ops.max(weights))}. Multiply all weights by the same factor, "
        "or use the weight 0 to exclude lists and items."
    )


def _overflow_error(
    definition: Definition, ranking: Ranking, wrong: Tensor
) -> ValueError:
    items = ranking.items
    advice = (
        "Use a higher `max_grade`."
        if "max_grade" in definition.options
        else "Use smaller labels or weights, or a gain that grows more slowly, "
        "such as `linear_gain`."
    )
    label = float(ops.max(ops.where(wrong, items.highest, 0)))
    are_grades = definition.labels == "grades"
    if not are_grades or definition.traits.relevance is probability:
        other = "" if are_grades else ', or use `labels="grades"`'
        return ValueError(
            "Labels should be probabilities from 0 to 1. Received: a label of "
            f"{label} for the metric {definition.name}. Divide the labels by "
            f"the highest grade{other}."
        )
    gain = float(ops.max(ranking.gain(items.highest)))
    return ValueError(
        "The gains of a list, times the weights of its items, should add up to "
        f"a finite number. Received: for the metric {definition.name}, a list "
        f"whose highest label is {label}, with the gain {gain}. {advice}"
    )
