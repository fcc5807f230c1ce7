"""Operations of jax under their names in Keras, and the axes of a mesh.

The operations compile quickly. On a CPU, XLA takes two to four times as long to
compile a reduction of bools as one of numbers, and four times as long to
compile a stack as a choice between rows. A metric has a dozen of each. Outside
a program, jax does not compile them again, so it keeps its own there, but for
the stack: 24 arrays take 0.8 ms, and as a program 0.1 ms.

A test compares each of these with that of Keras. `same_axes` and `fixed_axes`
prepare what `ops.cond` and the loops of Keras take in `jax.shard_map`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from keras_rankmetrics.types import Tensor

T = TypeVar("T")
A = TypeVar("A")

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


# The axes of a mesh over which values vary in `jax.shard_map`. The types of jax
# name these axes. Both branches of a cond need results of one type there, and a
# loop needs the same type before and after a step. A constant varies over no
# axis, so it is cast. Compiled programs compute no more for it.


def same_axes(
    predicate: Tensor, if_true: Callable[[], T], if_false: Callable[[], T]
) -> tuple[Callable[[], T], Callable[[], T]]:
    """Return branches of a cond whose results vary over the same axes.

    They vary over those of both results, and of the predicate.
    """
    if not _in_shard_map():
        return if_true, if_false
    axes = _together(
        _axes_of(predicate), _axes_after(if_true), _axes_after(if_false)
    )
    return lambda: _cast(if_true(), axes), lambda: _cast(if_false(), axes)


def fixed_axes(
    step: Callable[[A, T], T], other: Callable[[], A], x: T
) -> tuple[Callable[[A, T], T], T]:
    """Return a step and its first `x`, which vary over the same axes.

    Args:
        step: takes what `other` returns, or a value like it, and the last `x`.
        other: returns the number of steps, or the input of one.
        x: the value before the first step.
    """
    if not _in_shard_map():
        return step, x
    before, axes = None, _together(_axes_after(other), _axes_of(x))
    while axes != before:  # a part of `x` may reach another one later
        before, x = axes, _cast(x, axes)
        axes = _together(
            _axes_after(other), axes, _axes_after(step, other(), x)
        )
    return lambda other, x: _cast(step(other, x), axes), x


def _in_shard_map() -> bool:
    """Return True in `jax.shard_map`, which older versions do not have."""
    if not hasattr(jax, "shard_map"):
        return False
    return bool(jax.sharding.get_abstract_mesh().manual_axes)


def _axes_after(function: Callable[..., Any], *inputs: Any) -> Any:
    return _axes_of(jax.eval_shape(function, *inputs))


def _axes_of(x: Any) -> Any:
    """Return the axes over which each array in `x` varies."""
    return jax.tree.map(_axes_of_array, x)


def _axes_of_array(x: Any) -> frozenset[str]:
    kind = x if isinstance(x, jax.ShapeDtypeStruct) else jax.typeof(x)
    # `manual_axis_type.varying` from jax 0.10 on, and `vma` before.
    kind = getattr(kind, "manual_axis_type", kind)
    axes: frozenset[str] | None = getattr(kind, "varying", None)
    return axes or getattr(kind, "vma", None) or frozenset()


def _together(common: frozenset[str], *parts: Any) -> Any:
    """Return the union of the axes of each array, and of the common ones."""
    return jax.tree.map(lambda *axes: common.union(*axes), *parts)


def _cast(x: T, axes: Any) -> T:
    """Return `x`, with the type of arrays that vary over these axes, too."""
    cast: T = jax.tree.map(_cast_array, x, axes)
    return cast


def _cast_array(x: Tensor, axes: frozenset[str]) -> Tensor:
    missing = tuple(sorted(axes - _axes_of_array(x)))
    if not missing:
        return x
    lax: Any = jax.lax
    if hasattr(lax, "pcast"):
        return lax.pcast(x, missing, to="varying")
    return lax.pvary(x, missing)  # before jax 0.8
