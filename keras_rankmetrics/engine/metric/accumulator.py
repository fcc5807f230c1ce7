"""`Accumulator`: a Keras metric whose state is sums."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.aggregates.state import check_same
from keras_rankmetrics.engine.backend import compensated_sums
from keras_rankmetrics.engine.backend.keras_internals import Metric
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.processes import Slot
from keras_rankmetrics.engine.backend.tracing import concrete, unconverted
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation.batch_cache import (
    Batch,
    Looker,
    forget,
    kept,
)
from keras_rankmetrics.engine.evaluation.evaluate import Evaluated, evaluate
from keras_rankmetrics.engine.evaluation.precompute import terms_of
from keras_rankmetrics.engine.inputs.warn_once import Doubts
from keras_rankmetrics.engine.metric.sync import states_of_all
from keras_rankmetrics.engine.naming.names import as_scope
from keras_rankmetrics.types import Tensor


class Accumulator(Metric):
    """A Keras metric that keeps the sums of an aggregate.

    Attributes:
        definition: what is computed of each list.
        aggregate: which sums are kept, and how they become a number.
    """

    definition: Definition
    aggregate: Any  # an `Aggregate`

    def __init__(self, name: str, dtype: Any) -> None:
        # Until the variables have been made, one that TensorFlow takes.
        super().__init__(name=as_scope(name), dtype=dtype)
        self._doubts = Doubts()

    def _keep_sums(self, name: str) -> None:
        """Makes the variables, and takes its name."""
        self._sums = Slot(
            self.add_variable(
                shape=(*self.aggregate.shape, 2),
                initializer="zeros",
                dtype=self.definition.dtype,
                name="sums",
            )
        )
        # Who updates in its own way asks for nothing that others compute.
        is_own = type(self).update_state is not Accumulator.update_state
        self._looker = Looker(
            [self.definition], None if is_own else self.aggregate
        )
        self._draws: Slot | None = None
        if self.definition.ties == "shuffle":
            self._draws = Slot(
                self.add_variable(
                    shape=(), initializer="zeros", dtype="int32", name="draws"
                )
            )
        self.name = name

    @property
    def signature(self) -> str:
        """All that the number depends on, in one line that can be quoted."""
        return self.definition.signature

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Adds a batch of lists, of any size.

        Args:
            y_true: labels, indices or ids, by `inputs`; or a dict.
            y_pred: scores or ids, by `inputs`.
            sample_weight: None, a scalar, one weight per list (`[batch]` or
                `[batch, 1]`), or with labels one per item.

        Raises:
            ValueError: if they do not fit together, or do not hold what they
                should. The state is then as before.
        """
        passed = y_true, y_pred, sample_weight
        batch = self._looker.look(passed)
        terms = terms_of(
            self.definition, self.aggregate, batch, passed, self._draw()
        )
        self._doubts.utter(batch.doubt(self.definition), self.name)
        self._add(terms)

    @unconverted
    def result(self) -> Any:
        """The weighted mean over all lists so far, 0 if there are none."""
        sums = compensated_sums.rounded(self._seen())
        return self.named(self.aggregate.result(sums))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch, and returns the mean over all lists so far."""
        with kept():
            return super().__call__(*args, **kwargs)

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Tensor:
        """The value of each list, in the leading shape; no state changes.

        NaN for a list that does not count.
        """
        _, lists, per_list = self._evaluate(y_true, y_pred, sample_weight)
        return lists.leading.as_passed(per_list.per_list()[0])

    @property
    def results(self) -> list[str]:
        """The names of the numbers that the metric returns."""
        return [self.name]

    def named(self, result: Tensor) -> Any:
        """What the metric returns: a number, or several by name."""
        return result

    def reset_state(self) -> None:
        """Forgets all lists."""
        forget()
        for slot in self._slots():
            slot.clear()

    @property
    def state(self) -> State:
        """What the metric has seen, a value: it can be added, sent and saved.

        Raises:
            ValueError: when it is set, if it is the state of another metric.
        """
        sums, *draws = self.get_state()[: len(self._kept)]
        return State(self.signature, sums, *draws)

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(
                f"`state` should be a `State`. Received: {state!r}. What "
                "`get_state` returned is for `set_state`."
            )
        check_same(state.signature, self.signature)
        given = [state.sums, *([] if state.draws is None else [state.draws])]
        own = self.get_state()[len(self._kept) :]
        self._replace(self._checked_state([*given, *own]))

    def get_state(self) -> list[np.ndarray]:
        """The state as plain arrays, to be saved, sent and merged."""
        forget()
        return [ops.convert_to_numpy(slot.read()) for slot in self._slots()]

    def set_state(self, state: State | Sequence[np.ndarray]) -> None:
        """Replaces the state by one that `get_state` or `state` returned."""
        if isinstance(state, State):
            self.state = state
        else:
            self._replace(self._checked_state(state))

    def merge_state(
        self, others: Sequence[Accumulator | State | Sequence[np.ndarray]]
    ) -> None:
        """Adds what other metrics, or their states, have seen.

        The result is that of one metric that has seen all the lists. The
        others must be the same metric: have the same signature. A plain state,
        as `get_state` returns it, does not say what it is of: compare the
        signatures yourself.
        """
        if not isinstance(others, list | tuple) or any(
            isinstance(other, np.ndarray) for other in others
        ):
            raise TypeError(
                "`merge_state` takes a list of metrics or states. Received: "
                f"{others!r}. If that is one of them, wrap it in a list."
            )
        self.state = sum(map(self._state_of, others), self.state)

    def sync(self) -> Self:
        """A copy that has seen what this metric has in all processes.

        All processes call it, each once, however many batches each has seen,
        and get the same numbers. The metric itself stays as it is, so that it
        can go on. With a single process, this is a copy.

        The processes are those of `torch.distributed`, of `jax.distributed`, or
        of the `tf.distribute.Strategy` under which the metric was made. It
        cannot be called in a program that is compiled.

        Raises:
            ValueError: in all processes, if they do not have the same metric.
        """
        forget()
        total = copy.copy(self)
        [total.state] = states_of_all([self.signature], [self._kept])
        return total

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is copied and pickled: with its state."""
        return self._with_state, (self._own_config(), self.get_state())

    @classmethod
    def _with_state(
        cls, config: dict[str, Any], state: Sequence[np.ndarray]
    ) -> Self:
        metric: Self = cls.from_config(config)  # type: ignore[attr-defined]
        metric.set_state(state)
        return metric

    def _own_config(self) -> dict[str, Any]:
        """What `from_config` needs, functions as they are."""
        return self.get_config()

    def _evaluate(
        self, y_true: Any, y_pred: Any, sample_weight: Any
    ) -> Evaluated:
        passed = y_true, y_pred, sample_weight
        [evaluated] = evaluate(
            [self.definition], passed, Batch(), [self._draw()]
        )
        self._doubts.utter(evaluated.lists.doubt, self.name)
        return evaluated

    def _seen(self) -> Tensor:
        """The sums. Who asks for them is through with the last batch."""
        forget()
        return self._sums.read()

    def _draw(self) -> Tensor | int:
        """The number of the next batch."""
        return 0 if self._draws is None else self._draws.read()

    def _add(self, terms: Tensor) -> None:
        """Adds what a batch holds, and goes on to the next one."""
        self._sums.write(compensated_sums.add(self._sums.read(), terms))
        if self._draws is not None:
            self._draws.write(self._draws.read() + 1)

    def _move(self, sums: Slot, draws: Slot | None) -> None:
        """Keeps its state elsewhere from now on."""
        for old, new in ((self._sums, sums), (self._draws, draws)):
            if old is not None and new is not None:
                new.write(old.read())
                place = [id(v) for v in self._variables].index(id(old.variable))
                self._variables[place] = new.variable
        self._sums, self._draws = sums, draws

    @property
    def _kept(self) -> list[Slot]:
        """Where the sums are, and the number of draws."""
        return [self._sums, *([self._draws] if self._draws else [])]

    def _slots(self) -> list[Slot]:
        """Where all parts of the state are, those of subclasses too."""
        own = self._variables[len(self._kept) :]
        return [*self._kept, *map(Slot, own)]

    def _replace(self, arrays: Sequence[np.ndarray]) -> None:
        for slot, array in zip(self._slots(), arrays, strict=True):
            slot.write(array)

    def _state_of(self, other: Any) -> State:
        if isinstance(other, Accumulator):
            if other.signature != self.signature:
                raise ValueError(
                    "Only the states of the same metric can be merged. "
                    f"Received: {other.signature}, expected: {self.signature}."
                )
            return other.state
        if isinstance(other, State):
            check_same(other.signature, self.signature)
            return other
        sums, *draws = self._checked_state(other)
        return State(self.signature, sums, *draws[:1])

    def _checked_state(self, state: Any) -> list[np.ndarray]:
        expected = [slot.shape for slot in self._slots()]
        arrays = (
            [np.asarray(array) for array in state]
            if isinstance(state, list | tuple)
            else []
        )
        received = [array.shape for array in arrays]
        if received != expected or any(
            a.dtype.kind not in "fiu" for a in arrays
        ):
            raise ValueError(
                f"A state of {type(self).__name__} should be a list of arrays "
                f"of the shapes {expected}, as `get_state` returns it. "
                f"Received the shapes: {received}."
            )
        return [
            array.astype(slot.variable.dtype)
            for array, slot in zip(arrays, self._slots(), strict=True)
        ]


def is_known(x: Tensor) -> bool:
    """Whether the numbers are there, and not only in a compiled program."""
    return concrete(ops.any(x == x)) is not None


def on_host(sums: Tensor) -> np.ndarray:
    """Sums of two floats as single ones of float64."""
    if not is_known(sums):
        raise ValueError(
            "An estimate is made of sums that are known, and not in a program "
            "that is being compiled. There, `MetricCollection(..., "
            "errors=True)` has the standard errors among its results."
        )
    return ops.convert_to_numpy(sums).astype("float64").sum(axis=-1)
