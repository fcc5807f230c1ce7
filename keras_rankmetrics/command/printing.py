"""Print to any terminal, with a progress bar."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator

import numpy as np

_ASCII = {"▲": "^", "▼": "v", "±": "~", "²": "2"}
# The options of the command for arguments that messages of the library name.
_OPTIONS = {
    '`higher_is_better={"name": False}`': "`--lower-is-better RUN`",
    "`higher_is_better=False`": "`--lower-is-better`",
    "`sample_weight`": "`--weights`",
    "`groups`": "`--groups`",
    "`drop_same_id=True`": "`--drop-same-id`",
    "`drop_same_id=False`": "`--no-drop-same-id`",
}
_COLUMNS = re.compile(r"`columns=(\{[^{}`]*(?:\"|None|\])\})`")
_PARENTS = re.compile(r"`parents=(\"[^`]+\")`")
_WIDTH = 30  # of the bar, in characters
_SECONDS = 0.2  # between two updates of the bar


def print_text(text: str) -> None:
    """Write a text to stdout, even if its reader has closed it."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(in_letters_of(encoding, text.rstrip("\n") + "\n"))
        sys.stdout.flush()
    except BrokenPipeError:  # as in `krm ... | head`; Python flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_warning(note: str) -> None:
    """Write a warning to stderr."""
    sys.stderr.write(f"krm: warning: {note}\n")


@contextlib.contextmanager
def printed_warnings() -> Iterator[None]:
    """Print warnings to stderr without a line of code, each of them once."""
    with (
        np.errstate(divide="ignore", invalid="ignore"),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always", UserWarning)
        yield
    # A run that is read again may cause a warning again.
    for text, each in {str(each.message): each for each in caught}.items():
        if issubclass(each.category, UserWarning):
            print_warning(with_options(text))
        else:
            place = each.filename, each.lineno
            warnings.warn_explicit(each.message, each.category, *place)


def with_options(text: str) -> str:
    """Return a message of the library with options in place of arguments."""
    for argument, option in _OPTIONS.items():
        text = text.replace(argument, option)
    text = _PARENTS.sub(r"`--parents \1`", text)
    return _COLUMNS.sub(_columns_option, text)


def _columns_option(found: re.Match[str]) -> str:
    pairs = ast.literal_eval(found[1]).items()
    names = ",".join(
        f"{role}={name}"
        for role, x in pairs
        for name in (x if isinstance(x, list) else [x])
    )
    return f"`--columns {shlex.quote(names)}`"


def in_letters_of(encoding: str, text: str) -> str:
    """Return the text with replacements for what an encoding lacks.

    The marks of tables become similar ASCII characters, and all others
    question marks.

    >>> in_letters_of("ascii", "0.5 ± 0.1 ▲")
    '0.5 ~ 0.1 ^'
    """
    for mark, plain in _ASCII.items():
        if mark.encode(encoding, "ignore") != mark.encode(encoding, "replace"):
            text = text.replace(mark, plain)
    return text.encode(encoding, "replace").decode(encoding)


class Progress:
    """A bar that shows how much of some files has been read, in a context.

    Args:
        paths: the files.
        is_shown: True to draw it even if stderr is not a terminal.
    """

    def __init__(self, paths: Iterable[str], is_shown: bool) -> None:
        self._is_shown = is_shown or sys.stderr.isatty()
        self._total = sum(map(_size, paths))
        self._done: list[int] = []  # bytes of each file
        self._drawn = 0.0

    def watch(self, path: str) -> Callable[[int], None]:
        """Return a callback that takes the number of bytes read of a file."""
        number = len(self._done)
        self._done.append(0)

        def draw(done: int) -> None:
            self._done[number] = done
            self._draw(path, done)

        return draw

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar from the terminal."""
        if self._drawn:
            _redraw("")

    def _draw(self, path: str, done: int) -> None:
        now = time.monotonic()
        if not self._is_shown or now - self._drawn < _SECONDS:
            return
        self._drawn = now
        name = os.path.basename(path)
        text = f"{done / 1e6:,.1f} MB {name}"  # a pipe has no size
        if _size(path):
            share = min(sum(self._done) / max(self._total, 1), 1.0)
            filled = int(share * _WIDTH)
            bar = "#" * filled + "-" * (_WIDTH - filled)
            text = f"[{bar}] {share:4.0%} {name}"
        _redraw(text)


def _redraw(text: str) -> None:
    """Write a text over the last line of the terminal."""
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:  # opening the file raises an error that explains it
        return 0
