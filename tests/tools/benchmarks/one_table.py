"""How long tables take in memory, in files and lazily, and how much memory.

    python -m tests.tools.benchmarks.one_table
    python -m tests.tools.benchmarks.one_table --rows 12000000 --ids text
    python -m tests.tools.benchmarks.one_table join frame --shuffled

Each way has a process of its own, which evaluates five metrics of lists of 100
items: first of few rows, to warm up, and then of all. The first time is that of
the processor, the second one is on the wall. The memory is what this takes at
its peak beside what the process has before, such as a frame. It needs Linux.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.tools.benchmarks.backends import BACKENDS
from tests.tools.benchmarks.resident import rise_in

ITEMS, METRICS = 100, "NDCG@10 MAP RR P@5 Recall@10"
NO_ITEMS = {"columns": {"item": None}}


def write(folder: str, rows: int, ids: str, shuffled: bool) -> None:
    """Write random lists of 100 items as Parquet and CSV, and some of them."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng, number = np.random.default_rng(0), np.arange(rows)
    query, item = number // ITEMS, number % ITEMS
    if ids == "text":
        query, item = (
            np.char.add(name, column.astype(str))
            for name, column in (("query_", query), ("item_", item))
        )
    table = pa.table(
        {
            "query": query,
            "item": item,
            "label": rng.integers(0, 5, rows),
            "score": rng.random(rows, dtype=np.float32),
        }
    )
    few = table.slice(0, 10 * ITEMS)
    if shuffled:
        table = table.take(rng.permutation(rows))
    for name, part in (("few", few), ("all", table)):
        pa.parquet.write_table(part, f"{folder}/{name}.parquet")
        pa.csv.write_csv(part, f"{folder}/{name}.csv")


def frame(path: str) -> Any:
    """Return the frame in a file, in memory."""
    return importlib.import_module("pandas").read_parquet(f"{path}.parquet")


def of_one(x: Any) -> Callable[[], Any]:
    """Return what evaluates one table."""
    krm = importlib.import_module("keras_rankmetrics")
    return lambda: krm.evaluate(x, metrics=METRICS, **NO_ITEMS)


def joined(x: Any) -> Callable[[], Any]:
    """Return what joins a table with itself."""
    krm = importlib.import_module("keras_rankmetrics")
    return lambda: krm.evaluate(x, x, METRICS)


def of_rows(x: Any) -> Callable[[], Any]:
    """Return what evaluates columns."""
    krm = importlib.import_module("keras_rankmetrics")
    return lambda: krm.evaluate_rows(x["query"], x.label, x.score, METRICS)


def library(name: str) -> Any:
    """Return a library that reads Parquet lazily."""
    return importlib.import_module(name)


WAYS: dict[str, Callable[[str], Callable[[], Any]]] = {
    "evaluate_rows": lambda path: of_rows(frame(path)),
    "frame": lambda path: of_one(frame(path)),
    "join": lambda path: joined(frame(path)),
    "join of Parquet": lambda path: joined(f"{path}.parquet"),
    "CSV": lambda path: of_one(f"{path}.csv"),
    "Parquet": lambda path: of_one(f"{path}.parquet"),
    "polars": lambda path: of_one(
        library("polars").scan_parquet(f"{path}.parquet")
    ),
    "DuckDB": lambda path: of_one(
        library("duckdb").read_parquet(f"{path}.parquet")
    ),
}


def measure(way: str, folder: str) -> None:
    """Print the time and the memory of a way, in this process."""
    WAYS[way](f"{folder}/few")()
    call, taken = WAYS[way](f"{folder}/all"), []

    def timed() -> None:
        spent, wall = time.process_time(), time.time()
        call()
        taken.extend([time.process_time() - spent, time.time() - wall])

    rise = rise_in(timed) >> 20
    print(f"{taken[0]:.2f}|{taken[1]:.2f}|{rise}")


def main() -> None:
    """Measure each way in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("ways", nargs="*", help=f"some of {[*WAYS]}")
    parser.add_argument("--rows", type=int, default=3_000_000)
    kinds = ("integers", "text")
    parser.add_argument("--ids", choices=kinds, default="integers")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--backend", choices=BACKENDS, default="torch")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.folder:
        measure(asked.ways[0], asked.folder)
        return
    program = [sys.executable, "-m", "tests.tools.benchmarks.one_table"]
    environment = {**os.environ, "KERAS_BACKEND": asked.backend}
    print("| way | processor, s | wall, s | memory, MB |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        write(folder, asked.rows, asked.ids, asked.shuffled)
        for way in asked.ways or WAYS:
            found = subprocess.run(
                [*program, way, "--folder", folder],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            numbers = found.stdout.split()[-1].replace("|", " | ")
            print(f"| {way} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
