"""A few numbers as Python floats, if they are in the memory of the host.

For a few numbers, an operation of a backend takes many times as long as Python
does. Copying them from an accelerator would take longer still.

The module is also a namespace: code that computes with `ops` or with Python
floats takes either as an argument.
"""

from __future__ import annotations

from typing import Any

import keras

from keras_rankmetrics.types import Tensor


def concrete_floats(x: Tensor) -> list[float] | None:
    """Return the values of a vector; None if traced or on an accelerator."""
    backend = keras.config.backend()
    if len(x.shape) != 1 or not _ON_HOST[backend](x):
        return None
    try:
        values = x.tolist() if backend != "tensorflow" else x.numpy().tolist()
    except RuntimeError:  # as in `torch.vmap`
        return None
    floats: list[float] = values
    return floats


def where(condition: bool, x1: float, x2: float) -> float:
    """Return `x1` if the condition holds, else `x2`, as `ops.where` does."""
    return x1 if condition else x2


def _is_on_host_in_tensorflow(x: Any) -> bool:
    import tensorflow as tf

    return tf.executing_eagerly() and "CPU" in getattr(x, "device", "")


def _is_on_host_in_jax(x: Any) -> bool:
    import jax

    is_traced = isinstance(x, jax.core.Tracer)
    return not is_traced and {d.platform for d in x.devices()} == {"cpu"}


def _is_on_host_in_torch(x: Any) -> bool:
    import torch

    return x.device.type == "cpu" and not torch.compiler.is_compiling()


_ON_HOST = {
    "numpy": lambda x: True,
    "tensorflow": _is_on_host_in_tensorflow,
    "jax": _is_on_host_in_jax,
    "torch": _is_on_host_in_torch,
}
