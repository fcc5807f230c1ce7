"""`Job`: metrics over the lists of a table, and the states that they end in."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.metric.accumulator import Accumulator, own_methods
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.tables.lists import Columns
from keras_rankmetrics.tables.ragged import Lists, Ragged, chunks, padded

Arrays = Mapping[str, np.ndarray]


@dataclasses.dataclass(frozen=True)
class Slicing:
    """The column of the groups of a `Sliced` metric.

    Attributes:
        column: its name.
        groups: the names of the groups, or their number.
    """

    column: str
    groups: tuple[str, ...] | int

    @property
    def name(self) -> str:
        """A name for the group numbers that no column has."""
        return f"{self.column} as one of {self.groups}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groups; none if only their number is specified."""
        return () if isinstance(self.groups, int) else self.groups

    @property
    def count(self) -> int:
        """The number of groups."""
        return self.groups if isinstance(self.groups, int) else len(self.groups)

    def numbers(self, column: Ragged) -> Ragged:
        """Return the number of the group of each list.

        Raises:
            ValueError: if a value of the column is not one of the groups.
        """
        values = column.values
        if values.dtype.kind in "iu":
            wrong = (values < 0) | (values >= self.count)
            if wrong.any():
                raise self._error(values[wrong][0])
            return Ragged.of_single(values.astype(np.int32))
        distinct, places = np.unique(values, return_inverse=True)
        number_of = {name: number for number, name in enumerate(self.names)}
        for name in distinct:
            if name not in number_of:
                raise self._error(name)
        numbers = np.array([number_of[name] for name in distinct], np.int32)
        return Ragged.of_single(numbers[places])

    def _error(self, received: object) -> ValueError:
        names = f", or one of {list(self.names)}" if self.names else ""
        return ValueError(
            f"The column {self.column!r} should hold the group of each list, "
            f"an integer from 0 to {self.count - 1}{names}. Received: "
            f"{received!r}."
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Job:
    """Metrics, and the columns that they are computed from.

    Attributes:
        members: the metrics, in the order of their states.
        columns: the columns to read.
        slicings: for each member, the column of its groups, or None.
        lists_per_update: the number of lists in one call of `update_state`.
    """

    members: Sequence[Any]
    columns: Columns
    slicings: Sequence[Slicing | None]
    lists_per_update: int

    def states(self, tables: Iterable[Lists]) -> list[State] | None:
        """Return the states after all lists, or None if there are no lists."""
        return self._runner.states(self._batches(tables))

    @functools.cached_property
    def _runner(self) -> _Runner:
        return _Runner(list(self._updates()), self.members)

    def _batches(self, tables: Iterable[Lists]) -> Iterator[Arrays]:
        slicings = {s for s in self.slicings if s is not None}
        fills = self._fills()
        for lists in tables:
            numbers = {s.name: s.numbers(lists[s.column]) for s in slicings}
            used = {name: x for name, x in lists.items() if name in fills}
            for chunk in chunks({**used, **numbers}, self.lists_per_update):
                yield padded(
                    chunk,
                    {**fills, **dict.fromkeys(numbers, 0)},
                    {*numbers, *self.columns.unpadded},
                )

    def _fills(self) -> dict[str, float]:
        """Return the value of padding for each column."""
        c = self.columns
        fills = dict.fromkeys(c.predictions, -1 if c.form == "ids" else 0.0)
        for name in (c.sample_weight, c.num_relevant):
            if name is not None:
                fills[name] = 0.0
        if c.exclude is not None:
            fills[c.exclude] = -1
        return {**fills, c.y_true: -1}

    def _updates(self) -> Iterator[_Update]:
        """Yield one update for all metrics that a collection accepts.

        A collection reads and sorts a batch once for all its members. Metrics
        with methods of their own are updated one by one.
        """
        together: dict[Slicing | None, list[Any]] = {}
        for member, slicing in zip(self.members, self.slicings, strict=True):
            if own_methods(member, Accumulator):
                yield _Update(member, functools.partial(self._passed, slicing))
            else:
                together.setdefault(slicing, []).append(member)
        for slicing, members in together.items():
            yield _Update(
                MetricCollection(members),
                functools.partial(self._passed, slicing),
            )

    def _passed(
        self, slicing: Slicing | None, arrays: Arrays
    ) -> tuple[Any, Any, Any]:
        """Return the arguments of `update_state`."""
        c = self.columns
        y_true = {
            "labels" if c.form == "scores" else "target": arrays[c.y_true]
        }
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


def merged(
    states: Sequence[State] | None, others: Sequence[State] | None
) -> list[State] | None:
    """Return the sums of the states; None if there are none on either side."""
    if states is None or others is None:
        return list(states or others or []) or None
    return [one + other for one, other in zip(states, others, strict=True)]


class _Update(NamedTuple):
    """The update of a metric or a collection.

    Attributes:
        metric: the metric or collection.
        passed: a function from a batch to `y_true`, `y_pred` and the weights.
    """

    metric: Any
    passed: Callable[[Arrays], tuple[Any, Any, Any]]


class _Runner:
    """Metrics that are updated on many batches, compiled on JAX.

    Args:
        updates: the updates, each member being part of one.
        members: the metrics in the order of the states.
    """

    def __init__(
        self, updates: Sequence[_Update], members: Sequence[Any]
    ) -> None:
        self._updates, self._members = updates, members
        jax = keras.config.backend() == "jax"
        self._compiled = _compiled(updates) if jax else None
        self._lock = threading.Lock()

    def states(self, batches: Iterable[Arrays]) -> list[State] | None:
        """Return the states after these batches alone; None without batches."""
        run = self._run if self._compiled is None else self._run_compiled
        with self._lock:  # an executor may call it from several threads
            for update in self._updates:
                update.metric.reset_state()
            if not run(batches):
                return None
            return [member.state for member in self._members]

    def _run(self, batches: Iterable[Arrays]) -> int:
        seen = 0
        for seen, arrays in enumerate(batches, start=1):  # noqa: B007
            for update in self._updates:
                update.metric.update_state(*update.passed(arrays))
        return seen

    def _run_compiled(self, batches: Iterable[Arrays]) -> int:
        values = [[v.value for v in u.metric.variables] for u in self._updates]
        seen = 0
        for seen, arrays in enumerate(batches, start=1):  # noqa: B007
            passed = [update.passed(arrays) for update in self._updates]
            values = self._compiled(values, passed)  # type: ignore[misc]
        for update, own in zip(self._updates, values, strict=True):
            for variable, value in zip(
                update.metric.variables, own, strict=True
            ):
                variable.assign(value)
        return seen


def _compiled(updates: Sequence[_Update]) -> Callable[[Any, Any], Any]:
    import jax

    def updated(values: Any, passed: Any) -> Any:
        return [
            update.metric.stateless_update_state(own, *arguments)
            for update, own, arguments in zip(
                updates, values, passed, strict=True
            )
        ]

    compiled: Callable[[Any, Any], Any] = jax.jit(updated)
    return compiled
