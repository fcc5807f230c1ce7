"""Tables in Parquet, where pyarrow is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.files.blocks import Watch
from keras_rankmetrics.files.columns import chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import texts
from keras_rankmetrics.files.part import Part


def parts_of(
    path: str, value: str, given: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """The rows of a file, batch by batch. Its lines are the rows."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise FileError(
            path,
            "To read Parquet, pyarrow should be installed: `pip install "
            "pyarrow`.",
            "no such package",
        ) from None
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise FileError(path, "It should be Parquet.", str(error)) from None
    with file:
        columns = chosen(path, file.schema_arrow.names, value, given, None)
        size, done = os.path.getsize(path), 0
        for batch in _batches(path, file, columns):
            done += len(batch)
            watch(size * done // max(file.metadata.num_rows, 1))
            before = done - len(batch)
            rows = Rows(
                _ids(path, batch.column(columns.query), columns.query, before),
                _ids(path, batch.column(columns.item), columns.item, before),
                _numbers(path, batch.column(columns.value), value, before),
            )
            yield Part(rows, np.arange(before, done) + 1)


def _batches(path: str, file: Any, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa

    batches = file.iter_batches(2**17, columns=list(columns))
    while True:
        try:
            batch = next(batches, None)
        except (OSError, pa.ArrowException) as error:
            expected = "It should be Parquet that can be read to its end."
            raise FileError(path, expected, str(error)) from None
        if batch is None:
            return
        yield batch


def _ids(path: str, column: Any, name: str, before: int) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (is_text or pa.types.is_integer(kind)):
        expected = f"`{name}` should hold strings or integers."
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, before)
    column = column.cast(pa.string()) if not is_text else column
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, np.int64)
    places = places[column.offset : column.offset + len(column) + 1]
    held = np.frombuffer(data or b"", np.uint8)
    rows = before + np.arange(len(column)) + 1
    return texts(path, held, places[:-1], places[1:], rows)


def _numbers(path: str, column: Any, name: str, before: int) -> np.ndarray:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        expected = f"The {name} should be a number."
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, before)
    values = np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    wrong = np.isnan(values)
    if wrong.any():
        row = before + int(np.argmax(wrong)) + 1
        raise FileError(path, f"The {name} should be a number.", "NaN", row)
    return values


def _check_filled(path: str, column: Any, name: str, before: int) -> None:
    if column.null_count:
        empty = column.is_null().to_numpy(zero_copy_only=False)
        row = before + int(np.argmax(empty)) + 1
        expected = f"`{name}` should have a value in each row."
        raise FileError(path, expected, "null", row)
