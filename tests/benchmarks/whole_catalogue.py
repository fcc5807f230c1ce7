"""Ranking over a catalogue whose scores fit into no memory.

    python -m tests.benchmarks.whole_catalogue
    python -m tests.benchmarks.whole_catalogue --items 100000 --backends torch

Beside `count_ranks`: the same matrix products, chunk by chunk, each compiled
and thrown away. That is the least that it can cost.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

from tests.benchmarks.backends import BACKENDS, print_rows


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

    def products() -> None:
        program = compiled(product)
        for _, rows, _ in chunks_of(items, size):
            last = program(users, rows)
        keras.ops.convert_to_numpy(last[0, :1])

    def ours() -> None:
        krm.count_ranks(users, items, targets, chunk=options.chunk)

    times: dict[Callable[[], None], list[float]] = {products: [], ours: []}
    for call in times:
        call()
    rise = rise_in(ours)
    for _ in range(options.rounds):
        for call, found in times.items():
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
    bare, counted = map(statistics.median, times.values())
    ratio = statistics.median(
        b / a for a, b in zip(*times.values(), strict=True)
    )
    share = rise / (4 * options.users * options.items)
    return (
        f"| {keras.config.backend()} | {size:,} | {bare:.2f} s | "
        f"{counted:.2f} s | {ratio:.2f} | {rise / 2**20:.0f} MiB | "
        f"{share:.1%} |"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Measures each backend in a process of its own."""
    options = arguments(argv)
    if options.here:
        print(measured(options))
        return
    print(
        f"{options.users:,} users, {options.items:,} items, "
        f"{options.width} dimensions, {options.rounds} rounds.\n\n"
        "| backend | chunk | products | count_ranks | ratio | memory | of all "
        "scores |\n| --- | --: | --: | --: | --: | --: | --: |"
    )
    print_rows(__spec__.name, options.backends, argv)


if __name__ == "__main__":
    main()
