"""Errors that say where a file is invalid, and how to fix it."""

from __future__ import annotations

_SHOWN = 120  # characters of the invalid content


class FileError(ValueError):
    """An error in a file.

    Args:
        path: of the file.
        expected: a sentence about valid content.
        received: the invalid content.
        line: the number of the invalid line, from 1; None for the whole file.
        remedy: a sentence about what to do, unless `expected` says it.
    """

    def __init__(
        self,
        path: str,
        expected: str,
        received: object,
        line: int | None = None,
        remedy: str = "",
    ) -> None:
        place = path if line is None else f"{path}, line {line}"
        text = repr(_as_text(received))
        if len(text) > _SHOWN:
            text = text[:_SHOWN] + "..."
        message = f"{place}: {expected} Received: {text}."
        super().__init__(f"{message} {remedy}" if remedy else message)


class QueriesReturnError(Exception):
    """The rows of a query are not together: another query is between them.

    Args:
        path: of the file.
        query: the id of the query.
    """

    def __init__(self, path: str, query: str) -> None:
        super().__init__(f"{path}: the rows of query {query} are not together.")
        self.path = path


def _as_text(received: object) -> object:
    if isinstance(received, bytes):
        # The bytes can be long, so they are cut before they are decoded. A
        # character has at most four.
        return received[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    return received
