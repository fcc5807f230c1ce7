"""The checks that the doors of Spark, Ray and Beam share."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from keras_rankmetrics.adapters.log_job import JobOptions, LogJob
from keras_rankmetrics.engine.definition import check_names
from keras_rankmetrics.engine.messages import nearest

BACKENDS = {
    "jax": "jax",
    "numpy": "jax",
    "tensorflow": "tensorflow",
    "torch": "torch",
}
"""The package that each backend of Keras imports."""


def job_of(
    door: Callable[..., Any],
    engine: str,
    arguments: tuple[Any, ...],
    options: JobOptions,
    backend: str | None = None,
) -> LogJob:
    """Return the job that a door was called for.

    Args:
        door: the function or the class that was called.
        engine: the engine that it runs on.
        arguments: the arguments of `LogJob` that the door names itself.
        options: the arguments that it passes on.
        backend: the backend that workers need, or None.

    Raises:
        TypeError: if the door has no such parameter, or a metric or the name of
            a column has the wrong type.
        ValueError: if Keras has no such backend, or the arguments do not fit
            together.
    """
    own = [x for x in inspect.signature(door).parameters if x != "options"]
    names = [*own, *JobOptions.__annotations__]
    check_names(f"{door.__name__}() on {engine}", options, names)
    if backend not in (None, *BACKENDS):
        raise ValueError(
            "`backend` should be a backend of Keras, one of "
            f"{list(BACKENDS)}, or None. Received: {backend!r}."
            f"{nearest(str(backend), BACKENDS)}"
        )
    return LogJob(*arguments, **options)


def dataset_of(
    argument: str,
    x: Any,
    expected: type,
    called: str,
    remedies: Mapping[str, str],
) -> Any:
    """Return an object that is a data set of the engine of a door.

    Args:
        argument: the name of the argument.
        x: the object.
        expected: the class of data sets.
        called: its name.
        remedies: how to make a data set of another object, by what the full
            name of its class starts with. The first entry that fits is said.

    Raises:
        TypeError: if it is not.
    """
    if isinstance(x, expected):
        return x
    name = f"{type(x).__module__}.{type(x).__qualname__}"
    remedy = next(remedies[x] for x in remedies if name.startswith(x))
    shown = reprlib.repr(x) if isinstance(x, str) else f"`{name}`"
    raise TypeError(
        f"`{argument}` should be a `{called}`. Received: {shown}. {remedy}"
    )
