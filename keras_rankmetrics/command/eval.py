"""`krm eval`: metrics of runs in files, compared with a baseline."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

from keras_rankmetrics.command import reading
from keras_rankmetrics.command.printing import warn
from keras_rankmetrics.comparing import Compared
from keras_rankmetrics.comparing.formats import as_csv
from keras_rankmetrics.comparing.report import POWER, percent
from keras_rankmetrics.engine.messages import as_table

_FORMATS: dict[str, Callable[[Compared], str]] = {
    "text": str,
    "markdown": Compared.to_markdown,
    "latex": Compared.to_latex,
    "json": lambda compared: compared.to_json(per_list=False, indent=2),
    "csv": Compared.to_csv,
}


def table(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    first = _baseline_path(arguments.baseline, arguments.runs)
    paths = reading.distinct([*first, *arguments.runs])
    reading.check_outputs(arguments, paths)
    compared, notes = reading.compared_of(arguments, reading.names_of(paths))
    if arguments.per_list:
        reading.write(arguments.per_list, as_csv(compared.per_list()))
    if arguments.save:
        reading.write(arguments.save, compared.to_json())
    again = Counter(arguments.runs) - Counter(reading.distinct(arguments.runs))
    for path in again.elements():
        warn(f"{path} was passed more than once. It is evaluated once.")
    text = _FORMATS[arguments.format](compared)
    if arguments.detect is not None:
        notes = [*notes, "", *_needed(compared, arguments)]
    if arguments.format == "text":
        text = "\n".join([text, *notes])
    if arguments.output:
        reading.write(arguments.output, text.rstrip("\n") + "\n")
        return ""
    return text


def _baseline_path(baseline: str | None, runs: list[str]) -> list[str]:
    """Return the path of the baseline, named by its path or as in the table."""
    if baseline is None:
        return []
    names = reading.names_of(runs).items()
    return [path for path, name in names if name == baseline] or [baseline]


def _needed(compared: Compared, arguments: argparse.Namespace) -> list[str]:
    """Return how many lists detect a difference, a line for each system.

    Raises:
        ValueError: if there is no other system, or no text to print it below.
    """
    others = [name for name in compared.systems if name != compared.baseline]
    if not others or arguments.format != "text":
        raise ValueError(
            "`--detect` should have two runs or more, and `--format text`. "
            f"Received: {len(others) + 1} and `--format {arguments.format}`."
        )
    needed = compared.lists_needed(arguments.detect)
    rows = [
        [x, *(f"{n:,}" if (n := of[x]) else "-" for of in needed.values())]
        for x in others
    ]
    return [
        "Lists like these that detect a true difference of "
        f"{arguments.detect:g} from {compared.baseline}, {percent(POWER)} of "
        "the time:",
        as_table(["", *needed], rows),
    ]
