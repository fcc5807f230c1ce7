"""Steps: what metrics can share is kept no longer than one, and in its place.

A step is the call of a model on a batch, with all metrics that look at it. Code
that is compiled has steps of its own, which must not see tensors of others.
"""

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

# Of more numbers than that, no copy is worth its memory.
_SMALL = 2**20

_BACKEND = keras.config.backend()
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
        else:
            self._version, self._copy = _version(x), _copy_for_numpy(x)
            self._x = weakref.ref(x, gone)

    def is_of(self, x: Any) -> bool:
        """Whether `x` is what was passed, and is as it was then."""
        if self._plain:
            return type(x) is type(self._x) and bool(x == self._x)
        if self._x() is not x or _version(x) != self._version:
            return False
        return self._copy is None or bool((x == self._copy).all())


def _version(x: Any) -> int:
    """How often the tensor was written to."""
    if _BACKEND == "torch":
        import torch

        if not isinstance(x, torch.Tensor) or x.is_inference():
            raise UnkeptError
        version: int = x._version
        return version
    if _BACKEND == "jax":
        import jax

        is_tensor = isinstance(x, jax.Array)
        if isinstance(x, jax.core.Tracer) and stateless_scope() is None:
            raise UnkeptError
    else:
        import tensorflow as tf

        is_tensor = isinstance(x, tf.Tensor | tf.RaggedTensor)
    if not is_tensor:
        raise UnkeptError
    return 0


def _copy_for_numpy(x: Any) -> Any:
    """A copy of a tensor whose memory numpy shares, else None.

    Who writes to the array is not counted. Nobody does so between the metrics
    of `compile`.
    """
    if _BACKEND != "torch":
        return None
    try:
        # It has not been shared if it can be resized.
        is_its_own = x.untyped_storage().resizable()
    except NotImplementedError as error:  # as in `torch.vmap`
        raise UnkeptError from error
    if is_its_own or is_in_compile():
        return None
    if x.numel() > _SMALL:
        raise UnkeptError
    return x.detach().clone()


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
