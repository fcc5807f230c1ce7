"""`ops`: the operations of Keras; some are our own, for speed or for order."""

from __future__ import annotations

import contextlib
import importlib
import types
from typing import Any

import keras

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
