"""A few numbers as plain floats, and tensors without their gradient."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_rankmetrics.types import Tensor

# A few numbers as plain floats, where they are at hand.
#
# An operation on a few numbers takes a backend many times as long as Python
# takes for the numbers themselves. That is no gain where they must first be
# brought from an accelerator.


def floats_at_hand(x: Tensor) -> list[float] | None:
    """The numbers of a vector; None if they are elsewhere, or unknown yet."""
    backend = keras.config.backend()
    if len(x.shape) != 1 or not _AT_HAND[backend](x):
        return None
    try:
        numbers = x.tolist() if backend != "tensorflow" else x.numpy().tolist()
    except RuntimeError:  # as in `torch.vmap`
        return None
    found: list[float] = numbers
    return found


def where(condition: bool, x1: float, x2: float) -> float:
    """`ops.where` of plain numbers."""
    return x1 if condition else x2


def _of_tensorflow(x: Any) -> bool:
    import tensorflow as tf

    return tf.executing_eagerly() and "CPU" in getattr(x, "device", "")


def _of_jax(x: Any) -> bool:
    import jax

    is_traced = isinstance(x, jax.core.Tracer)
    return not is_traced and {d.platform for d in x.devices()} == {"cpu"}


def _of_torch(x: Any) -> bool:
    import torch

    return x.device.type == "cpu" and not torch.compiler.is_compiling()


_AT_HAND = {
    "numpy": lambda x: True,
    "tensorflow": _of_tensorflow,
    "jax": _of_jax,
    "torch": _of_torch,
}


# `detached`: a tensor outside of any gradient, as an object of its own.


def detached(x: Tensor) -> Tensor:
    """The same numbers, in the same memory, without a gradient.

    Who holds it does not hold the object `x`, so that one sees when the user
    lets go of that.
    """
    if keras.config.backend() == "jax":
        import jax

        is_traced = isinstance(x, jax.core.Tracer)
        if not is_traced and len(x.sharding.device_set) == 1:
            return x.addressable_data(0)
    return ops.stop_gradient(x)
