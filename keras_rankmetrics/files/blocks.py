"""Blocks of whole lines, so that only nested JSON is held as a whole."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, NamedTuple

import numpy as np

from keras_rankmetrics.files import FileError, unopened
from keras_rankmetrics.files.pipes import File, name_of

BLOCK = 2**20  # bytes: the arrays of a block fit in the cache
LINE = 2**16  # bytes of a line, at most: a file of one line would fill memory
PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_TABLE = "Write it as CSV or Parquet."
_UNPACK = "Unpack it, or pack it with gzip."
# Formats that are not read, by their first bytes, with the remedy.
_OTHERS = {
    b"PK\x03\x04": ("zip, or .xlsx", "Unpack it, or write CSV or Parquet."),
    b"\xfd7zXZ\0": ("xz", _UNPACK),
    b"BZh91AY&SY": ("bzip2", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("zstd", _UNPACK),
    b"ARROW1": ("Arrow or Feather", _TABLE),
    b"\x93NUMPY": ("an array of numpy", _TABLE),
    b"\x80\x04": ("pickle", _TABLE),
    b"\x80\x05": ("pickle", _TABLE),
    b"SQLite format 3\0": ("SQLite", _TABLE),
}
_UTF32_BOMS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_LONE_RETURN = re.compile(rb"\r(?![\r\n])")
_COMMENTS, _HEAD = 1000, 256
_NEWLINE, _SPACE = 10, 32

# Receives the number of bytes read from the disk so far.
Watch = Callable[[int], None]


class Source(NamedTuple):
    """A file, and what to read from it.

    Attributes:
        file: the file.
        value: `"score"` for a run, `"label"` for judgements.
        columns: the names of columns that the user chose, by role: `"query"`,
            `"item"`, `"score"` and `"label"`.
        watch: receives the number of bytes read so far.
        read_as: receives what each role is read from: the name of a column,
            `"field 3"` or `"-rank"`.
    """

    file: File
    value: str
    columns: Mapping[str, str | None]
    watch: Watch
    read_as: dict[str, str]

    @property
    def path(self) -> str:
        """The name of the file, for errors."""
        return name_of(self.file)


class Block(NamedTuple):
    """Some whole lines of a file.

    Attributes:
        data: the lines, each with its line feed.
        line: the number of the first line, from 1.
    """

    data: bytes
    line: int


@contextlib.contextmanager
def _unpacked(file: File) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file, decompress it, and skip its byte order mark.

    Raise FileError if the file cannot be opened, or if its text is UTF-16.

    Yields:
        The bytes of the file, and its bytes as they are on the disk.
    """
    path = name_of(file)
    try:
        packed = opened(file)
        start = packed.peek(2)[:2]
    except OSError as error:
        raise unopened(path, error) from None
    with packed:
        text = packed
        if start == _GZIP:
            text = io.BufferedReader(gzip.open(packed))  # noqa: SIM115
        with _explained(path):
            _skip_mark(path, text)
        yield text, packed


def opened(file: File) -> io.BufferedReader:
    """Open a file at its first byte."""
    if isinstance(file, str):
        return open(file, "rb")
    copy = open(file.descriptor, "rb", closefd=False)  # noqa: SIM115
    copy.seek(0)
    return copy


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    """Raise FileError instead of the errors of gzip and of the disk."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        expected = "It should be a file that can be read to its end."
        raise FileError(path, expected, str(error)) from None


def _skip_mark(path: str, file: io.BufferedReader) -> None:
    head = file.peek(_HEAD)[:_HEAD]
    if head.startswith(_BOM):
        file.read(len(_BOM))
        return
    for start, (kind, remedy) in _OTHERS.items():
        if head.startswith(start):
            expected = "The file should be text, gzip or Parquet."
            raise FileError(path, expected, kind, remedy=remedy)
    is_utf32 = head.startswith(_UTF32_BOMS)
    if is_utf32 or _is_utf16(head):
        name = "UTF-32" if is_utf32 else "UTF-16"
        raise FileError(
            path,
            "The text should be UTF-8.",
            name,
            remedy=f"Convert the file, as with `iconv -f {name} -t UTF-8`. "
            "Old versions of PowerShell write UTF-16 with `>`.",
        )


def _is_utf16(head: bytes) -> bool:
    """Return True for the start of a text in UTF-16."""
    if head.startswith(_UTF16_BOMS):
        return True
    if head.startswith(PARQUET):
        return False
    # Spaces and digits have a zero before or after them, never both.
    fewer, more = sorted((head[0::2].count(0), head[1::2].count(0)))
    return not fewer and 8 * more >= len(head) > 1


def first_line(
    file: File, is_comment: Callable[[bytes], bool]
) -> tuple[bytes, int]:
    """Return the first line that is neither empty nor a comment.

    Args:
        file: the file.
        is_comment: returns True for the text of a comment.

    Returns:
        The line, or its start if it is longer than the limit, and its number
        from 1. If there is none, the line is empty.
    """
    with _unpacked(file) as (text, _), _explained(name_of(file)):
        for number in range(1, _COMMENTS + 1):
            line = text.readline(LINE + 1)
            found = line.strip()
            if (found and not is_comment(found)) or len(line) > LINE:
                return found, number
    return b"", 1


def blocks_of(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield the blocks of a file, none of which is empty.

    Raise FileError as soon as a line exceeds the limit.

    Args:
        source: the file.
        size: the approximate number of bytes of a block.
    """
    rest, line = b"", 1
    path = source.path
    for data in _pieces(source, size):
        data = rest + data
        _check_lengths(path, data, line)
        whole = data.rfind(b"\n") + 1
        rest = data[whole:]
        if whole:
            yield Block(data[:whole], line)
            # `bytes.count` takes several times as long.
            is_end = np.frombuffer(data, np.uint8) == _NEWLINE
            line += int(np.count_nonzero(is_end))
    if rest:
        yield Block(rest + b"\n", line)


def whole_text(source: Source) -> bytes:
    """Return all bytes of a file, of any number and any length of lines."""
    return b"".join(_pieces(source, BLOCK))


def _pieces(source: Source, size: int) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, about `size` at a time."""
    with _unpacked(source.file) as (text, packed):
        while data := _read(source.path, text, size):
            source.watch(packed.tell())
            yield data


def _read(path: str, text: IO[bytes], size: int) -> bytes:
    with _explained(path):
        return text.read(size)


def _check_lengths(path: str, data: bytes, line: int) -> None:
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
    """Raise FileError if a line ends with a carriage return alone."""
    data = block.data
    if b"\r" not in data or data.count(b"\r") == data.count(b"\r\n"):
        return
    found = _LONE_RETURN.search(data)
    if found is not None:
        raise FileError(
            path,
            "A line should end with a line feed, or with a carriage return "
            "and a line feed.",
            "a carriage return alone",
            block.line + data.count(b"\n", 0, found.start()),
        )


def filled_lines(block: Block) -> np.ndarray:
    """Return the numbers of the lines that are not blank."""
    data = np.frombuffer(block.data, np.uint8)
    starts = np.append(0, np.flatnonzero(data == _NEWLINE)[:-1] + 1)
    is_filled = np.logical_or.reduceat(data > _SPACE, starts)
    return block.line + np.flatnonzero(is_filled)
