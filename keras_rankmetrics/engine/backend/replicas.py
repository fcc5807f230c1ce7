"""Replicas of TensorFlow: a variable of a metric has a value on each of them.

Outside of `strategy.run`, TensorFlow reads such a variable as the sum of its
values, and writes to it by division. Neither is exact.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from keras_rankmetrics.engine.backend.keras_internals import stateless_scope
from keras_rankmetrics.engine.backend.operations import ops


def strategy_of(variable: keras.Variable) -> Any:
    """The strategy under which the variable was made, if it has replicas."""
    if keras.config.backend() != "tensorflow":
        return None
    import tensorflow as tf

    value = variable.value
    if not isinstance(value, tf.distribute.DistributedValues):
        return None
    return value.distribute_strategy


def values_here(variable: keras.Variable) -> list[np.ndarray]:
    """The value of each replica that this process has, or the only one."""
    strategy = strategy_of(variable)
    if strategy is None:
        return [ops.convert_to_numpy(variable)]
    values = strategy.experimental_local_results(variable.value)
    return [value.numpy() for value in values]


def assign(variable: keras.Variable, x: Any) -> None:
    """Writes a value of which the sum over all replicas is `x`.

    Within `strategy.run`, what is written is that of the replica.
    """
    strategy = strategy_of(variable)
    if strategy is None or _is_in_replica() or stateless_scope() is not None:
        variable.assign(x)
        return
    # The first replica of all has it. TensorFlow would divide it among them.
    x = ops.convert_to_tensor(x, dtype=variable.dtype)
    resolver = strategy.cluster_resolver
    is_first = not (resolver and resolver.task_id)
    for value in strategy.experimental_local_results(variable.value):
        value.assign(x if is_first else ops.zeros_like(x))
        is_first = False


def _is_in_replica() -> bool:
    import tensorflow as tf

    has_strategy: bool = tf.distribute.has_strategy()
    return has_strategy and not tf.distribute.in_cross_replica_context()
