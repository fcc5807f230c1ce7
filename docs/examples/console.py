"""What the examples share of the command line: options, lines and tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import keras


def add_integers(
    parser: argparse.ArgumentParser, options: list[tuple[str, int, int, str]]
) -> None:
    """Adds options, each with its default, its minimum and what it counts."""
    for option, default, minimum, what in options:
        parser.add_argument(
            option,
            type=at_least(minimum),
            default=default,
            help=f"{what} (default: {default})",
        )


def at_least(minimum: int) -> Callable[[str], int]:
    """The type of an integer option that has a minimum."""

    def integer(text: str) -> int:
        if int(text) < minimum:
            raise argparse.ArgumentTypeError(f"{text} is less than {minimum}")
        return int(text)

    return integer


class EpochLines(keras.callbacks.Callback):
    """Prints one line for each epoch, for terminals and log files alike.

    Args:
        *shown: the names of the logs. Place this callback after those that
            add logs.
    """

    def __init__(self, *shown: str):
        super().__init__()
        self.shown = shown

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        """Prints the names."""
        print("epoch", *(f"{name:>8}" for name in self.shown), sep="  ")

    def on_epoch_end(
        self, epoch: int, logs: dict[str, float] | None = None
    ) -> None:
        """Prints the numbers."""
        logs = logs or {}
        cells = (f"{logs[name]:>{max(8, len(name))}.4f}" for name in self.shown)
        print(f"{epoch + 1:5}", *cells, sep="  ", flush=True)

    def on_train_end(self, logs: dict[str, float] | None = None) -> None:
        """Ends with a blank line."""
        print(flush=True)


def print_closing(metric: keras.metrics.Metric) -> None:
    """Says how to read the table, and how to quote the metric."""
    print("The constant scorer shows chance level: its ties are averaged.")
    print("To quote a number, quote what it measures:\n")
    print(metric.signature)


def print_table(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Prints a row of metrics for each scorer."""
    names = list(next(iter(rows.values())))
    print(f"{title:10}", *(f"{name:>8}" for name in names))
    for scorer, results in rows.items():
        cells = (f"{results[name]:>{max(8, len(name))}.4f}" for name in names)
        print(f"{scorer:10}", *cells)
    print(flush=True)
