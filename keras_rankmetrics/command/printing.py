"""Text on stdout, whatever can be written there."""

from __future__ import annotations

import os
import sys

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
