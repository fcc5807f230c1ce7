"""Fields of text lines as arrays of ids and numbers.

No line becomes a Python object of its own, which would take ten times as long
as reading the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.blocks import Block
from keras_rankmetrics.files.errors import FileError

_NEWLINE, _SPACE, _COMMENT = 10, 32, 35
_LONGEST = 1024  # bytes: each field takes the memory of the longest one
_ROOM = 2**22  # bytes of a column of fields, at most


class Fields(NamedTuple):
    """The places of the fields of some lines.

    Attributes:
        data: the bytes of all lines.
        start: `[lines, fields]`, the place of the first byte of each field.
        end: `[lines, fields]`, the place after its last byte.
        line: `[lines]`, the number of each line, from 1.
    """

    data: np.ndarray
    start: np.ndarray
    end: np.ndarray
    line: np.ndarray

    def narrow(self, columns: Sequence[int]) -> Iterator[Fields]:
        """Yield the lines in parts, so that no column takes much memory.

        One long field makes its whole column wide.

        Args:
            columns: the columns that will be read.
        """
        rows = len(self.line)
        widest = max(
            int((self.end[:, column] - self.start[:, column]).max(initial=1))
            for column in columns
        )
        step = _ROOM // min(widest, _LONGEST)
        if rows <= step:
            yield self
            return
        for first in range(0, rows, step):
            part = slice(first, first + step)
            yield Fields(
                self.data, self.start[part], self.end[part], self.line[part]
            )

    def texts(self, column: int, path: str) -> np.ndarray:
        """Return a column as an array of dtype "S".

        Raise FileError if a field is too long.
        """
        return texts(
            path,
            self.data,
            self.start[:, column],
            self.end[:, column],
            self.line,
        )


def split_at_spaces(
    path: str, block: Block, number: int, expected: str, more: bool
) -> Fields:
    """Return the fields of lines, which spaces or tabs separate.

    Empty lines and lines that begin with "#" are left out.

    Args:
        path: of the file, for errors.
        block: the lines.
        number: the number of fields in a line.
        expected: a sentence about the layout of a line, for errors.
        more: whether further fields are allowed, and ignored.
    """
    data = np.frombuffer(block.data, np.uint8)
    is_space = np.empty(len(data) + 1, bool)
    is_space[0] = True
    np.less_equal(data, _SPACE, out=is_space[1:])
    edges = np.flatnonzero(is_space[1:] != is_space[:-1])
    start, end = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(data == _NEWLINE)
    line = block.line + np.arange(len(newlines))
    if len(start) == number * len(newlines):
        start, end = start.reshape(-1, number), end.reshape(-1, number)
        within = end[:, -1] <= newlines
        within[1:] &= start[1:, 0] > newlines[:-1]
        if within.all():
            return Fields(data, start, end, line)
        start, end = start.ravel(), end.ravel()
    # Some lines have another number of fields.
    first = np.searchsorted(start, np.append(0, newlines + 1))
    count = np.diff(first)
    first = first[:-1]
    counted = count > 0
    counted[counted] = data[start[first[counted]]] != _COMMENT
    first, count, line = first[counted], count[counted], line[counted]
    wrong = count < number if more else count != number
    if wrong.any():
        place = int(np.argmax(wrong))
        number_of_line = int(line[place])
        raise FileError(
            path, expected, line_of(block, number_of_line), number_of_line
        )
    each = first[:, None] + np.arange(number)
    return Fields(data, start[each], end[each], line)


def line_of(block: Block, number: int) -> bytes:
    """Return a line of a block by its number."""
    return block.data.split(b"\n", number - block.line + 1)[
        number - block.line
    ].strip()


def texts(
    path: str,
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    line: np.ndarray,
) -> np.ndarray:
    """Return pieces of `data` as an array of dtype "S", `[pieces]`.

    Raise FileError if a piece is too long.

    Args:
        path: of the file, for errors.
        data: the bytes, uint8.
        start: the place of the first byte of each piece.
        end: the place after its last byte.
        line: the number of the line of each piece.
    """
    length = end - start
    if len(length):
        place = int(np.argmax(length))
        piece = data[start[place] : end[place]].tobytes()
        _check_length(path, piece, int(line[place]))
    width = int(length.max(initial=1))
    room = np.concatenate([data, np.zeros(width, np.uint8)])
    windows = np.ndarray(len(data) + 1, f"S{width}", room.data, strides=(1,))
    pieces = windows[start]
    if (length != width).any():
        matrix = pieces.view(np.uint8).reshape(-1, width)
        matrix *= np.arange(width) < length[:, None]
    return pieces


def _check_length(path: str, longest: bytes, line: int) -> None:
    if len(longest) > _LONGEST:
        expected = f"A field should have {_LONGEST:,} bytes at most."
        raise FileError(path, expected, longest, line)


# Nearly all numbers in files are digits around a decimal point. With at most 15
# digits, such a number is an integer divided by a power of ten. Both are exact
# in float64, so the division rounds correctly, as Python's `float` does. All
# other numbers are parsed one by one.

_ZERO, _POINT, _MINUS = 48, 46, 45
_DIGITS = 15  # all integers of this length are exact in float64
_POWERS = 10.0 ** np.arange(_DIGITS + 1)


def checked(
    path: str, pieces: np.ndarray, lines: Sequence[int] | np.ndarray, what: str
) -> np.ndarray:
    """Return texts as numbers. Raise FileError if one is not a number.

    Args:
        path: of the file, for errors.
        pieces: the texts, of dtype "S".
        lines: the number of the line of each text.
        what: the name of the numbers, for errors.
    """
    values = floats_of(pieces)
    wrong = np.isnan(values)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise FileError(
            path,
            f"The {what} should be a number.",
            pieces[place],
            int(lines[place]),
        )
    return values


def floats_of(pieces: np.ndarray) -> np.ndarray:
    """Return texts as float64, and NaN for a text that is not a number.

    The texts `nan` and `1_000` are not numbers.

    Args:
        pieces: the texts, of dtype "S".
    """
    width = pieces.dtype.itemsize
    matrix = pieces.view(np.uint8).reshape(len(pieces), width)
    mantissa = np.zeros(len(pieces), np.int64)
    digits = np.zeros(len(pieces), np.int64)
    after = np.zeros(len(pieces), np.int64)
    points = np.zeros(len(pieces), np.int64)
    plain = np.ones(len(pieces), bool)
    negative = matrix[:, 0] == _MINUS
    for place in range(min(width, _DIGITS + 2)):
        byte = matrix[:, place]
        digit = byte - np.uint8(_ZERO)  # wraps round below the zero
        is_digit = digit < 10
        is_point = byte == _POINT
        mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
        digits += is_digit
        after += is_digit & (points > 0)
        points += is_point
        allowed = is_digit | is_point | (byte == 0)
        plain &= allowed | negative if place == 0 else allowed
    plain &= (digits > 0) & (digits <= _DIGITS) & (points < 2)
    if width > _DIGITS + 2:
        plain &= matrix[:, _DIGITS + 2] == 0
    after = np.where(plain, after, 0)
    value = np.where(negative, -mantissa, mantissa) / _POWERS[after]
    # An integer has no negative zero.
    value[negative & (mantissa == 0)] = -0.0
    others = np.flatnonzero(~plain)
    value[others] = [_float(piece) for piece in pieces[others].tolist()]
    return value


def _float(piece: bytes) -> float:
    if b"_" in piece:  # Python would ignore it
        return float("nan")
    try:
        return float(piece)
    except ValueError:
        return float("nan")
