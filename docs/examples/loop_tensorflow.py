"""Train a ranker in a loop of your own on TensorFlow, with `tf.function`.

    KERAS_BACKEND=tensorflow python loop_tensorflow.py

The metrics are updated inside the compiled step, as any Keras metric. They are
read and reset outside of it, once an epoch.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
from learning_to_rank import build_model, listwise_softmax
from looping import Loop, make_metrics, run
from queries import Queries

import keras_rankmetrics as krm


def make_loop(train: Queries, batch_size: int) -> Loop:
    """Return the functions that train and measure, both compiled."""
    import tensorflow as tf

    model = build_model(train)
    optimizer = keras.optimizers.AdamW(1e-2)
    metrics = make_metrics()
    batches = tf.data.Dataset.from_tensor_slices(tuple(train))
    batches = batches.shuffle(len(train.labels), seed=0).batch(batch_size)

    @tf.function
    def train_step(features: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            scores = model(features, training=True)
            loss = tf.reduce_mean(listwise_softmax(labels, scores))
        variables = model.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    @tf.function
    def measure_step(features: tf.Tensor, labels: tf.Tensor) -> None:
        metrics.update_state(labels, model(features, training=False))

    def train_epoch() -> float:
        losses = [float(train_step(*batch)) for batch in batches]
        return sum(losses) / len(losses)

    def measure(queries: Queries) -> krm.MetricCollection:
        metrics.reset_state()
        data = tf.data.Dataset.from_tensor_slices(tuple(queries))
        for batch in data.batch(batch_size):
            measure_step(*batch)
        return metrics

    return Loop(train_epoch, measure)


def main(argv: Sequence[str] | None = None) -> None:
    """Train and measure."""
    run(__doc__, "tensorflow", make_loop, argv)


if __name__ == "__main__":
    main()
