"""Fields of text lines as ids and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.blocks import Block
from keras_rankmetrics.files.errors import FileError

# The fields of many lines at once, as arrays.
#
# No line is ever a Python object of its own, which would take ten times as
# long as reading the file.

_NEWLINE, _SPACE, _COMMENT = 10, 32, 35
_RETURN, _TAB = 13, 9
_SPACES = frozenset((b" ", b"\t"))
_LONGEST = 1024  # bytes: each field takes as much memory as the longest one
_ROOM = 2**22  # bytes that a column of fields takes, at most


class Fields(NamedTuple):
    """Where the fields of some lines are.

    Attributes:
        data: the bytes of all lines, and as many zeros as the longest field.
        start: where each field starts, `[lines, fields]`.
        end: where it ends.
        line: the number of each line, from 1.
    """

    data: np.ndarray
    start: np.ndarray
    end: np.ndarray
    line: np.ndarray

    def narrow(self, columns: Sequence[int]) -> Iterator[Fields]:
        """Split the lines so that each of some columns takes little memory.

        One long field makes its whole column wide.
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
        """A column as an array of bytes. Raises where a field is very long."""
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
    """The fields of lines, between which spaces or tabs stand.

    Lines that are empty, or that begin with "#", are left out.

    Args:
        path: of the file, for errors.
        block: the lines.
        number: how many fields a line has.
        expected: what a line should be, for errors.
        more: whether a line may have more fields, which nobody reads.
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


def split_at(
    path: str, block: Block, number: int, delimiter: bytes, expected: str
) -> Fields:
    """The fields of lines between which a delimiter stands, without quotes.

    Spaces around a field are left out.
    """
    data = np.frombuffer(block.data, np.uint8)
    is_newline = data == _NEWLINE
    ends = np.flatnonzero(is_newline | (data == delimiter[0]))
    newlines = np.flatnonzero(is_newline)
    starts = np.append(0, ends[:-1] + 1)
    last = np.searchsorted(ends, newlines)  # the field that ends a line
    first = np.append(0, last[:-1] + 1)
    line = block.line + np.arange(len(newlines))
    # Windows ends lines by two bytes.
    is_return = data[newlines - 1] == _RETURN
    ends[last] -= is_return & (newlines > starts[last])
    filled = (last > first) | (ends[last] > starts[first])
    first, last, line = first[filled], last[filled], line[filled]
    wrong = last - first != number - 1
    if wrong.any():
        number_of_line = int(line[np.argmax(wrong)])
        raise FileError(
            path, expected, line_of(block, number_of_line), number_of_line
        )
    each = first[:, None] + np.arange(number)
    start, end = starts[each], ends[each]
    if any(space in block.data for space in _SPACES - {delimiter}):
        start, end = _stripped(data, start, end)
    return Fields(data, start, end, line)


def _stripped(
    data: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where fields start and end without the spaces around them."""
    is_space = (data == _SPACE) | (data == _TAB)
    while (spaces := is_space[start] & (start < end)).any():
        start = start + spaces
    while (spaces := is_space[end - 1] & (start < end)).any():
        end = end - spaces
    return start, end


def line_of(block: Block, number: int) -> bytes:
    """The line of that number."""
    return block.data.split(b"\n", number - block.line + 1)[
        number - block.line
    ].strip()


def as_array(
    path: str, pieces: Sequence[bytes], lines: Sequence[int]
) -> np.ndarray:
    """Pieces of bytes as an array of dtype "S". Raises where one is very long.

    Args:
        path: of the file, for errors.
        pieces: the bytes.
        lines: the number of the line of each piece.
    """
    longest = max(range(len(pieces)), key=lambda place: len(pieces[place]))
    _check_length(path, pieces[longest], lines[longest])
    return np.array(pieces, dtype=bytes)


def texts(
    path: str,
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    line: np.ndarray,
) -> np.ndarray:
    """Pieces of bytes as an array of them, `[pieces]` of dtype "S".

    Raises where one is very long.

    Args:
        path: of the file, for errors.
        data: the bytes, uint8.
        start: where each piece starts.
        end: where it ends.
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


# Numbers from text, many at once, each as Python's `float` reads it.
#
# Nearly all are digits around a point. With 15 digits at most these are an
# integer over a power of ten, both exact, so that one division rounds as it
# should. The others are read one by one.

_ZERO, _POINT, _MINUS = 48, 46, 45
_DIGITS = 15  # all integers of as many digits are floats
_POWERS = 10.0 ** np.arange(_DIGITS + 1)


def checked(
    path: str, pieces: np.ndarray, lines: Sequence[int] | np.ndarray, what: str
) -> np.ndarray:
    """The numbers that pieces of text are. Raises where one is none.

    Args:
        path: of the file, for errors.
        pieces: of dtype "S".
        lines: the number of the line of each piece.
        what: the numbers are, for errors.
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
    """The numbers that pieces of text are, float64; NaN where it is none.

    What is written as `nan` is no number either, nor is `1_000`.

    Args:
        pieces: of dtype "S".
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
        known = is_digit | is_point | (byte == 0)
        plain &= known | negative if place == 0 else known
    plain &= (digits > 0) & (digits <= _DIGITS) & (points < 2)
    if width > _DIGITS + 2:
        plain &= matrix[:, _DIGITS + 2] == 0
    after = np.where(plain, after, 0)
    value = np.where(negative, -mantissa, mantissa) / _POWERS[after]
    # What an integer cannot tell from 0.
    value[negative & (mantissa == 0)] = -0.0
    others = np.flatnonzero(~plain)
    value[others] = [_float(piece) for piece in pieces[others].tolist()]
    return value


def _float(piece: bytes) -> float:
    if b"_" in piece:  # which Python would leave out
        return float("nan")
    try:
        return float(piece)
    except ValueError:
        return float("nan")
