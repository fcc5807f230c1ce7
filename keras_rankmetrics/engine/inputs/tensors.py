"""Input of any type as tensors of a known dtype."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
from keras import backend, ops

from keras_rankmetrics.engine.backend.operations import detached
from keras_rankmetrics.engine.inputs.ragged import (
    DEEPEST,
    as_array_or_lists,
    hides,
    is_ragged,
    made_dense,
)
from keras_rankmetrics.types import Tensor

# What stands where a number should, and what to do about it.


def advice_on(name: str, x: Any) -> str:
    """A sentence or two on the first thing in `x` that is no number.

    Args:
        name: of the argument that holds `x`.
        x: what the user passed, or lists of what it holds.

    Returns:
        The sentences, or "" where nothing is known of it.
    """
    for place, found in _strangers(x):
        advice = _advice(found, place)
        if advice:
            where = "".join(f"[{index}]" for index in place)
            return f"`{name}{where}` is {advice}"
    return ""


def _strangers(x: Any, *place: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """What is no number in a list of numbers, nor a list in one of lists."""
    if not isinstance(x, list | tuple) or len(place) == DEEPEST:
        yield place, x
        return
    nested = any(isinstance(part, list | tuple | np.ndarray) for part in x)
    for index, part in enumerate(x):
        if nested or not isinstance(part, int | float | np.generic):
            yield from _strangers(part, *place, index)


def _advice(x: Any, place: tuple[int, ...]) -> str:
    kind = type(x).__name__
    if isinstance(x, list | tuple):
        return f"a {kind} in a list that is too deep. Does it hold itself?"
    if place and (x is None or isinstance(x, float) or kind == "NAType"):
        return (
            f"{x}. Pass [] for a list without items, and -1 for a label or an "
            "id that is missing."
        )
    if isinstance(x, set | frozenset):
        return (
            f"a {kind}, which has no order. Make it a list: `list(...)` of "
            "what is relevant; what is recommended goes best first."
        )
    if hasattr(x, "__next__"):
        return f"a {kind}. Make it a list: `list(...)`."
    if hides(x):
        return (
            "a masked array. Fill what it hides: labels, indices and ids by "
            "`.filled(-1)`, weights by `.filled(0)`; for scores fill labels."
        )
    if getattr(x, "requires_grad", False):
        return "a tensor that requires a gradient. Take it out: `.detach()`."
    if hasattr(x, "toarray"):
        return f"sparse, a {kind}. Make it dense: `.toarray()`."
    return ""


# From what users pass to tensors of numbers.

_repr = reprlib.Repr()  # for errors: what a user passed may be large
_repr.maxother = 300


def numbers(name: str, x: Any, padding: float) -> tuple[Tensor, Tensor | None]:
    """`x` as a dense tensor of numbers, outside of any gradient.

    Args:
        name: of the argument, for errors.
        x: what the user passed.
        padding: what fills the lists of a ragged `x` up to equal lengths.

    Returns:
        The tensor, and which of its places `x` holds: bool, or None for all.
    """
    dense, held = _rectangular(name, x, padding)
    if held is not None:
        held = ops.convert_to_tensor(held)
    return detached(_converted(name, dense, x)), held


def integers(name: str, x: Any, expected: str, hint: str = "") -> Tensor:
    """`x` as a dense int32 or int64 tensor, negative where it holds nothing.

    Args:
        name: of the argument, for errors.
        x: what the user passed.
        expected: what the argument should hold, for errors.
        hint: what to do with what is no integer, for errors.
    """
    dense, _ = _rectangular(name, x, -1)
    if not ops.is_tensor(dense) and not isinstance(dense, keras.KerasTensor):
        dense = _as_integers(name, dense, x)
    tensor = detached(_converted(name, dense, x))
    dtype = backend.standardize_dtype(tensor.dtype)
    if "int" not in dtype:
        raise ValueError(
            f"`{name}` should hold {expected}: integers, negative for padding. "
            f"Received: `{name}` of dtype {dtype}. If they are whole numbers, "
            f"make integers of them. {hint}".rstrip()
        )
    if dtype not in ("int32", "int64"):
        wide = "int64" if dtype.endswith(("32", "64")) else "int32"
        tensor = ops.cast(tensor, wide)
    return tensor


def places_held(name: str, x: Any) -> Tensor | None:
    """Which places a ragged `x` holds itself, bool; None of any other.

    Args:
        name: of the argument, for errors.
        x: what the user passed.
    """
    _, held = _rectangular(name, x, -1)
    return None if held is None else ops.convert_to_tensor(held)


def floats(x: Tensor, dtype: str) -> Tensor:
    """In the given float dtype, or in that of `x` if it is more precise."""
    if backend.standardize_dtype(x.dtype) == "float64":
        dtype = "float64"
    return ops.cast(x, dtype)


def rankable(scores: Tensor) -> Tensor:
    """In a dtype that keeps every order and tie, and has a lowest value.

    float32 holds all values of the smaller dtypes. Casting the larger ones to
    it would make ties.
    """
    dtype = backend.standardize_dtype(scores.dtype)
    if dtype in ("float32", "float64", "int32", "int64"):
        return scores
    if dtype in ("uint32", "uint64"):
        raise ValueError(
            "`y_pred` should be floats or signed integers. Received: dtype "
            f'{dtype}. Cast it: `ops.cast(y_pred, "int64")`.'
        )
    return ops.cast(scores, "float32")


def _rectangular(name: str, x: Any, padding: float) -> tuple[Any, Any]:
    _check_dense(name, x)
    try:
        x = as_array_or_lists(x)
        return made_dense(x, padding) if is_ragged(x) else (x, None)
    except Exception as error:  # whatever a library does when it is read
        raise _no_numbers(name, x) from error


def _converted(name: str, x: Any, received: Any) -> Tensor:
    if isinstance(x, keras.KerasTensor):
        raise ValueError(
            f"`{name}` should be a tensor of numbers. Received: a symbolic "
            f"tensor, {x!r}. Call the metric with what the model returns, or "
            "give it to `compile`."
        )
    try:
        tensor = _tensor_of(x)
        backend.standardize_dtype(tensor.dtype)  # which knows if it is one
    except Exception as error:
        raise _no_numbers(name, received) from error
    dtype = backend.standardize_dtype(tensor.dtype)
    if dtype == "string" or "complex" in dtype:
        raise ValueError(
            f"`{name}` should be a tensor of numbers that have an order. "
            f"Received: {_repr.repr(x)}, of dtype {dtype}."
        )
    if "int" in dtype and isinstance(x, np.ndarray | list | tuple | int):
        _check_range(name, np.asarray(x), np.iinfo(dtype))
    _check_rank(name, tensor)
    return tensor


def _tensor_of(x: Any) -> Tensor:
    try:
        return ops.convert_to_tensor(x)
    except (OverflowError, RuntimeError):  # python integers that need int64
        return ops.convert_to_tensor(np.asarray(x))


def _check_rank(name: str, tensor: Tensor) -> None:
    try:
        len(tensor.shape)
    except ValueError as error:  # of TensorFlow
        raise ValueError(
            f"`{name}` should have a known number of dimensions. Received: a "
            "tensor of unknown rank. Set its shape, as far as it is known, "
            "with `ensure_shape`."
        ) from error


def _no_numbers(name: str, x: Any) -> ValueError:
    return ValueError(
        f"`{name}` should be a tensor of numbers, or what converts to one, as "
        f"lists of lists do, [] being an empty one. Received: {_repr.repr(x)}. "
        f"{advice_on(name, x)}".rstrip()
    )


def _check_dense(name: str, x: Any) -> None:
    sparse = ("SparseTensor", "IndexedSlices", "BCOO", "BCSR")
    # Of torch, which has one class for all. jax too has layouts.
    layout = str(getattr(x, "layout", None))
    if (
        type(x).__name__ in sparse
        or getattr(x, "is_nested", False)
        or (layout.startswith("torch.") and layout != "torch.strided")
    ):
        raise ValueError(
            f"`{name}` should be a dense tensor, or a `tf.RaggedTensor` on "
            f"TensorFlow. Received: a {type(x).__name__}. Make it dense, by "
            "`tf.sparse.to_dense(...)`, `.todense()` or `.to_dense()`. What it "
            "does not hold is then an item of the label 0; let the label be -1 "
            "where there is no item."
        )


def _as_integers(name: str, x: Any, received: Any) -> np.ndarray:
    """As an array of integers, if it holds such, of a dtype that all have."""
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as error:
        raise _no_numbers(name, received) from error
    if array.dtype.kind in "US":
        raise ValueError(
            f"`{name}` should hold integers. Received: strings, "
            f"{_repr.repr(received)}. Number ids the same way in `y_true` "
            "and `y_pred`: with `numbers = {}`, each `id` becomes "
            "`numbers.setdefault(id, len(numbers))`. An index into scores is "
            "the position of the item: `scores.columns.get_indexer(names)`."
        )
    if array.dtype.kind not in "biuf":
        raise _no_numbers(name, received)
    if array.size == 0:  # numpy makes floats of no numbers
        return array.astype("int32")
    if array.dtype.kind == "u":
        _check_range(name, array, np.iinfo("int64"))
        return array.astype("int64")
    return array


def _check_range(name: str, x: np.ndarray, limits: np.iinfo[Any]) -> None:
    """Raises where integers of `x` are beyond the limits."""
    if x.dtype.kind not in "iu" or x.size == 0:
        return
    if x.max() > limits.max or x.min() < limits.min:
        raise ValueError(
            f"`{name}` should hold integers from {limits.min} to {limits.max}, "
            f"which are those of the backend. Received: {x.min()} to "
            f"{x.max()}. Number ids anew, the same way in `y_true` and "
            "`y_pred`; jax has larger integers with "
            '`jax.config.update("jax_enable_x64", True)`.'
        )
