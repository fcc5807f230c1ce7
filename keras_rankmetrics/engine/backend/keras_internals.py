"""What Keras knows and has no public way to tell: the only use of `keras.src`.

The mask that layers attach to their outputs has no public reader. And whether a
metric is updated by `compile`'s own code, no argument says.
"""

from __future__ import annotations

import sys

from keras.src.backend import get_keras_mask
from keras.src.trainers import compile_utils

from keras_rankmetrics.types import Tensor


def implicit_mask(y_pred: Tensor) -> Tensor | None:
    """The mask that the model attached to its predictions, if any."""
    return get_keras_mask(y_pred)


def is_in_compile() -> bool:
    """Whether a model that was compiled with the metric updates it now."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == compile_utils.__name__:
            return True
    return False
