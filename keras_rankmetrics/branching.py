"""Branches that cost no more than they save."""

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


def unless_known(
    predicate: Tensor, otherwise: Callable[[], T], if_true: Callable[[], T]
) -> T:
    """`if_true()` where the predicate is known to hold, else `otherwise()`.

    Both must then give the same. No `ops.cond` is made of it: in a TensorFlow
    graph, metrics share what comes before a cond, but not what comes after.
    """
    return if_true() if known(predicate) else otherwise()
