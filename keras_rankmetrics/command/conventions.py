"""`krm conventions`: the metrics of each convention, and those it lacks."""

from __future__ import annotations

import argparse

from keras_rankmetrics import conventions


def run(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    if arguments.all:
        return conventions.table()
    if arguments.name is not None:
        return str(conventions.named(arguments.name))
    width = max(map(len, conventions.names()))
    return "\n".join(
        f"{each.name:{width}}  {each.about}"
        for each in conventions.all_of_them()
    )
