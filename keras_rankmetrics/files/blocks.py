"""Blocks of whole lines: a file is read in one go, and never held whole."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple

from keras_rankmetrics.files.errors import FileError

BLOCK = 2**22  # bytes: what is made of a block stays in the cache
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_LONE = re.compile(rb"\r(?![\r\n])")
_BROKEN = "It should be a file that can be read to its end."
_UNREADABLE = (OSError, EOFError, zlib.error)  # of gzip, or of the disk
_COMMENTS, _LONGEST = 1000, 2**16

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


def opened(path: str) -> Opened:
    """A file, which gzip may have packed, after its byte order mark.

    Raises where it can be read only once, as a pipe.
    """
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise FileError(
                path,
                "It should be a file that can be read twice. Write what comes "
                "out of a pipe to a file first.",
                "a pipe or a device",
            )
        # Who asked for it closes it.
        packed = open(path, "rb")  # noqa: SIM115
        start = packed.peek(2)[:2]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(path, "It should be a file.", reason) from None
    file: io.BufferedReader = packed
    if start == _GZIP:
        file = io.BufferedReader(gzip.open(packed))  # noqa: SIM115
    try:
        _skip_mark(file)
    except _UNREADABLE as error:
        packed.close()
        raise FileError(path, _BROKEN, str(error)) from None
    return Opened(path, file, packed)


def _skip_mark(file: io.BufferedReader) -> None:
    if file.peek(len(_BOM)).startswith(_BOM):
        file.read(len(_BOM))


def first_line(path: str) -> bytes:
    """The first line that is neither empty nor a comment, else b""."""
    source = opened(path)
    with source.packed:
        try:
            for _ in range(_COMMENTS):
                line = source.file.readline(_LONGEST).strip()
                if line and not line.startswith(b"#"):
                    return line
        except _UNREADABLE as error:
            raise FileError(path, _BROKEN, str(error)) from None
    return b""


def blocks_of(
    source: Opened, watch: Watch, size: int = BLOCK
) -> Iterator[Block]:
    """The blocks of an open file, none of which is empty.

    Args:
        source: the file.
        watch: told how far it has been read.
        size: of a block, about, in bytes.
    """
    rest, line = b"", 1
    while data := _read(source, size):
        watch(source.packed.tell())
        whole = data.rfind(b"\n") + 1
        if not whole:
            rest += data
            continue
        yield Block(rest + data[:whole], line)
        line += rest.count(b"\n") + data.count(b"\n", 0, whole)
        rest = data[whole:]
    if rest:
        yield Block(rest + b"\n", line)


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
