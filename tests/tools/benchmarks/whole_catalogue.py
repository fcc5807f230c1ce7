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
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.tools.benchmarks.backends import parser_of, print_rows

_DEPTH = 100
# Users whose target is at rank 100 in one and at 101 in the other, since both
# round scores differently.
_FEW_USERS = 3


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
        _check_same(results["ours"], results["faiss"], options.users)
    rise = rise_in(ours)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(options.rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    seconds = {
        name: f"{statistics.median(found):.2f} s"
        for name, found in times.items()
    }
    cells = [keras.config.backend(), f"{size:,}", seconds["products"]]
    cells += [seconds["ours"], _ratio(times["products"], times["ours"])]
    if "faiss" in times:
        cells += [seconds["faiss"], _ratio(times["ours"], times["faiss"])]
    else:
        cells += ["not installed", ""]
    share = rise / (4 * options.users * options.items)
    cells += [f"{rise / 2**20:.0f} MiB", f"{share:.1%}"]
    return f"| {' | '.join(cells)} |"


def _ratio(bases: Sequence[float], others: Sequence[float]) -> str:
    ratios = [b / a for a, b in zip(bases, others, strict=True)]
    return f"{statistics.median(ratios):.2f}"


def _check_same(ours: float, faiss: float, users: int) -> None:
    """Raises ValueError if the recall differs by more than a few users."""
    differ = round(abs(ours - faiss) * users)
    if differ > _FEW_USERS:
        raise ValueError(
            f"The recall of `count_ranks` and of FAISS should differ by at "
            f"most {_FEW_USERS} users. Received: {ours} and {faiss}, which "
            f"differ by {differ} of {users} users."
        )


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


def main(argv: Sequence[str] | None = None) -> None:
    """Measures each backend in a process of its own."""
    options = parser_of(
        "whole_catalogue",
        __doc__,
        users=1000,
        items=1_000_000,
        width=64,
        rounds=7,
        exclude=0,
        chunk=None,
    ).parse_args(argv)
    if options.here:
        print(measured(options))
        return
    print(
        f"{options.users:,} users, {options.items:,} items, "
        f"{options.exclude:,} excluded items per user, {options.width} "
        f"dimensions, {options.rounds} rounds.\n\n"
        "| backend | chunk | products | count_ranks | ratio | FAISS | "
        "FAISS / count_ranks | memory | of all scores |\n"
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    )
    print_rows(__spec__.name, options.backends, argv)


if __name__ == "__main__":
    main()
