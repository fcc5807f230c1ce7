"""The arguments of the command, and what becomes of errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from keras_rankmetrics.command import conventions, evaluate, signature
from keras_rankmetrics.command.printing import print_text

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
    if text:
        print_text(text)
    return 0
