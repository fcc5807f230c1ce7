"""Programs, run as a user runs them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def python(*arguments, cwd=None, **variables):
    """A process of Python: its exit code and what it printed."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONIOENCODING": "utf-8",
            **variables,
        },
        timeout=300,
    )


def printed(*arguments, **more):
    """What a process of Python prints, which must not fail."""
    done = python(*arguments, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def ran(name, *options):
    """An example of that name: its exit code and what it printed."""
    return python(ROOT / "docs" / "examples" / name, *options)
