"""The arguments of the command, and what becomes of errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from keras_rankmetrics.command import conventions, evaluate, signature

_WRONG = 2  # the exit code of what the user can mend

SUBCOMMANDS = (evaluate, signature, conventions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit code.

    Args:
        arguments: those after the name of the command, by default of this
            process.
    """
    parser = argparse.ArgumentParser(
        prog="krm",
        description="Ranking metrics of files, and what signatures mean.",
    )
    parsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for subcommand in SUBCOMMANDS:
        subcommand.add_to(parsers)
    given = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace], str] = given.run
    try:
        text = run(given)
    except (ValueError, TypeError) as error:
        sys.stderr.write(f"krm: {error}\n")
        return _WRONG
    return _written(text)


def _written(text: str) -> int:
    if not text:
        return 0
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # as in `krm ... | head`; Python flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
