"""Printing to any terminal, with progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import TextIO

# Text on stdout, whatever can be written there.

_PLAIN = {"▲": "^", "▼": "v", "±": "~", "²": "2"}


def print_text(text: str) -> None:
    """Writes a text to stdout, which a reader may have closed."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(in_letters_of(encoding, text.rstrip("\n") + "\n"))
        sys.stdout.flush()
    except BrokenPipeError:  # as in `krm ... | head`; Python flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def in_letters_of(encoding: str, text: str) -> str:
    """The text with plain marks for those that an encoding lacks.

    Other letters that it lacks become question marks.

    >>> in_letters_of("ascii", "0.5 ± 0.1 ▲")
    '0.5 ~ 0.1 ^'
    """
    for mark, plain in _PLAIN.items():
        if mark.encode(encoding, "ignore") != mark.encode(encoding, "replace"):
            text = text.replace(mark, plain)
    return text.encode(encoding, "replace").decode(encoding)


# A bar on a terminal that shows how much of the files has been read.

_WIDTH = 30
_SECONDS = 0.2  # between two looks of the bar


class Progress:
    """How much of some files has been read.

    Args:
        paths: the files, each as often as it is read.
        stream: where the bar is drawn; None for nowhere.
    """

    def __init__(self, paths: Iterable[str], stream: TextIO | None) -> None:
        self._stream = stream
        self._total = sum(map(_size, paths))
        self._before = 0
        self._drawn = 0.0

    def watch(self, path: str) -> Callable[[int], None]:
        """What is told how many bytes of the file have been read."""
        return lambda done: self._draw(path, done)

    def finish(self, path: str) -> None:
        """The file has been read."""
        self._before += _size(path)

    def clear(self) -> None:
        """Takes the bar away."""
        if self._stream is not None and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self, path: str, done: int) -> None:
        now = time.monotonic()
        if self._stream is None or now - self._drawn < _SECONDS:
            return
        self._drawn = now
        name = os.path.basename(path)
        text = f"{done / 1e6:,.1f} MB {name}"  # nobody knows how long a pipe is
        if _size(path):
            share = min((self._before + done) / max(self._total, 1), 1.0)
            filled = int(share * _WIDTH)
            bar = "#" * filled + "-" * (_WIDTH - filled)
            text = f"[{bar}] {share:4.0%} {name}"
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()


def terminal(asked: bool) -> TextIO | None:
    """Where a bar is drawn: on stderr, if that is a terminal or was asked."""
    return sys.stderr if asked or sys.stderr.isatty() else None


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:  # whoever opens it says so
        return 0
