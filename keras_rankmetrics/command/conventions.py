"""`krm conventions`: what each convention has, and what it lacks."""

from __future__ import annotations

import argparse
from typing import Any

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.convention import in_a_line, in_words


def add_to(parsers: Any) -> None:
    """Adds the sub-command."""
    parser = parsers.add_parser(
        "conventions",
        help="list the conventions, or tell about one",
        description="The conventions: options that give other tools' numbers.",
    )
    parser.add_argument(
        "name",
        nargs="?",
        help="a convention: what it has, and what cannot be had",
    )
    parser.add_argument(
        "--all", action="store_true", help="tell about all of them"
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """The text to print."""
    if given.all:
        return conventions.table()
    if given.name is not None:
        return in_words(conventions.named(given.name))
    width = max(map(len, conventions.names()))
    lines = [in_a_line(each, width) for each in conventions.all_of_them()]
    return "\n".join(lines)
