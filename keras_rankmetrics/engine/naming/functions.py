"""What can be said of a function that a user plugs in: its name, its config."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.engine.naming.fingerprint import fingerprint
from keras_rankmetrics.gains import PACKAGE


def signature_of(function: Callable[..., Any]) -> str:
    """A name that no function with other results has.

    The registered name; else the import path; else, for what cannot be
    imported (a lambda, a closure, a partial), a fingerprint of its code.
    """
    registered = _registered_name(function)
    if registered is not None:
        package, _, name = registered.partition(">")
        if package == PACKAGE:
            return name.removesuffix("_gain").removesuffix("_discount")
        return registered
    return _path_or_fingerprint(function, contents=function)


def signature_of_class(cls: type, *parts: Callable[..., Any]) -> str:
    """The import path of a class, or a fingerprint of the given parts of it.

    The classes of this package are known by their name alone.
    """
    if cls.__module__.startswith(f"{PACKAGE}."):
        return cls.__name__
    return _path_or_fingerprint(cls, contents=parts)


def _path_or_fingerprint(x: Any, contents: Any) -> str:
    module = getattr(x, "__module__", None)
    name = getattr(x, "__qualname__", type(x).__qualname__)
    # `__main__` is another module in each script.
    if module != "__main__" and _imported(module, name) is x:
        return f"{module}.{name}"
    return f"{name}#{fingerprint(contents)}"


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
    elif _registered_name(function) is None:
        _warn(
            f"`{argument}={function.__qualname__}` is not registered: what is "
            "saved loads only with `custom_objects`. Register it with "
            "`@keras.saving.register_keras_serializable()`."
        )
    return keras.saving.serialize_keras_object(function)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


def _registered_name(function: Callable[..., Any]) -> str | None:
    if not hasattr(function, "__name__"):
        return None
    name: str = keras.saving.get_registered_name(function)
    registered = keras.saving.get_registered_object(name)
    return name if registered is function else None


def _imported(module: str | None, qualified_name: str) -> Any:
    found: Any = sys.modules.get(module or "")
    for name in qualified_name.split("."):
        found = getattr(found, name, None)
    return found
