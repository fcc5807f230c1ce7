"""Train and evaluate under TensorFlow's MirroredStrategy.

    KERAS_BACKEND=tensorflow python tensorflow_mirrored.py --replicas 2

What is made under the scope of the strategy is updated on each replica, and
read as the sum over all of them. The replicas are virtual devices of the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
from ranked import make_lists, make_metrics, parser_of, told


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluates a model by `fit` and by a loop."""
    parser = parser_of(__doc__, "replicas")
    args = parser.parse_args(argv)
    if keras.config.backend() != "tensorflow":
        parser.error("set KERAS_BACKEND=tensorflow")
    import tensorflow as tf

    [cpu] = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * args.replicas
    )
    names = [f"CPU:{i}" for i in range(args.replicas)]
    strategy = tf.distribute.MirroredStrategy(names)
    features, labels = make_lists(args.lists)
    with strategy.scope():
        model = keras.Sequential(
            [keras.Input((None, 3)), keras.layers.Dense(1)]
        )
        model.compile(loss="mse", metrics=[make_metrics()])
        metrics = make_metrics()
    model.fit(features, labels, args.batch_size, verbose=0)

    data = tf.data.Dataset.from_tensor_slices((features, labels))
    shares = strategy.experimental_distribute_dataset(
        data.batch(args.batch_size)
    )

    def on_replica(x: tf.Tensor, y: tf.Tensor) -> None:
        metrics.update_state(y, model(x))

    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> None:
        strategy.run(on_replica, (x, y))

    for batch in shares:
        step(*batch)
    one = make_metrics()
    one.update_state(labels, model(features))
    print(told("one replica", one))
    print(told(f"{args.replicas} replicas", metrics.sync()))


if __name__ == "__main__":
    main()
