"""Runs and judgements in files, as chunks of rows.

A file is read in blocks of whole lines, and each block becomes four arrays: the
queries, the items, their scores or labels, and their lines. `runs` picks the
format.
"""

from __future__ import annotations

import os

_SHOWN = 120  # characters of what was received

KIND = "keras_rankmetrics."  # begins the kind of saved results
NOTHING = "(nothing)"  # an item that is neither judged nor retrieved


class FileError(ValueError):
    """A file that is not what it should be.

    Args:
        path: the file.
        expected: what the file should contain.
        received: what it contains.
        line: the number of the line, from 1; None for the whole file.
        remedy: a sentence on what to do, if `expected` does not say it.
    """

    def __init__(
        self,
        path: str,
        expected: str,
        received: object,
        line: int | None = None,
        remedy: str = "",
    ) -> None:
        if isinstance(received, bytes):
            # What is received can be long. A character has four bytes at most.
            start = received[: 4 * _SHOWN]
            received = start.decode("utf-8", "backslashreplace")
        place = path if line is None else f"{path}, line {line}"
        shown = repr(received)
        if len(shown) > _SHOWN:
            shown = shown[:_SHOWN] + "..."
        message = f"{place}: {expected} Received: {shown}."
        super().__init__(f"{message} {remedy}" if remedy else message)


# The expectation, what was received, and the remedy.
_REFUSED: dict[type[Exception], tuple[str, str, str]] = {
    IsADirectoryError: (
        "The path should be a file.",
        "a directory",
        "Pass a file in that directory.",
    ),
    FileNotFoundError: (
        "The file should exist.",
        "no such file",
        "Check the path. A relative one starts at the current directory.",
    ),
    PermissionError: (
        "The file should be readable.",
        "no permission",
        "Allow your user to read it.",
    ),
}


def unopened(path: str, error: OSError) -> FileError:
    """Return the error for a file that the system does not open."""
    # For a directory, Windows raises PermissionError.
    kind = IsADirectoryError if os.path.isdir(path) else type(error)
    expected, received, remedy = _REFUSED.get(
        kind,
        (
            "The file should be readable.",
            error.strerror or kind.__name__,
            "Copy it to a local disk, or restore it.",
        ),
    )
    return FileError(path, expected, received, remedy=remedy)


class QueriesReturnError(Exception):
    """The rows of a query of a run are not together.

    A reader that reads the rows again receives them sorted by query, since the
    file is then held in memory.
    """
