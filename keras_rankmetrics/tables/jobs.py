"""`Job`: metrics over the lists of a table, and the states that they end in."""

from __future__ import annotations

import copy
import dataclasses
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.conventions import metrics_of
from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.inputs import padding_warning, share_in
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.accumulator import Accumulator, own_methods
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.metrics import Comparison, Sliced
from keras_rankmetrics.tables.job_columns import Columns, Slicing
from keras_rankmetrics.tables.ragged import Lists, chunks, padded

Arrays = Mapping[str, np.ndarray]
Metrics = TypeVar("Metrics")
LISTS_PER_UPDATE = 4096


def job_of(
    metrics: Any, columns: Columns, lists_per_update: int = LISTS_PER_UPDATE
) -> Job:
    """Return the job that computes the metrics from these columns.

    Raises:
        ValueError: if the arguments do not fit together.
        TypeError: if a metric or the name of a column has the wrong type.
    """
    metrics = with_named(metrics)
    members = members_of(metrics)
    y_pred, group = columns.y_pred, columns.group
    columns = dataclasses.replace(
        columns,
        y_pred=dict(y_pred) if isinstance(y_pred, Mapping) else y_pred,
        form=_form(members),
        needs_indices=any(m.definition.catalogue for m in members),
        slicings=tuple(_slicing(member, group) for member in members),
    )
    for name in columns.names:
        if not isinstance(name, str):
            raise TypeError(
                f"The name of a column should be a string. Received: {name!r}."
            )
    _check_form(members, columns)
    for member in members:
        _check_systems(member, columns.y_pred)
    slicings = zip(members, columns.slicings, strict=True)
    sliced = [member.name for member, slicing in slicings if slicing]
    named = group if isinstance(group, Mapping) else sliced
    if group is not None and not (sliced and set(named) <= set(sliced)):
        raise ValueError(
            "`group` is for `Sliced` metrics. Received: "
            f"`group={group!r}` and {[m.name for m in members]}."
        )
    if type(lists_per_update) is not int or lists_per_update < 1:
        raise ValueError(
            "`lists_per_update` should be a positive integer. Received: "
            f"{lists_per_update!r}."
        )
    return Job(metrics, members, columns, lists_per_update)


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


def with_states(metrics: Metrics, states: Sequence[State] | None) -> Metrics:
    """Return copies of the metrics with these states; None means no lists."""
    fresh = copy.deepcopy(metrics)
    members = members_of(fresh)
    for member in members:
        member.reset_state()
    for member, state in zip(members, states or (), strict=states is not None):
        member.state = state
    return fresh


def with_named(metrics: Any) -> Any:
    """Return the metrics, with a collection in place of each text of names.

    Args:
        metrics: metrics, text such as `"NDCG@10 RR"`, or a list of these.

    Raises:
        ValueError: if a text names no metric.
    """
    if isinstance(metrics, str):
        return MetricCollection(metrics_of(metrics, None))
    if isinstance(metrics, list | tuple):
        return list(map(with_named, metrics))
    return metrics


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


# What metrics read that has no columns of its own.
_WITHOUT_COLUMNS = {"counts", "subtopics", "two_rankings", "clicks"}


def _form(members: Sequence[Any]) -> str:
    """Return the form of input that all metrics take."""
    forms = {member.definition.inputs for member in members}
    readings = {member.definition.reading[0] for member in members}
    if len(forms) > 1 or readings & _WITHOUT_COLUMNS:
        raise ValueError(
            'The metrics should all take labels and scores, `inputs="scores"`, '
            'or all take `inputs="ids"`, or all "sparse"; none labels by '
            "subtopic, reference scores or clicks. Received: "
            f"{ {m.name: m.definition.inputs for m in members} }."
        )
    return str(forms.pop())


def _check_form(members: Sequence[Any], columns: Columns) -> None:
    """Raise ValueError if the form of input does not fit the columns."""
    form, query = columns.form, columns.query
    if columns.num_relevant is not None and form != "scores":
        raise ValueError(
            '`num_relevant` is for metrics of `inputs="scores"`. Received: '
            f'`num_relevant={columns.num_relevant!r}` and `inputs="{form}"`.'
        )
    if query is None:
        return
    if form != "scores":
        raise ValueError(
            "With `query`, each row should be an item with a label and a "
            'score, for metrics of `inputs="scores"`. Received: '
            f'`inputs="{form}"`.'
        )
    about_items = [m.name for m in members if m.definition.traits.of_catalogue]
    if about_items:
        raise ValueError(
            "With `query`, a row does not contain the index of its item, which "
            f"metrics about a catalogue need. Received: {about_items}. Pass "
            'lists of ids instead, to metrics of `inputs="ids"`.'
        )
    if columns.exclude is not None:
        raise ValueError(
            "`exclude` is for rows that are lists. Received: "
            f"`exclude={columns.exclude!r}` and `query={query!r}`. Leave out "
            "the rows of these items, or let their score be -inf."
        )


def _check_systems(member: Any, y_pred: Any) -> None:
    several = isinstance(y_pred, Mapping)
    if not isinstance(member, Comparison):
        if several:
            raise ValueError(
                "`y_pred` should be the name of one column; only a "
                f"`Comparison` takes several. Received: {y_pred!r} for "
                f"{member.name!r}."
            )
    elif not several or sorted(y_pred) != sorted(member.systems):
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


@dataclasses.dataclass(frozen=True, eq=False)
class Job:
    """Metrics, and the columns that they are computed from.

    Attributes:
        metrics: the metrics as they were passed, names as a collection.
        members: the metrics one by one, in the order of their states.
        columns: the columns to read.
        lists_per_update: the number of lists in one call of `update_state`.
    """

    metrics: Any
    members: Sequence[Any]
    columns: Columns
    lists_per_update: int

    def states(self, tables: Iterable[Lists]) -> list[State] | None:
        """Return the states after all lists, or None if there are no lists."""
        return self._runner.states(self._batches(tables))

    @functools.cached_property
    def _runner(self) -> _Runner:
        return _Runner(self)

    def _batches(self, tables: Iterable[Lists]) -> Iterator[Arrays]:
        c = self.columns
        slicings = {s.name: s for s in c.slicings if s is not None}
        fills: dict[Any, float] = {
            **dict.fromkeys(c.predictions, -1 if c.form == "ids" else 0.0),
            **dict.fromkeys(slicings, 0),
            c.sample_weight: 0.0,
            c.num_relevant: 0.0,
            c.exclude: -1,
            c.y_true: -1,
        }
        fills.pop(None, None)
        unpadded = {*slicings, *c.unpadded}
        for lists in tables:
            if c.form == "scores":
                warning = padding_warning(lists[c.y_true].values, False)
                if warning:
                    warn(warning)
            groups = {
                name: slicing.numbers(lists[slicing.column])
                for name, slicing in slicings.items()
            }
            known = {**lists, **groups}
            used = {name: known[name] for name in fills}
            for chunk in chunks(used, self.lists_per_update):
                arrays = padded(chunk, fills, unpadded)
                if c.form == "scores":
                    labels = ops.convert_to_tensor(arrays[c.y_true])
                    definitions = [m.definition for m in self.members]
                    check_share(definitions, share_in(labels))
                yield arrays

    def arguments(
        self, slicing: Slicing | None, arrays: Arrays
    ) -> tuple[Any, Any, Any]:
        """Return the arguments of `update_state` for a batch."""
        c = self.columns
        labels = "labels" if c.form == "scores" else "target"
        y_true = {labels: arrays[c.y_true]}
        if slicing is not None:
            y_true["group"] = arrays[slicing.name]
        if c.exclude is not None:
            y_true["exclude"] = arrays[c.exclude]
        if c.num_relevant is not None:
            y_true["num_relevant"] = arrays[c.num_relevant][:, 0]
        y_pred: Any = (
            arrays[c.y_pred]
            if isinstance(c.y_pred, str)
            else {system: arrays[x] for system, x in c.y_pred.items()}
        )
        weights = None if c.sample_weight is None else arrays[c.sample_weight]
        return y_true, y_pred, weights


class _Runner:
    """The metrics of a job while they run, compiled on JAX.

    A collection reads and sorts a batch once for all its members. So all
    metrics of a slicing are in one, except those with methods of their own,
    which a collection does not accept.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._updated: list[tuple[Any, Slicing | None]] = []
        together: dict[Slicing | None, list[Any]] = {}
        for member, slicing in zip(
            job.members, job.columns.slicings, strict=True
        ):
            if own_methods(member, Accumulator):
                self._updated.append((member, slicing))
            else:
                together.setdefault(slicing, []).append(member)
        for slicing, members in together.items():
            self._updated.append((MetricCollection(members), slicing))
        self._metrics = [metric for metric, _ in self._updated]
        for metric in self._metrics:  # the job warns, of whole tables
            metric._warn_once.has_warned = True
        self._compiled: Callable[[Any, Any], Any] | None = None
        if keras.config.backend() == "jax":
            import jax

            self._compiled = jax.jit(self._updated_values)
        self._lock = threading.Lock()

    def states(self, batches: Iterable[Arrays]) -> list[State] | None:
        """Return the states after these batches alone; None without batches."""
        has_batches = False
        with self._lock:  # an executor may call it from several threads
            for metric in self._metrics:
                metric.reset_state()
            for arrays in batches:
                self._update(arrays)
                has_batches = True
            states = [member.state for member in self._job.members]
        return states if has_batches else None

    def _update(self, arrays: Arrays) -> None:
        passed = [self._job.arguments(s, arrays) for _, s in self._updated]
        if self._compiled is None:
            for metric, arguments in zip(self._metrics, passed, strict=True):
                metric.update_state(*arguments)
            return
        values = [[each.value for each in m.variables] for m in self._metrics]
        updated = self._compiled(values, passed)
        for metric, new in zip(self._metrics, updated, strict=True):
            for variable, value in zip(metric.variables, new, strict=True):
                variable.assign(value)

    def _updated_values(self, values: Any, passed: Any) -> list[Any]:
        """Return the values of the variables after a batch, for `jax.jit`."""
        each = zip(self._metrics, values, passed, strict=True)
        return [m.stateless_update_state(own, *args) for m, own, args in each]


def merged(
    states: Sequence[State] | None, others: Sequence[State] | None
) -> list[State] | None:
    """Return the sums of the states; None if there are none on either side."""
    if states is None or others is None:
        return list(states or others or []) or None
    return [one + other for one, other in zip(states, others, strict=True)]
