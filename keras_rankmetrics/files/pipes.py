"""Pipes and standard input, copied so that they can be read again."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple, TypeAlias

from keras_rankmetrics.files import FileError, unopened

_STDIN = "-"
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")
_STDINS = frozenset((_STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))


class Copy(NamedTuple):
    """The copy of a pipe.

    Attributes:
        name: the name of the pipe, for errors.
        descriptor: the number of the open temporary file.
    """

    name: str
    descriptor: int


# A path, or a `Copy` for a path that can be read only once.
File: TypeAlias = str | Copy


@contextlib.contextmanager
def kept_pipes(paths: Iterable[str]) -> Iterator[dict[str, File]]:
    """Map each path to itself, or to a `Copy` if it can be read only once.

    The temporary file of a copy has no name on POSIX and vanishes with the
    process.

    Raise FileError if two of the paths are the same pipe, or if one cannot be
    read.
    """
    files: dict[str, File] = {}
    places: set[str] = set()
    with contextlib.ExitStack() as stack:
        for path in paths:
            if not _is_pipe(path):
                files[path] = path
                continue
            name = "stdin" if path in _STDINS else path
            if real_path(path) in places:
                raise FileError(
                    name,
                    "Only one argument should read this pipe.",
                    "two arguments",
                    remedy="Write its contents to a file, and pass that file.",
                )
            places.add(real_path(path))
            kept = stack.enter_context(tempfile.TemporaryFile())
            try:
                _copy(path, kept)
            except OSError as error:
                raise unopened(name, error) from None
            files[path] = Copy(name, kept.fileno())
        yield files


def _copy(path: str, kept: IO[bytes]) -> None:
    if path != _STDIN:
        with open(path, "rb") as pipe:
            shutil.copyfileobj(pipe, kept)
    elif sys.stdin is None:
        raise FileError(
            "stdin", "Standard input should be open.", "a closed one"
        )
    else:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.flush()


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
