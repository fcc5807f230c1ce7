"""Evaluate a model that is split, with `keras.distribution.ModelParallel`.

    KERAS_BACKEND=jax python jax_model_parallel.py --devices 4

Half of the devices hold one half of the units of a layer, and the others the
other half. Each half of a batch goes to two devices, one of each. The number is
that of one device. The devices are virtual ones of the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
from jax_devices import evaluate, make_virtual
from ranked import check_backend, parser_of


def split(devices: Sequence[str]) -> keras.distribution.ModelParallel:
    """Half of the devices in each direction: of the batch, and the units."""
    mesh = keras.distribution.DeviceMesh(
        (len(devices) // 2, 2), ["batch", "model"], list(devices)
    )
    layout = keras.distribution.LayoutMap(mesh)
    layout["hidden/kernel"] = (None, "model")
    layout["hidden/bias"] = ("model",)
    return keras.distribution.ModelParallel(
        layout_map=layout, batch_dim_name="batch"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluates a split model on all devices."""
    parser = parser_of(__doc__, "devices")
    parser.set_defaults(devices=4)
    args = parser.parse_args(argv)
    check_backend(parser, "jax")
    if args.devices % 2 or args.batch_size % (args.devices // 2):
        parser.error(
            "--devices should be even, and --batch-size a multiple of its half"
        )
    make_virtual(args.devices)
    distribution = split(keras.distribution.list_devices())
    evaluate(distribution, f"{args.devices // 2} x 2 devices", args)


if __name__ == "__main__":
    main()
