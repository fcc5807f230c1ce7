"""Which GPU there is, and which backends had it."""

import shutil
import subprocess
from collections.abc import Iterable, Sequence

from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.modes import MODES

QUERY = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
TIMEOUT_SECONDS = 60


def installed() -> tuple[str, ...]:
    """The names of those that the driver knows; none, without a driver."""
    if shutil.which(QUERY[0]) is None:
        return ()
    try:
        found = subprocess.run(
            QUERY,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(filter(None, map(str.strip, found.stdout.splitlines())))


def used(runs: Sequence[Run]) -> list[str]:
    """The names of those that tensors were on."""
    return list(dict.fromkeys(r.accelerator for r in runs if r.accelerator))


def in_words(runs: Sequence[Run], there: Sequence[str]) -> str:
    """The GPUs by name, and the backends that did and did not use one."""
    names = list(dict.fromkeys([*used(runs), *there]))
    if not names:
        return "none"
    done = [run for run in runs if not run.failure]
    on = _backends(run for run in done if run.accelerator)
    off = _backends(run for run in done if not run.accelerator)
    words = [" and ".join(names)]
    if on:
        words.append(f"used by {on}")
    if off:
        words.append(f"not used by {off}")
    return ", ".join(words)


def _backends(runs: Iterable[Run]) -> str:
    return " and ".join(dict.fromkeys(MODES[run.mode].backend for run in runs))
