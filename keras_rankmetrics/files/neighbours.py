"""Neighbours of vectors: `.ivecs`, `.ibin`, and HDF5 of ann-benchmarks.

They have the numbers of items for each query, the nearest first, and no ids of
queries, which are in order.
"""

from __future__ import annotations

import os

import numpy as np

from keras_rankmetrics.files import FileError, unopened

ENDINGS = ".ivecs", ".ibin", ".hdf5", ".h5"
_NAME = "neighbors"  # of the numbers in HDF5


def neighbours_in(path: str) -> list[list[int]]:
    """Return the numbers of the neighbours of each query, without -1.

    Args:
        path: the path of a file with one of `ENDINGS`.

    Raises:
        FileError: if the file has something else.
        ImportError: if h5py is not installed, for HDF5.
    """
    ending = os.path.splitext(path.lower())[1]
    try:
        if ending in (".hdf5", ".h5"):
            found = _of_hdf5(path)
        else:
            read = _of_ivecs if ending == ".ivecs" else _of_ibin
            found = read(path, np.fromfile(path, "<i4"))
    except OSError as error:
        raise unopened(path, error) from None
    return [row[row >= 0].tolist() for row in found.astype(np.int64)]


def _of_ivecs(path: str, numbers: np.ndarray) -> np.ndarray:
    """Return rows that each begin with their length."""
    width = int(numbers[0]) + 1 if len(numbers) else 0
    if width < 2 or len(numbers) % width:
        raise _not_as(path, "rows of a length and so many int32")
    rows = numbers.reshape(-1, width)
    if (rows[:, 0] != width - 1).any():
        raise _not_as(path, "rows of one length, which each begins with")
    return rows[:, 1:]


def _of_ibin(path: str, numbers: np.ndarray) -> np.ndarray:
    """Return rows after their number and length; distances may follow."""
    rows, width = (*numbers[:2].tolist(), 0, 0)[:2]
    size = rows * width
    if size < 1 or len(numbers) - 2 not in (size, 2 * size):
        raise _not_as(
            path, "the numbers of queries and neighbours, and so many int32"
        )
    return numbers[2 : 2 + size].reshape(rows, width)


def _of_hdf5(path: str) -> np.ndarray:
    import h5py

    with h5py.File(path, "r") as file:
        if _NAME not in file:
            raise _not_as(path, f"a data set `{_NAME}`")
        return np.asarray(file[_NAME])


def _not_as(path: str, expected: str) -> FileError:
    return FileError(
        path,
        f"The file should have {expected}.",
        f"{os.path.getsize(path):,} bytes of something else",
        remedy="Pass an array of the numbers, `(distances, ids)`.",
    )
