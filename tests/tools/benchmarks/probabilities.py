"""Metrics of labels that are probabilities, beside the same with plain labels.

    python -m tests.tools.benchmarks.probabilities
    python -m tests.tools.benchmarks.probabilities --lists 1024 --ties 10

On jax and TensorFlow the update is compiled with XLA; torch runs as it is. Each
call gets new tensors, so that no result of an earlier one is used again. A cell
is the time of grades → that of probabilities, and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from typing import Any

from tests.tools.benchmarks.backends import print_table

METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "NDCG@10": ("NDCG", {"k": 10}),
    "NDCG": ("NDCG", {}),
    "MAP": ("MeanAveragePrecision", {}),
    "Recall@10": ("RecallAtK", {"k": 10}),
    "R-precision": ("RPrecision", {}),
    "MRR@10": ("MeanReciprocalRank", {"k": 10}),
}


def measured(options: argparse.Namespace) -> Iterator[str]:
    """The cells of the backend of this process."""
    import keras
    import numpy as np

    import keras_rankmetrics as krm
    from tests.tools.support.given import compiled

    rng = np.random.default_rng(0)
    shape = options.lists, options.items
    p = rng.random(shape, dtype="float32") ** 3
    scores = rng.random(shape, dtype="float32")
    if options.ties:
        scores = np.floor(scores * options.ties)
    for name, settings in METRICS.values():
        kinds = {
            "grades": np.float32(rng.random(shape) < p),
            "probabilities": p,
        }
        times: dict[str, list[float]] = {kind: [] for kind in kinds}
        runs = {
            kind: compiled(getattr(krm, name)(**settings, labels=kind).per_list)
            for kind in kinds
        }
        for number in range(options.rounds + 2):
            for kind, labels in kinds.items():
                inputs = [
                    keras.ops.convert_to_tensor(np.array(x))
                    for x in (labels, scores)
                ]
                start = time.perf_counter()
                keras.ops.convert_to_numpy(runs[kind](*inputs))
                if number > 1:  # the first calls compile
                    times[kind].append(time.perf_counter() - start)
        plain, expected = (statistics.median(x) for x in times.values())
        ratio = expected / plain
        yield f"{1e3 * plain:.1f} → {1e3 * expected:.1f} ms, {ratio:.1f}"


if __name__ == "__main__":
    print_table(
        *("probabilities", __doc__, measured, [*METRICS]),
        lists=1024,
        items=100,
        rounds=21,
        ties=None,
    )
