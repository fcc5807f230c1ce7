"""Names of metrics, suggestions for misspelt ones, and import paths."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import keras


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


def plain(name: str) -> str:
    """Return the name without case, hyphens and underscores."""
    return name.lower().replace("_", "").replace("-", "")


def closest(name: str, names: Iterable[str], least: float = 0.5) -> list[str]:
    """Return up to three similar names, the most similar first.

    Args:
        name: a name that does not exist.
        names: the names that exist.
        least: the lowest similarity, from 0 to 1.
    """
    by_plain = {plain(each): each for each in names}
    for cutoff in (1.0, 0.7, least):
        found = difflib.get_close_matches(plain(name), by_plain, 3, cutoff)
        if found:
            return [by_plain[each] for each in found]
    return []


def nearest(name: str, names: Iterable[str], least: float = 0.5) -> str:
    """Return "Did you mean ...?" for the most similar names, or "".

    Args:
        name: a name that does not exist.
        names: the names that exist.
        least: the lowest similarity, from 0 to 1.
    """
    return did_you_mean(*closest(name, names, least))


def did_you_mean(*names: str) -> str:
    """Return " Did you mean ...?" for the names, or "" without names."""
    if not names:
        return ""
    quoted = " or ".join(f'"{name}"' for name in names)
    return f" Did you mean {quoted}?"


def no_attribute(module: str, name: str, hint: str) -> AttributeError:
    """Return the AttributeError for a module's `__getattr__`.

    Args:
        module: the name of the module.
        name: the name that the module does not have.
        hint: a sentence that starts with a space, or "".
    """
    # With `name` but no `obj`, Python adds no second suggestion.
    return AttributeError(
        f'module "{module}" has no attribute "{name}".{hint}', name=name
    )


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
