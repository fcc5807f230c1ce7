"""Evaluate in several processes of jax, each on its share of the lists.

    KERAS_BACKEND=jax python jax_processes.py --processes 2

The processes need not make the same number of steps: they exchange nothing
until each calls `sync`, once. Without `--rank` the program starts them itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ranked import in_processes, make_lists, make_metrics, told


def work(args: Any) -> None:
    """What each process does."""
    import jax
    from jax.experimental import multihost_utils

    jax.distributed.initialize(
        f"127.0.0.1:{args.ports[0]}", args.processes, args.rank
    )
    # On CPUs the first exchange waits for half a minute only, so meet first.
    multihost_utils.sync_global_devices("start")
    features, labels = make_lists(args.lists)
    scores = features.sum(-1, keepdims=True)  # of a model
    metrics = make_metrics()
    mine = np.array_split(np.arange(args.lists), args.processes)[args.rank]
    for start in range(0, len(mine), args.batch_size):
        batch = mine[start : start + args.batch_size]
        metrics.update_state(labels[batch], scores[batch])
    total = metrics.sync()  # all processes
    if args.rank == 0:
        one = make_metrics()
        one.update_state(labels, scores)
        print(told("one process", one))
        print(told("all processes", total), flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Starts the processes, or is one of them."""
    in_processes(__file__, __doc__, "jax", work, argv)


if __name__ == "__main__":
    main()
