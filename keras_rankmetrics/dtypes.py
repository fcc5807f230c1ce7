"""The one value of a dtype that has a meaning here."""

from __future__ import annotations

import numpy as np
from keras import backend

from keras_rankmetrics.types import Tensor


def lowest(x: Tensor) -> float | np.integer:
    """The score of an item that is not retrieved: below every other one.

    It is -inf, or for integers the smallest one.
    """
    dtype = backend.standardize_dtype(x.dtype)
    if "int" not in dtype:
        return float("-inf")
    # Not a plain int, of which Keras before 3.15 makes an int32 on torch.
    return np.dtype(dtype).type(np.iinfo(dtype).min)
