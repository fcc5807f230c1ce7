"""How many: sums of bools."""

from __future__ import annotations

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

_EXACT_IN_FLOAT32 = 2**24


def count(x: Tensor) -> Tensor:
    """`[lists]`, int32: how often `x`, `[lists, items]`, is True."""
    if keras.config.backend() == "torch":  # adds up bools as they are
        return ops.sum(x, axis=-1)
    counted = ops.cast(x, counting_dtype(x.shape[-1]))
    return ops.cast(ops.sum(counted, axis=-1), "int32")


def counting_dtype(items: int | None) -> str:
    """The dtype that counts so many items exactly, and floats if they can.

    Floats are added up and ranked much faster than integers.
    """
    few = items is not None and items <= _EXACT_IN_FLOAT32
    return "float32" if few else "int32"
