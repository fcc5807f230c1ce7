"""Tables in Parquet, read by pyarrow, and its columns as arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.files import FileError
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.fields import (
    INEXACT,
    Part,
    Texts,
    parts,
)
from keras_rankmetrics.files.header import columns_by_name
from keras_rankmetrics.tables.ids import EXACT

_BUFFER = 2**20  # bytes of a column that are read at once
_BATCH = 2**22  # bytes of a batch, about
_GROUP, _MEAN = 2**25, 256  # bytes of a row group, and of its values
_ROWS = 2**15  # of a batch, at most


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
    with source.open() as file:
        size = os.fstat(file.fileno()).st_size
        try:
            # Without these options, all of a row group is read at once.
            table = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
        except (OSError, pa.ArrowException) as error:
            raise FileError(path, "It should be Parquet.", str(error)) from None
        names = columns_by_name(source, table.schema_arrow.names, None)
        done = 0
        for batch in _batches(path, table, names):
            line = np.arange(done, done + len(batch)) + 1
            done += len(batch)
            source.watch(size * done // max(table.metadata.num_rows, 1))
            query, item, values = (batch.column(name) for name in names)
            yield from parts(
                path,
                _ids(path, query, names[0], line),
                _ids(path, item, names[1], line),
                _numbers(path, values, source.value, line),
                line,
            )


def _batches(path: str, table: Any, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa

    rows = _BATCH // max(_longest(path, table, columns), 1)
    batches = table.iter_batches(
        max(min(rows, _ROWS), 1), columns=list(columns), use_threads=False
    )
    while True:
        try:
            batch = next(batches, None)
        except (OSError, pa.ArrowException) as error:
            expected = "It should be Parquet that can be read to its end."
            raise FileError(path, expected, str(error)) from None
        if batch is None:
            return
        yield batch
        pa.default_memory_pool().release_unused()


def _longest(path: str, table: Any, columns: Sequence[str]) -> int:
    """Return the mean bytes of a value where it is largest.

    Raise FileError if a row group is too large to be read safely.
    """
    longest = 0
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            if column.path_in_schema not in columns or not group.num_rows:
                continue
            total = column.total_uncompressed_size
            size = total // group.num_rows
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


def _ids(path: str, column: Any, name: str, line: np.ndarray) -> Texts:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (is_text or pa.types.is_integer(kind)):
        expected = f"`{name}` should hold strings or integers."
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, line)
    return texts_of(column)


def texts_of(column: Any) -> Texts:
    """Return an Arrow column of strings or integers without nulls as texts."""
    import pyarrow as pa

    column = _whole(column)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    is_large = pa.types.is_large_string(column.type)
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets or b"", np.int64 if is_large else np.int32)
    places = places[column.offset : column.offset + len(column) + 1]
    return Texts(np.frombuffer(data or b"", np.uint8), places[:-1], places[1:])


def floats_of_column(column: Any) -> np.ndarray:
    """Return an Arrow column of numbers without nulls as float64."""
    import pyarrow as pa

    column = _whole(column)
    if column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)
    # `to_numpy` would import pandas.
    values = np.frombuffer(column.buffers()[1] or b"", np.float64)
    return values[column.offset : column.offset + len(column)]


def _whole(column: Any) -> Any:
    """Return the column of a table or of a batch as one array."""
    is_chunked = hasattr(column, "combine_chunks")
    return column.combine_chunks() if is_chunked else column


def _numbers(path: str, column: Any, name: str, line: np.ndarray) -> np.ndarray:
    import pyarrow as pa

    kind = column.type
    expected = f"The {name} should be a number."
    is_integer = pa.types.is_integer(kind)
    is_number = pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (is_integer or is_number):
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, line)
    values = floats_of_column(column)
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
