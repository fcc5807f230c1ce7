"""The mask that Keras layers attach to their outputs.

Keras has no public reader for it; this is the only use of `keras.src`.
"""

from __future__ import annotations

from keras.src.backend import get_keras_mask

from keras_rankmetrics.types import Tensor


def implicit_mask(y_pred: Tensor) -> Tensor | None:
    """The mask that the model attached to its predictions, if any."""
    return get_keras_mask(y_pred)
