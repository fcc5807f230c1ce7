"""What AutoGraph leaves as it is.

`tf.function` rewrites the Python code that it traces, so that `if` and `while`
can depend on tensors. Nothing here needs that, and it takes seconds. Keras does
the same for what `fit` compiles; this is for the `tf.function` of your own. It
holds for gains and measures of users too, which must use `ops.where` in `fit`
as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import keras

F = TypeVar("F", bound=Callable[..., object])


def unconverted(function: F) -> F:
    """The function, which TensorFlow is to trace as it stands."""
    if keras.config.backend() != "tensorflow":
        return function
    import tensorflow as tf

    unchanged: F = tf.autograph.experimental.do_not_convert(function)
    return unchanged
