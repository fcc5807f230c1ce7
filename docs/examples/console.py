"""What the examples share of the command line: options and tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable


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


def print_table(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Prints a row of metrics for each scorer."""
    names = list(next(iter(rows.values())))
    print(f"{title:10}", *(f"{name:>8}" for name in names))
    for scorer, results in rows.items():
        cells = (f"{results[name]:>{max(8, len(name))}.4f}" for name in names)
        print(f"{scorer:10}", *cells)
    print(flush=True)
