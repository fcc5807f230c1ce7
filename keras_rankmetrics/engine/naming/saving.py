"""How functions that a user plugs in are saved."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.engine.naming.names import registered_name


def deserialized(config: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a config describes."""
    return {
        name: keras.saving.deserialize_keras_object(value)
        if isinstance(value, dict)
        else value
        for name, value in config.items()
    }


def serialized(function: Callable[..., Any], argument: str) -> Any:
    """The function as Keras saves it, with a warning if it cannot be loaded."""
    if not isinstance(function, types.FunctionType | types.BuiltinFunctionType):
        if not hasattr(function, "get_config"):
            raise TypeError(
                f"A metric with `{argument}={function!r}` cannot be saved: "
                f"Keras saves functions, not objects of type "
                f"{type(function).__name__}. Write it as a `def` and register "
                "that with `@keras.saving.register_keras_serializable()`."
            )
    elif getattr(function, "__name__", "") == "<lambda>":
        _warn(
            f"`{argument}` is a lambda: what is saved loads only with "
            "`safe_mode=False`. Write it as a `def` and register that with "
            "`@keras.saving.register_keras_serializable()`."
        )
    elif registered_name(function) is None:
        _warn(
            f"`{argument}={function.__qualname__}` is not registered: what is "
            "saved loads only with `custom_objects`. Register it with "
            "`@keras.saving.register_keras_serializable()`."
        )
    return keras.saving.serialize_keras_object(function)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)
