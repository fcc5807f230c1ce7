"""Signatures of functions, classes and objects, and tables of text.

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
import types
import uuid
from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_rankmetrics.engine.naming.names import import_path, registered_name
from keras_rankmetrics.gains import PACKAGE


def fingerprint(x: Any) -> str:
    """Return eight hexadecimal digits that depend on the contents of `x`."""
    return hashlib.sha256(repr(_read(x, {})).encode()).hexdigest()[:8]


def signature_of(function: Any) -> str:
    """Return a name that no function with other results has.

    It is the registered name, else the import path, else a fingerprint of the
    code (for a lambda, a closure or a partial).
    """
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


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows under their headings; the first column is left-aligned."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        [
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in (head, *rows)
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def as_text(names: Sequence[str]) -> str:
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
