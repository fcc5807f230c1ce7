"""Options of a metric: the parameters of its functions that have a default.

The annotations of a function say which values an option accepts, so a metric
can check, save and print options that it knows nothing else about.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Union

import numpy as np
from keras import backend, ops

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.ranking.relevance import ROUNDED_1, Identity
from keras_rankmetrics.types import (
    Between,
    GainFn,
    OfItems,
    Truth,
    Whole,
    Within,
)


@functools.cache  # called in each update
def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the options of `function` and their defaults."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }


@functools.cache  # it takes longer than all else that a constructor does
def _annotations_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError):  # a name under TYPE_CHECKING, a partial
        return {}


def checked_options(
    function: Callable[..., Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all options of `function`, with defaults for missing ones.

    Raises:
        ValueError: if a value is not one that the annotation allows.
        TypeError: if a function is expected and the value is not callable.
    """
    annotations = _annotations_of(function)
    return {
        name: _checked(name, options.get(name, default), annotations.get(name))
        for name, default in options_of(function).items()
    }


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise ValueError unless `value` is one of `choices`."""
    if not any(type(value) is type(c) and value == c for c in choices):
        listed = ", ".join(map(as_code, choices))
        raise invalid(name, f"one of {listed}", value)


def invalid(name: str, expected: str, value: Any) -> ValueError:
    """Return the error for an argument with an invalid value."""
    return ValueError(f"`{name}` should be {expected}. Received: {value!r}.")


def as_code(value: Any) -> str:
    """Return the value as it is written in code, a string in double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def check_precision(options: Mapping[str, Any], dtype: str) -> None:
    """Raise ValueError if an option is a number that a dtype cannot hold.

    Args:
        options: the options of a metric.
        dtype: the float dtype of labels and ranks.
    """
    dtype = backend.standardize_dtype(ops.zeros((), dtype).dtype)
    limits = np.finfo(dtype)
    for name, value in _numbers_of(options):
        if not math.isfinite(value):
            continue
        kept = _kept(value, limits)
        # Rounding a fraction is harmless: equal labels are rounded as well.
        whole = value.is_integer() and abs(value) <= 2**53
        if kept != value and (whole or kept == 0 or math.isinf(kept)):
            raise ValueError(
                f"`{name}` should be a number that {dtype} can represent. "
                f"Received: {value!r}, which becomes {kept!r}. Rescale it and "
                'the labels, or use `dtype="float64"` on TensorFlow.'
            )


def is_plain(value: Any) -> bool:
    """Return True if the `repr` of the value describes it completely."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, str | int | float)


def derived(
    function: Callable[[np.ndarray], np.ndarray], table: np.ndarray
) -> np.ndarray:
    """Return `function(table)` in float32, cached for the last few tables.

    Args:
        function: a function of the table.
        table: the option of a metric, which never changes in place.
    """
    return _derived(function, Identity(table))


_LEAST = 16  # rows whose numbers no column has by accident
_WIDE = 4  # columns of vectors that are learnt, at least
# The functions of a metric's class, and the arguments they are called with.
_CALLED_WITH = {
    "measure": ("ranking", "k"),
    "relevance": ("label",),
    "has_value": ("ranking",),
}


def check_class(cls: Any) -> None:
    """Raise TypeError if a metric's class lacks a function, or cannot call it.

    Args:
        cls: the class. It lacks a function that is still abstract.
    """
    for name in dir(cls):
        if getattr(getattr(cls, name, None), "__isabstractmethod__", False):
            raise TypeError(_lacking(cls, name))
    for name, arguments in _CALLED_WITH.items():
        if not _takes(getattr(cls, name), arguments):
            raise TypeError(_wrong(cls, name, arguments))
    if cls.reads is not None:
        check_choice("reads", cls.reads, typing.get_args(Truth))


@functools.lru_cache(maxsize=8)
def _derived(
    function: Callable[[np.ndarray], np.ndarray], table: Identity
) -> np.ndarray:
    return np.asarray(function(table.of), "float32")


def _checked(name: str, value: Any, annotation: Any) -> Any:
    origin = typing.get_origin(annotation)
    if origin is Union:  # `X | None`
        [kind] = set(typing.get_args(annotation)) - {type(None)}
        return None if value is None else _checked(name, value, kind)
    if origin is Literal:
        check_choice(name, value, typing.get_args(annotation))
    elif annotation is float:
        return _number(name, value)
    elif origin is Annotated:
        kind, rule = typing.get_args(annotation)
        if isinstance(rule, Whole):
            return _whole(name, value, rule)
        if isinstance(rule, OfItems):
            return _table(name, value, rule)
        check = _numbers if typing.get_origin(kind) is tuple else _number
        return check(name, value, rule)
    elif getattr(annotation, "_is_protocol", False) and not callable(value):
        remedy = "Pass the function itself, not its name."
        if annotation is GainFn and isinstance(value, Mapping):
            remedy = f"For gains by label, pass `GainTable({value!r})`."
        raise TypeError(
            f"`{name}` should be a function. Received: {value!r} of type "
            f"{type(value).__name__}. {remedy}"
        )
    return _as_tuple(value)


def _as_tuple(value: Any) -> Any:
    """Return a list as a tuple: a file has one form for both."""
    if type(value) in (list, tuple):
        return tuple(map(_as_tuple, value))
    return value


def _number(
    name: str, value: Any, between: Between | Within | None = None
) -> float:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or value != value:
        raise invalid(name, "a number", value)
    if between is not None and not between.holds(value):
        raise invalid(name, f"a number {between}", value)
    return float(value)


def _numbers(
    name: str, value: Any, between: Between | Within
) -> tuple[float, ...]:
    """Return relative weights, at least one of them not 0."""
    if not isinstance(value, tuple | list | np.ndarray) or np.ndim(value) != 1:
        raise invalid(name, "a tuple of numbers", value)
    numbers = tuple(_number(name, number, between) for number in value)
    if not any(numbers):
        raise ValueError(
            f"`{name}` should hold a nonzero number. Received: {value!r}."
        )
    return numbers


def _whole(name: str, value: Any, whole: Whole) -> int:
    number = as_integer(value)
    if number is None or number < whole.low:
        raise invalid(name, f"an integer, at least {whole.low}", value)
    return number


def _table(name: str, value: Any, kind: OfItems) -> np.ndarray:
    """Return a float32 copy of a table with a row for each item.

    Raises:
        ValueError: if the shape or a number is invalid.
    """
    _check_positions(name, value)
    try:
        table = np.asarray(value)
    except Exception as error:  # ragged rows, tensors on an accelerator
        raise _error(name, kind, f"not an array: {error}") from error
    if table.dtype.kind not in "fiub":
        raise _error(name, kind, f"{value!r}")
    if table.ndim != kind.dimensions or 0 in table.shape:
        raise _error(name, kind, f"the shape {table.shape}")
    table = np.array(table, dtype="float32", order="C")
    rounded = (table > kind.high) & (table <= kind.high * ROUNDED_1)
    table[rounded] = kind.high
    wrong = (table < kind.low) | (table > kind.high) | (table <= kind.above)
    wrong |= ~np.isfinite(table)
    if wrong.any():
        raise _error(name, kind, f"the number {table[wrong][0]}")
    if (
        kind.each.startswith("item")
        and len(table) >= _LEAST
        and not table.any()
    ):
        raise _error(name, kind, "0 for each, which tells no items apart")
    if kind.dimensions == 2:
        check_no_row_numbers(name, table)
    return table


def check_no_row_numbers(name: str, vectors: Any) -> None:
    """Raise ValueError if a column of vectors is the number of the row.

    Args:
        name: the argument, for the error.
        vectors: `[items, d]`, an array, a tensor or a file. The numbers of a
            few columns may be scores or points on a line.
    """
    number, width = vectors.shape
    if number < _LEAST or width < _WIDE:
        return
    first = ops.convert_to_numpy(vectors[:_LEAST])
    for start in (0, 1):
        rows = np.arange(start, start + number)
        are_rows = (first == rows[:_LEAST, None]).all(axis=0)
        for column in np.flatnonzero(are_rows).tolist():
            whole = ops.convert_to_numpy(vectors[:, column])
            if np.array_equal(whole, rows.astype(whole.dtype)):
                raise ValueError(
                    f"`{name}` should have no column of ids. Received: the "
                    f"number of the row in column {column}. Leave it out: "
                    f"`numpy.delete({name}, {column}, axis=1)`, and in vectors "
                    "of queries, too."
                )


def _check_positions(name: str, value: Any) -> None:
    """Raise ValueError if an integer pandas index does not count from 0."""
    index: Any = getattr(value, "index", None)
    if not hasattr(index, "equals") or index.dtype.kind not in "iu":
        return
    if not np.array_equal(index, np.arange(len(index))):
        raise ValueError(
            f"`{name}` is read by position: row 0 belongs to item 0. Received: "
            f"rows with the index {index[:5].tolist()}. Reorder them, with a "
            f"row for each item: `{name}.reindex(range(num_items), "
            "fill_value=0)`."
        )


def _error(name: str, kind: OfItems, received: str) -> ValueError:
    shape = "one" if kind.dimensions == 1 else "a row"
    limits = {"at least": kind.low, "at most": kind.high, "above": kind.above}
    finite = {word: x for word, x in limits.items() if np.isfinite(x)}
    text = ", ".join(f"{word} {limit:g}" for word, limit in finite.items())
    return ValueError(
        f"`{name}` should hold {kind.what}: finite numbers{' ' * bool(text)}"
        f"{text}, {shape} for each {kind.each}. Received: {received}."
    )


def _numbers_of(options: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield each float of the options, also those in tuples, with its name."""
    for name, value in options.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float):
                yield name, number


def _kept(value: float, limits: np.finfo[Any]) -> float:
    # Backends flush subnormal numbers to 0.
    if abs(value) < float(limits.tiny):
        return 0.0
    with np.errstate(over="ignore"):
        return float(limits.dtype.type(value))


def _takes(function: Any, arguments: tuple[str, ...]) -> bool:
    """Return True for a function that needs these arguments and no others."""
    try:
        signature = inspect.signature(function)
        if {"y_true", "y_pred"} & signature.parameters.keys():
            return False  # written like a Keras metric
        if next(iter(signature.parameters), "") in arguments[1:]:
            return False  # `measure(k, ranking)`
        signature.bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # some C functions have no signature
        pass
    return True


def _lacking(cls: type, name: str) -> str:
    parameters = ", ".join(inspect.signature(getattr(cls, name)).parameters)
    return (
        f"{cls.__name__} has no `{name}`. A metric needs one:\n\n"
        f"    @staticmethod\n    def {name}({parameters}):\n"
        "        return ...\n\n"
        "Only a base class may lack it: "
        f"`class {cls.__name__}({cls.__bases__[0].__name__}, abstract=True)`."
    )


def _wrong(cls: type, name: str, arguments: tuple[str, ...]) -> str:
    function = getattr(cls, name)
    received, example = repr(function), list(arguments)
    if callable(function):
        signature = inspect.signature(function)
        received = f"{name}{signature}"
        for option in signature.parameters.values():
            if option.default is not option.empty:
                example.append(str(option))
            elif option.name not in (*arguments, "self", "cls"):
                example.append(f"{option.name}=0.5")
    return (
        f"The `{name}` of {cls.__name__} should be a static method that takes "
        f"({', '.join(arguments)}). Further parameters are options and need a "
        f"default. Received: `{received}`. Write, for example:\n\n"
        f"    @staticmethod\n    def {name}({', '.join(example)}):"
    )
