"""What benchmarks need of each backend: its `top_k`, and a row of a table."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

BACKENDS = ("tensorflow", "jax", "torch")


def parser_of(
    module: str,
    about: str | None,
    backends: Sequence[str] = BACKENDS,
    **numbers: int | None,
) -> argparse.ArgumentParser:
    """Return the options of a benchmark that prints a row for each backend.

    Args:
        module: the name of its module.
        about: the docstring of the module.
        backends: the backends by default.
        numbers: the defaults of its other options, which are integers.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m tests.tools.benchmarks.{module}",
        description=(about or "").partition("\n")[0],
    )
    for name, default in numbers.items():
        parser.add_argument(
            f"--{name}", type=int, default=default, help=f"(default: {default})"
        )
    parser.add_argument("--backends", nargs="+", default=backends)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser


def print_rows(
    module: str, backends: Sequence[str], argv: Sequence[str] | None
) -> None:
    """Prints the last line of a module on each backend, or the error.

    Args:
        module: what `python -m` takes. With `--here` it measures the backend
            of its process.
        backends: the backends.
        argv: the arguments; by default those of this process.
    """
    given = list(argv) if argv is not None else sys.argv[1:]
    for backend in backends:
        found = subprocess.run(
            [sys.executable, "-m", module, "--here", *given],
            env={**os.environ, "KERAS_BACKEND": backend},
            capture_output=True,
            text=True,
            check=False,
        )
        row = found.stdout.strip().splitlines()[-1:]
        print(*(row or [found.stderr[-500:]]), flush=True)


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
