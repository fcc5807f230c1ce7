"""Ranking over a catalogue whose scores fit into no memory.

    python -m tests.benchmarks.whole_catalogue
    python -m tests.benchmarks.whole_catalogue --items 100000 --backends torch

Beside `count_ranks`: the same matrix products, chunk by chunk, each compiled
and thrown away, which is the least that it can cost; and the first 100 items
that FAISS finds in its exact index, where it is installed. Both give the recall
at 100, which must be the same. FAISS knows no rank below the first 100.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.benchmarks.backends import BACKENDS, print_rows

_DEPTH = 100


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.whole_catalogue",
        description=(__doc__ or "").partition("\n")[0],
    )
    for name, default in [
        ("--users", 1000),
        ("--items", 1_000_000),
        ("--width", 64),
        ("--rounds", 7),
    ]:
        parser.add_argument(
            name, type=int, default=default, help=f"(default: {default})"
        )
    parser.add_argument("--chunk", type=int, help="(default: our default)")
    parser.add_argument("--backends", nargs="+", default=BACKENDS)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def measured(options: argparse.Namespace) -> str:
    """A row of the table, of the backend of this process."""
    import keras
    import numpy as np

    import keras_rankmetrics as krm
    from keras_rankmetrics.catalogues.passes import (
        chunks_of,
        compiled,
        in_one_memory,
        product,
    )
    from keras_rankmetrics.catalogues.ranks import chunk_size
    from tests.benchmarks.resident import rise_in

    rng = np.random.default_rng(0)
    users, items = (
        keras.ops.convert_to_tensor(
            rng.normal(size=(number, options.width)).astype("float32")
        )
        for number in (options.users, options.items)
    )
    targets = rng.integers(0, options.items, options.users)
    size = chunk_size(options.chunk, options.users, options.items)

    is_torch = keras.config.backend() == "torch"
    program = compiled(in_one_memory() if is_torch else product)

    def products() -> None:
        for _, rows, _ in chunks_of(items, size):
            last = program(users, rows)
        keras.ops.convert_to_numpy(last[0, :1])

    def ours() -> float:
        counts = krm.count_ranks(users, items, targets, chunk=options.chunk)
        return float(np.mean(counts["above"] < _DEPTH))

    calls: list[Callable[[], Any]] = [products, ours]
    vectors = map(keras.ops.convert_to_numpy, (users, items))
    calls += _with_faiss(*vectors, targets)
    for call in calls:
        call()
    rise = rise_in(ours)
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(options.rounds):
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            recall = call()
            found.append(time.perf_counter() - start)
    if len(calls) > 2 and abs(recall - ours()) > 1e-6:
        raise ValueError(f"FAISS has the recall {recall}, we have {ours()}.")
    bare, counted, *others = map(statistics.median, times)
    share = rise / (4 * options.users * options.items)
    return (
        f"| {keras.config.backend()} | {size:,} | {bare:.2f} s | "
        f"{counted:.2f} s | {_ratio(times[0], times[1]):.2f} | "
        + (
            f"{others[0]:.2f} s | {_ratio(times[1], times[2]):.2f} | "
            if others
            else "not installed | |"
        )
        + f"{rise / 2**20:.0f} MiB | {share:.1%} |"
    )


def _ratio(bases: Sequence[float], others: Sequence[float]) -> float:
    return statistics.median(b / a for a, b in zip(bases, others, strict=True))


def _with_faiss(
    users: Any, items: Any, targets: Any
) -> list[Callable[[], Any]]:
    """Return the recall of what FAISS finds, if it is installed."""
    try:
        import faiss
    except ImportError:
        return []
    index = faiss.IndexFlatIP(users.shape[1])
    index.add(items)

    def recall() -> float:
        _, found = index.search(users, _DEPTH)
        return float((found == targets[:, None]).any(axis=1).mean())

    return [recall]


def main(argv: Sequence[str] | None = None) -> None:
    """Measures each backend in a process of its own."""
    options = arguments(argv)
    if options.here:
        print(measured(options))
        return
    print(
        f"{options.users:,} users, {options.items:,} items, "
        f"{options.width} dimensions, {options.rounds} rounds.\n\n"
        "| backend | chunk | products | count_ranks | ratio | FAISS | "
        "FAISS / count_ranks | memory | of all scores |\n"
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    )
    print_rows(__spec__.name, options.backends, argv)


if __name__ == "__main__":
    main()
