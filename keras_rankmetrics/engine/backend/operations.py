"""The operations of Keras, some replaced for speed or for a stable order."""

from __future__ import annotations

import contextlib
import importlib
import operator
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import keras
import numpy as np

from keras_rankmetrics.types import Tensor

P = ParamSpec("P")
T = TypeVar("T")

# The command computes with the numpy backend, since it compiles nothing.

# A sort is faster unless at most one in so many values is selected.
_FEW = 4


def _numpy_argsort(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return a stable order of the values, as other backends do."""
    return np.argsort(x, axis=axis, kind="stable").astype("int32")


def _numpy_top_k(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the highest values, best first, and their indices.

    Equal integers keep their order. Equal floats come in any order, as they do
    on torch.
    """
    width = x.shape[-1]
    if x.dtype.kind in "iub":
        order = np.argsort(x[..., ::-1], axis=-1, kind="stable")
        order = width - 1 - order[..., : -k - 1 : -1]
    elif k * _FEW < width:
        order = np.argpartition(x, width - k, axis=-1)[..., width - k :]
        best = np.argsort(-np.take_along_axis(x, order, axis=-1), axis=-1)
        order = np.take_along_axis(order, best, axis=-1)
    else:
        order = np.argsort(-x, axis=-1)[..., :k]
    return np.take_along_axis(x, order, axis=-1), order.astype("int32")


def quiet(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function in which NumPy, if it computes, does not warn.

    No other backend warns of sums that overflow, as those of the lowest floats.
    """
    if keras.config.backend() != "numpy":
        return function
    return np.errstate(over="ignore", invalid="ignore")(function)


def _numpy_divide_no_nan(x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
    """Return the quotient of floats, 0 where `x2` is 0.

    That of Keras divides by 0 too, and numpy warns of it.
    """
    is_zero = x2 == 0
    return np.where(is_zero, 0, x1 / np.where(is_zero, 1, x2))


def _operations() -> Any:
    """Return `keras.ops`, with the backend's own operations in their places."""
    own: dict[str, Any]
    backend = keras.config.backend()
    if backend == "numpy":
        own = {
            "argsort": _numpy_argsort,
            "divide_no_nan": _numpy_divide_no_nan,
            "top_k": _numpy_top_k,
        }
    elif backend in ("jax", "torch"):
        name = f"keras_rankmetrics.engine.backend.{backend}_ops"
        own = {
            name: function
            for name, function in vars(importlib.import_module(name)).items()
            if callable(function) and hasattr(keras.ops, name)
        }
    else:
        return keras.ops
    return types.SimpleNamespace(**{**vars(keras.ops), **own})


ops: Any = _operations()


def in_64_bits() -> contextlib.AbstractContextManager[Any]:
    """Return a context in which every backend computes with 64 bits.

    On jax they are off by default. Apple's GPUs, the default device of torch
    there, have no float64, so the CPU is used instead.
    """
    if keras.config.backend() == "torch":
        import torch

        has_none = torch.backends.mps.is_available()
        return keras.device("cpu") if has_none else contextlib.nullcontext()
    if keras.config.backend() != "jax":
        return contextlib.nullcontext()
    import jax
    import jax.experimental

    before_0_8: Any = jax.experimental
    module = jax if hasattr(jax, "enable_x64") else before_0_8
    enabled: contextlib.AbstractContextManager[Any] = module.enable_x64(True)
    return enabled


def detached(x: Tensor) -> Tensor:
    """Return a new tensor without gradient that shares the memory of `x`.

    A reference to it does not keep the object `x` alive, so the batch cache
    notices when the user releases that.
    """
    if keras.config.backend() == "jax":
        import jax

        is_traced = isinstance(x, jax.core.Tracer)
        if not is_traced and len(x.sharding.device_set) == 1:
            return x.addressable_data(0)
    return ops.stop_gradient(x)


# Comparisons as floats. On torch a comparison and a cast are two passes, and
# the second allocates memory of the size of `x`. That is a third of the time
# of a catalogue, so both are done in one pass there.


def at_least(x: Tensor, threshold: float) -> Tensor:
    """Return 1 where `x >= threshold`, else 0, in the dtype of `x`."""
    return _compared("ge", x, threshold)


def above(x: Tensor, threshold: float) -> Tensor:
    """Return 1 where `x > threshold`, else 0, in the dtype of `x`."""
    return _compared("gt", x, threshold)


def _compared(name: str, x: Tensor, threshold: float) -> Tensor:
    if keras.config.backend() == "torch":
        import torch

        if isinstance(x, torch.Tensor):
            x = x.detach()
            compare = getattr(torch, name)
            return compare(x, threshold, out=torch.empty_like(x))
    return ops.cast(getattr(operator, name)(x, threshold), x.dtype)


def as_integer(value: Any) -> int | None:
    """Return the value as an int, None if it is not an integer.

    NumPy integers and integer arrays without dimensions count as integers;
    a bool does not.
    """
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
