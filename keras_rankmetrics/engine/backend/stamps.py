"""Stamps: what was passed is known again if it is the same, and unchanged."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.engine.backend.keras_internals import (
    is_in_compile,
    stateless_scope,
)

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
            and _version(x) == self._version
            and _is_seen_by_numpy(x) == self._seen_by_numpy
            and (self._copy is None or x.equal(self._copy))
        )


def _version(x: Any) -> int:
    """How often the tensor was written to, if it can be."""
    return x._version if _BACKEND == "torch" else 0


def _is_seen_by_numpy(x: Any) -> bool:
    """Whether numpy shares the memory, so that not all writing is counted.

    Nobody writes between the metrics of `compile`.

    Raises:
        UnkeptError: if `x` is no tensor, or one whose changes are not counted.
    """
    if _BACKEND == "torch":
        return _is_seen_by_numpy_on_torch(x)
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
    return False


def _is_seen_by_numpy_on_torch(x: Any) -> bool:
    import torch

    if not isinstance(x, torch.Tensor) or x.is_inference():
        raise UnkeptError
    try:
        # No longer, once it has been made from an array, or into one.
        can_be_resized = x.untyped_storage().resizable()
    except NotImplementedError as error:  # as in `torch.vmap`
        raise UnkeptError from error
    return not can_be_resized and not is_in_compile()
