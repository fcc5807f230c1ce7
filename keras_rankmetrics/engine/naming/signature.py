"""The signature of a metric, fingerprints of functions, and the version."""

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

# A short name for what no import path tells apart: lambdas, closures,
# objects.
#
# It is the same in every process for code, constants, plain values, arrays,
# what can be imported, and what these are nested in. Anything else is itself,
# and so has another name in each process: rather two names for one thing than
# one for two. What can be imported is known by its path, whatever stands
# there.

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
_CODE = ("code", "names", "consts", "varnames", "argcount", "flags")
_FUNCTION = ("code", "defaults", "kwdefaults", "closure")
_READ = {
    types.CodeType: [f"co_{name}" for name in _CODE],
    types.FunctionType: [f"__{name}__" for name in _FUNCTION],
    types.CellType: ["cell_contents"],
    types.ModuleType: ["__name__"],
}
_MOST = 300  # objects that are looked into

# By their id, which no other object has as long as they are kept.
_strangers: dict[int, tuple[Any, str]] = {}


def fingerprint(x: Any) -> str:
    """Eight hexadecimal digits."""
    return hashlib.sha256(repr(_read(x, {})).encode()).hexdigest()[:8]


def _read(x: Any, seen: dict[int, Any]) -> tuple[Any, ...]:
    """All that `x` depends on, as what prints alike if it is alike."""
    if type(x) in _PLAIN:
        return type(x).__name__, x
    if id(x) in seen:
        return "seen", list(seen).index(id(x))
    try:
        parts = _parts(x) if len(seen) < _MOST else [_stranger(x)]
    except Exception:  # whatever an object does when it is read
        parts = [_stranger(x)]
    seen[id(x)] = x, parts  # kept, so that no id is given away
    return type(x).__qualname__, *[_read(part, seen) for part in parts]


def _parts(x: Any) -> list[Any]:
    """What an object consists of, as far as results go."""
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
        return [_stranger(x)]  # what is of Keras would be saved to a file
    array = ops.convert_to_numpy(x) if ops.is_tensor(x) else x
    saved = array.__reduce_ex__(2)
    if isinstance(saved, str):
        return [saved]
    made_by, arguments, *held = saved
    return [made_by, *arguments, *held[:1], *map(list, filter(None, held[1:3]))]


def _stranger(x: Any) -> str:
    return _strangers.setdefault(id(x), (x, uuid.uuid4().hex))[1]


def _names(code: types.CodeType) -> set[str]:
    """The global names that the code and the functions within it use."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


# What functions and classes are called in a signature.


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


# Tables of text.


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their headings, the first column to the left."""
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
    """Names in one line, told apart whatever they hold."""
    text = json.dumps(list(names), ensure_ascii=False)
    return text.replace("|", r"\u007c")  # which parts a signature
