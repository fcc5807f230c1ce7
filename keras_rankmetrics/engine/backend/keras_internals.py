"""The only use of `keras.src`, and the base class of all metrics.

Keras has no public reader for the mask that layers attach to their outputs, for
the scope in which variables are stateless, or for the one in which tensors are
symbolic. No argument says whether `compile` updates a metric.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import keras
from keras.src.backend import get_keras_mask
from keras.src.backend.common.stateless_scope import get_stateless_scope
from keras.src.backend.common.symbolic_scope import in_symbolic_scope
from keras.src.trainers import compile_utils

from keras_rankmetrics.types import Tensor

# What Keras knows and has no public way to tell: the only use of `keras.src`.
#
# The mask that layers attach to their outputs has no public reader, and
# neither has the scope in which variables are stateless, or the one in which
# tensors are symbolic. And whether a metric is updated by `compile`'s own
# code, no argument says.


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


# `Metric`: that of Keras, as a class that type checkers know.
#
# Keras has no types. Of a class whose base they do not know, type checkers
# cannot tell what its constructor takes.

if TYPE_CHECKING:

    class Metric:
        """What is used of it."""

        name: Any
        _variables: list[keras.Variable]

        def __init__(self, name: str, dtype: Any = None) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
            ...

        def __getattr__(self, name: str) -> Any: ...

else:
    Metric = keras.metrics.Metric
