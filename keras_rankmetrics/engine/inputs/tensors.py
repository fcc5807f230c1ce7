"""Inputs of any type, ragged ones too, as dense tensors of numbers."""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Iterator, Sequence
from typing import Any

import keras
import numpy as np
from keras import backend, ops

from keras_rankmetrics.engine.backend.operations import detached
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.types import Tensor

# From these numbers on, neighbouring integers are one number of a dtype.
_EXACT = {"float16": 2.0**11, "bfloat16": 2.0**8, "float32": 2.0**24}
_MAX_DEPTH = 16  # a list nested deeper than this may contain itself

_repr = reprlib.Repr()  # for errors: an input may be large
_repr.maxother = 300


def numbers(name: str, x: Any, padding: float) -> tuple[Tensor, Tensor | None]:
    """Return `x` as a dense tensor of numbers, detached from any gradient.

    Args:
        name: the argument, for errors.
        x: the input.
        padding: the value that fills ragged lists up to equal lengths.

    Returns:
        The tensor, and for a ragged `x` a bool mask of the same shape, False
        at padding; None for any other `x`.

    Raises:
        ValueError: if `x` does not convert to numbers.
    """
    dense, mask = rectangular(name, x, padding)
    return detached(_converted(name, dense, x)), mask


def integers(name: str, x: Any, expected: str, hint: str = "") -> Tensor:
    """Return `x` as a dense int32 or int64 tensor, -1 at padding.

    Ragged lists need no padding: an own -1 of theirs becomes -2.

    Args:
        name: the argument, for errors.
        x: the input.
        expected: a description of valid values, for errors.
        hint: advice on values that are not integers, for errors.

    Raises:
        ValueError: if `x` does not convert to integers.
    """
    dense, mask = rectangular(name, x, -1)
    if not ops.is_tensor(dense) and not isinstance(dense, keras.KerasTensor):
        dense = _as_integers(name, dense, x)
    tensor = detached(_converted(name, dense, x))
    dtype = backend.standardize_dtype(tensor.dtype)
    if "int" not in dtype:
        remedy = "If they are whole numbers, cast them to integers."
        most = _EXACT.get(dtype)
        if most is not None and concrete(ops.any(ops.abs(tensor) >= most)):
            remedy = f"Keep them integers: {dtype} has lost their last digits."
        raise ValueError(
            f"`{name}` should hold {expected}: integers, negative for padding. "
            f"Received: `{name}` of dtype {dtype}. {remedy} {hint}".rstrip()
        )
    if dtype not in ("int32", "int64"):
        wide = "int64" if dtype.endswith(("32", "64")) else "int32"
        tensor = ops.cast(tensor, wide)
    if mask is not None:
        tensor = ops.where(mask & (tensor == -1), -2, tensor)
    return tensor


def floats(x: Tensor, dtype: str) -> Tensor:
    """Return `x` in a float dtype; float64 stays float64."""
    if backend.standardize_dtype(x.dtype) == "float64":
        dtype = "float64"
    return ops.cast(x, dtype)


def rankable(scores: Tensor) -> Tensor:
    """Return the scores in a dtype that keeps their order and their ties.

    float32 represents all values of the smaller dtypes exactly. Larger dtypes
    stay as they are, since a cast to float32 would create ties. All dtypes
    returned have a lowest value, for items that are not retrieved.

    Raises:
        ValueError: for unsigned integers of 32 or 64 bits.
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


def padded_like(x: Tensor, like: Tensor, value: float) -> Tensor:
    """Return `x` padded with a value to the sizes of `like`, where larger."""
    if len(x.shape) != len(like.shape):
        return x
    sizes = zip(ops.shape(x), ops.shape(like), strict=True)
    missing = [[0, _difference(large, small)] for small, large in sizes]
    return ops.pad(x, missing, constant_values=value)


def _difference(large: Any, small: Any) -> Any:
    if isinstance(large, int) and isinstance(small, int):
        return max(large - small, 0)
    return ops.maximum(large - small, 0)


# Conversion


def to_numpy(x: Any) -> np.ndarray:
    """Return an array, or a tensor of any backend, as a numpy array."""
    is_array = isinstance(x, np.ndarray)  # a tensor of the numpy backend too
    if ops.is_tensor(x) and not is_array:
        return ops.convert_to_numpy(x)
    if hasattr(x, "detach"):  # a torch tensor, on another backend
        x = x.detach().cpu().numpy()
    if _hides_values(x):
        raise TypeError(
            "An array should have no mask. Received: a masked array with "
            "masked values. Remove them, or `.filled(...)` them."
        )
    return np.asarray(x)


def rectangular(name: str, x: Any, padding: float) -> tuple[Any, Tensor | None]:
    """Return `x` without unequal lengths, and the mask of a ragged `x`.

    Args:
        name: the argument, for errors.
        x: the input.
        padding: the value that fills ragged lists up to equal lengths.
    """
    refuse_sparse(f"`{name}`", x)
    try:
        x = _array_or_lists(x)
        if not _is_ragged(x):
            return x, None
        dense, mask = made_dense(x, padding)
        return dense, ops.convert_to_tensor(mask)
    except Exception as error:  # objects of other libraries may raise anything
        raise _not_numbers(name, x) from error


def _array_or_lists(x: Any) -> Any:
    """Return an array for what NumPy can read, and lists for an object array.

    Lists, backend tensors and unreadable objects are returned unchanged; the
    conversion to a tensor raises for the latter.

    Raises:
        TypeError: if `x` is a masked array with masked values, or a list of
            those or of tables.
    """
    if _hides_values(x) or (
        isinstance(x, list | tuple) and any(map(_is_no_row, x))
    ):
        raise TypeError(
            "A row of numbers should be a list, or an array without masked "
            "values. Received: a masked array or a table. Convert it: "
            "`array.filled(...)`, `table.to_numpy()`."
        )
    if (
        isinstance(x, list | tuple | keras.KerasTensor)
        or ops.is_tensor(x)
        or not hasattr(x, "__array__")
    ):
        return x
    array = to_numpy(x)
    if array.dtype.kind == "O":
        return array.tolist()
    return _native(array)


def _native(array: np.ndarray) -> np.ndarray:
    """Return the array in a dtype that all backends support, if it fits."""
    if array.dtype == "uint64" and np.all(array < 2**63):
        return array.astype("int64")  # torch has no uint64 operations
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_no_row(x: Any) -> bool:
    """Return True for what a list of numbers cannot contain.

    To TensorFlow, a table of polars is a sequence of tables without end.
    """
    return hasattr(x, "columns") or _hides_values(x)


def _hides_values(x: Any) -> bool:
    """Return True for a NumPy masked array with a masked value."""
    return isinstance(x, np.ma.MaskedArray) and bool(np.ma.is_masked(x))


def _converted(name: str, x: Any, received: Any) -> Tensor:
    if isinstance(x, keras.KerasTensor):
        raise ValueError(
            f"`{name}` should be a tensor of numbers. Received: a symbolic "
            f"tensor, {x!r}. Call the metric on the outputs of the model, or "
            "pass it to `compile`."
        )
    try:
        tensor = _tensor_of(x)
        # Raises for a dtype that Keras does not support.
        backend.standardize_dtype(tensor.dtype)
    except Exception as error:  # backends raise errors of their own types
        raise _not_numbers(name, received) from error
    dtype = backend.standardize_dtype(tensor.dtype)
    if dtype == "string" or "complex" in dtype:
        raise ValueError(
            f"`{name}` should be a tensor of numbers, not of text or complex "
            f"numbers. Received: {_repr.repr(x)}, of dtype {dtype}."
        )
    if "int" in dtype and isinstance(x, np.ndarray | list | tuple | int):
        _check_range(name, np.asarray(x), np.iinfo(dtype))
    is_double = not isinstance(x, np.ndarray) or x.dtype == np.float64
    if is_double and isinstance(x, np.ndarray | list | tuple):
        check_finite(name, np.asarray(x), dtype)
    try:
        len(tensor.shape)
    except ValueError as error:  # TensorFlow, for an unknown rank
        raise ValueError(
            f"`{name}` should have a known number of dimensions. Received: a "
            "tensor of unknown rank. Set its shape, as far as it is known, "
            "with `ensure_shape`."
        ) from error
    return tensor


def _tensor_of(x: Any) -> Tensor:
    try:
        return ops.convert_to_tensor(x)
    except (OverflowError, RuntimeError):  # Python integers that need int64
        return ops.convert_to_tensor(np.asarray(x))


def _as_integers(name: str, x: Any, received: Any) -> np.ndarray:
    """Return an array; integers become a dtype that all backends support."""
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as error:
        raise _not_numbers(name, received) from error
    if array.dtype.kind in "US":
        raise ValueError(
            f"`{name}` should hold integers. Received: strings, "
            f"{_repr.repr(received)}. Number ids the same way in `y_true` "
            "and `y_pred`: with `numbers = {}`, each `id` becomes "
            "`numbers.setdefault(id, len(numbers))`. An index into scores is "
            "the position of the item: `scores.columns.get_indexer(names)`."
        )
    if array.dtype.kind not in "biuf":
        raise _not_numbers(name, received)
    if array.size == 0:  # NumPy makes an empty list a float array
        return array.astype("int32")
    if array.dtype.kind == "u":
        _check_range(name, array, np.iinfo("int64"))
        return array.astype("int64")
    return array


# Checks and their errors


def refuse_sparse(argument: str, x: Any) -> None:
    """Raise ValueError if a tensor is sparse or nested.

    Args:
        argument: the argument, as errors name it.
        x: any input.
    """
    sparse = ("SparseTensor", "IndexedSlices", "BCOO", "BCSR")
    # torch has one class for all layouts. Arrays of jax have a layout too.
    layout = str(getattr(x, "layout", None))
    if (
        type(x).__name__ in sparse
        or getattr(x, "is_nested", False)
        or (layout.startswith("torch.") and layout != "torch.strided")
    ):
        raise ValueError(
            f"{argument} should be a dense tensor, or a `tf.RaggedTensor` on "
            f"TensorFlow. Received: a {type(x).__name__}. Make it dense with "
            "`tf.sparse.to_dense(...)`, `.todense()` or `.to_dense()`. Missing "
            "entries become items with the label 0; set the label to -1 where "
            "there is no item."
        )


def _check_range(name: str, x: np.ndarray, limits: np.iinfo[Any]) -> None:
    """Raise ValueError if integers are outside the limits of a dtype."""
    if x.dtype.kind not in "iu" or x.size == 0:
        return
    if x.max() > limits.max or x.min() < limits.min:
        raise ValueError(
            f"`{name}` should hold integers from {limits.min} to {limits.max}, "
            f"the range of the backend. Received: {x.min()} to {x.max()}. "
            "Renumber the ids, the same way in `y_true` and `y_pred`. On jax, "
            '`jax.config.update("jax_enable_x64", True)` allows larger '
            "integers. Pass scores as floats."
        )


def dtype_of_doubles() -> str:
    """Return the dtype that float64 arrays have as tensors."""
    tensor = ops.convert_to_tensor(np.zeros(0))
    return str(backend.standardize_dtype(tensor.dtype))


def are_tied(scores: np.ndarray) -> np.ndarray:
    """Return True for lists with scores that only float32 ties, or makes -inf.

    Args:
        scores: float64 `[lists, items]`.
    """
    return np.asarray(ties_of_float32(scores).any(axis=-1))


def ties_of_float32(scores: np.ndarray) -> np.ndarray:
    """Return True for items that float32 ties with the next lower one.

    Args:
        scores: float64 `[lists, items]`.

    Returns:
        Bool `[lists, items]`, by score from below; the first item is tied if
        float32 makes it -inf.
    """
    with np.errstate(over="ignore"):
        if (scores.astype(np.float32) == scores).all():
            return np.zeros(scores.shape, bool)
        ordered = np.sort(np.insert(scores, 0, -np.inf, axis=-1), axis=-1)
        rounded = ordered.astype(np.float32)
    ties = rounded[:, 1:] == rounded[:, :-1]
    found: np.ndarray = ties & (ordered[:, 1:] > ordered[:, :-1])
    return found


def check_finite(name: str, x: np.ndarray, dtype: str | None = None) -> None:
    """Raise ValueError if numbers become infinite as tensors.

    A score of -inf would be that of an item that is not retrieved.

    Args:
        name: the argument, for errors.
        x: the numbers.
        dtype: the dtype of the tensor; by default that of the backend.
    """
    if x.dtype != np.float64:
        return
    if (dtype or dtype_of_doubles()) != "float32":
        return
    largest, size = np.finfo(np.float32).max, np.abs(x)
    for wrong in x[(size > largest) & (size < np.inf)][:1].tolist():
        raise ValueError(
            f"`{name}` should hold numbers of a size up to {largest:.2g}, the "
            f"range of float32 on this backend. Received: {wrong:g}. Rescale "
            "the numbers. Items that are not retrieved have the score -inf."
        )


def _not_numbers(name: str, x: Any) -> ValueError:
    return ValueError(
        f"`{name}` should be a tensor of numbers, or convert to one, as lists "
        f"of lists do, [] being an empty one. Received: {_repr.repr(x)}. "
        f"{_advice_on(name, x)}".rstrip()
    )


def _advice_on(name: str, x: Any) -> str:
    """Return advice on the first value in `x` that is not a number, or "".

    Args:
        name: the argument that contains `x`.
        x: the input, or lists of its values.
    """
    for place, found in _non_numbers(x):
        advice = _advice(found, place)
        if advice:
            where = "".join(f"[{index}]" for index in place)
            return f"`{name}{where}` is {advice}"
    return ""


def _non_numbers(x: Any, *place: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the position and value of each leaf that may not be a number.

    In a list that contains lists, numbers too are out of place.
    """
    if not isinstance(x, list | tuple) or len(place) == _MAX_DEPTH:
        yield place, x
        return
    nested = any(isinstance(part, list | tuple | np.ndarray) for part in x)
    for index, part in enumerate(x):
        if nested or not isinstance(part, int | float | np.generic):
            yield from _non_numbers(part, *place, index)


def _advice(x: Any, place: tuple[int, ...]) -> str:
    kind = type(x).__name__
    if isinstance(x, list | tuple):
        return f"a {kind} nested too deep. Does it contain itself?"
    if place and (x is None or isinstance(x, float) or kind == "NAType"):
        return (
            f"{x}. Pass [] for a list without items, and -1 for a missing "
            "label or id."
        )
    if isinstance(x, set | frozenset):
        return (
            f"a {kind}, which has no order. Make it a list: `list(...)` for "
            "relevant items; recommended items must be ordered, best first."
        )
    if hasattr(x, "__next__"):
        return f"a {kind}. Make it a list: `list(...)`."
    if _hides_values(x):
        return (
            "a masked array. Fill the masked values: labels, indices and ids "
            "by `.filled(-1)`, weights by `.filled(0)`. For masked scores, set "
            "the labels to -1."
        )
    if getattr(x, "requires_grad", False):
        return "a tensor that requires a gradient. Detach it: `.detach()`."
    if hasattr(x, "toarray"):
        return f"a sparse {kind}. Make it dense: `.toarray()`."
    return ""


# Ragged input: padded at the end of each list


def made_dense(x: Any, padding: float) -> tuple[Any, Any]:
    """Return a ragged `x` padded to equal lengths, and a mask of its values.

    Args:
        x: a `tf.RaggedTensor`, or nested lists.
        padding: the value of padding.
    """
    if type(x).__name__ == "RaggedTensor":
        mask = x.with_flat_values(ops.ones_like(x.flat_values, dtype="bool"))
        return x.to_tensor(ops.cast(padding, x.dtype)), mask.to_tensor(False)
    *levels, leaves = _levels(x)
    values = _values(leaves, padding)
    mask = np.ones(values.shape, bool)
    for lists in reversed(levels):
        lengths = np.fromiter(map(len, lists), int, len(lists))
        values = _padded(values, lengths, padding)
        mask = _padded(mask, lengths, False)
    return values[0], mask[0]


def _padded(x: np.ndarray, lengths: np.ndarray, padding: float) -> Any:
    """Return `[values, ...]`, cut into lists, as `[lists, longest, ...]`."""
    places = np.arange(lengths.max(initial=0)) < lengths[:, None]
    dense = np.full((*places.shape, *x.shape[1:]), padding, x.dtype)
    dense[places] = x
    return dense


def _values(leaves: Sequence[Any], padding: float) -> np.ndarray:
    """Return the leaves in the dtype that Keras gives them with padding."""
    values = _native(np.asarray(leaves))
    if values.dtype == "float64" and float in map(type, leaves):
        return values.astype(keras.config.floatx())
    if values.dtype.kind in "bu" and padding < 0:
        return values.astype(np.promote_types(values.dtype, "int8"))
    return values


def _is_ragged(x: Any) -> bool:
    """Return True for a `tf.RaggedTensor`, and lists of unequal lengths."""
    if type(x).__name__ == "RaggedTensor":
        return True
    if not isinstance(x, list | tuple):
        return False
    # Levels of a list that contains itself several times grow without end.
    first, depth = x, 0
    while isinstance(first, list | tuple) and len(first) > 0:
        _check_depth(depth)
        first, depth = first[0], depth + 1
    for parts in itertools.takewhile(_are_lists, _levels(x)):
        if len(set(map(len, parts))) > 1:
            return True
        if any(hasattr(part, "shape") for part in parts):
            # Traced tensors have a shape, and no values to look into.
            return len({tuple(np.shape(part)) for part in parts}) > 1
    return False


def _levels(x: Any) -> Iterator[Sequence[Any]]:
    """Yield the lists of each depth, from `[x]` down to the leaves."""
    parts: Sequence[Any] = [x]
    for depth in itertools.count():
        yield parts
        if not _are_lists(parts):
            return
        _check_depth(depth)
        parts = list(itertools.chain.from_iterable(_iterable(parts)))


def _check_depth(depth: int) -> None:
    if depth == _MAX_DEPTH:
        raise ValueError("Lists are nested too deep, or contain themselves.")


def _are_lists(parts: Sequence[Any]) -> bool:
    """Return True if all parts of one depth are lists, rather than numbers.

    Raises:
        ValueError: if some are lists, and some are numbers.
    """
    if len(parts) > 0 and type(parts[0]) in (float, int):
        return False  # NumPy raises if another part is a list
    kinds = set(map(type, parts))
    if kinds <= {list, tuple}:
        return len(parts) > 0
    if not any(_may_be_list(kind) for kind in kinds):
        return False
    nested = [
        isinstance(part, list | tuple) or len(getattr(part, "shape", ())) > 0
        for part in parts
    ]
    if any(nested) and not all(nested):
        raise ValueError("Some lists hold numbers, and others lists.")
    return all(nested)


def _may_be_list(kind: type) -> bool:
    return issubclass(kind, list | tuple) or (
        hasattr(kind, "shape") and not issubclass(kind, np.generic)
    )


def _iterable(parts: Sequence[Any]) -> Sequence[Any]:
    """Return the parts with tensors as arrays, detached from any gradient."""
    if set(map(type, parts)) <= {list, tuple, np.ndarray}:
        return parts
    return [
        part if isinstance(part, list | tuple) else ops.convert_to_numpy(part)
        for part in parts
    ]
