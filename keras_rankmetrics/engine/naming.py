"""Names and signatures of metrics and functions; no two share a signature.

A signature is the registered name, or else the import path. Lambdas, closures
and objects have neither, so they get a fingerprint of their contents. Code,
constants, plain values, arrays, importable objects and containers of these have
the same fingerprint in every process. Any other object has a random one, which
differs between processes: two names for one thing do less harm than one name
for two things.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import types
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from keras_rankmetrics.engine.backend.keras_internals import keras_config
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.gains import PACKAGE, GainTable


def name_at(name: str, k: float | None) -> str:
    """Return the name with the cutoff or number appended: `ndcg@10`."""
    if isinstance(k, float):
        return f"{name}@{k:g}"
    return name if k is None else f"{name}@{k}"


def in_words(name: str) -> str:
    """Return `"discounted_success"` for `"DiscountedSuccess"`."""
    return re.sub(
        r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name
    ).lower()


def as_scope(name: str) -> str:
    """Return a valid scope name; TensorFlow refuses "@" in a graph."""
    return re.sub(r"[^A-Za-z0-9_.>-]", "_", name)


def import_path(x: Any) -> str | None:
    """Return the path that imports `x`, or None if there is none."""
    module = getattr(x, "__module__", None)
    name = getattr(x, "__qualname__", "")
    # Each script has a different `__main__`.
    found = None if module == "__main__" else sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}.{name}" if found is x else None


def registered_name(function: Callable[..., Any]) -> str | None:
    """Return the function's name in Keras's registry, or None."""
    if not hasattr(function, "__name__"):
        return None
    name: str = keras.saving.get_registered_name(function)
    registered = keras.saving.get_registered_object(name)
    return name if registered is function else None


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
    register = "`@keras.saving.register_keras_serializable()`"
    warning = ""
    if not isinstance(function, types.FunctionType | types.BuiltinFunctionType):
        if not hasattr(function, "get_config"):
            raise TypeError(
                f"To save a metric, `{argument}` should be a function. "
                f"Received: {function!r} of type {type(function).__name__}, "
                "which Keras cannot save. Write it as a `def` and register "
                f"that with {register}."
            )
    elif getattr(function, "__name__", "") == "<lambda>":
        warning = (
            f"`{argument}` is a lambda. The saved file loads only with "
            "`safe_mode=False`. Write it as a `def` and register that with"
        )
    elif registered_name(function) is None:
        warning = (
            f"`{argument}={function.__qualname__}` is not registered. The "
            "saved file loads only with `custom_objects`. Register it with"
        )
    if warning:
        warn(f"{warning} {register}.")
    return keras_config(function)


def fingerprint(x: Any) -> str:
    """Return eight hexadecimal digits that depend on the contents of `x`."""
    return hashlib.sha256(repr(_read(x, {})).encode()).hexdigest()[:8]


def signature_of(function: Any) -> str:
    """Return a name that no function with other results has.

    It is the registered name, else the import path, else a fingerprint of the
    code (for a lambda, a closure or a partial).
    """
    if isinstance(function, GainTable):
        return f"{function.__name__},{signature_of(function.others)}"
    registered = registered_name(function)
    if registered is not None:
        package, _, name = registered.partition(">")
        if package == PACKAGE:
            return name.removesuffix("_gain").removesuffix("_discount")
        return registered
    return _path_or_fingerprint(function, contents=function)


def signature_of_class(cls: type, *parts: Any) -> str:
    """Return the import path of a class, or a fingerprint of these parts of it.

    Classes of this package have their bare name.
    """
    if cls.__module__.startswith(f"{PACKAGE}."):
        return cls.__name__
    return _path_or_fingerprint(cls, contents=parts)


def signature_of_object(x: Any) -> str:
    """Return the name of the object's class with a fingerprint of its state."""
    cls = type(x)
    public = {n: v for n, v in vars(cls).items() if not n.startswith("_")}
    name = signature_of_class(cls, public)
    held = getattr(x, "__dict__", {})
    return f"{name}#{fingerprint(held)}" if held else name


def as_line(names: Sequence[str]) -> str:
    """Return names in one line, unambiguous whatever characters they hold."""
    text = json.dumps(list(names), ensure_ascii=False)
    return text.replace("|", r"\u007c")  # "|" separates parts of a signature


def _path_or_fingerprint(x: Any, contents: Any) -> str:
    name = getattr(x, "__qualname__", type(x).__qualname__)
    return import_path(x) or f"{name}#{fingerprint(contents)}"


_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
_CODE = ("code", "names", "consts", "varnames", "argcount", "flags")
_FUNCTION = ("code", "defaults", "kwdefaults", "closure")
_READ = {
    types.CodeType: [f"co_{name}" for name in _CODE],
    types.FunctionType: [f"__{name}__" for name in _FUNCTION],
    types.CellType: ["cell_contents"],
    types.ModuleType: ["__name__"],
}
_MAX_OBJECTS = 300  # beyond these, contents are not read

# Keyed by id. The objects are kept alive so that no id is reused.
_opaque: dict[int, tuple[Any, str]] = {}


def _read(x: Any, seen: dict[int, Any]) -> tuple[Any, ...]:
    """Return the contents of `x`; equal contents have an equal `repr`."""
    if type(x) in _PLAIN:
        return type(x).__name__, x
    if id(x) in seen:
        return "seen", list(seen).index(id(x))
    try:
        parts = _parts(x) if len(seen) < _MAX_OBJECTS else [_opaque_name(x)]
    except Exception:  # reading an arbitrary object can raise anything
        parts = [_opaque_name(x)]
    seen[id(x)] = x, parts  # kept alive so that no id is reused
    return type(x).__qualname__, *[_read(part, seen) for part in parts]


def _parts(x: Any) -> list[Any]:
    """Return the parts of an object that its results depend on."""
    path = import_path(x)
    if path is not None:
        return [path]
    if type(x) in (tuple, list):
        return list(x)
    read = [getattr(x, name) for name in _READ.get(type(x), ())]
    if isinstance(x, types.FunctionType):
        read += [x.__globals__.get(k) for k in sorted(_names(x.__code__))]
    if read:
        return read
    if type(x) is object or "keras." in str(type(x).__mro__):
        return [_opaque_name(x)]  # reducing a Keras object saves it to a file
    array = ops.convert_to_numpy(x) if ops.is_tensor(x) else x
    saved = array.__reduce_ex__(2)
    if isinstance(saved, str):
        return [saved]
    made_by, arguments, *held = saved
    return [made_by, *arguments, *held[:1], *map(list, filter(None, held[1:3]))]


def _opaque_name(x: Any) -> str:
    """Return a random name for `x` that stays the same in this process."""
    return _opaque.setdefault(id(x), (x, uuid.uuid4().hex))[1]


def _names(code: types.CodeType) -> set[str]:
    """Return the global names used by the code and its inner functions."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))
