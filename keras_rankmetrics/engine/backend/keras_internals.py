"""The only use of `keras.src`, and the base class of all metrics.

Keras has no public access to the mask that layers attach to their outputs, to
the scope in which variables are stateless, or to the one in which tensors are
symbolic. It also does not report whether `compile` updates a metric.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import keras
from keras.src.backend.common.masking import get_keras_mask
from keras.src.backend.common.stateless_scope import get_stateless_scope
from keras.src.backend.common.symbolic_scope import in_symbolic_scope
from keras.src.trainers import compile_utils

from keras_rankmetrics.types import Tensor


def implicit_mask(y_pred: Tensor) -> Tensor | None:
    """Return the mask that the model attached to its predictions, or None."""
    return get_keras_mask(y_pred)


def stateless_scope() -> keras.StatelessScope | None:
    """Return the current scope of stateless variables, or None."""
    return get_stateless_scope()


def is_symbolic() -> bool:
    """Return True in a symbolic scope, where tensors have no values."""
    return in_symbolic_scope()


def is_in_compile() -> bool:
    """Return True if a compiled model is updating the metric."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == compile_utils.__name__:
            return True
    return False


# Keras has no types. With an untyped base, type checkers would not know the
# signature of any metric's constructor.
if TYPE_CHECKING:

    class Metric:
        """The members of `keras.metrics.Metric` that are used here."""

        name: Any
        _variables: list[keras.Variable]

        def __init__(self, name: str, dtype: Any = None) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
            ...

        def __getattr__(self, name: str) -> Any: ...

else:
    Metric = keras.metrics.Metric
