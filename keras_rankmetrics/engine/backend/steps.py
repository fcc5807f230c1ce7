"""Steps: what metrics can share is kept no longer than one, and in its place.

A step is the call of a model on a batch, with all metrics that look at it. Code
that is compiled has steps of its own, which must not see tensors of others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

import keras

from keras_rankmetrics.engine.backend.keras_internals import (
    is_symbolic,
    stateless_scope,
)

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
