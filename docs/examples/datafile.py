"""What the examples that read files share: lines, numbers, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FLOAT32_MAX = float(np.finfo("float32").max)


class DataError(Exception):
    """Data that cannot be used: the file, the line where there is one, why."""

    def __init__(self, path: Path, line: int | None, reason: str):
        super().__init__(f"{path}{f':{line}' if line else ''}: {reason}")


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines that are not blank, numbered from 1."""
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DataError(path, None, error.strerror or str(error)) from None
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    return [(number, line) for number, line in lines if line]


def parse_number(what: str, text: str) -> float:
    """Parses a number that float32 can hold; `what` names it in the error."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{what} {text!r} is not a number") from None
    if not abs(number) <= FLOAT32_MAX:
        raise ValueError(f"{what} {text!r} is not a finite float32")
    return number
