"""`Counting`: metrics that see many batches, and the states they end in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State

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
