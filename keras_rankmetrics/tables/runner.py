"""Metrics over rows of a log, with slices and counted states."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.jobs.batches import (
    Columns,
    Lists,
    Ragged,
    chunks,
    padded,
)

# `Slicing`: from a column to the numbers of groups.


@dataclasses.dataclass(frozen=True)
class Slicing:
    """A column that says to which group a list belongs.

    Attributes:
        column: its name.
        groups: the names of the groups, or how many there are.
    """

    column: str
    groups: tuple[str, ...] | int

    @property
    def name(self) -> str:
        """Of the numbers, unlike that of any column of the same table."""
        return f"{self.column} as one of {self.groups}"

    def numbers(self, held: Ragged) -> Ragged:
        """The number of the group of each list, from what the column holds.

        Raises:
            ValueError: if it is none of the groups.
        """
        if held.values.dtype.kind in "iu":
            return Ragged.of_single(self._in_range(held.values))
        names = () if isinstance(self.groups, int) else self.groups
        different, places = np.unique(held.values, return_inverse=True)
        known = {name: number for number, name in enumerate(names)}
        unknown = [name for name in different if name not in known]
        if unknown:
            raise ValueError(self._message(unknown[0]))
        numbers = np.array([known[name] for name in different], np.int32)
        return Ragged.of_single(numbers[places])

    def _in_range(self, numbers: np.ndarray) -> np.ndarray:
        groups = self.groups
        count = groups if isinstance(groups, int) else len(groups)
        wrong = (numbers < 0) | (numbers >= count)
        if wrong.any():
            raise ValueError(self._message(numbers[wrong][0]))
        return numbers.astype(np.int32)

    def _message(self, received: object) -> str:
        groups = self.groups
        count = groups if isinstance(groups, int) else len(groups)
        names = "" if isinstance(groups, int) else f", or of {list(groups)}"
        return (
            f"The column {self.column!r} should hold the group of each list, "
            f"an integer from 0 to {count - 1}{names}. Received: {received!r}."
        )


# `Counting`: metrics that see many batches, and the states they end in.

Arrays = Mapping[str, np.ndarray]


class Part(NamedTuple):
    """A metric, or some that share a look at each batch.

    Attributes:
        metric: which sees the batches.
        passed: what of a batch it sees: `y_true`, `y_pred` and the weights.
    """

    metric: Any
    passed: Callable[[Arrays], tuple[Any, Any, Any]]


class Counting:
    """Metrics that see many batches, compiled where the backend can.

    Args:
        parts: the metrics, each of which is in one part.
        members: the metrics in the order of the states.
    """

    def __init__(self, parts: Sequence[Part], members: Sequence[Any]) -> None:
        self._parts, self._members = parts, members
        jax = keras.config.backend() == "jax"
        self._updated = _compiled(parts) if jax else None
        self._alone = threading.Lock()

    def states_of(self, batches: Any) -> list[State] | None:
        """The states after these batches and no others; None without any."""
        run = self._run if self._updated is None else self._run_compiled
        with self._alone:  # runners may have threads
            for part in self._parts:
                part.metric.reset_state()
            if not run(batches):
                return None
            return [member.state for member in self._members]

    def _run(self, batches: Any) -> int:
        seen = 0
        for seen, arrays in enumerate(batches, start=1):  # noqa: B007
            for part in self._parts:
                part.metric.update_state(*part.passed(arrays))
        return seen

    def _run_compiled(self, batches: Any) -> int:
        variables = [[v.value for v in p.metric.variables] for p in self._parts]
        seen = 0
        for seen, arrays in enumerate(batches, start=1):  # noqa: B007
            passed = [part.passed(arrays) for part in self._parts]
            variables = self._updated(variables, passed)  # type: ignore[misc]
        for part, values in zip(self._parts, variables, strict=True):
            for variable, value in zip(
                part.metric.variables, values, strict=True
            ):
                variable.assign(value)
        return seen


def _compiled(parts: Sequence[Part]) -> Callable[[Any, Any], Any]:
    import jax

    def updated(variables: Any, passed: Any) -> Any:
        return [
            part.metric.stateless_update_state(own, *arguments)
            for part, own, arguments in zip(
                parts, variables, passed, strict=True
            )
        ]

    compiled: Callable[[Any, Any], Any] = jax.jit(updated)
    return compiled


def merged(
    states: Sequence[State] | None, others: Sequence[State] | None
) -> list[State] | None:
    """The states of what either has seen, in the order of the metrics."""
    if states is None or others is None:
        return list(states or others or []) or None
    return [one + other for one, other in zip(states, others, strict=True)]


# `Job`: which metrics are computed of which columns, and how.


@dataclasses.dataclass(frozen=True, eq=False)
class Job:
    """Metrics, and the columns that they are computed from.

    Attributes:
        members: the metrics, in the order of their states.
        columns: which are read.
        slicings: of each member that is sliced by a column, else None.
        lists_per_update: how many lists the metrics see at once.
    """

    members: Sequence[Any]
    columns: Columns
    slicings: Sequence[Slicing | None]
    lists_per_update: int

    def states(self, parts: Iterable[Lists]) -> list[State] | None:
        """The states of the metrics after all lists; None if there are none.

        Args:
            parts: of the lists, what the columns hold of them.
        """
        return self._counting.states_of(self._batches(parts))

    @functools.cached_property
    def _counting(self) -> Counting:
        return Counting(list(self._parts()), self.members)

    def _batches(self, parts: Iterable[Lists]) -> Iterator[Arrays]:
        slicings = {s for s in self.slicings if s is not None}
        fills = self._fills()
        for lists in parts:
            numbers = {s.name: s.numbers(lists[s.column]) for s in slicings}
            named = {k: x for k, x in lists.items() if k in fills}
            for chunk in chunks({**named, **numbers}, self.lists_per_update):
                yield padded(
                    chunk,
                    {**fills, **dict.fromkeys(numbers, 0)},
                    {*numbers, *self.columns.as_long},
                )

    def _fills(self) -> dict[str, float]:
        """What stands where there is no item, which makes it none."""
        c = self.columns
        fills = dict.fromkeys(c.predictions, -1 if c.form == "ids" else 0.0)
        for name in (c.sample_weight, c.num_relevant):
            if name is not None:
                fills[name] = 0.0
        if c.exclude is not None:
            fills[c.exclude] = -1
        return {**fills, c.y_true: -1}

    def _parts(self) -> Iterator[Part]:
        """Those that can share, together; each of the others apart."""
        together: dict[Slicing | None, list[Any]] = {}
        for member, slicing in zip(self.members, self.slicings, strict=True):
            if _shares(member):
                together.setdefault(slicing, []).append(member)
            else:
                yield Part(member, functools.partial(self._passed, slicing))
        for slicing, members in together.items():
            yield Part(
                MetricCollection(members),
                functools.partial(self._passed, slicing),
            )

    def _passed(
        self, slicing: Slicing | None, arrays: Arrays
    ) -> tuple[Any, Any, Any]:
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


def _shares(member: Any) -> bool:
    """Whether a collection takes it: whether it has no ways of its own."""
    return all(
        getattr(type(member), way) is getattr(RankingMetric, way)
        for way in ("update_state", "result", "per_list")
    )
