"""Branches and loops that cost no more than they save."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import keras

from keras_rankmetrics.engine.backend.keras_internals import is_symbolic
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

T = TypeVar("T")


def cond(
    predicate: Tensor, if_true: Callable[[], T], if_false: Callable[[], T]
) -> T:
    """`ops.cond`, decided at once where the predicate is known.

    That is faster, and outside of `jit`, jax would compile each cond anew each
    time.
    """
    value = known(predicate)
    if value is not None:
        return if_true() if value else if_false()
    result: T = ops.cond(predicate, if_true, if_false)
    return result


def unless(
    predicate: Tensor, otherwise: Callable[[], T], if_true: Callable[[], T]
) -> T:
    """`if_true()` where the predicate holds, else `otherwise()`.

    `otherwise()` must be right in both cases, and is what a TensorFlow graph
    computes: there, metrics share what comes before a cond, but not what comes
    after.
    """
    if keras.config.backend() == "tensorflow":
        return if_true() if known(predicate) else otherwise()
    return cond(predicate, if_true, otherwise)


def loop(
    times: int | Tensor,
    step: Callable[[int | Tensor, T], T],
    x: T,
) -> T:
    """`step(i, x)` for i = 0, 1, ..., each time of what the last one returned.

    That is `ops.fori_loop`, but a plain loop where nothing is traced. There,
    jax would compile each loop anew each time, and never give that back.
    """
    if is_symbolic():  # how often is not known, and the shape stays the same
        return step(0, x)
    first = x[0] if isinstance(x, tuple) else x
    if known(ops.all(first == first)) is None:
        result: T = ops.fori_loop(0, times, step, x)
        return result
    for i in range(int(times)):
        x = step(i, x)
    return x
