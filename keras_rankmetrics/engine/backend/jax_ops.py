"""Operations of jax that compile quickly, under their names in Keras.

On a CPU, XLA takes two to four times as long to compile a reduction of bools as
one of numbers, and four times as long to compile a stack as a choice between
rows. A metric has a dozen of each. Outside a program, jax does not compile them
again, so it keeps its own there, but for the stack: 24 arrays take 0.8 ms, and
as a program 0.1 ms.

A test compares each of these with that of Keras.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import lax

from keras_rankmetrics.types import Tensor

# A choice between more rows takes longer to run.
_MOST_ROWS = 16


def any(x: Tensor, axis: int | None = None) -> Tensor:
    """Replace `keras.ops.any` along one axis or all."""
    if x.dtype != bool or not _is_traced(x):
        return jnp.any(x, axis=axis)
    # Of integers, vectors compile faster; of floats, rows.
    dtype = "int32" if x.ndim == 1 else "float32"
    return jnp.sum(x, axis=axis, dtype=dtype) > 0


def all(x: Tensor, axis: int | None = None) -> Tensor:
    """Replace `keras.ops.all` along one axis or all."""
    if x.dtype != bool or not _is_traced(x):
        return jnp.all(x, axis=axis)
    return ~any(~x, axis=axis)


def stack(x: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Replace `keras.ops.stack`."""
    if not builtins.any(map(_is_traced, x)):
        return _stack(x, axis=axis)
    are_choices = 1 < len(x) <= _MOST_ROWS and builtins.all(map(_is_traced, x))
    kinds = {(row.shape, row.dtype) for row in x} if are_choices else set()
    if len(kinds) != 1 or builtins.any(map(_is_sharded, x)):
        return jnp.stack(x, axis=axis)
    [(of_row, _)] = kinds
    dims = [*range(len(of_row) + 1)]
    axis = dims.pop(axis)
    shape = (*of_row[:axis], len(x), *of_row[axis:])
    index = lax.broadcasted_iota("int32", shape, axis)
    stacked, *others = (lax.broadcast_in_dim(row, shape, dims) for row in x)
    for i, row in enumerate(others, start=1):
        stacked = lax.select(lax.eq(index, jnp.int32(i)), row, stacked)
    return stacked


_stack = jax.jit(jnp.stack, static_argnames="axis")


def _is_traced(x: Tensor) -> bool:
    return isinstance(x, jax.core.Tracer)


def _is_sharded(x: Tensor) -> bool:
    """Return True if the type of `x` has axes of an explicit mesh."""
    sharding = getattr(x.aval, "sharding", None)
    return builtins.any(
        part is not None for part in getattr(sharding, "spec", ())
    )
