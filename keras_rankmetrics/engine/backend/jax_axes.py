"""The axes of a mesh over which values vary in `jax.shard_map`.

The types of jax name these axes. Both branches of a cond need results of one
type there, and a loop needs the same type before and after a step. A constant
varies over no axis, so it is cast. Compiled programs compute no more for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import jax

from keras_rankmetrics.types import Tensor

T = TypeVar("T")
A = TypeVar("A")


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
