"""A few numbers as plain floats, where they are at hand.

An operation on a few numbers takes a backend many times as long as Python takes
for the numbers themselves. That is no gain where they must first be brought
from an accelerator.
"""

from __future__ import annotations

from typing import Any

import keras

from keras_rankmetrics.types import Tensor


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
