"""Share options, lines and tables between the examples."""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import keras

WIDTH = 20  # of the bars, in letters
EIGHTHS = " ▏▎▍▌▋▊▉█"


def add_integers(
    parser: argparse.ArgumentParser, options: list[tuple[str, int, int, str]]
) -> None:
    """Add options, each with its default, its minimum and its meaning."""
    for option, default, minimum, meaning in options:
        parser.add_argument(
            option,
            type=at_least(minimum),
            default=default,
            help=f"{meaning} (default: {default})",
        )


def at_least(minimum: int) -> Callable[[str], int]:
    """Return the type of an integer option that has a minimum."""

    def integer(text: str) -> int:
        if int(text) < minimum:
            raise argparse.ArgumentTypeError(f"{text} is less than {minimum}")
        return int(text)

    return integer


def make_directory(directory: Path) -> None:
    """Create a directory, or exit if nothing can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        reason = "it is a file" if directory.is_file() else error.strerror
        sys.exit(
            f"{directory}: cannot write to this directory: {reason}. "
            "Choose another one with --output."
        )


class EpochLines(keras.callbacks.Callback):
    """Print a line for each epoch, with a bar from 0 to 1 for the last log.

    Args:
        *shown: the names of the logs. Place this callback after those that
            add logs.
    """

    def __init__(self, *shown: str):
        super().__init__()
        self.shown = shown

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        """Print the names, and the ends of the bars."""
        names = (f"{name:>8}" for name in self.shown)
        print("epoch", *names, f"0{1:{WIDTH - 1}}", sep="  ")

    def on_epoch_end(
        self, epoch: int, logs: dict[str, float] | None = None
    ) -> None:
        """Print the numbers."""
        logs = logs or {}
        cells = [f"{logs[name]:>{max(8, len(name))}.4f}" for name in self.shown]
        cells.append(bar(logs[self.shown[-1]]))
        print(f"{epoch + 1:5}", *cells, sep="  ", flush=True)

    def on_train_end(self, logs: dict[str, float] | None = None) -> None:
        """End with a blank line."""
        print(flush=True)


def bar(value: float) -> str:
    """Return a bar for a value from 0 to 1, and none if it is not finite."""
    if not math.isfinite(value):
        return ""
    full, eighths = divmod(round(value * WIDTH * 8), 8)
    return f"{'█' * full}{EIGHTHS[eighths]}".rstrip()


def print_table(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print a row of metrics for each scorer."""
    names = list(next(iter(rows.values())))
    print(f"{title:10}", *(f"{name:>8}" for name in names))
    for scorer, results in rows.items():
        cells = (f"{results[name]:>{max(8, len(name))}.4f}" for name in names)
        print(f"{scorer:10}", *cells)
    print(flush=True)


def print_closing(*metrics: keras.metrics.Metric) -> None:
    """Print how to read the table, and the signatures of the metrics."""
    print("The constant scorer is at chance level, because ties are averaged.")
    print("Quote the signature with a number:\n")
    for metric in metrics:
        print(metric.signature)
