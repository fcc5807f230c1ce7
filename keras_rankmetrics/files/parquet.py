"""Tables in Parquet, read by pyarrow, and its columns as arrays."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.files import FileError
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.fields import (
    BOOLS,
    INEXACT,
    Texts,
    has_texts,
    parts,
)
from keras_rankmetrics.files.header import columns_by_name
from keras_rankmetrics.tables.ids import EXACT
from keras_rankmetrics.tables.item_rows import Part
from keras_rankmetrics.tables.roles import RANKS

_BUFFER = 2**20  # bytes of a column that are read at once
_BATCH = 2**22  # bytes of a batch, about
_GROUP, _MEAN = 2**25, 256  # bytes of a row group, and of its values
_ROWS = 2**15  # of a batch, at most
# Arrow's types by name, those of strings with the type of their offsets.
_STRINGS = {"string": np.int32, "large_string": np.int64}
_INTEGER = re.compile(r"u?int\d+")
_FLOATS = ("float", "halffloat", "double", "decimal")


def parquet_parts(source: Source) -> Iterator[Part]:
    """Yield the rows of a file, batch by batch. Its lines are the rows."""
    path = source.path
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise FileError(
            path,
            "To read Parquet, pyarrow should be installed: "
            '`pip install "keras_rankmetrics[files]"`.',
            "no such package",
        ) from None
    expected = "It should be Parquet."
    with source.open() as file:
        try:
            # Without these options, all of a row group is read at once.
            table = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
            expected = "It should be Parquet that can be read to its end."
            columns = columns_by_name(source, table.schema_arrow.names, None)
            ranks = source.ranks.get(RANKS)
            if ranks and not _is_number(table.schema_arrow.field(ranks)):
                del columns[RANKS]
            names = [*columns.values()]
            rows = _BATCH // max(_longest(path, table, names), 1)
            size, done = os.fstat(file.fileno()).st_size, 0
            for batch in table.iter_batches(
                max(min(rows, _ROWS), 1), columns=names, use_threads=False
            ):
                line = np.arange(done, done + len(batch)) + 1
                done += len(batch)
                source.watch(size * done // max(table.metadata.num_rows, 1))
                found = {
                    role: _read(path, batch.column(name), name, role, line)
                    for role, name in columns.items()
                }
                yield from parts(source, found, line)
                pa.default_memory_pool().release_unused()
        except (OSError, pa.ArrowException) as error:
            raise FileError(path, expected, str(error)) from None


def _longest(path: str, table: Any, columns: Sequence[str]) -> int:
    """Return the mean bytes of a value where it is largest.

    Raise FileError if a row group is too large to be read safely.
    """
    longest = 0
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema not in columns:
                continue
            total = column.total_uncompressed_size
            size = total // max(group.num_rows, 1)
            # A page can be as large as the row group, and is read at once.
            if size > _MEAN and total > _GROUP:
                raise FileError(
                    path,
                    f"A row group should have {_GROUP:,} bytes of one column "
                    f"at most, unless a value has less than {_MEAN}.",
                    f"{total:,} bytes of `{column.path_in_schema}`",
                    remedy="Write the file with smaller row groups.",
                )
            longest = max(longest, size)
    return longest


def _read(
    path: str, column: Any, name: str, role: str, line: np.ndarray
) -> Texts | np.ndarray:
    """Return a column as its role needs it; NaN for missing ranks."""
    if has_texts(role):
        return _ids(path, column, name, line)
    if role == RANKS:
        floats = column.cast("float64", safe=False)
        return floats_of_column(floats.fill_null(math.nan))
    return _numbers(path, column, role, line)


def _is_number(x: Any) -> bool:
    """Return True for a column or a field of integers or floats."""
    kind = str(x.type)
    return bool(_INTEGER.fullmatch(kind)) or kind.startswith(_FLOATS)


def _ids(path: str, column: Any, name: str, line: np.ndarray) -> Texts:
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    kind = str(column.type)
    if kind not in _STRINGS and not _INTEGER.fullmatch(kind):
        expected = f"`{name}` should hold strings or integers."
        raise FileError(path, expected, kind)
    _check_filled(path, column, name, line)
    return texts_of(column)


def texts_of(column: Any) -> Texts:
    """Return an Arrow column of strings or integers without nulls as texts."""
    column = _whole(column)
    if str(column.type) not in _STRINGS:
        column = column.cast("string")
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets or b"", _STRINGS[str(column.type)])
    places = places[column.offset : column.offset + len(column) + 1]
    return Texts(np.frombuffer(data or b"", np.uint8), places[:-1], places[1:])


def floats_of_column(column: Any) -> np.ndarray:
    """Return an Arrow column of numbers without nulls as float64."""
    column = _whole(column).cast("float64", safe=False)
    # `to_numpy` would import pandas.
    values = np.frombuffer(column.buffers()[1] or b"", np.float64)
    return values[column.offset : column.offset + len(column)]


def _whole(column: Any) -> Any:
    """Return the column of a table or of a batch as one array."""
    is_chunked = hasattr(column, "combine_chunks")
    return column.combine_chunks() if is_chunked else column


def _numbers(path: str, column: Any, name: str, line: np.ndarray) -> np.ndarray:
    kind = str(column.type)
    expected = f"The {name} should be a number."
    if not _is_number(column):
        remedy = BOOLS if kind == "bool" else ""
        raise FileError(path, expected, kind, remedy=remedy)
    _check_filled(path, column, name, line)
    values = floats_of_column(column)
    is_integer = _INTEGER.fullmatch(kind)
    wrong = np.abs(values) >= EXACT if is_integer else np.isnan(values)
    for row in np.flatnonzero(wrong)[:1].tolist():
        received = column[row].as_py() if is_integer else "NaN"
        remedy = INEXACT if is_integer else ""
        raise FileError(path, expected, received, int(line[row]), remedy)
    return values


def _check_filled(path: str, column: Any, name: str, line: np.ndarray) -> None:
    if column.null_count:
        empty = column.is_null().to_numpy(zero_copy_only=False)
        expected = f"`{name}` should have a value in each row."
        raise FileError(path, expected, "null", int(line[np.argmax(empty)]))
