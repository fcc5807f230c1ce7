"""A table with a row for each backend, measured in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence

BACKENDS = ("tensorflow", "jax", "torch")


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
