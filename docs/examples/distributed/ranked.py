"""What the examples share: lists to rank, their metrics, and a way to start."""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

import keras_rankmetrics as krm


def make_lists(number: int, items: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Features `[lists, items, 3]` and labels `[lists, items, 1]` of 0 to 3."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(number, items, 3)).astype("float32")
    noise = rng.normal(size=(number, items, 1))
    labels = np.clip(np.round(features.sum(-1, keepdims=True) + noise), 0, 3)
    return features, labels.astype("float32")


def make_metrics() -> krm.MetricCollection:
    """The metrics, new."""
    return krm.MetricCollection([*krm.NDCG.at(3, 5), krm.RecallAtK(k=3)])


def told(title: str, metrics: krm.MetricCollection) -> str:
    """The values of the metrics, and how many lists they rest on, in a line."""
    values = metrics.result().items()
    numbers = " ".join(f"{name} {float(value):.6f}" for name, value in values)
    return f"{title:24} {numbers} lists {metrics.metrics[0].count()}"


def parser_of(doc: str | None, counted: str) -> argparse.ArgumentParser:
    """A parser with the number of lists, and of what shares them."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lists", type=int, default=21)
    parser.add_argument(f"--{counted}", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=4)
    return parser


def start_processes(
    program: str, number: int, arguments: Sequence[str], seconds: int = 300
) -> None:
    """Starts a program several times, each with its rank and a common port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"--port={listening.getsockname()[1]}"
    started = [
        subprocess.Popen(
            [sys.executable, program, *arguments, f"--rank={rank}", place]
        )
        for rank in range(number)
    ]
    try:
        codes = [process.wait(seconds) for process in started]
    finally:
        for process in started:
            process.kill()
    sys.exit(max(map(abs, codes)))
