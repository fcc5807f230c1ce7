"""`ops`: the operations of Keras; some are our own, for speed or for order."""

from __future__ import annotations

import importlib
import types
from typing import Any

import keras

_OWN = {
    backend: f"keras_rankmetrics.engine.backend.{backend}_ops"
    for backend in ("numpy", "torch")
}


def _operations() -> Any:
    name = _OWN.get(keras.config.backend())
    if name is None:
        return keras.ops
    own = {
        name: function
        for name, function in vars(importlib.import_module(name)).items()
        if isinstance(function, types.FunctionType) and hasattr(keras.ops, name)
    }
    return types.SimpleNamespace(**{**vars(keras.ops), **own})


ops = _operations()
