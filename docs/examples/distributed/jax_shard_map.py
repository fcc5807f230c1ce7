"""Evaluate on several devices with `jax.shard_map`.

    KERAS_BACKEND=jax python jax_shard_map.py --devices 4

Each device adds its lists to a state of its own. At the end the states are
added up, so that no step waits for the other devices. `pad_to` fills the last
batch with lists that do not count. The devices are virtual ones of the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from ranked import check_backend, make_lists, make_metrics, parser_of, told

import keras_rankmetrics as krm


def make_virtual(devices: int) -> None:
    """Splits the CPU, before jax first looks for devices."""
    count = f"--xla_force_host_platform_device_count={devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {count}"


def evaluate(labels: np.ndarray, scores: np.ndarray, args: Any) -> None:
    """Evaluates scores on all devices, and on one."""
    metrics = make_metrics()
    auto = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((args.devices,), ("lists",), axis_types=auto)
    spec = jax.sharding.PartitionSpec("lists")

    def on_a_device(state: Any, *batch: Any) -> Any:
        state = metrics.stateless_update_state([x[0] for x in state], *batch)
        return [x[None] for x in state]

    step = jax.jit(
        jax.shard_map(on_a_device, mesh=mesh, in_specs=spec, out_specs=spec)
    )
    # A state for each device, along the first axis.
    states = [
        np.stack([x] * args.devices) for x in metrics.stateless_reset_state()
    ]
    for start in range(0, len(labels), args.batch_size):
        batch = slice(start, start + args.batch_size)
        # The weights of the added lists are 0.
        x, y, weights = krm.pad_to(
            (scores[batch], labels[batch]), args.batch_size
        )
        states = step(states, y, x, weights)
    for device in range(args.devices):
        own = make_metrics()
        for variable, x in zip(own.variables, states, strict=True):
            variable.assign(x[device])
        metrics.merge_state([own])
    print(told(f"{args.devices} devices", metrics))

    one = make_metrics()
    one.update_state(labels, scores)
    print(told("one device", one))


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluates scores on all devices."""
    parser = parser_of(__doc__, "devices")
    args = parser.parse_args(argv)
    check_backend(parser, "jax")
    if args.batch_size % args.devices:
        parser.error("--batch-size should be a multiple of --devices")
    make_virtual(args.devices)
    features, labels = make_lists(args.lists)
    evaluate(labels[..., 0], features.sum(-1), args)


if __name__ == "__main__":
    main()
