"""The names under which others find something."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import keras


def import_path(x: Any) -> str | None:
    """Where `x` can be imported from, None if nowhere."""
    module = getattr(x, "__module__", None)
    name = getattr(x, "__qualname__", "")
    # `__main__` is another module in each script.
    found = None if module == "__main__" else sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}.{name}" if found is x else None


def registered_name(function: Callable[..., Any]) -> str | None:
    """The name under which Keras knows a function, None if it does not."""
    if not hasattr(function, "__name__"):
        return None
    name: str = keras.saving.get_registered_name(function)
    registered = keras.saving.get_registered_object(name)
    return name if registered is function else None
