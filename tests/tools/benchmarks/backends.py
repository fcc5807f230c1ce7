"""What benchmarks need of each backend: its `top_k`, and a row of a table."""

import argparse
import functools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.tools.benchmarks.markdown import table

BACKENDS = ("tensorflow", "jax", "torch")


def print_table(
    module: str,
    about: str | None,
    measured: Callable[[argparse.Namespace], Iterable[str]],
    columns: Sequence[str],
    **how: Any,
) -> None:
    """Prints a row for each backend.

    Args:
        module: as for `print_rows`.
        about: as for `print_rows`.
        measured: returns the cells of the backend of this process.
        columns: the names of the cells.
        how: the other arguments of `print_rows`.
    """

    def rows(options: argparse.Namespace) -> list[list[str]]:
        return [[os.environ["KERAS_BACKEND"], *measured(options)]]

    print_rows(module, about, rows, ["backend", *columns], **how)


def print_rows(
    module: str,
    about: str | None,
    measured: Callable[[argparse.Namespace], Iterable[Sequence[str]]],
    columns: Sequence[str],
    *,
    left: Sequence[int] = (0,),
    backends: Sequence[str] = BACKENDS,
    argv: Sequence[str] | None = None,
    **numbers: int | None,
) -> None:
    """Prints rows of each backend, from a process of its own, or its error.

    Args:
        module: the name of the module that calls this.
        about: the docstring of the module.
        measured: returns the rows of the backend of this process.
        columns: the names of their cells.
        left: as for `table`.
        backends: the backends by default.
        argv: the arguments; by default those of this process.
        numbers: the defaults of further options, which are integers.
    """
    name = f"tests.tools.benchmarks.{module}"
    parser = argparse.ArgumentParser(
        prog=f"python -m {name}", description=(about or "").partition("\n")[0]
    )
    for option, default in numbers.items():
        add = functools.partial(parser.add_argument, f"--{option}", type=int)
        add(default=default, help=f"(default: {default})")
    parser.add_argument("--backends", nargs="+", default=backends)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = list(argv) if argv is not None else sys.argv[1:]
    options = parser.parse_args(given)
    if options.here:
        for row in measured(options):
            print(table(row, []).partition("\n")[0])
        return
    asked = {option: getattr(options, option) for option in numbers}
    said = (f"{number} {option}" for option, number in asked.items() if number)
    print(f"{', '.join(said)}\n\n{table(columns, [], left)}")
    for backend in options.backends:
        found = subprocess.run(
            [sys.executable, "-m", name, "--here", *given],
            env={**os.environ, "KERAS_BACKEND": backend},
            capture_output=True,
            text=True,
            check=False,
        )
        rows = [x for x in found.stdout.splitlines() if x.startswith("|")]
        print(*(rows or [found.stderr[-500:]]), sep="\n", flush=True)


def times_of(
    calls: Mapping[Any, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[Any, list[float]]:
    """Return the seconds of each call, round by round."""
    times: dict[Any, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = clock()
            call()
            times[name].append(clock() - start)
    return times


def ratio_of(times: Iterable[float], others: Iterable[float]) -> float:
    """Return the median of the ratios within rounds."""
    pairs = zip(times, others, strict=True)
    return statistics.median(one / other for one, other in pairs)


def top_k(x: Any, k: int) -> tuple[Any, Any]:
    """Returns the backend's own, its fastest.

    That of Keras keeps the order of equal values from 3.16 on, and sorts whole
    rows for it on torch. Our reference should not change with Keras.
    """
    import keras

    if keras.config.backend() == "torch":
        import torch

        values, indices = torch.topk(x, k)
    elif keras.config.backend() == "jax":
        import jax

        values, indices = jax.lax.top_k(x, k)
    else:
        import tensorflow as tf

        values, indices = tf.math.top_k(x, k)
    return values, indices
