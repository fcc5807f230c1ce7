"""Metrics and names of columns, checked and made into a `Job`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.metrics import Comparison, Sliced
from keras_rankmetrics.tables.lists import Columns
from keras_rankmetrics.tables.runner import Job, Slicing

Metrics = TypeVar("Metrics")
LISTS_PER_UPDATE = 4096


def job_of(
    metrics: Any,
    y_true: str,
    y_pred: str | Mapping[str, str],
    sample_weight: str | None = None,
    group: str | Mapping[str, str] | None = None,
    query: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    exclude: str | None = None,
    num_relevant: str | None = None,
) -> Job:
    """Return the job that computes the metrics from these columns.

    Raises:
        ValueError: if the arguments do not fit together.
        TypeError: if a metric or the name of a column has the wrong type.
    """
    members = members_of(metrics)
    columns = [y_true, y_pred, sample_weight, query, exclude, num_relevant]
    for name in _names(columns):
        if not isinstance(name, str):
            raise TypeError(
                f"The name of a column should be a string. Received: {name!r}."
            )
    form = _form(members, query)
    if exclude is not None and query is not None:
        raise ValueError(
            "`exclude` is for rows that are lists. Received: "
            f"`exclude={exclude!r}` and `query={query!r}`. Leave out the rows "
            "of these items, or let their score be -inf."
        )
    if num_relevant is not None and form != "scores":
        raise ValueError(
            '`num_relevant` is for metrics of `inputs="scores"`. Received: '
            f'`num_relevant={num_relevant!r}` and `inputs="{form}"`.'
        )
    for member in members:
        _check_systems(member, y_pred)
    slicings = [_slicing(member, group) for member in members]
    if group is not None and not any(slicings):
        raise ValueError(
            "`group` is for `Sliced` metrics. Received: "
            f"`group={group!r}` and {[m.name for m in members]}."
        )
    if (
        not isinstance(lists_per_update, int)
        or isinstance(lists_per_update, bool)
        or lists_per_update < 1
    ):
        raise ValueError(
            "`lists_per_update` should be a positive integer. Received: "
            f"{lists_per_update!r}."
        )
    return Job(
        members,
        Columns(
            form=form,
            y_true=y_true,
            y_pred=y_pred if isinstance(y_pred, str) else dict(y_pred),
            sample_weight=sample_weight,
            groups=tuple(
                dict.fromkeys(s.column for s in slicings if s is not None)
            ),
            query=query,
            needs_indices=any(m.definition.catalogue for m in members),
            exclude=exclude,
            num_relevant=num_relevant,
        ),
        slicings,
        lists_per_update,
    )


def with_states(metrics: Metrics, states: Sequence[State] | None) -> Metrics:
    """Return copies of the metrics with these states; None for no lists."""
    fresh = copy.deepcopy(metrics)
    members = members_of(fresh)
    for member in members:
        member.reset_state()
    for member, state in zip(members, states or (), strict=states is not None):
        member.state = state
    return fresh


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
    names = [member.name for member in members]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            "`metrics` should hold metrics of different names. Received: "
            f"{names}. Give one a name of its own: "
            '`NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _names(columns: Sequence[Any]) -> Iterator[Any]:
    for name in columns:
        if isinstance(name, Mapping):
            yield from name.values()
        elif name is not None:
            yield name


def _form(members: Sequence[Any], query: str | None) -> str:
    """Return the form of input that all metrics take."""
    forms = {member.definition.inputs for member in members}
    subtopics = any(member.definition.traits.by_subtopic for member in members)
    if len(forms) > 1 or "counts" in forms or subtopics:
        raise ValueError(
            'The metrics should all take labels and scores, `inputs="scores"`, '
            'or all take `inputs="ids"`, or all "sparse"; none labels by '
            "subtopic. Received: "
            f"{ {m.name: m.definition.inputs for m in members} }."
        )
    [form] = forms
    if query is not None and form != "scores":
        raise ValueError(
            "With `query`, each row should be an item with a label and a "
            'score, for metrics of `inputs="scores"`. Received: '
            f'`inputs="{form}"`.'
        )
    about_items = [m.name for m in members if m.definition.traits.of_catalogue]
    if query is not None and about_items:
        raise ValueError(
            "With `query`, a row does not contain the index of its item, which "
            f"metrics about a catalogue need. Received: {about_items}. Pass "
            'lists of ids instead, to metrics of `inputs="ids"`.'
        )
    return str(form)


def _check_systems(member: Any, y_pred: Any) -> None:
    if not isinstance(member, Comparison):
        if isinstance(y_pred, Mapping):
            raise ValueError(
                "`y_pred` should be the name of one column; only a "
                f"`Comparison` takes several. Received: {y_pred!r} for "
                f"{member.name!r}."
            )
        return
    received = sorted(y_pred) if isinstance(y_pred, Mapping) else y_pred
    if received != sorted(member.systems):
        raise ValueError(
            "`y_pred` should be a dict with the column of each system, by the "
            f"names {list(member.systems)}. Received: {y_pred!r}."
        )


def _slicing(member: Any, group: Any) -> Slicing | None:
    if not isinstance(member, Sliced) or member.by is not None:
        return None
    column = group.get(member.name) if isinstance(group, Mapping) else group
    if not isinstance(column, str):
        raise ValueError(
            "`group` should be the name of the column with the group of each "
            "list, or a dict of such names by the names of the metrics. "
            f"Received: {group!r}, for {member.name!r}."
        )
    return Slicing(column, member.groups)
