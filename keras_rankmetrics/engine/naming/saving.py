"""Saving and loading functions that users plug in."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.engine.naming.names import registered_name


def deserialized(config: dict[str, Any]) -> dict[str, Any]:
    """Return the constructor arguments for a config."""
    return {
        name: keras.saving.deserialize_keras_object(value)
        if isinstance(value, dict)
        else value
        for name, value in config.items()
    }


def serialized(function: Callable[..., Any], argument: str) -> Any:
    """Return the function's Keras config; warn if it may not load again.

    Raises:
        TypeError: if `function` is an object that Keras cannot save.
    """
    if not isinstance(function, types.FunctionType | types.BuiltinFunctionType):
        if not hasattr(function, "get_config"):
            raise TypeError(
                f"To save a metric, `{argument}` should be a function. "
                f"Received: {function!r} of type {type(function).__name__}, "
                "which Keras cannot save. Write it as a `def` and register "
                "that with `@keras.saving.register_keras_serializable()`."
            )
    elif getattr(function, "__name__", "") == "<lambda>":
        _warn(
            f"`{argument}` is a lambda. The saved file loads only with "
            "`safe_mode=False`. Write it as a `def` and register that with "
            "`@keras.saving.register_keras_serializable()`."
        )
    elif registered_name(function) is None:
        _warn(
            f"`{argument}={function.__qualname__}` is not registered. The "
            "saved file loads only with `custom_objects`. Register it with "
            "`@keras.saving.register_keras_serializable()`."
        )
    return keras.saving.serialize_keras_object(function)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)
