"""The options of a metric: checks, and tables of several metrics."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from keras import backend, ops

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.ranking.memo import Identity
from keras_rankmetrics.types import Between, OfItems, Whole, Within

# Tables: what a metric is told of each item of a catalogue.


def checked_table(name: str, value: Any, kind: OfItems) -> np.ndarray:
    """A copy of the table, in float32.

    Raises:
        ValueError: if it does not hold such numbers.
    """
    _check_positions(name, value)
    try:
        table = np.asarray(value)
    except Exception as error:  # rows of unequal lengths, tensors elsewhere
        raise _error(name, kind, f"what is no array: {error}") from error
    if table.dtype.kind not in "fiub":
        raise _error(name, kind, f"{value!r}")
    if table.ndim != kind.dimensions or 0 in table.shape:
        raise _error(name, kind, f"the shape {table.shape}")
    table = np.array(table, dtype="float32", order="C")
    wrong = (table < kind.low) | (table > kind.high) | (table <= kind.above)
    wrong |= ~np.isfinite(table)
    if wrong.any():
        raise _error(name, kind, f"the number {table[wrong][0]}")
    return table


def derived(
    function: Callable[[np.ndarray], np.ndarray], table: np.ndarray
) -> np.ndarray:
    """What a function makes of a table, computed once for each of the last.

    Args:
        function: to be computed.
        table: as a metric has it, which nobody changes.
    """
    return _derived(function, Identity(table))


@functools.lru_cache(maxsize=8)
def _derived(
    function: Callable[[np.ndarray], np.ndarray], table: Identity
) -> np.ndarray:
    return np.asarray(function(table.of), "float32")


def _check_positions(name: str, value: Any) -> None:
    """Raises where rows are numbered, and not by their positions."""
    index: Any = getattr(value, "index", None)
    if not hasattr(index, "equals") or index.dtype.kind not in "iu":
        return
    if not np.array_equal(index, np.arange(len(index))):
        raise ValueError(
            f"`{name}` is read by position: its row 0 is of item 0. Received: "
            f"rows with the names {index[:5].tolist()}. Bring them into order, "
            f"with a row for each item, by `{name}.reindex(range(num_items), "
            "fill_value=0)`."
        )


def _error(name: str, kind: OfItems, received: str) -> ValueError:
    shape = "one" if kind.dimensions == 1 else "a row"
    limits = {"at least": kind.low, "at most": kind.high, "above": kind.above}
    text = ", ".join(
        f"{word} {limit:g}"
        for word, limit in limits.items()
        if np.isfinite(limit)
    )
    return ValueError(
        f"`{name}` should hold {kind.what}: finite numbers{' ' * bool(text)}"
        f"{text}, {shape} for each {kind.each}. Received: {received}."
    )


# The options of a measure: the parameters of its function that have a
# default.
#
# A function says by its annotations what it accepts, so that a metric can
# check, save and print its options without knowing them.

# The functions of a metric, and the arguments that each of them is called with.
_CALLED_WITH = {
    "measure": ("ranking", "k"),
    "relevance": ("label",),
    "has_value": ("ranking",),
}


def check_class(cls: type) -> None:
    """Raise TypeError if a metric lacks a function, or cannot call one.

    Args:
        cls: the class of a metric. What it lacks is what a base of it has as an
            abstract method.
    """
    for name in dir(cls):
        if getattr(getattr(cls, name, None), "__isabstractmethod__", False):
            raise TypeError(_lacking(cls, name))
    for name, arguments in _CALLED_WITH.items():
        function = getattr(cls, name)
        if not callable(function) or not _takes(function, arguments):
            raise TypeError(_wrong(cls, name, arguments))


def _takes(function: Callable[..., Any], arguments: tuple[str, ...]) -> bool:
    """Return whether the function needs these arguments and no others."""
    try:
        signature = inspect.signature(function)
        if {"y_true", "y_pred"} & signature.parameters.keys():
            return False  # of a metric of Keras
        signature.bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # some functions written in C tell no signature
        pass
    return True


def _lacking(cls: type, name: str) -> str:
    parameters = ", ".join(inspect.signature(getattr(cls, name)).parameters)
    return (
        f"{cls.__name__} has no `{name}`. A metric needs one:\n\n"
        f"    @staticmethod\n    def {name}({parameters}):\n"
        "        return ...\n\n"
        "Only a base of metrics may lack it: "
        f"`class {cls.__name__}({cls.__bases__[0].__name__}, abstract=True)`."
    )


def _wrong(cls: type, name: str, arguments: tuple[str, ...]) -> str:
    expected = ", ".join(arguments)
    function = getattr(cls, name)
    received, example = repr(function), expected
    if callable(function):
        signature = inspect.signature(function)
        received = f"{name}{signature}"
        options = [
            f"{parameter.name}=0.5"
            if parameter.default is parameter.empty
            else str(parameter)
            for parameter in signature.parameters.values()
            if parameter.name not in (*arguments, "self", "cls")
        ]
        example = ", ".join([*arguments, *options])
    return (
        f"The `{name}` of {cls.__name__} should be a static method that takes "
        f"({expected}). Further parameters are options and need a default. "
        f"Received: `{received}`. Write, for example:\n\n"
        f"    @staticmethod\n    def {name}({example}):"
    )


@functools.cache  # each update asks for them
def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The names and the defaults of the options of `function`."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }


def checked_options(
    function: Callable[..., Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """All options of `function`, those not given at their defaults.

    Raises where a value is not what the annotation allows.
    """
    try:
        annotations = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError):  # imported for type checkers only, a partial
        annotations = {}
    return {
        name: _checked(name, options.get(name, default), annotations.get(name))
        for name, default in options_of(function).items()
    }


def _checked(name: str, value: Any, annotation: Any) -> Any:
    if typing.get_origin(annotation) is Literal:
        check_choice(name, value, typing.get_args(annotation))
    elif annotation is float:
        return _number(name, value)
    elif typing.get_origin(annotation) is Annotated:
        kind, rule = typing.get_args(annotation)
        if typing.get_origin(kind) is tuple:
            return _numbers(name, value, rule)
        return _CHECKS[type(rule)](name, value, rule)
    elif getattr(annotation, "_is_protocol", False) and not callable(value):
        raise TypeError(
            f"`{name}` should be a function. Received: {value!r} of type "
            f"{type(value).__name__}. Pass the function itself, not its name."
        )
    return value


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raises where `value` is none of `choices`."""
    if not any(type(value) is type(c) and value == c for c in choices):
        listed = ", ".join(
            f'"{c}"' if isinstance(c, str) else repr(c) for c in choices
        )
        raise ValueError(
            f"`{name}` should be one of {listed}. Received: {value!r}."
        )


def _number(
    name: str, value: Any, between: Between | Within | None = None
) -> float:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or value != value:
        raise ValueError(f"`{name}` should be a number. Received: {value!r}.")
    if between is not None and not between.holds(value):
        raise ValueError(
            f"`{name}` should be a number {between}. Received: {value!r}."
        )
    return float(value)


def _numbers(
    name: str, value: Any, between: Between | Within
) -> tuple[float, ...]:
    """Numbers of which only the proportions matter."""
    if not isinstance(value, tuple | list | np.ndarray) or np.ndim(value) != 1:
        raise ValueError(
            f"`{name}` should be a tuple of numbers. Received: {value!r}."
        )
    numbers = tuple(_number(name, number, between) for number in value)
    if not any(numbers):
        raise ValueError(
            f"`{name}` should hold a number that is not 0. Received: {value!r}."
        )
    return numbers


def _whole(name: str, value: Any, whole: Whole) -> int:
    number = as_integer(value)
    if number is None or number < whole.low:
        raise ValueError(
            f"`{name}` should be an integer, at least {whole.low}. Received: "
            f"{value!r}."
        )
    return number


_CHECKS: dict[type, Callable[[str, Any, Any], Any]] = {
    Between: _number,
    Within: _number,
    Whole: _whole,
    OfItems: checked_table,
}


def check_precision(options: Mapping[str, Any], dtype: str) -> None:
    """Raises where an option is a number that a dtype turns into another one.

    Args:
        options: the options of a metric.
        dtype: a float dtype, in which labels and ranks are computed.
    """
    dtype = backend.standardize_dtype(ops.zeros((), dtype).dtype)
    for name, value in _numbers_of(options):
        if not math.isfinite(value):
            continue
        kept = _kept(value, np.finfo(dtype))
        # Any fraction is rounded, and so are labels that are to be equal to it.
        whole = value.is_integer() and abs(value) <= 2**53
        if kept != value and (whole or kept == 0 or math.isinf(kept)):
            raise ValueError(
                f"`{name}` should be a number that {dtype} tells from others. "
                f"Received: {value!r}, which becomes {kept!r}. Use another "
                'scale, for labels too, or on TensorFlow `dtype="float64"`.'
            )


def _numbers_of(options: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Each float of the options, those in tuples too, with the name."""
    for name, value in options.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float):
                yield name, number


def is_plain(value: Any) -> bool:
    """Whether the value is what it prints as, and nothing else."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, str | int | float)


def _kept(value: float, limits: np.finfo[Any]) -> float:
    # Backends take what is below the smallest normal number for 0.
    if abs(value) < limits.tiny:
        return 0.0
    with np.errstate(over="ignore"):
        return float(limits.dtype.type(value))
