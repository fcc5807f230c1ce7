"""`ops`: the operations of Keras; on torch some are torch's own, for speed."""

from __future__ import annotations

import types
from typing import Any

import keras


def _operations() -> Any:
    if keras.config.backend() != "torch":
        return keras.ops
    from keras_rankmetrics.engine.backend import torch_ops

    own = {
        name: function
        for name, function in vars(torch_ops).items()
        if isinstance(function, types.FunctionType) and hasattr(keras.ops, name)
    }
    return types.SimpleNamespace(**{**vars(keras.ops), **own})


ops = _operations()
