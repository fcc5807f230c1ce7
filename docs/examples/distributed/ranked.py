"""What the examples share: lists to rank, their metrics, and a way to start."""

from __future__ import annotations

import argparse
import contextlib
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import keras
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


def check_backend(parser: argparse.ArgumentParser, backend: str) -> None:
    """Ends the program if Keras runs on another backend."""
    if keras.config.backend() != backend:
        parser.error(f"set KERAS_BACKEND={backend}")


def in_processes(
    program: str,
    doc: str | None,
    backend: str,
    work: Callable[[Any], None],
    argv: Sequence[str] | None,
) -> None:
    """Starts the processes of a program, or does the work of one of them.

    Args:
        program: its file.
        doc: its docstring.
        backend: that it needs.
        work: what each process does, given the arguments. Among them are its
            `rank` and `ports`, a free one for each process.
        argv: the arguments.
    """
    parser = parser_of(doc, "processes")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--ports", type=int, nargs="+")
    args = parser.parse_args(argv)
    check_backend(parser, backend)
    if args.rank is not None:
        return work(args)
    own = [
        f"--{n}={getattr(args, n.replace('-', '_'))}"
        for n in ("lists", "processes", "batch-size")
    ]
    return start_processes(program, args.processes, own)


def free_ports(number: int) -> list[str]:
    """Ports that nobody listens at, all different."""
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            for _ in range(number)
        ]
        return [str(server.getsockname()[1]) for server in servers]


def start_processes(
    program: str, number: int, arguments: Sequence[str], seconds: int = 300
) -> None:
    """Starts a program several times, each with its rank and all ports."""
    command = [sys.executable, program, *arguments]
    ports = ["--ports", *free_ports(number)]
    started = [
        subprocess.Popen([*command, f"--rank={rank}", *ports])
        for rank in range(number)
    ]
    try:
        codes = [process.wait(seconds) for process in started]
    finally:
        for process in started:
            process.kill()
    sys.exit(max(map(abs, codes)))
