"""Pipes and standard input, kept so that they can be read again."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, TypeAlias

from keras_rankmetrics.files import FileError

_STDIN = "-"
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")
_STDINS = frozenset((_STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))


class Pipe:
    """A pipe that can be read several times.

    Its bytes are copied to a temporary file while they are read for the first
    time, so that nothing waits for the end of the pipe. The temporary file
    has no name on POSIX and vanishes with the process.

    Args:
        path: the path of the pipe, or "-" for standard input.
    """

    def __init__(self, path: str) -> None:
        self.name = "stdin" if path in _STDINS else path
        self._path = path
        self._file: IO[bytes] | None = None
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115
        self._size = 0

    def open(self) -> io.BufferedReader:
        """Return a reader that starts at the first byte."""
        if self._file is None:
            # Opening waits for the writer, so it comes as late as possible.
            if self._path != _STDIN:
                self._file = open(self._path, "rb")  # noqa: SIM115
            elif sys.stdin is None:
                expected = "Standard input should be open."
                raise FileError(self.name, expected, "a closed one")
            else:
                self._file = sys.stdin.buffer
        return io.BufferedReader(_Reader(self))

    def read(self, place: int, size: int) -> bytes:
        """Return up to `size` bytes from `place` on, fewer only at the end."""
        self._kept.seek(place)
        data = self._kept.read(size)
        if len(data) == size or self._file is None:
            return data
        more = self._file.read(size - len(data))
        self._kept.write(more)
        self._size += len(more)
        return data + more

    def size(self) -> int:
        """Read the pipe to its end, and return how many bytes it had."""
        while self.read(self._size, 2**20):
            pass
        return self._size

    def close(self) -> None:
        """Delete the temporary file, and close the pipe."""
        self._kept.close()
        if self._file is not None and self._path != _STDIN:
            self._file.close()


# A path, or a `Pipe` for a path that can be read only once.
File: TypeAlias = str | Pipe


class _Reader(io.RawIOBase):
    """A view of a pipe with a position of its own."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._pipe.read(self._place, len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        before = {os.SEEK_SET: 0, os.SEEK_CUR: self._place}
        start = before[whence] if whence in before else self._pipe.size()
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place


@contextlib.contextmanager
def kept_pipes(paths: Iterable[str]) -> Iterator[dict[str, File]]:
    """Map each path to itself, or to a `Pipe` if it can be read only once.

    Raise FileError if two of the paths are the same pipe.
    """
    files: dict[str, File] = {}
    places: set[str] = set()
    with contextlib.ExitStack() as stack:
        for path in paths:
            if not _is_pipe(path):
                files[path] = path
                continue
            pipe = stack.enter_context(contextlib.closing(Pipe(path)))
            if real_path(path) in places:
                raise FileError(
                    pipe.name,
                    "Only one argument should read this pipe.",
                    "two arguments",
                    remedy="Write its contents to a file, and pass that file.",
                )
            places.add(real_path(path))
            files[path] = pipe
        yield files


def name_of(file: File) -> str:
    """Return the name of a file for errors."""
    return file if isinstance(file, str) else file.name


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


def _is_pipe(path: str) -> bool:
    """Return True for pipes and devices, not for what cannot be opened."""
    # Some systems open a descriptor again where its last reader stopped.
    if path in _STDINS or _DESCRIPTOR.fullmatch(path):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
