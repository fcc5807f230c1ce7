"""Blocks of whole lines: a file is read in one go, and never held whole."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple

from keras_rankmetrics.files.errors import FileError

BLOCK = 2**22  # bytes: what is made of a block stays in the cache
_GZIP = b"\x1f\x8b"
_BROKEN = "It should be a file that can be read to its end."
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
    """A file, which gzip may have packed."""
    try:
        # Who asked for it closes it.
        packed = open(path, "rb")  # noqa: SIM115
        start = packed.peek(2)[:2]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(path, "It should be a file.", reason) from None
    if start == _GZIP:
        return Opened(path, io.BufferedReader(gzip.open(packed)), packed)
    return Opened(path, packed, packed)


def first_line(path: str) -> bytes:
    """The first line that is neither empty nor a comment, else b""."""
    source = opened(path)
    with source.packed:
        try:
            for _ in range(_COMMENTS):
                line = source.file.readline(_LONGEST).strip()
                if line and not line.startswith(b"#"):
                    return line
        except (OSError, EOFError) as error:
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


def _read(source: Opened, size: int) -> bytes:
    try:
        return source.file.read(size)
    except (OSError, EOFError) as error:  # of gzip, or of the disk
        raise FileError(source.path, _BROKEN, str(error)) from None
