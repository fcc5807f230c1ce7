"""`detached`: a tensor outside of any gradient, as an object of its own."""

from __future__ import annotations

import keras
from keras import ops

from keras_rankmetrics.types import Tensor


def detached(x: Tensor) -> Tensor:
    """The same numbers, in the same memory, without a gradient.

    Who holds it does not hold the object `x`, so that one sees when the user
    lets go of that.
    """
    if keras.config.backend() == "jax":
        import jax

        is_traced = isinstance(x, jax.core.Tracer)
        if not is_traced and len(x.sharding.device_set) == 1:
            return x.addressable_data(0)
    return ops.stop_gradient(x)
