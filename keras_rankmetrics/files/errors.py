"""What is wrong with a file, said so that it can be mended."""

from __future__ import annotations

_SHOWN = 120  # characters of what was received


class FileError(ValueError):
    """A file that cannot be read as what it should be.

    Args:
        path: the file.
        expected: what should stand there.
        received: what stands there.
        line: its number, from 1; None where it is about the whole file.
        remedy: what to do, as a sentence, if `expected` does not say it.
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
        said = f"{place}: {expected} Received: {text}."
        super().__init__(f"{said} {remedy}" if remedy else said)


class QueriesReturnError(Exception):
    """A query of a run goes on further down, after the lines of another one.

    Args:
        path: the file.
        query: the query.
    """

    def __init__(self, path: str, query: str) -> None:
        super().__init__(f"{path}: the lines of query {query} are apart.")
        self.path = path


def _as_text(received: object) -> object:
    if isinstance(received, bytes):
        # A character has at most four bytes; what is received can be long.
        return received[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    return received
