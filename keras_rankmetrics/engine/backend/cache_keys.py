"""Keys of the batch cache: which tensors, which step, which graph."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import keras

from keras_rankmetrics.engine.backend.keras_internals import (
    is_in_compile,
    is_symbolic,
    stateless_scope,
)

# Stamps: what was passed is known again if it is the same, and unchanged.

_BACKEND = keras.config.backend()


class UnkeptError(Exception):
    """Raised of what cannot be known to be unchanged when it comes again."""


class Stamp:
    """What was passed, to be known again: the same object, unchanged.

    It does not keep the object.

    Args:
        x: a tensor, a plain number or name, or None.
        gone: what is called when the object is no more.

    Raises:
        UnkeptError: if `x` is anything else, as an array of numpy, which can be
            written to without a trace.
    """

    def __init__(self, x: Any, gone: Callable[[Any], None]) -> None:
        self._plain = x is None or type(x) in (bool, int, float, str)
        if self._plain:
            self._x = x
            return
        if not _is_kept_track_of(x):
            raise UnkeptError
        self._seen_by_numpy = _is_seen_by_numpy(x)
        self._copy = x.detach().clone() if self._seen_by_numpy else None
        self._version = _version(x)
        self._x = weakref.ref(x, gone)

    def is_of(self, x: Any) -> bool:
        """Whether `x` is what was passed, and is as it was then."""
        if self._plain:
            return type(x) is type(self._x) and bool(x == self._x)
        return (
            self._x() is x
            and _is_kept_track_of(x)
            and _version(x) == self._version
            and _is_seen_by_numpy(x) == self._seen_by_numpy
            and (self._copy is None or x.equal(self._copy))
        )


def _version(x: Any) -> int:
    """How often the tensor was written to, if it can be."""
    return x._version if _BACKEND == "torch" else 0


def _is_kept_track_of(x: Any) -> bool:
    """Whether `x` is a tensor whose changes are counted, if it can change."""
    if _BACKEND == "torch":
        return _is_kept_track_of_by_torch(x)
    if _BACKEND == "jax":
        import jax

        if isinstance(x, jax.core.Tracer) and stateless_scope() is None:
            return False
        return isinstance(x, jax.Array)
    import tensorflow as tf

    return isinstance(x, tf.Tensor | tf.RaggedTensor)


def _is_kept_track_of_by_torch(x: Any) -> bool:
    import torch

    if not isinstance(x, torch.Tensor) or x.is_inference():
        return False
    try:
        x.untyped_storage()
    except NotImplementedError:  # as in `torch.vmap`
        return False
    return True


def _is_seen_by_numpy(x: Any) -> bool:
    """Whether numpy shares the memory, so that not all writing is counted.

    Nobody writes between the metrics of `compile`.
    """
    if _BACKEND != "torch":
        return False
    # Not resizable, once it has been made from an array, or into one.
    return not x.untyped_storage().resizable() and not is_in_compile()


# Steps: what metrics can share is kept no longer than one, and in its place.
#
# A step is the call of a model on a batch, with all metrics that look at it.
# Code that is compiled has steps of its own, which must not see tensors of
# others.

this_thread = threading.local()


def place() -> Any:
    """What lives as long as the step, and can be given attributes.

    None where nothing may be kept.
    """
    if is_symbolic() or _is_traced_by_torch():
        return None
    return stateless_scope() or _graph() or this_thread


def trace() -> Hashable:
    """What the code is traced for, if it is: tensors of others do not fit."""
    if _BACKEND == "jax":
        import jax.extend

        known: Callable[[], Hashable] = jax.extend.core.get_opaque_trace_state
        return known()
    return _graph()


def _graph() -> Any:
    """The graph that TensorFlow builds, if it does."""
    if _BACKEND != "tensorflow":
        return None
    import tensorflow as tf

    if tf.executing_eagerly():
        return None
    return tf.compat.v1.get_default_graph()


def _is_traced_by_torch() -> bool:
    if _BACKEND != "torch":
        return False
    import torch

    return torch.compiler.is_compiling()
