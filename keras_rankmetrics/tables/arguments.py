"""From what a user asks for to a `Job`, and from its states to metrics."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.jobs.batches import Columns
from keras_rankmetrics.jobs.job import Job, Slicing
from keras_rankmetrics.metrics import Comparison, Sliced

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
    """Which metrics are to be computed of which columns.

    Raises:
        ValueError: if the arguments do not fit together.
        TypeError: if something is no metric, or no name of a column.
    """
    members = members_of(metrics)
    columns = [y_true, y_pred, sample_weight, query, exclude, num_relevant]
    for name in _names(columns):
        if not isinstance(name, str):
            raise TypeError(
                f"The name of a column should be a string. Received: {name!r}."
            )
    form = _form(members, query)
    _check_others(form, query, exclude, num_relevant)
    for member in members:
        _check_systems(member, y_pred)
    slicings = [_slicing(member, group) for member in members]
    if group is not None and not any(slicings):
        raise ValueError(
            "`group` is for `Sliced` metrics. Received: "
            f"`group={group!r}` and {[m.name for m in members]}."
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
            whole_ids=any(m.definition.catalogue for m in members),
            exclude=exclude,
            num_relevant=num_relevant,
        ),
        slicings,
        _count(lists_per_update),
    )


def members_of(metrics: Any) -> list[Any]:
    """The metrics one by one, in a fixed order."""
    if isinstance(metrics, MetricCollection):
        return list(metrics.metrics)
    given = list(metrics) if isinstance(metrics, list | tuple) else [metrics]
    for metric in given:
        if not hasattr(metric, "definition"):
            raise TypeError(
                "`metrics` should be a ranking metric, a `Sliced` one, a "
                "`Comparison`, a `MetricCollection`, or a list of metrics. "
                f"Received: {metric!r}."
            )
    names = [metric.name for metric in given]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            "`metrics` should hold metrics of different names. Received: "
            f"{names}."
        )
    return given


def with_states(metrics: Metrics, states: Sequence[State] | None) -> Metrics:
    """Copies of the metrics, which have seen this and nothing else."""
    fresh = copy.deepcopy(metrics)
    members = members_of(fresh)
    for member in members:
        member.reset_state()
    for member, state in zip(members, states or (), strict=states is not None):
        member.state = state
    return fresh


def _names(columns: Sequence[Any]) -> Iterator[Any]:
    for name in columns:
        if isinstance(name, Mapping):
            yield from name.values()
        elif name is not None:
            yield name


def _form(members: Sequence[Any], query: str | None) -> str:
    forms = {member.definition.inputs for member in members}
    subtopics = any(member.definition.metric.by_subtopic for member in members)
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
    of_items = [m.name for m in members if m.definition.metric.of_catalogue]
    if query is not None and of_items:
        raise ValueError(
            "Where each row is an item, nothing says which item of the "
            f"catalogue it is. Received: {of_items}, which are about the "
            'items of a catalogue. Give them ids, with `inputs="ids"`.'
        )
    return str(form)


def _check_others(
    form: str, query: str | None, exclude: str | None, num_relevant: str | None
) -> None:
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


def _check_systems(member: Any, y_pred: Any) -> None:
    if not isinstance(member, Comparison):
        if isinstance(y_pred, Mapping):
            raise ValueError(
                "`y_pred` should be the name of one column; only a "
                f"`Comparison` takes several. Received: {y_pred!r} for "
                f"{member.name!r}."
            )
        return
    given = sorted(y_pred) if isinstance(y_pred, Mapping) else y_pred
    if given != sorted(member.systems):
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
            "`group` should be the name of the column that says to which group "
            "a list belongs, or a dict of it by the names of the metrics. "
            f"Received: {group!r}, for {member.name!r}."
        )
    return Slicing(column, member.groups)


def _count(lists: Any) -> int:
    if not isinstance(lists, int) or isinstance(lists, bool) or lists < 1:
        raise ValueError(
            "`lists_per_update` should be a positive integer. Received: "
            f"{lists!r}."
        )
    return lists
