"""Files and pipes, in blocks of whole lines; nested JSON comes as one block."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np

from keras_rankmetrics.files import FileError, unopened

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
_STDIN = "-"
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")
_STDINS = frozenset((_STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))


def _unwatched(done: int) -> None:
    """Ignore how many bytes have been read."""


class Source:
    """A file, and what to read from it.

    A pipe can be read once, so it is copied to a temporary file when it is
    opened first. That file has no name on POSIX, and vanishes with the source.

    Args:
        path: the path of the file or of the pipe.
        value: `"score"` for a run, `"label"` for judgements, `"both"` for a
            table with both in each row.
        columns: the names of columns that the user chose, by role: `"query"`,
            `"item"`, `"score"` and `"label"`.
        watch: receives the number of bytes read so far.
        others: the roles of further columns to read, such as `"subtopic"`.

    Attributes:
        path: the name of the file, for errors.
        header: the names of all columns, once they are known.
        ranks: the name of the column of ranks next to scores, by its role.
        read_as: what each role is read from, once that is known: the name of a
            column, `"field 3"` or `"-rank"`.
        whole: the value of each column by which rows may belong to several
            tables.
        is_scattered: True once rows of a query were found apart.
        scores: files with the scores of its lines.
    """

    def __init__(
        self,
        path: str,
        value: str,
        columns: Mapping[str, Any],
        watch: Callable[[int], None] = _unwatched,
        others: tuple[str, ...] = (),
    ) -> None:
        self.path: str = "stdin" if path in _STDINS else path
        self.value = value
        self.columns = columns
        self.watch = watch
        self.header: Sequence[str] = ()
        self.ranks: dict[str, str] = {}
        self.read_as: dict[str, str] = {}
        self.others = others
        self.scores: Sequence[Source] = ()
        self.whole: dict[str, np.ndarray] = {}
        self.is_scattered = False
        self._place: str | int = path

    @property
    def values(self) -> tuple[str, ...]:
        """The roles of the numbers in a row."""
        return ("label", "score") if self.value == "both" else (self.value,)

    def __fspath__(self) -> str:
        return self.path

    def open(self) -> io.BufferedReader:
        """Open the file at its first byte."""
        if isinstance(self._place, str) and is_pipe(self._place):
            copy = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, copy.close)
            _copy(self._place, copy)
            self._place = copy.fileno()
        is_copy = isinstance(self._place, int)
        file = open(self._place, "rb", closefd=not is_copy)  # noqa: SIM115
        file.seek(0)
        return file


def _copy(path: str, copy: IO[bytes]) -> None:
    if path != _STDIN:
        with open(path, "rb") as pipe:
            shutil.copyfileobj(pipe, copy)
    elif sys.stdin is None:
        expected = "Standard input should be open."
        raise FileError("stdin", expected, "a closed one")
    else:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()


def is_pipe(path: str) -> bool:
    """Return True for what can be read once, not for what cannot be opened."""
    # Some systems open a descriptor again where its last reader stopped.
    if path in _STDINS or _DESCRIPTOR.fullmatch(path):
        return True
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISCHR(mode):
            return stat.S_ISFIFO(mode)
        with open(path, "rb") as device:  # /dev/zero starts again, without end
            return not device.seekable()
    except OSError:
        return False


def real_path(path: str) -> str:
    """Return the same path for all paths of one file or pipe."""
    return os.path.realpath("/dev/stdin" if path == _STDIN else path)


def short_names(paths: Iterable[str]) -> list[str]:
    """Return the base name of each path, and a readable name for pipes."""
    names, pipes = [], 0
    for path in paths:
        if path in _STDINS:
            names.append("stdin")
        elif _DESCRIPTOR.fullmatch(path):
            pipes += 1
            names.append(f"pipe{pipes}")
        else:
            names.append(os.path.basename(path))
    return names


@contextlib.contextmanager
def _unpacked(source: Source) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file, decompress it, and skip its byte order mark.

    Raise FileError if the file cannot be opened or read, or if its text is
    UTF-16.

    Yields:
        The bytes of the file, and its bytes as they are on the disk.
    """
    path = source.path
    try:
        packed = source.open()
        start = packed.peek(2)[:2]
    except OSError as error:
        raise unopened(path, error) from None
    with packed:
        try:
            text = packed
            if start == _GZIP:
                text = io.BufferedReader(gzip.open(packed))  # noqa: SIM115
            _skip_mark(path, text)
            yield text, packed
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
    source: Source, is_comment: Callable[[bytes], object]
) -> tuple[bytes, int]:
    """Return the first line that is neither empty nor a comment.

    Args:
        source: the file.
        is_comment: returns True for the text of a comment.

    Returns:
        The line, or its start if it is longer than the limit, and its number
        from 1. If there is none, the line is empty.
    """
    with _unpacked(source) as (text, _):
        for number in range(1, _COMMENTS + 1):
            line = text.readline(LINE + 1)
            found = line.strip()
            if (found and not is_comment(found)) or len(line) > LINE:
                return found, number
    return b"", 1


def blocks_of(source: Source, size: int = BLOCK) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of whole lines, each with the number of its first line.

    No block is empty, and lines are counted from 1. Raise FileError as soon as
    a line exceeds the limit.

    Args:
        source: the file.
        size: the approximate number of bytes of a block.
    """
    rest, line = b"", 1
    for piece in pieces_of(source, size):
        data = rest + piece
        _check_lengths(source.path, data, line)
        whole = data.rfind(b"\n") + 1
        rest = data[whole:]
        if whole:
            yield data[:whole], line
            # `bytes.count` takes several times as long.
            is_end = np.frombuffer(data, np.uint8) == _NEWLINE
            line += int(np.count_nonzero(is_end))
    if rest:
        yield rest + b"\n", line


def with_ends(
    path: str, blocks: Iterator[tuple[bytes, int]]
) -> Iterator[tuple[bytes, int]]:
    """Yield the blocks of a file without quoted fields.

    Args:
        path: as for `check_ends`.
        blocks: as `blocks_of` yields them.

    Raises:
        FileError: as by `check_ends`.
    """
    for data, line in blocks:
        check_ends(path, data, line)
        yield data, line


def pieces_of(source: Source, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, about `size` at a time."""
    with _unpacked(source) as (text, packed):
        while data := text.read(size):
            source.watch(packed.tell())
            yield data


def _check_lengths(path: str, data: bytes, line: int) -> None:
    """Raise FileError if a line is too long, even if its end is not read."""
    start = 0
    while len(data) - start > LINE:
        end = data.rfind(b"\n", start, start + LINE + 1)
        if end < 0:
            number = line + data.count(b"\n", 0, start)
            long = data[start : start + LINE]
            check_ends(path, long, number)
            expected = f"A line should have {LINE:,} bytes at most."
            remedy = "Check that lines end, and remove columns of long text."
            raise FileError(path, expected, long, number, remedy)
        start = end + 1


def check_ends(path: str, data: bytes, line: int) -> None:
    """Raise FileError if a line ends with a carriage return alone.

    Args:
        path: the path of the file, for errors.
        data: some lines.
        line: the number of the first one.
    """
    found = lone_return(data)
    if found is not None:
        raise FileError(
            path,
            "A line should end with a line feed, or with a carriage return "
            "and a line feed.",
            "a carriage return alone",
            line + data.count(b"\n", 0, found.start()),
        )


def lone_return(data: bytes) -> re.Match[bytes] | None:
    """Return the first carriage return that does not end a line."""
    if b"\r" not in data or data.count(b"\r") == data.count(b"\r\n"):
        return None
    return _LONE_RETURN.search(data)


def filled_lines(data: bytes, line: int) -> np.ndarray:
    """Return the numbers of the lines that are not blank."""
    letters = np.frombuffer(data, np.uint8)
    starts = np.append(0, np.flatnonzero(letters == _NEWLINE)[:-1] + 1)
    is_filled = np.logical_or.reduceat(letters > _SPACE, starts)
    return line + np.flatnonzero(is_filled)
