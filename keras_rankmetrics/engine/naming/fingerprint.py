"""A short name for what no import path tells apart: lambdas, closures, objects.

It is the same in every process for code, constants, plain values, arrays, what
can be imported, and what these are nested in. Anything else is itself, and so
has another name in each process: rather two names for one thing than one for
two. What can be imported is known by its path, whatever stands there.
"""

from __future__ import annotations

import hashlib
import types
import uuid
from typing import Any

from keras import ops

from keras_rankmetrics.engine.naming.path import import_path

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
