"""The fields of many lines at once, as arrays.

No line is ever a Python object of its own, which would take ten times as long
as reading the file.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.blocks import Block
from keras_rankmetrics.files.errors import FileError

_NEWLINE, _SPACE, _COMMENT = 10, 32, 35
_LONGEST = 1024  # bytes: each field takes as much memory as the longest one


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

    def texts(self, column: int, path: str) -> np.ndarray:
        """A column as an array of bytes. Raises where a field is very long."""
        start, end = self.start[:, column], self.end[:, column]
        if len(start) and (end - start).max() > _LONGEST:
            place = int(np.argmax(end - start))
            raise FileError(
                path,
                f"A field should have {_LONGEST:,} bytes at most.",
                self.data[start[place] : end[place]].tobytes(),
                int(self.line[place]),
            )
        return texts(self.data, start, end)


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
    """The fields of lines between which a delimiter stands, without quotes."""
    data = np.frombuffer(block.data, np.uint8)
    is_newline = data == _NEWLINE
    ends = np.flatnonzero(is_newline | (data == delimiter[0]))
    newlines = np.flatnonzero(is_newline)
    starts = np.append(0, ends[:-1] + 1)
    last = np.searchsorted(ends, newlines)  # the field that ends a line
    first = np.append(0, last[:-1] + 1)
    line = block.line + np.arange(len(newlines))
    # Windows ends lines by two bytes.
    ends[last] -= (data[newlines - 1] == 13) & (newlines > starts[last])
    filled = (last > first) | (ends[last] > starts[first])
    first, last, line = first[filled], last[filled], line[filled]
    wrong = last - first != number - 1
    if wrong.any():
        number_of_line = int(line[np.argmax(wrong)])
        raise FileError(
            path, expected, line_of(block, number_of_line), number_of_line
        )
    each = first[:, None] + np.arange(number)
    return Fields(data, starts[each], ends[each], line)


def line_of(block: Block, number: int) -> bytes:
    """The line of that number."""
    return block.data.split(b"\n", number - block.line + 1)[
        number - block.line
    ].strip()


def texts(data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Pieces of bytes as an array of them, `[pieces]` of dtype "S".

    Args:
        data: the bytes, uint8.
        start: where each piece starts.
        end: where it ends.
    """
    length = end - start
    width = int(length.max(initial=1))
    room = np.concatenate([data, np.zeros(width, np.uint8)])
    windows = np.ndarray(len(data) + 1, f"S{width}", room.data, strides=(1,))
    pieces = windows[start]
    if (length != width).any():
        matrix = pieces.view(np.uint8).reshape(-1, width)
        matrix *= np.arange(width) < length[:, None]
    return pieces
