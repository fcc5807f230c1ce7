"""Evaluate on several devices with `keras.distribution.DataParallel`.

    KERAS_BACKEND=jax python jax_devices.py --devices 4

jax refuses a batch that its devices cannot share evenly. `pad_to` fills the
last one with lists that do not count, so that the number is that of one device.
The devices are virtual ones of the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import keras
import numpy as np
from ranked import check_backend, make_lists, make_metrics, parser_of, told

import keras_rankmetrics as krm


def batches(x: np.ndarray, y: np.ndarray, size: int) -> Iterator[Any]:
    """All batches, of the same size and with weights."""
    for start in range(0, len(x), size):
        batch = slice(start, start + size)
        yield krm.pad_to((x[batch], y[batch]), size)


def make_virtual(devices: int) -> None:
    """Splits the CPU, before jax first looks for devices."""
    count = f"--xla_force_host_platform_device_count={devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {count}"


def evaluate(distribution: Any, title: str, args: Any) -> None:
    """Evaluates a model on the devices of a distribution, and on one."""
    keras.distribution.set_distribution(distribution)
    keras.utils.set_random_seed(0)
    features, labels = make_lists(args.lists)
    model = keras.Sequential(
        [
            keras.Input((features.shape[1], 3)),
            keras.layers.Dense(4, name="hidden"),
            keras.layers.Dense(1),
        ]
    )
    metrics = make_metrics()
    # Metrics of `metrics=` see no weights, and would count the added lists.
    model.compile(loss="mse", weighted_metrics=[metrics])
    given = batches(features, labels, args.batch_size)
    steps = -(-args.lists // args.batch_size)
    model.evaluate(given, steps=steps, verbose=0)
    print(told(title, metrics))

    weights = [np.asarray(value) for value in model.get_weights()]
    keras.distribution.set_distribution(None)
    one, scores = make_metrics(), features
    for kernel, bias in zip(weights[::2], weights[1::2], strict=True):
        scores = scores @ kernel + bias
    one.update_state(labels, scores)
    print(told("one device", one))


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluates a model on all devices."""
    parser = parser_of(__doc__, "devices")
    args = parser.parse_args(argv)
    check_backend(parser, "jax")
    if args.batch_size % args.devices:
        parser.error("--batch-size should be a multiple of --devices")
    make_virtual(args.devices)
    devices = keras.distribution.list_devices()
    distribution = keras.distribution.DataParallel(devices=devices)
    evaluate(distribution, f"{args.devices} devices", args)


if __name__ == "__main__":
    main()
