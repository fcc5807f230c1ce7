"""Train a ranker in a loop of your own on JAX, with `jax.jit`.

    KERAS_BACKEND=jax python loop_jax.py

Compiled functions of JAX have no side effects. So the state of the metrics goes
into the compiled step and comes out of it: `stateless_update_state` returns the
new state, and `stateless_result` makes the values of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops
from learning_to_rank import build_model, listwise_softmax
from looping import Loop, make_metrics, run
from queries import Queries

import keras_rankmetrics as krm

Variables = Any  # lists of arrays of jax


def make_loop(train: Queries, batch_size: int) -> Loop:
    """Return the functions that train and measure, both compiled."""
    import jax

    model = build_model(train)
    optimizer = keras.optimizers.AdamW(1e-2)
    optimizer.build(model.trainable_variables)
    metrics = make_metrics()
    rng = np.random.default_rng(0)

    def loss_of(
        trained: Variables, fixed: Variables, features: Any, labels: Any
    ) -> tuple[Any, Variables]:
        scores, fixed = model.stateless_call(
            trained, fixed, features, training=True
        )
        return ops.mean(listwise_softmax(labels, scores)), fixed

    @jax.jit
    def train_step(state: Variables, features: Any, labels: Any) -> Any:
        trained, fixed, slots = state
        (loss, fixed), gradients = jax.value_and_grad(loss_of, has_aux=True)(
            trained, fixed, features, labels
        )
        trained, slots = optimizer.stateless_apply(slots, gradients, trained)
        return loss, (trained, fixed, slots)

    @jax.jit
    def measure_step(
        seen: Variables, state: Variables, features: Any, labels: Any
    ) -> Variables:
        trained, fixed, _ = state
        scores, _ = model.stateless_call(trained, fixed, features)
        return metrics.stateless_update_state(seen, labels, scores)

    of_jax = [
        [variable.value for variable in variables]
        for variables in (
            model.trainable_variables,
            model.non_trainable_variables,
            optimizer.variables,
        )
    ]

    def train_epoch() -> float:
        order = rng.permutation(len(train.labels))
        losses = []
        for start in range(0, len(order), batch_size):
            batch = train.take(order[start : start + batch_size])
            loss, of_jax[:] = train_step(tuple(of_jax), *batch)
            losses.append(float(loss))
        return sum(losses) / len(losses)

    def measure(queries: Queries) -> krm.MetricCollection:
        seen = metrics.stateless_reset_state()
        for start in range(0, len(queries.labels), batch_size):
            batch = queries.take(slice(start, start + batch_size))
            seen = measure_step(seen, tuple(of_jax), *batch)
        # From here on it is an ordinary metric again, with error bars.
        for variable, value in zip(metrics.variables, seen, strict=True):
            variable.assign(value)
        return metrics

    return Loop(train_epoch, measure)


def main(argv: Sequence[str] | None = None) -> None:
    """Train and measure."""
    run(__doc__, "jax", make_loop, argv)


if __name__ == "__main__":
    main()
