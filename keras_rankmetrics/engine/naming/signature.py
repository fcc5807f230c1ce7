"""What functions and classes are called in a signature."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.naming.fingerprint import fingerprint
from keras_rankmetrics.engine.naming.path import import_path, registered_name
from keras_rankmetrics.gains import PACKAGE


def signature_of(function: Any) -> str:
    """A name that no function with other results has.

    The registered name; else the import path; else, for what cannot be
    imported (a lambda, a closure, a partial), a fingerprint of its code.
    """
    registered = registered_name(function)
    if registered is not None:
        package, _, name = registered.partition(">")
        if package == PACKAGE:
            return name.removesuffix("_gain").removesuffix("_discount")
        return registered
    return _path_or_fingerprint(function, contents=function)


def signature_of_class(cls: type, *parts: Any) -> str:
    """The import path of a class, or a fingerprint of the given parts of it.

    The classes of this package are known by their name alone.
    """
    if cls.__module__.startswith(f"{PACKAGE}."):
        return cls.__name__
    return _path_or_fingerprint(cls, contents=parts)


def signature_of_object(x: Any) -> str:
    """The name of its class, with a fingerprint of what it holds."""
    cls = type(x)
    public = {n: v for n, v in vars(cls).items() if not n.startswith("_")}
    name = signature_of_class(cls, public)
    held = getattr(x, "__dict__", {})
    return f"{name}#{fingerprint(held)}" if held else name


def _path_or_fingerprint(x: Any, contents: Any) -> str:
    name = getattr(x, "__qualname__", type(x).__qualname__)
    return import_path(x) or f"{name}#{fingerprint(contents)}"
