"""Ranking over a catalogue whose scores fit into no memory.

    python -m tests.tools.benchmarks.whole_catalogue
    python -m tests.tools.benchmarks.whole_catalogue --items 100000
    python -m tests.tools.benchmarks.whole_catalogue --backends torch
    python -m tests.tools.benchmarks.whole_catalogue --exclude 100

Beside `count_ranks`: the same matrix products, chunk by chunk, each compiled
and thrown away, which is the least that it can cost; and the first 100 items
that FAISS finds in its exact index, where it is installed. Both give the recall
at 100, which must agree but for a few users. FAISS knows no rank below 100.

With `--exclude`, each user has seen so many items, which have no rank. FAISS
then finds as many more items, and the seen ones are left out.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

from tests.tools.benchmarks.backends import print_table, ratio_of, times_of

_DEPTH = 100
# Users whose target is at rank 100 in one and at 101 in the other, since both
# round scores differently.
_FEW_USERS = 3


def measured(options: argparse.Namespace) -> list[str]:
    """The cells of the backend of this process."""
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
    from tests.tools.benchmarks.resident import rise_in

    rng = np.random.default_rng(0)
    vectors, noise = (
        rng.normal(size=(number, options.width)).astype("float32")
        for number in (options.items, options.users)
    )
    targets = rng.integers(0, options.items, options.users)
    # Similar to the targets, so that about half of these are recalled.
    towers = noise + 0.5 * vectors[targets], vectors
    users, items = map(keras.ops.convert_to_tensor, towers)
    exclude = rng.integers(0, options.items, (options.users, options.exclude))
    size = chunk_size(options.chunk, options.users, options.items)

    is_torch = keras.config.backend() == "torch"
    program = compiled(in_one_memory() if is_torch else product)

    def products() -> None:
        for _, rows, _ in chunks_of(items, size):
            last = program(users, rows)
        keras.ops.convert_to_numpy(last[0, :1])

    def ours() -> float:
        counts = krm.count_ranks(
            users,
            items,
            targets,
            exclude if options.exclude else None,
            chunk=options.chunk,
        )
        above = counts["above"]
        return float(np.mean((above >= 0) & (above < _DEPTH)))

    calls: dict[str, Callable[[], Any]] = {"products": products, "ours": ours}
    calls |= _with_faiss(*towers, targets, exclude)
    results = {name: call() for name, call in calls.items()}
    if "faiss" in results:
        differ = abs(results["ours"] - results["faiss"]) * options.users
        assert round(differ) <= _FEW_USERS, results
    rise = rise_in(ours)
    times = times_of(calls, options.rounds)
    seconds = {
        name: f"{statistics.median(found):.2f} s"
        for name, found in times.items()
    }
    cells = [f"{size:,}", seconds["products"], seconds["ours"]]
    cells += [f"{ratio_of(times['ours'], times['products']):.2f}"]
    if "faiss" in times:
        ratio = ratio_of(times["faiss"], times["ours"])
        cells += [seconds["faiss"], f"{ratio:.2f}"]
    else:
        cells += ["not installed", ""]
    share = rise / (4 * options.users * options.items)
    return [*cells, f"{rise / 2**20:.0f} MiB", f"{share:.1%}"]


def _with_faiss(
    users: Any, items: Any, targets: Any, exclude: Any
) -> dict[str, Callable[[], float]]:
    """Return the recall of what FAISS finds, if it is installed."""
    try:
        import faiss
    except ImportError:
        return {}
    import numpy as np

    index = faiss.IndexFlatIP(users.shape[1])
    index.add(items)
    # A number for each pair of a user and an item.
    first_pairs = np.arange(len(users))[:, None] * len(items)
    seen = first_pairs + exclude

    def recall() -> float:
        _, found = index.search(users, _DEPTH + exclude.shape[1])
        is_hit = found == targets[:, None]
        if seen.size:
            is_new = ~np.isin(first_pairs + found, seen)
            is_hit &= is_new & (is_new.cumsum(axis=1) <= _DEPTH)
        return float(is_hit.any(axis=1).mean())

    return {"faiss": recall}


COLUMNS = ("chunk", "products", "count_ranks", "ratio", "FAISS")
COLUMNS += ("FAISS / count_ranks", "memory", "of all scores")

if __name__ == "__main__":
    print_table(
        *("whole_catalogue", __doc__, measured, COLUMNS),
        users=1000,
        items=1_000_000,
        width=64,
        rounds=7,
        exclude=0,
        chunk=None,
    )
