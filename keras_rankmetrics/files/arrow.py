"""CSV, TSV, JSON lines and Parquet, read by pyarrow."""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from keras_rankmetrics.files.blocks import (
    LINE,
    Block,
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.chunks import Part
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import checked, texts
from keras_rankmetrics.files.json_shapes import NOT_JSON
from keras_rankmetrics.files.pipes import File, name_of
from keras_rankmetrics.tables.chunks import Rows

# CSV and TSV

_QUOTE = b'"'
_SPACES = b" \t"


def delimited_parts(
    file: File,
    delimiter: bytes,
    value: str,
    requested: Mapping[str, str],
    watch: Watch,
) -> Iterator[Part]:
    """Yield the rows of a table as text, batch by batch.

    A quoted field with line breaks counts as one line in errors.

    Args:
        file: the file.
        delimiter: a comma or a tab.
        value: `"label"` or `"score"`.
        requested: the names of columns that the user chose, by role.
        watch: receives the number of bytes read so far.
    """
    source = opened(file)
    with source.packed:
        blocks = blocks_of(source, watch)
        first = next(blocks, None)
        if first is None:
            expected = "There should be a header."
            raise FileError(source.path, expected, "an empty file")
        header, newline, rest = first.data.partition(b"\n")
        names = _names(source.path, Block(header + newline, 1), delimiter)
        columns = chosen(source.path, names, value, requested, 1)
        places = [names.index(name) for name in columns]
        blocks = itertools.chain([Block(rest, 2)], blocks)
        line = 2
        for batch in _batches(
            source.path, blocks, delimiter, len(names), places
        ):
            numbers = np.arange(line, line + len(batch))
            line += len(batch)
            query, item, number = (
                _stripped(_texts(source.path, column, numbers))
                for column in batch.columns
            )
            filled = (query != b"") | (item != b"") | (number != b"")
            if not filled.all():  # empty lines
                query, item, number, numbers = (
                    each[filled] for each in (query, item, number, numbers)
                )
            values = checked(source.path, number, numbers, value)
            yield Part(Rows(query, item, values), numbers)


def _names(path: str, header: Block, delimiter: bytes) -> list[str]:
    check_ends(path, header)
    text = header.data.decode("utf-8", "surrogateescape").strip("\r\n")
    rows = csv.reader(
        [text], delimiter=delimiter.decode(), skipinitialspace=True
    )
    return [name.strip() for name in next(rows, [])]


def _whole_rows(path: str, blocks: Iterator[Block]) -> Iterator[bytes]:
    """Yield the same data cut between rows: a quoted field may have lines."""
    rest, rows = b"", 2
    for block in blocks:
        if not rest and _QUOTE not in block.data:
            check_ends(path, block)
            rows += block.data.count(b"\n")
            yield block.data
            continue
        data = rest + block.data
        characters = np.frombuffer(data, np.uint8)
        is_inside = np.logical_xor.accumulate(characters == ord(_QUOTE))
        ends = np.flatnonzero((characters == ord("\n")) & ~is_inside) + 1
        lengths = np.diff(ends, prepend=0, append=len(data))
        if lengths.max() > LINE:
            place = int(np.argmax(lengths > LINE))
            start = int(lengths[:place].sum())
            raise FileError(
                path,
                f"A row should have {LINE:,} bytes at most, with all its "
                "quoted lines.",
                data[start : start + LINE],
                rows + place,
                "Look for a quote without its end.",
            )
        rows += len(ends)
        end = int(ends[-1]) if len(ends) else 0
        rest = data[end:]
        if end:
            yield data[:end]
    if rest:
        yield rest


def _batches(
    path: str,
    blocks: Iterator[Block],
    delimiter: bytes,
    fields: int,
    places: Sequence[int],
) -> Iterator[Any]:
    """Yield some columns of a table without its header, as bytes."""
    invalid: list[Any] = []

    def refuse(row: Any) -> str:
        invalid.append(row)
        return "error"

    names = [str(place) for place in range(fields)]
    chosen = [names[place] for place in places]
    parse = pa.csv.ParseOptions(
        delimiter=delimiter.decode(),
        newlines_in_values=True,
        ignore_empty_lines=False,
        invalid_row_handler=refuse,
    )
    convert = pa.csv.ConvertOptions(
        include_columns=chosen, column_types=dict.fromkeys(chosen, pa.binary())
    )
    line = 2
    for data in _whole_rows(path, blocks):
        if not data:
            continue
        # Whole rows in memory: while pyarrow reads ahead in an object of
        # Python, an error of that object can end the process.
        read = pa.csv.ReadOptions(
            use_threads=False, block_size=len(data) + 1, column_names=names
        )
        try:
            table = pa.csv.read_csv(pa.BufferReader(data), read, parse, convert)
        except pa.ArrowInvalid as error:
            if not invalid:
                expected = f"There should be {fields} fields in each row."
                raise FileError(path, expected, str(error), line) from None
            expected = f"A line should have {fields} fields, as the header has."
            number = line + invalid[0].number - 1
            raise FileError(path, expected, invalid[0].text, number) from None
        yield from table.to_batches()
        line += len(table)


def _stripped(texts: np.ndarray) -> np.ndarray:
    """Return texts without the spaces around them."""
    data = texts.view(np.uint8)
    if any((data == space).any() for space in _SPACES):
        return np.char.strip(texts, _SPACES)
    return texts


# JSON lines

_OBJECT = "A line should be a JSON object."
_ROW = re.compile(r"in row (\d+)$")
_CHANGED = re.compile(r"Column\(/(.*)\) changed from \w+ to (\w+)")


def json_parts(
    file: File, value: str, requested: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """Yield the rows of a file with a JSON object on each line."""
    source = opened(file)
    path = source.path
    schema = None
    with source.packed:
        for block in blocks_of(source, watch):
            check_ends(path, block)
            lines = [
                (number, line)
                for number, line in enumerate(
                    block.data.splitlines(), block.line
                )
                if line.strip()
            ]
            if not lines:
                continue
            if schema is None:
                schema = _schema(path, *lines[0], value, requested)
            table = _objects(path, block, lines, schema, value)
            numbers = np.array([number for number, _ in lines])
            columns = Chosen(*schema.names)
            yield _part(path, table, columns, value, numbers)


def _schema(
    path: str,
    number: int,
    line: bytes,
    value: str,
    requested: Mapping[str, str],
) -> Any:
    """Return the columns with the types that they have in the first line."""
    try:
        row = json.loads(line)
    except NOT_JSON:
        row = None
    if not isinstance(row, dict):
        raise FileError(path, _OBJECT, line, number)
    columns = chosen(path, list(row), value, requested, number)
    fields = []
    for name in columns[:2]:
        found = row[name]
        if isinstance(found, bool) or not isinstance(found, str | int):
            expected = f"`{name}` should be a string or an integer."
            raise FileError(path, expected, line, number)
        is_text = isinstance(found, str)
        fields.append((name, pa.string() if is_text else pa.int64()))
    return pa.schema([*fields, (columns.value, pa.float64())])


def _objects(
    path: str,
    block: Block,
    lines: Sequence[tuple[int, bytes]],
    schema: Any,
    value: str,
) -> Any:
    try:
        table = pa.json.read_json(
            pa.BufferReader(block.data),
            pa.json.ReadOptions(
                use_threads=False, block_size=len(block.data) + 1
            ),
            pa.json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid as error:
        row = _ROW.search(str(error))
        number, line = lines[int(row[1])] if row else (None, str(error))
        changed = _CHANGED.search(str(error))
        if changed is None or not changed[1]:
            expected = _OBJECT
        elif changed[1] == schema.names[2]:
            expected = f"The {value} `{changed[1]}` should be a number."
        else:
            expected = f"`{changed[1]}` should have one type in all lines."
        raise FileError(path, expected, line, number) from None
    if len(table) != len(lines):
        expected = "A line should be one whole JSON object."
        number, line = lines[0]
        raise FileError(path, expected, line, number)
    return table


# Parquet

_BUFFER = 2**20  # bytes of a column that are read at once
_BATCH = 2**22  # bytes of a batch, about
_GROUP, _MEAN = 2**25, 256  # bytes of a row group, and of its values
_ROWS = 2**15  # of a batch, at most


def parquet_parts(
    file: File, value: str, requested: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """Yield the rows of a file, batch by batch. Its lines are the rows."""
    path = name_of(file)
    source = file if isinstance(file, str) else file.open()
    try:
        # Without these options, all of a row group is read at once.
        table = pa.parquet.ParquetFile(
            source, buffer_size=_BUFFER, pre_buffer=False
        )
    except (OSError, pa.ArrowException) as error:
        raise FileError(path, "It should be Parquet.", str(error)) from None
    with table:
        names = table.schema_arrow.names
        columns = chosen(path, names, value, requested, None)
        size = os.path.getsize(file) if isinstance(file, str) else file.size()
        done = 0
        for batch in _row_groups(path, table, columns):
            lines = np.arange(done, done + len(batch)) + 1
            done += len(batch)
            watch(size * done // max(table.metadata.num_rows, 1))
            yield _part(path, batch, columns, value, lines)


def _row_groups(path: str, table: Any, columns: Sequence[str]) -> Iterator[Any]:
    rows = _BATCH // max(_longest(path, table, columns), 1)
    batches = table.iter_batches(
        max(min(rows, _ROWS), 1), columns=list(columns), use_threads=False
    )
    try:
        for batch in batches:
            yield batch
            pa.default_memory_pool().release_unused()
    except (OSError, pa.ArrowException) as error:
        expected = "It should be Parquet that can be read to its end."
        raise FileError(path, expected, str(error)) from None


def _longest(path: str, table: Any, columns: Sequence[str]) -> int:
    """Return the mean bytes of a value in the column where it is largest.

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


# Columns of Arrow as arrays


def _part(
    path: str, table: Any, columns: Chosen, value: str, lines: np.ndarray
) -> Part:
    query, item = (
        _ids(path, _whole(table.column(name)), name, lines)
        for name in columns[:2]
    )
    numbers = _numbers(path, _whole(table.column(columns.value)), value, lines)
    return Part(Rows(query, item, numbers), lines)


def _whole(column: Any) -> Any:
    """Return the column of a batch or of a table as one array."""
    is_chunked = isinstance(column, pa.ChunkedArray)
    return column.combine_chunks() if is_chunked else column


def _ids(path: str, column: Any, name: str, lines: np.ndarray) -> np.ndarray:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (is_text or pa.types.is_integer(kind)):
        expected = f"`{name}` should hold strings or integers."
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, lines)
    return _texts(path, column if is_text else column.cast(pa.string()), lines)


def _texts(path: str, column: Any, lines: np.ndarray) -> np.ndarray:
    """Return a column of strings or bytes as an array of dtype "S"."""
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, np.int64)
    places = places[column.offset : column.offset + len(column) + 1]
    held = np.frombuffer(data or b"", np.uint8)
    return texts(path, held, places[:-1], places[1:], lines)


def _numbers(
    path: str, column: Any, name: str, lines: np.ndarray
) -> np.ndarray:
    kind = column.type
    expected = f"The {name} should be a number."
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise FileError(path, expected, str(kind))
    _check_filled(path, column, name, lines)
    values = np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    wrong = np.isnan(values)
    if wrong.any():
        raise FileError(path, expected, "NaN", int(lines[np.argmax(wrong)]))
    return values


def _check_filled(path: str, column: Any, name: str, lines: np.ndarray) -> None:
    if column.null_count:
        empty = column.is_null().to_numpy(zero_copy_only=False)
        expected = f"`{name}` should have a value in each row."
        raise FileError(path, expected, "null", int(lines[np.argmax(empty)]))
