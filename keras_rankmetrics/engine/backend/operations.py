"""The operations of Keras, some replaced for speed or for a stable order."""

from __future__ import annotations

import contextlib
import importlib
import operator
import types
from typing import Any

import keras

from keras_rankmetrics.types import Tensor

# `ops`: the operations of Keras; some are our own, for speed or for order.

_OWN = {
    backend: f"keras_rankmetrics.engine.backend.{backend}_ops"
    for backend in ("numpy", "torch")
}


def _operations() -> Any:
    name = _OWN.get(keras.config.backend())
    if name is None:
        return keras.ops
    own = {
        name: function
        for name, function in vars(importlib.import_module(name)).items()
        if isinstance(function, types.FunctionType) and hasattr(keras.ops, name)
    }
    return types.SimpleNamespace(**{**vars(keras.ops), **own})


ops = _operations()


def in_64_bits() -> contextlib.AbstractContextManager[Any]:
    """Return a context in which every backend computes with 64 bits.

    On jax they are off by default, and Apple's GPUs, where torch has tensors by
    default, have no float64: there it is computed on the CPU.
    """
    if keras.config.backend() == "torch":
        import torch

        has_none = torch.backends.mps.is_available()
        return keras.device("cpu") if has_none else contextlib.nullcontext()
    if keras.config.backend() != "jax":
        return contextlib.nullcontext()
    import jax
    import jax.experimental

    before_0_8: Any = jax.experimental
    module = jax if hasattr(jax, "enable_x64") else before_0_8
    enabled: contextlib.AbstractContextManager[Any] = module.enable_x64(True)
    return enabled


# Comparisons as numbers, in one pass over the memory where that can be.
#
# On torch a comparison and a cast are two passes, and the second takes new
# memory of the size of `x`. That is a third of the time of a catalogue.


def at_least(x: Tensor, threshold: float) -> Tensor:
    """1 where `x` is at least that, else 0, in the dtype of `x`."""
    return _as_numbers("ge", x, threshold)


def above(x: Tensor, threshold: float) -> Tensor:
    """1 where `x` is above that, else 0, in the dtype of `x`."""
    return _as_numbers("gt", x, threshold)


def _as_numbers(name: str, x: Tensor, threshold: float) -> Tensor:
    if keras.config.backend() == "torch":
        import torch

        if isinstance(x, torch.Tensor):
            x = x.detach()
            compare = getattr(torch, name)
            return compare(x, threshold, out=torch.empty_like(x))
    return ops.cast(getattr(operator, name)(x, threshold), x.dtype)


# Which arguments of users are integers.


def as_integer(value: Any) -> int | None:
    """As a plain int, None where it is no integer; a bool is none.

    An integer of numpy is one, and so is an array without dimensions.
    """
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
