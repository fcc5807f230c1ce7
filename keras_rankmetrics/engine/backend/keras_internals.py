"""What Keras knows and has no public way to tell: the only use of `keras.src`.

The mask that layers attach to their outputs has no public reader, and neither
has the scope in which variables are stateless, or the one in which tensors are
symbolic. And whether a metric is updated by `compile`'s own code, no argument
says.
"""

from __future__ import annotations

import sys

import keras
from keras.src.backend import get_keras_mask
from keras.src.backend.common.stateless_scope import get_stateless_scope
from keras.src.backend.common.symbolic_scope import in_symbolic_scope
from keras.src.trainers import compile_utils

from keras_rankmetrics.types import Tensor


def implicit_mask(y_pred: Tensor) -> Tensor | None:
    """The mask that the model attached to its predictions, if any."""
    return get_keras_mask(y_pred)


def stateless_scope() -> keras.StatelessScope | None:
    """The scope that keeps the values of variables now, if one does."""
    return get_stateless_scope()


def is_symbolic() -> bool:
    """Whether tensors have shapes only now, and no values."""
    return in_symbolic_scope()


def is_in_compile() -> bool:
    """Whether a model that was compiled with the metric updates it now."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == compile_utils.__name__:
            return True
    return False
