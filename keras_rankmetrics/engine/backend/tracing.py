"""Traces and steps: branches on traced values, and keys of what is cached."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import keras

from keras_rankmetrics.engine.backend.keras_internals import (
    compiled_model,
    is_symbolic,
    stateless_scope,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

_BACKEND = keras.config.backend()
if _BACKEND == "jax":
    from keras_rankmetrics.engine.backend import jax_ops

MANY = 2**31 - 1  # no axis is longer, and no rank is lower

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def concrete(predicate: Tensor) -> bool | None:
    """Return the value of a bool scalar, None while it is traced."""
    try:
        return bool(predicate)
    # TensorFlow and jax raise a TypeError, torch for its tensors without
    # content a RuntimeError, of which NotImplementedError is one.
    except (TypeError, RuntimeError):
        return None


def concrete_floats(x: Tensor) -> list[float] | None:
    """Return the values of a vector; None if traced or on an accelerator.

    For a few numbers, an operation of a backend takes many times as long as
    Python does. Copying them from an accelerator would take longer still.
    """
    if len(x.shape) != 1 or not is_on_host(x):
        return None
    try:
        # Tensors of TensorFlow have no `tolist`.
        x = x.numpy() if _BACKEND == "tensorflow" else x
        floats: list[float] = x.tolist()
    except RuntimeError:  # as in `torch.vmap`
        return None
    return floats


def is_on_host(x: Any) -> bool:
    """Return True for a concrete tensor in the memory of the CPU."""
    if _BACKEND == "torch":
        import torch

        return x.device.type == "cpu" and not torch.compiler.is_compiling()
    if _BACKEND == "jax":
        import jax

        is_traced = isinstance(x, jax.core.Tracer)
        return not is_traced and {d.platform for d in x.devices()} == {"cpu"}
    if _BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.executing_eagerly() and "CPU" in getattr(x, "device", "")
    return True


def takes_any_length(x: Tensor) -> bool:
    """Return True for a tensor on the host whose parts may have any length.

    jax would compile each operation again for each length.
    """
    return _BACKEND != "jax" and is_on_host(x)


def length_at_most(x: Tensor) -> int:
    """Return the length of the last axis of `x`, `MANY` if it is unknown."""
    return x.shape[-1] or MANY


def cond(
    predicate: Tensor, if_true: Callable[[], T], if_false: Callable[[], T]
) -> T:
    """Run `ops.cond`, or take the branch directly if the predicate is concrete.

    That is faster, and outside of `jit`, jax would compile each cond again on
    every call.
    """
    value = concrete(predicate)
    if value is not None:
        return if_true() if value else if_false()
    if _BACKEND == "jax":
        if_true, if_false = jax_ops.same_axes(predicate, if_true, if_false)
    result: T = ops.cond(predicate, if_true, if_false)
    return result


def cond_if_cheap(
    predicate: Tensor, if_true: Callable[[], T], if_false: Callable[[], T]
) -> T:
    """Run `cond`, except in a TensorFlow graph, which takes `if_false()`.

    `if_false()` must be correct in both cases. The graph computes it always:
    metrics share the operations before a cond there, but not those after it.
    """
    if _BACKEND == "tensorflow":
        return if_true() if concrete(predicate) else if_false()
    return cond(predicate, if_true, if_false)


def trace() -> Hashable:
    """Return the current trace: tensors of any other one must not be used.

    Compiled programs have traces of their own, and so has each branch of a
    `cond` and each body of a loop in them. What is computed there is valid
    there only: it may be stored only where the trace is compared before it is
    used again.
    """
    if _BACKEND == "jax":
        import jax.extend

        state: Callable[[], Hashable] = jax.extend.core.get_opaque_trace_state
        return state()
    return graph() if _BACKEND == "tensorflow" else None


def graph() -> Any:
    """Return the graph that TensorFlow is building, or None."""
    if _BACKEND != "tensorflow":
        return None
    import tensorflow as tf

    if tf.executing_eagerly():
        return None
    return tf.compat.v1.get_default_graph()


def loop(times: int | Tensor, step: Callable[[int | Tensor, T], T], x: T) -> T:
    """Apply `x = step(i, x)` for i = 0, 1, ... and return the last `x`.

    This is `ops.fori_loop`, but a Python loop if nothing is traced: there, jax
    would compile each loop again on every call and never free the memory.
    """
    if is_symbolic():  # `times` has no value, and a step keeps the shape
        return step(0, x)
    first = x[0] if isinstance(x, tuple) else x
    if concrete(ops.all(first == first)) is None:
        if _BACKEND == "jax":
            step, x = jax_ops.fixed_axes(step, lambda: times, x)
        result: T = ops.fori_loop(0, times, step, x)
        return result
    for i in range(int(times)):
        x = step(i, x)
    return x


def scan(
    step: Callable[[Tensor, Tensor], Tensor], x: Tensor, rows: Tensor
) -> Tensor:
    """Return `x` and each `x = step(row, x)`, stacked, `[rows + 1, ...]`.

    This is `ops.scan`, but a Python loop if nothing is traced, as in `loop`.
    """
    if concrete(ops.all(x == x)) is None:
        if _BACKEND == "jax":
            step, x = jax_ops.fixed_axes(step, lambda: rows[0], x)
        _, later = ops.scan(lambda x, row: (step(row, x),) * 2, x, rows)
        return ops.concatenate([x[None], later])
    states = [x]
    for row in ops.unstack(rows):
        states.append(step(row, states[-1]))
    return ops.stack(states)


def sums_side_by_side(parts: Sequence[Tensor], xp: Any) -> Tensor:
    """Return the sums of tensors `[n, m]` over m, `[n, parts]`.

    XLA computes the sum of a single tensor in one loop with what it is made of,
    and TensorFlow writes a stack to memory first. Elsewhere an operation has
    its price, and a stack needs two; jax adds it to the same bits in `vmap`.

    Args:
        parts: the tensors.
        xp: their namespace, `ops` or `numpy`.
    """
    if xp is ops and graph() is not None:
        return ops.stack([ops.sum(x, axis=-1) for x in parts], axis=1)
    return xp.sum(xp.stack(parts, axis=1), axis=-1)


def unconverted(function: F) -> F:
    """Return the function, excluded from AutoGraph.

    `tf.function` rewrites the Python code that it traces, so that `if` and
    `while` can depend on tensors. Nothing here needs that, and it takes
    seconds. Keras excludes all that `fit` compiles; this does the same for a
    user's own `tf.function`. It covers gains and measures of users too, which
    must use `ops.where` in `fit` as well.
    """
    if _BACKEND != "tensorflow":
        return function
    import tensorflow as tf

    unchanged: F = tf.autograph.experimental.do_not_convert(function)
    return unchanged


# Keys of the batch cache: which tensors, and which step.


class Stamp:
    """A key that recognizes an input: the same object, and unchanged.

    It does not keep the object alive.

    Args:
        x: an input for which a stamp is possible.
        gone: called when the object is garbage collected.
    """

    def __init__(self, x: Any, gone: Callable[[Any], None]) -> None:
        self._is_plain = _is_plain(x)
        if self._is_plain:
            self._x = x
            return
        self._shares_memory = _shares_memory_with_numpy(x)
        self._copy = x.detach().clone() if self._shares_memory else None
        self._version = _version(x)
        self._x = weakref.ref(x, gone)

    @staticmethod
    def is_possible(x: Any) -> bool:
        """Return True if any change of the object can be detected.

        That is impossible for a NumPy array, which can be written to without a
        trace.
        """
        return _is_plain(x) or _is_tracked(x)

    def is_of(self, x: Any) -> bool:
        """Return True if `x` is the stamped object and has not changed."""
        if self._is_plain:
            return type(x) is type(self._x) and bool(x == self._x)
        return (
            self._x() is x
            and _is_tracked(x)
            and _version(x) == self._version
            and _shares_memory_with_numpy(x) == self._shares_memory
            and (self._copy is None or x.equal(self._copy))
        )


def _is_plain(x: Any) -> bool:
    return x is None or type(x) in (bool, int, float, str)


def writes(x: Any) -> int:
    """Return how often an input was written to; 0 if that is not counted."""
    return _version(x) if _is_tracked(x) else 0


def _version(x: Any) -> int:
    """Return how often the tensor was written to; 0 if it is immutable."""
    return x._version if _BACKEND == "torch" else 0


def _is_tracked(x: Any) -> bool:
    """Return True for a tensor that is immutable or counts its changes."""
    if _BACKEND == "torch":
        return _is_tracked_by_torch(x)
    if _BACKEND == "jax":
        import jax

        if isinstance(x, jax.core.Tracer) and stateless_scope() is None:
            return False
        return isinstance(x, jax.Array)
    if _BACKEND == "tensorflow":
        import tensorflow as tf

        return isinstance(x, tf.Tensor | tf.RaggedTensor)
    return False


def _is_tracked_by_torch(x: Any) -> bool:
    import torch

    if not isinstance(x, torch.Tensor) or x.is_inference():
        return False
    try:
        x.untyped_storage()
    except NotImplementedError:  # as in `torch.vmap`
        return False
    return True


def _shares_memory_with_numpy(x: Any) -> bool:
    """Return True if NumPy may write to the tensor without being counted.

    Between the metrics of `compile` no user code runs, so nothing is written.
    """
    if _BACKEND != "torch":
        return False
    # A storage that NumPy has seen, in either direction, is not resizable.
    return not x.untyped_storage().resizable() and not compiled_model()


# The scope of the cache. Metrics share work within a step: one call of a model
# on a batch. Compiled code has steps of its own, and must not see tensors of
# another trace.


def place(this_thread: threading.local) -> Any:
    """Return an object that lives as long as the step, to attach a cache to.

    None where nothing may be cached; `this_thread` where only the next batch
    ends a step.
    """
    if is_symbolic() or is_compiled_by_torch():
        return None
    return stateless_scope() or graph() or this_thread


def is_compiled_by_torch() -> bool:
    """Return True while `torch.compile` traces."""
    if _BACKEND != "torch":
        return False
    import torch

    return torch.compiler.is_compiling()
