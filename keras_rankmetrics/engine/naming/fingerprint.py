"""A short name for what the results of a function depend on.

It is for functions that no import path tells apart: lambdas, closures, partials
and callable objects. Two that differ in their code, their constants, or the
values they take from around them get two names. What cannot be read is told
apart by identity: rather two names for one thing than one name for two.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

# Of what stands in these, the name says enough.
_LIBRARIES = (
    "builtins",
    "jax",
    "keras",
    "math",
    "numpy",
    "tensorflow",
    "torch",
)

# Who closes over more objects than that gets an identity.
_MOST = 1000


def fingerprint(x: Any) -> str:
    """Eight hexadecimal digits, the same in every process."""
    digest = hashlib.sha256()
    for part in _parts(x, seen={}):
        digest.update(repr(part).encode())
    return digest.hexdigest()[:8]


def _parts(x: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """All that `x` depends on, as values that print alike if they are alike."""
    if (
        x is None
        or x is ...
        or isinstance(x, str | bytes | int | float | complex)
    ):
        yield type(x).__name__, x
        return
    if id(x) in seen:
        yield "seen", list(seen).index(id(x))
        return
    if len(seen) > _MOST:
        yield "identity", id(x)
        return
    seen[id(x)] = x  # which also keeps its identity from being given away
    yield type(x).__qualname__
    try:
        inner = _inner(x)
    except Exception:  # whatever an object does when it is read
        inner = [id(x)]
    yield len(inner)
    for part in inner:
        yield from _parts(part, seen)


def _inner(x: Any) -> list[Any]:
    """What an object consists of, as far as results go."""
    if isinstance(x, tuple | list):
        return list(x)
    if isinstance(x, set | frozenset):
        return sorted(map(repr, x))
    if isinstance(x, dict):
        return [part for item in x.items() for part in item]
    if isinstance(x, functools.partial):
        return [x.func, x.args, x.keywords]
    if isinstance(x, types.MethodType):
        return [x.__func__, x.__self__]
    if isinstance(x, types.CodeType):
        return [x.co_code, x.co_names, x.co_consts]
    if isinstance(x, types.CellType):
        return [x.cell_contents]
    if isinstance(x, types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        return [x.__name__]
    if isinstance(x, types.FunctionType | type) and _is_of_a_library(x):
        return [x.__module__, x.__qualname__]
    if isinstance(x, types.FunctionType):
        names = sorted(_names(x.__code__) & x.__globals__.keys())
        used = {name: x.__globals__[name] for name in names}
        return [
            x.__code__,
            x.__defaults__,
            x.__kwdefaults__,
            used,
            x.__closure__,
        ]
    if isinstance(x, type):
        return [{k: v for k, v in vars(x).items() if not k.startswith("__")}]
    if hasattr(x, "__array__"):
        array = np.asarray(x)
        return [array.dtype.str, array.shape, array.tobytes()]
    slots = [
        s for cls in type(x).__mro__ for s in vars(cls).get("__slots__", ())
    ]
    if slots or hasattr(x, "__dict__"):
        held = {slot: getattr(x, slot, None) for slot in slots}
        return [type(x), held, getattr(x, "__dict__", None)]
    return [id(x)]


def _is_of_a_library(x: Any) -> bool:
    return (x.__module__ or "").partition(".")[0] in _LIBRARIES


def _names(code: types.CodeType) -> set[str]:
    """The global names that the code and the functions within it use."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))
