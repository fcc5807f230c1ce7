"""The metrics of an argument: their names, members, states and results."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from keras import ops

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.checks import Facts
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.accumulator import Accumulator, own_methods
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.metrics import Comparison, Sliced

Metrics = TypeVar("Metrics")


def with_named(
    metrics: Any, convention: Convention | None = None, **options: Any
) -> Any:
    """Return the metrics, with a collection in place of each text of names.

    Args:
        metrics: metrics, text such as `"NDCG@10 RR"`, or a list of these.
        convention: the convention that defines the names, or None.
        **options: options of metrics passed by name.

    Raises:
        ValueError: if a text names no metric.
    """
    if isinstance(metrics, str):
        return MetricCollection(metrics_of(metrics, convention, **options))
    if isinstance(metrics, list | tuple):
        return [with_named(each, convention, **options) for each in metrics]
    return metrics


def warn_of_objects(metrics: Any) -> None:
    """Warn of metrics next to a convention that are not passed by name."""
    objects = [x.name for x in metrics_in(metrics) if not isinstance(x, str)]
    if objects:
        warn(
            f"With `convention`, metrics should be text. Received: {objects}, "
            "objects, which keep options of their own. Pass names, such as "
            '`"NDCG@10"`, for the numbers of the tool.'
        )


def metrics_in(metrics: Any) -> Iterator[Any]:
    """Yield the metrics and collections of a list, or of a list of lists."""
    if isinstance(metrics, list | tuple):
        for each in metrics:
            yield from metrics_in(each)
    else:
        yield metrics


def _check_is_metric(metric: Any) -> None:
    if not hasattr(metric, "definition"):
        raise TypeError(
            "`metrics` should be a ranking metric, a `Sliced` one, a "
            "`Comparison`, a `MetricCollection`, or a list of metrics. "
            f"Received: {metric!r}."
        )


def members_of(
    metrics: Any, check: Callable[[Any], None] = _check_is_metric
) -> list[Any]:
    """Return the metrics one by one, with the members of collections.

    Args:
        metrics: a metric, a collection, or a list of these.
        check: raises an error for an object that is not accepted.

    Raises:
        ValueError: if there is none, or two have the same name.
    """
    members: list[Any] = []
    for each in metrics_in(metrics):
        is_collection = isinstance(each, MetricCollection)
        members += each.metrics if is_collection else [each]
    for member in members:
        check(member)
    if not members:
        raise ValueError(
            "`metrics` should have at least one metric. Received: none. Pass a "
            "metric such as `NDCG(k=10)`, or a list of metrics."
        )
    names = [
        name
        for member in members
        for name in getattr(member, "results", [member.name])
    ]
    if len(set(names)) < len(names):
        raise ValueError(
            "`metrics` should have metrics of different names. Received: "
            f"{names}. Remove one, or give it a name of its own: "
            '`NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def value_names(members: Iterable[Any]) -> list[str]:
    """Return the names of the values of a list, by metric and system."""
    names: list[str] = []
    for member in members:
        is_compared = isinstance(member, Comparison)
        systems = len(member.systems) if is_compared else 0
        names += member.results[:systems] if systems else [member.name]
    return names


def check_has_values(members: Sequence[Any], keys: Iterable[str]) -> None:
    """Raise ValueError if a list has no value by one of the metrics.

    Args:
        members: the metrics one by one.
        keys: the names of other columns next to the values.
    """
    for member in members:
        own = own_methods(member, Accumulator)
        if "update_state" in own and "per_list" not in own:
            raise ValueError(
                "Each metric should have a value of each list. Received: "
                f"{member.name!r}, with its own `update_state`. Override "
                "`per_list` too, or leave the metric out."
            )
        if isinstance(member, Sliced):
            raise ValueError(
                "Each metric should have a value of each list. Received: the "
                f"sliced {member.name!r}. Pass the metric itself: groups do "
                "not change the value of a list."
            )
    same = set(keys).intersection(value_names(members))
    if same:
        raise ValueError(
            "A metric should have another name than the columns next to it. "
            f"Received: {min(same)!r} for both. Give the metric another `name`."
        )


def checked_metrics(metrics: Any, **options: Any) -> list[Any]:
    """Return the metrics and collections one by one.

    Args:
        metrics: as for `with_named`.
        **options: as for `with_named`.

    Raises:
        TypeError: if an object is not a metric.
        ValueError: if two results would have the same name.
    """
    found = list(metrics_in(with_named(metrics, **options)))
    members_of(found)
    return found


def check_share(definitions: Iterable[Any], share: float | None) -> None:
    """Raise ValueError if a metric would misread a label between 0 and 1.

    Args:
        definitions: the definitions of the metrics.
        share: such a label, or None.
    """
    for definition in definitions:
        error = definition.misreads(share)
        if error:
            raise ValueError(error)


class Sums(NamedTuple):
    """The states and facts of a job after some lists.

    Attributes:
        states: the states of all its metrics.
        are_of_queries: False if the weights in some query differ.
        facts: what the rows have shown, for each column of scores.
    """

    states: list[State]
    are_of_queries: bool
    facts: list[Facts]


def with_states(metrics: Metrics, states: Sequence[State] | None) -> Metrics:
    """Return copies of the metrics with these states; None means no lists."""
    fresh = copy.deepcopy(metrics)
    members = members_of(fresh)
    for member in members:
        member.reset_state()
    for member, state in zip(members, states or (), strict=states is not None):
        member.state = state
    return fresh


def merged(sums: Sums | None, others: Sums | None) -> Sums | None:
    """Return the sums after all lists, or None if there are no lists."""
    if sums is None or others is None:
        return sums or others
    return Sums(
        _added(sums.states, others.states),
        sums.are_of_queries and others.are_of_queries,
        _added(sums.facts, others.facts),
    )


def _added(some: list[Any], others: list[Any]) -> list[Any]:
    return [one + other for one, other in zip(some, others, strict=True)]


def results_of(metrics: Sequence[Any]) -> dict[str, float]:
    """Return the results of metrics and collections, by name."""
    numbers: dict[str, Any] = {}
    for metric in metrics:
        result = metric.result()
        by_name = isinstance(result, dict)
        numbers |= result if by_name else {metric.name: result}
    return {
        name: float(ops.convert_to_numpy(number))
        for name, number in numbers.items()
    }
