"""`python -m tests.pages.gallery` runs the examples, and stores what they say.

Set KERAS_BACKEND=tensorflow: the numbers that are stored are those of that
backend.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "examples"
BACKEND = "tensorflow"
# The options with which each example is run: less than two minutes.
OPTIONS = {
    "learning_to_rank": ("--epochs", "5"),
    "next_item": ("--epochs", "8"),
    "two_tower": ("--users", "384", "--epochs", "5"),
}
# What Keras prints of an epoch: a title, or a bar.
OF_EPOCH = re.compile(r"^Epoch|━|s/step - ", re.MULTILINE)
CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\x08|\r")


def stored(name: str) -> pathlib.Path:
    """The file with the output of an example."""
    return FOLDER / "output" / f"{name}.txt"


def ran(name: str) -> str:
    """What an example prints, without the progress of its epochs."""
    found = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *OPTIONS[name]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return without_progress(found.stdout)


def without_progress(printed: str) -> str:
    """The paragraphs of an output that tell of no epoch."""
    parts = CODES.sub("", printed).strip().split("\n\n")
    return "\n\n".join(p for p in parts if not OF_EPOCH.search(p)) + "\n"


if __name__ == "__main__":
    for name in OPTIONS:
        stored(name).parent.mkdir(exist_ok=True)
        stored(name).write_text(ran(name))
