"""`krm conventions`: the metrics of each convention, and those it lacks."""

from __future__ import annotations

import argparse

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.convention import in_a_line, in_words


def run(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    if arguments.all:
        return conventions.table()
    if arguments.name is not None:
        return in_words(conventions.named(arguments.name))
    width = max(map(len, conventions.names()))
    lines = [in_a_line(each, width) for each in conventions.all_of_them()]
    return "\n".join(lines)
