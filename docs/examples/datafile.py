"""Read lines and numbers of files, and report errors in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FLOAT32_MAX = float(np.finfo("float32").max)


class DataError(Exception):
    """An error in a file, with its line if there is one, and the reason."""

    def __init__(self, path: Path, line: int | None, reason: str):
        super().__init__(f"{path}{f':{line}' if line else ''}: {reason}")


def read_lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines that are not blank, numbered from 1."""
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DataError(path, None, error.strerror or str(error)) from None
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    return [(number, line) for number, line in lines if line]


def parse_number(name: str, text: str) -> float:
    """Return a number that float32 can hold; errors mention its name."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{name} {text!r} is not a number") from None
    if not abs(number) <= FLOAT32_MAX:
        raise ValueError(f"{name} {text!r} is not a finite float32")
    return number
