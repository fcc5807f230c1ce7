"""`ops.cond` that does not compile what it need not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import keras
from keras import ops

from keras_rankmetrics.known import known
from keras_rankmetrics.types import Tensor

T = TypeVar("T")


def cond(
    predicate: Tensor, if_true: Callable[[], T], if_false: Callable[[], T]
) -> T:
    """`ops.cond`, decided at once where jax knows the predicate.

    Outside of `jit`, jax compiles each cond anew each time, which takes longer
    than what it decides about.
    """
    value = known(predicate) if keras.config.backend() == "jax" else None
    if value is not None:
        return if_true() if value else if_false()
    result: T = ops.cond(predicate, if_true, if_false)
    return result
