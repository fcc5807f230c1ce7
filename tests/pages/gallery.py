"""`python -m tests.pages.gallery` runs the examples, and stores what they say.

Set KERAS_BACKEND=tensorflow: the numbers that are stored are those of that
backend.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "examples"
BACKEND = "tensorflow"
# The options with which each example is run: less than two minutes.
OPTIONS = {
    "learning_to_rank": ("--epochs", "5"),
    "next_item": ("--epochs", "8"),
    "two_tower": ("--users", "384", "--epochs", "5"),
    "pointwise": (),
    "compare_models": (),
}


def stored(name: str) -> pathlib.Path:
    """The file with the output of an example."""
    return FOLDER / "output" / f"{name}.txt"


def ran(name: str) -> str:
    """What an example prints."""
    found = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *OPTIONS[name]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return found.stdout


if __name__ == "__main__":
    for name in OPTIONS:
        stored(name).parent.mkdir(exist_ok=True)
        stored(name).write_text(ran(name))
