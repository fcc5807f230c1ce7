"""Train and evaluate under TensorFlow's MultiWorkerMirroredStrategy.

    KERAS_BACKEND=tensorflow python tensorflow_workers.py --processes 2

`fit` of Keras 3.15 does not work there, so this is a loop. Gradients are added
up in each step of the training, so all workers make as many: they take lists
from the start again. To evaluate, workers need not make as many steps: they
exchange nothing until each calls `sync`, once.

Without `--rank` the program starts the workers itself. On a cluster TF_CONFIG
is set for each of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from ranked import in_processes, make_lists, make_metrics, told


def work(args: Any) -> None:
    """What each worker does."""
    workers = [f"127.0.0.1:{port}" for port in args.ports]
    task = {"type": "worker", "index": args.rank}
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": {"worker": workers}, "task": task}
    )
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    features, labels = make_lists(args.lists)
    keras.utils.set_random_seed(0)
    with strategy.scope():
        kernel = tf.Variable(tf.ones((3, 1)))
        metrics = make_metrics()

    def train(x: tf.Tensor, y: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ kernel - y) ** 2)
        [gradient] = tape.gradient(loss, [kernel])
        replica = tf.distribute.get_replica_context()
        kernel.assign_sub(0.1 * replica.all_reduce("MEAN", gradient))

    def evaluate(x: tf.Tensor, y: tf.Tensor) -> None:
        metrics.update_state(y, x @ kernel)

    @tf.function
    def step(function: Any, x: tf.Tensor, y: tf.Tensor) -> None:
        strategy.run(function, (x, y))

    mine = np.array_split(np.arange(args.lists), args.processes)[args.rank]
    steps = -(-args.lists // args.processes // args.batch_size)
    for number in range(steps):
        start = number * args.batch_size
        batch = np.take(
            mine, np.arange(start, start + args.batch_size), mode="wrap"
        )
        step(train, tf.constant(features[batch]), tf.constant(labels[batch]))
    for start in range(0, len(mine), args.batch_size):
        batch = mine[start : start + args.batch_size]
        step(evaluate, tf.constant(features[batch]), tf.constant(labels[batch]))
    total = metrics.sync()  # all workers
    if args.rank == 0:
        one = make_metrics()
        one.update_state(labels, features @ kernel.numpy())
        print(told("one process", one))
        print(told("all workers", total), flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Starts the workers, or is one of them."""
    in_processes(__file__, __doc__, "tensorflow", work, argv)


if __name__ == "__main__":
    main()
