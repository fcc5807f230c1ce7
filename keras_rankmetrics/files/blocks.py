"""Blocks of whole lines: a file is read in one go, and never held whole."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple

from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.pipes import File, Pipe, name_of

BLOCK = 2**20  # bytes: what is made of a block stays in the cache
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_LONE = re.compile(rb"\r(?![\r\n])")
_BROKEN = "It should be a file that can be read to its end."
_UNREADABLE = (OSError, EOFError, zlib.error)  # of gzip, or of the disk
LINE = 2**16  # bytes of a line, at most: a file of one line would fill memory
PARQUET = b"PAR1"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_COMMENTS, _HEAD = 1000, 256

# Told how many bytes on the disk have been read.
Watch = Callable[[int], None]


class Opened(NamedTuple):
    """An open file.

    Attributes:
        path: its name, for errors.
        file: its bytes, unpacked.
        packed: the same as it is on the disk.
    """

    path: str
    file: IO[bytes]
    packed: IO[bytes]


class Block(NamedTuple):
    """Some whole lines of a file.

    Attributes:
        data: the lines, the last one with its end.
        line: the number of the first one, from 1.
    """

    data: bytes
    line: int


def opened(file: File) -> Opened:
    """Open a file, which gzip may have packed, after its byte order mark.

    Raise FileError if it cannot be opened, or if its text is not UTF-8.
    """
    path = name_of(file)
    try:
        packed = _packed(file)
        start = packed.peek(2)[:2]
    except OSError as error:
        raise _unopened(path, error) from None
    text: io.BufferedReader = packed
    if start == _GZIP:
        text = io.BufferedReader(gzip.open(packed))  # noqa: SIM115
    try:
        _skip_mark(path, text)
    except _UNREADABLE as error:
        packed.close()
        raise FileError(path, _BROKEN, str(error)) from None
    except FileError:
        packed.close()
        raise
    return Opened(path, text, packed)


def _packed(file: File) -> io.BufferedReader:
    if isinstance(file, Pipe):
        return file.open()
    return open(file, "rb")


def _unopened(path: str, error: OSError) -> FileError:
    """Return the error of a file that the system does not open."""
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):
        expected, received = "The path should be a file.", "a directory"
        remedy = "Pass a file in that directory."
    elif isinstance(error, FileNotFoundError):
        expected, received = "The file should exist.", "no such file"
        remedy = "Check the path; it is relative to the current directory."
        if os.path.isabs(path):
            remedy = "Check the path."
    elif isinstance(error, PermissionError):
        expected, received = "The file should be readable.", "no permission"
        remedy = "Allow your user to read it."
    else:
        expected = "The file should be readable."
        received = error.strerror or type(error).__name__
        remedy = "Copy it to a local disk, or restore it."
    return FileError(path, expected, received, remedy=remedy)


def _skip_mark(path: str, file: io.BufferedReader) -> None:
    head = file.peek(_HEAD)[:_HEAD]
    if head.startswith(_BOM):
        file.read(len(_BOM))
    elif _is_wide(head):
        raise FileError(
            path,
            "The text should be UTF-8.",
            "UTF-16",
            remedy="Convert the file, as with `iconv -f UTF-16 -t UTF-8`. "
            "Old versions of PowerShell write UTF-16 with `>`.",
        )


def _is_wide(head: bytes) -> bool:
    """Return True for the start of a text in UTF-16."""
    if head.startswith(_WIDE_BOMS):
        return True
    if head.startswith(PARQUET):
        return False
    # Spaces and digits have a zero before or after them, never both.
    one, other = sorted((head[0::2].count(0), head[1::2].count(0)))
    return not one and 8 * other >= len(head) > 1


def first_line(file: File) -> tuple[bytes, int]:
    """Return the first line that is neither empty nor a comment.

    Returns:
        The line, or its start if it is longer than the limit, and its number
        from 1. If there is none, the line is empty.
    """
    source = opened(file)
    with source.packed:
        try:
            for number in range(1, _COMMENTS + 1):
                line = source.file.readline(LINE + 1)
                text = line.strip()
                if (text and not text.startswith(b"#")) or len(line) > LINE:
                    return text, number
        except _UNREADABLE as error:
            raise FileError(source.path, _BROKEN, str(error)) from None
    return b"", 1


def blocks_of(
    source: Opened, watch: Watch, size: int = BLOCK
) -> Iterator[Block]:
    """Yield the blocks of an open file, none of which is empty.

    Raise FileError as soon as a line exceeds the limit.

    Args:
        source: the file.
        watch: told how far it has been read.
        size: of a block, about, in bytes.
    """
    rest, line = b"", 1
    while data := _read(source, size):
        watch(source.packed.tell())
        data = rest + data
        _check_lines(source.path, data, line)
        whole = data.rfind(b"\n") + 1
        rest = data[whole:]
        if whole:
            yield Block(data[:whole], line)
            line += data.count(b"\n")
    if rest:
        yield Block(rest + b"\n", line)


def _check_lines(path: str, data: bytes, line: int) -> None:
    """Raise FileError if a line is too long, even if its end is not read."""
    start = 0
    while len(data) - start > LINE:
        end = data.rfind(b"\n", start, start + LINE + 1)
        if end < 0:
            number = line + data.count(b"\n", 0, start)
            long = data[start : start + LINE]
            check_ends(path, Block(long, number))
            expected = f"A line should have {LINE:,} bytes at most."
            remedy = "Check that lines end, and remove columns of long text."
            raise FileError(path, expected, long, number, remedy)
        start = end + 1


def check_ends(path: str, block: Block) -> None:
    """Raises where a carriage return stands alone, as old Macs end lines."""
    data = block.data
    if b"\r" not in data or data.count(b"\r") == data.count(b"\r\n"):
        return
    found = _LONE.search(data)
    if found is not None:
        line = data.count(b"\n", 0, found.start())
        raise FileError(
            path,
            "A line should end with a line feed, or with a carriage return "
            "and a line feed.",
            "a carriage return alone",
            block.line + line,
        )


def _read(source: Opened, size: int) -> bytes:
    try:
        return source.file.read(size)
    except _UNREADABLE as error:
        raise FileError(source.path, _BROKEN, str(error)) from None
