"""Keys of the batch cache: which tensors, which step, which graph."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.engine.backend.keras_internals import (
    compiled_model,
    is_symbolic,
    stateless_scope,
)
from keras_rankmetrics.engine.backend.tracing import graph

_BACKEND = keras.config.backend()


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
