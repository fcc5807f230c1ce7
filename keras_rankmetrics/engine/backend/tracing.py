"""Values that are concrete now or only traced, and branches on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import keras

from keras_rankmetrics.engine.backend.keras_internals import is_symbolic
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# What can be seen of a tensor now, and what only when a program runs.

MANY = 2**31 - 1  # no axis is longer, and no rank is further down


def known(predicate: Tensor) -> bool | None:
    """The value of a bool scalar; None where it is traced and has none yet."""
    try:
        return bool(predicate)
    # TensorFlow and jax raise a TypeError, torch for its tensors without
    # content a RuntimeError, of which NotImplementedError is one.
    except (TypeError, RuntimeError):
        return None


def length_at_most(x: Tensor) -> int:
    """The length of the last axis of `x`, or the most that it can be."""
    return x.shape[-1] or MANY


# Branches and loops that cost no more than they save.

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


# What AutoGraph leaves as it is.
#
# `tf.function` rewrites the Python code that it traces, so that `if` and
# `while` can depend on tensors. Nothing here needs that, and it takes
# seconds. Keras does the same for what `fit` compiles; this is for the
# `tf.function` of your own. It holds for gains and measures of users too,
# which must use `ops.where` in `fit` as well.

F = TypeVar("F", bound=Callable[..., object])


def unconverted(function: F) -> F:
    """The function, which TensorFlow is to trace as it stands."""
    if keras.config.backend() != "tensorflow":
        return function
    import tensorflow as tf

    unchanged: F = tf.autograph.experimental.do_not_convert(function)
    return unchanged
