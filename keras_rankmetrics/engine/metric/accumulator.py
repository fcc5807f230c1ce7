"""`Accumulator`: a Keras metric whose state is sums."""

from __future__ import annotations

import copy
import hashlib
import itertools
from collections.abc import Sequence
from typing import Any, Self

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.aggregates.state import check_same_metric
from keras_rankmetrics.engine.backend import keras_internals, processes
from keras_rankmetrics.engine.backend.keras_internals import Metric
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.processes import Gather, Slot, gathering
from keras_rankmetrics.engine.backend.tracing import concrete, unconverted
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.definition.definition import is_of_the_package
from keras_rankmetrics.engine.evaluation.batch_cache import Batch, BatchCache
from keras_rankmetrics.engine.evaluation.evaluate import (
    PerReading,
    evaluate_batch,
    terms_of,
)
from keras_rankmetrics.engine.messages import WarnOnce
from keras_rankmetrics.engine.naming import as_scope
from keras_rankmetrics.types import Tensor


class Accumulator(Metric):
    """A Keras metric whose state is the sums of an aggregate.

    Attributes:
        definition: the value of each list, and its weight.
        aggregate: the sums that are kept, and the result computed from them.
    """

    definition: Definition
    aggregate: Any  # an `Aggregate`

    def __init__(self, name: str, dtype: Any) -> None:
        # TensorFlow refuses "@" in the scope of the variables, so the name is
        # set once they exist.
        super().__init__(name=as_scope(name), dtype=dtype)
        self._warn_once = WarnOnce()

    def _create_variables(self, name: str) -> None:
        """Create the variables of the state, then set the name."""
        shape = (*self.aggregate.shape, 2)
        dtype = self.definition.dtype
        self._sums = Slot(zeros(self, "sums", shape, dtype))
        # A subclass that overrides `update_state` shares no terms.
        is_own = "update_state" in own_methods(self, Accumulator)
        self._batch_cache = BatchCache(
            [self.definition], None if is_own else self.aggregate
        )
        self._draws: Slot | None = None
        if self.definition.ties == "shuffle":
            self._draws = Slot(zeros(self, "draws", (), "int32"))
        self.name = name

    @property
    def signature(self) -> str:
        """Everything that the value depends on, in one line to cite."""
        return self.definition.signature

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of lists, of any size, to the state.

        Args:
            y_true: labels, indices or ids, depending on `inputs`; or a dict.
            y_pred: scores or ids, depending on `inputs`.
            sample_weight: None, a scalar, one weight per list (`[batch]` or
                `[batch, 1]`), or with labels one per item. By default, a list
                without relevant items has the mean weight of the others; with
                `list_weight="mean"`, its own.

        Raises:
            ValueError: if the inputs are invalid, or do not match. The state
                does not change.
        """
        inputs = y_true, y_pred, sample_weight
        batch = self._batch_cache.open(inputs)
        terms = terms_of(
            self.definition, self.aggregate, batch, inputs, self._draw()
        )
        warning = batch.warning(self)
        self._warn_once(repeated_in_compile(self) or warning, self.name)
        self._add(terms)

    @unconverted
    def result(self) -> Any:
        """Return the weighted mean over all lists so far, 0 without lists."""
        sums = processes.rounded_sums(self._seen())
        return self.named(self.aggregate.result(sums))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return the mean over all lists so far."""
        with BatchCache.held():
            return super().__call__(*args, **kwargs)

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Tensor:
        """Return the value of each list, without changing the state.

        Args:
            y_true: as for `update_state`.
            y_pred: as for `update_state`.
            sample_weight: as for `update_state`.

        Returns:
            The values in the leading shape of the inputs, NaN for an excluded
            list.

        Raises:
            ValueError: if the inputs are invalid, or do not match.
        """
        _, lists, per_list = self._evaluate(y_true, y_pred, sample_weight)
        return lists.leading.as_passed(per_list.per_list()[0])

    @property
    def results(self) -> list[str]:
        """The names of the numbers in the result."""
        return [self.name]

    def named(self, result: Tensor) -> Any:
        """Return the result of the metric: a number, or a dict of several."""
        return result

    def reset_state(self) -> None:
        """Reset the state to that of a new metric."""
        BatchCache.drop()
        self._batch_cache.restart()
        for slot in self._slots():
            slot.write(ops.zeros(slot.shape, slot.variable.dtype))

    @property
    def state(self) -> State:
        """The state of the metric, a value to add, send, save and assign.

        Raises:
            TypeError: if a value other than a `State` is assigned.
            ValueError: if the state of another metric is assigned.
        """
        sums, *draws = self.get_state()[: len(self._base_slots)]
        return State(self.signature, sums, *draws, names=self._sum_names)

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(
                f"`state` should be a `State`. Received: {state!r}. Use "
                "`set_state` for the arrays that `get_state` returns."
            )
        self.set_state(state)

    def get_state(self) -> list[np.ndarray]:
        """Return the state as NumPy arrays, for `set_state`."""
        BatchCache.drop()
        return [ops.convert_to_numpy(slot.read()) for slot in self._slots()]

    def set_state(self, state: State | Sequence[np.ndarray]) -> None:
        """Replace the state with one from `get_state` or `state`.

        Args:
            state: a `State`, or a list of arrays.

        Raises:
            ValueError: if it is the state of another metric.
        """
        if isinstance(state, State):
            check_same_metric(state.signature, self.signature)
            state = state.by_name(self._sum_names)
            draws = [] if state.draws is None else [state.draws]
            own = self.get_state()[len(self._base_slots) :]
            state = [state.sums, *draws, *own]
        arrays = self._checked_state(state)
        for slot, array in zip(self._slots(), arrays, strict=True):
            slot.write(array)

    def merge_state(
        self, others: Sequence[Accumulator | State | Sequence[np.ndarray]]
    ) -> None:
        """Add the states of other metrics, as if this one had seen all lists.

        Args:
            others: a list of metrics or states, all with the signature of this
                metric. Arrays from `get_state` carry no signature: compare the
                signatures of the metrics yourself.

        Raises:
            TypeError: if `others` is not a list.
            ValueError: if one is, or belongs to, another metric.
        """
        if not isinstance(others, list | tuple) or any(
            isinstance(other, np.ndarray) for other in others
        ):
            raise TypeError(
                "`merge_state` takes a list of metrics or states. Received: "
                f"{others!r}. Wrap a single one in a list."
            )
        self.state = sum(map(self._state_of, others), self.state)

    def sync(self) -> Self:
        """Return a copy with the states of all processes added up.

        All processes must call it, each once, no matter how many batches each
        has seen, and all get the same copy. The metric itself does not change,
        so it can be updated further. In a single process, this is a plain copy.

        The processes are those of `torch.distributed`, of `jax.distributed`, or
        of the `tf.distribute.Strategy` under which the metric was constructed.
        It cannot be called in compiled code.

        Raises:
            ValueError: in all processes, if they do not have the same metric.
        """
        BatchCache.drop()
        total = copy.copy(self)
        [total.state] = states_of_all([self.signature], [self._base_slots])
        return total

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy or pickle needs: the config and the state."""
        return self._with_state, (self._own_config(), self.get_state())

    @classmethod
    def _with_state(
        cls, config: dict[str, Any], state: Sequence[np.ndarray]
    ) -> Self:
        metric: Self = cls.from_config(config)  # type: ignore[attr-defined]
        metric.set_state(state)
        return metric

    def _own_config(self) -> dict[str, Any]:
        """Return the config, with functions and arrays unserialized."""
        return self.get_config()

    def _evaluate(self, *inputs: Any) -> PerReading:
        draws, batch = [self._draw()], Batch()
        [evaluated] = evaluate_batch([self.definition], inputs, batch, draws)
        self._warn_once(batch.warning(self), self.name)
        return evaluated

    def _seen(self) -> Tensor:
        """Return the sums. Reading them ends the step."""
        BatchCache.drop()
        return self._sums.read()

    def _is_concrete(self) -> bool:
        """Return True if the sums have values, False if they are traced."""
        sums = self._seen()
        return concrete(ops.any(sums == sums)) is not None

    def _sums_on_host(self) -> np.ndarray:
        """Return the sums, which are kept as two floats, as float64.

        Raises:
            ValueError: if the sums are traced.
        """
        if not self._is_concrete():
            raise ValueError(
                "An estimate needs concrete sums. Received: traced ones, in a "
                "program that is being compiled. Use "
                "`MetricCollection(..., errors=True)` there, whose results "
                "include the standard errors."
            )
        sums = ops.convert_to_numpy(self._seen())
        return sums.astype("float64").sum(axis=-1)

    def _draw(self) -> Tensor | int:
        """Return the number of the next batch, for `ties="shuffle"`."""
        return 0 if self._draws is None else self._draws.read()

    def _add(self, terms: Tensor) -> None:
        """Add the terms of a batch to the sums."""
        self._sums.write(processes.add_terms(self._sums.read(), terms))
        if self._draws is not None:
            self._draws.write(self._draws.read() + 1)

    def _move(self, sums: Slot, draws: Slot | None) -> None:
        """Move the state to other variables, as those of a collection."""
        for old, new in ((self._sums, sums), (self._draws, draws)):
            if old is not None and new is not None:
                new.write(old.read())
                place = [id(v) for v in self._variables].index(id(old.variable))
                self._variables[place] = new.variable
        self._sums, self._draws = sums, draws

    @property
    def _sum_names(self) -> tuple[str, ...]:
        """The names of the sums, () if the aggregate has none."""
        names: tuple[str, ...] = getattr(self.aggregate, "names", ())
        return names

    @property
    def _base_slots(self) -> list[Slot]:
        """The slots of the sums, and of the number of draws."""
        return [self._sums, *([self._draws] if self._draws else [])]

    def _slots(self) -> list[Slot]:
        """Return the slots of the whole state, with those of subclasses."""
        own = self._variables[len(self._base_slots) :]
        return [*self._base_slots, *map(Slot, own)]

    def _state_of(self, other: Any) -> State:
        if isinstance(other, Accumulator | State):
            check_same_metric(other.signature, self.signature)
            return other if isinstance(other, State) else other.state
        sums, *draws = self._checked_state(other)
        return State(self.signature, sums, *draws[:1])

    def _checked_state(self, state: Any) -> list[np.ndarray]:
        expected = [slot.shape for slot in self._slots()]
        passed = state if isinstance(state, list | tuple) else []
        arrays = [np.asarray(array) for array in passed]
        received = [array.shape for array in arrays]
        are_numbers = all(array.dtype.kind in "fiu" for array in arrays)
        if received != expected or not are_numbers:
            raise ValueError(
                f"A state of {type(self).__name__} should be a list of arrays "
                f"of the shapes {expected}, as `get_state` returns it. "
                f"Received the shapes: {received}."
            )
        return [
            array.astype(slot.variable.dtype)
            for array, slot in zip(arrays, self._slots(), strict=True)
        ]


def zeros(
    metric: Metric, name: str, shape: tuple[int, ...], dtype: str
) -> keras.Variable:
    """Return a new variable of a metric, which starts at 0."""
    return metric.add_variable(
        shape=shape, initializer="zeros", dtype=dtype, name=name
    )


def repeated_in_compile(metric: object) -> str | None:
    """Return a warning if Keras would lose a result of the metric.

    That is the case if `compile` updates the metric in several places, or
    another metric returns a dict with the same name.
    """
    metrics, _ = keras_internals.compiled_model() or ((), None)
    members = [x for m in metrics for x in (m, *getattr(m, "metrics", ()))]
    places = sum(member is metric for member in members)
    if places < 2:
        others = {n for m in metrics if m is not metric for n in _keys(m)}
        lost = sorted(others.intersection(_keys(metric)))
        if not lost:
            return None
        return (
            "Collections and metrics of several values should have names of "
            "their own in `compile`, since Keras keeps one result of each "
            f"name. Received: {lost} from several. Construct one with a "
            "`prefix`, or another `name`."
        )
    return (
        "Each place in `compile` should have a metric of its own. Received: "
        f"one in {places} places, which all report its number, for the batches "
        "of all. Construct one for each output and for `weighted_metrics`."
    )


def _keys(metric: Any) -> list[str]:
    """Return the names in the dict that a metric returns, [] for a number."""
    if hasattr(metric, "prefix"):  # a collection
        return [metric.prefix + n for m in metric.metrics for n in m.results]
    results = getattr(metric, "results", [])
    return results if len(results) > 1 else []


def own_methods(metric: object, base: type) -> list[str]:
    """Return the methods that a metric overrides and a collection never calls.

    Args:
        metric: the metric.
        base: the class that defines the methods.
    """
    return [
        method
        for method in ("update_state", "result", "per_list")
        if getattr(type(metric), method) is not getattr(base, method)
    ]


def has_code_of_user(metric: Accumulator) -> bool:
    """Return True if a class or function of the user computes the values."""
    definition = metric.definition
    code = type(metric), definition.traits.metric, definition.by
    is_own = all(is_of_the_package(x) for x in code if x is not None)
    return not is_own or bool(definition.function_of_user)


# The sums of states over all processes.


def states_of_all(
    signatures: Sequence[str], slots: Sequence[Sequence[Slot]]
) -> list[State]:
    """Return the state of each metric, added up over all processes.

    All processes must call it. They exchange a fingerprint of the metrics, and
    then the states of all metrics in one array.

    Args:
        signatures: the signatures of the metrics.
        slots: for each metric the slot of its sums, and of its draws if it has
            any.

    Raises:
        ValueError: in all processes, if they do not have the same metrics.
    """
    own = [_of_process(*each) for each in zip(signatures, slots, strict=True)]
    gather = gathering(slots[0][0].variable)
    if gather is None:
        return own
    _check_all_have_the_same(own, gather)
    arrays = tuple(array for state in own for array in _arrays(state))
    record = np.dtype([("", array.dtype, array.shape) for array in arrays])
    # All backends gather int32.
    words = np.frombuffer(np.array(arrays, record).tobytes(), np.int32)
    rows = np.frombuffer(gather(words).tobytes(), record)
    received = (_states_in(row, own) for row in rows)
    return [_sum(states) for states in zip(*received, strict=True)]


def _of_process(signature: str, slots: Sequence[Slot]) -> State:
    """Return the state of a metric, added up over the process's replicas."""
    values = zip(*(slot.values_here() for slot in slots), strict=True)
    return _sum([State(signature, *arrays) for arrays in values])


def _sum(states: Sequence[State]) -> State:
    return sum(states[1:], states[0])


def _states_in(record: Any, like: Sequence[State]) -> list[State]:
    """Return the states in a record, which has their arrays in order."""
    values = map(np.asarray, record)
    return [
        State(state.signature, *itertools.islice(values, len(_arrays(state))))
        for state in like
    ]


def _arrays(state: State) -> list[np.ndarray]:
    return [state.sums, *([] if state.draws is None else [state.draws])]


def _check_all_have_the_same(states: Sequence[State], gather: Gather) -> None:
    """Raise ValueError if processes have different metrics.

    All processes raise, or none does.
    """
    text = "\n".join(map(_described, states)).encode()
    length = len(text).to_bytes(4, "little")
    fingerprint = hashlib.sha256(text).digest() + length
    prints = gather(np.frombuffer(fingerprint, np.int32))
    if (prints == prints[0]).all():
        return
    padded = text.ljust(4 * -(-int(prints[:, -1].max()) // 4), b"\n")
    rows = gather(np.frombuffer(padded, np.int32))
    have = [row.tobytes().decode().strip("\n") for row in rows]
    other = next(i for i, each in enumerate(have) if each != have[0])
    raise ValueError(
        "All processes should call `sync` of the same metrics, in the same "
        f"order. Received: in process 0\n{have[0]}\nand in process {other}\n"
        f"{have[other]}"
    )


def _described(state: State) -> str:
    shapes = [f"{array.dtype}{list(array.shape)}" for array in _arrays(state)]
    return f"{state.signature} {' '.join(shapes)}"
