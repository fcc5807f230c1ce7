"""Tables as text: CSV, TSV and JSON lines.

pyarrow reads them if it is installed. A block that it does not read as one row
on each line is left to `csv` and `json`, which are slower. They read what it
refuses, such as a field over several lines or an id of 80 bits, and they find
the line of an error.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.files import FileError
from keras_rankmetrics.files.blocks import (
    LINE,
    Block,
    Watch,
    blocks_of,
    check_ends,
    filled_lines,
)
from keras_rankmetrics.files.fields import Part, Texts, joined, numbers, parts
from keras_rankmetrics.files.header import columns_of
from keras_rankmetrics.files.parquet import texts_of
from keras_rankmetrics.files.pipes import File, name_of

_QUOTE = b'"'
_SPACES = " \t"
_SPACED_QUOTE = re.compile(rb'[,\t\n] +"')
# Each byte becomes the letter of that number, so that none changes.
_LETTERS = "latin-1"


class _Columns(NamedTuple):
    """The columns that are read.

    Attributes:
        query: the id of the query of each row.
        item: the id of the item.
        values: the scores or the labels, floats.
        line: the number of the line where the row starts, from 1.
    """

    query: Texts
    item: Texts
    values: np.ndarray
    line: np.ndarray


class _Layout(NamedTuple):
    """The layout of the rows of CSV or TSV.

    Attributes:
        path: the path of the file, for errors.
        delimiter: a comma or a tab.
        fields: the number of fields of a row.
        places: the indices of the query, the item and the value.
        value: `"label"` or `"score"`.
    """

    path: str
    delimiter: str
    fields: int
    places: Sequence[int]
    value: str


def delimited_parts(
    file: File,
    delimiter: str,
    value: str,
    chosen: Mapping[str, str],
    watch: Watch,
) -> Iterator[Part]:
    """Yield the rows of CSV or TSV, block by block.

    Args:
        file: the file.
        delimiter: a comma or a tab.
        value: `"label"` or `"score"`.
        chosen: the names of columns that the user chose, by role.
        watch: receives the number of bytes read so far.
    """
    path = name_of(file)
    blocks = blocks_of(file, watch)
    first = next(blocks, None)
    if first is None:
        raise FileError(path, "There should be a header.", "an empty file")
    header, newline, data = first.data.partition(b"\n")
    check_ends(path, Block(header + newline, 1))
    fields = next(_reader([header.decode(_LETTERS)], delimiter))
    # The arguments of a command have bytes that are not UTF-8 in this form.
    names = [
        _bytes(field).decode("utf-8", "surrogateescape") for field in fields
    ]
    columns = columns_of(path, names, value, chosen, 1)
    places = [names.index(name) for name in columns]
    layout = _Layout(path, delimiter, len(names), places, value)
    rest = Block(b"", 2)  # the start of a row that the next block continues
    for block in itertools.chain([Block(data, 2)], blocks):
        if rest.data:
            block = Block(rest.data + block.data, rest.line)
        if not block.data:
            continue
        if _QUOTE not in block.data:
            check_ends(path, block)
        found, rest = _by_pyarrow(layout, block), Block(b"", 0)
        if found is None:
            found, rest = _by_csv(layout, block)
        yield from parts(path, *found)
    if rest.data:
        raise _unclosed(path, rest)


def _by_pyarrow(layout: _Layout, block: Block) -> _Columns | None:
    """Return the rows of a block, or None if each line is not a valid row."""
    # A last row of our own is missing if a quote is open before it. pyarrow
    # skips the empty first line.
    last = layout.delimiter.join("0" * layout.fields).encode()
    data = b"\n%b%b\n" % (block.data, last)
    # pyarrow takes the spaces before a quote as the start of the text.
    if b' "' in data and _SPACED_QUOTE.search(data):
        return None
    if len(set(layout.places)) < len(layout.places):
        return None
    try:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.csv
    except ModuleNotFoundError:
        return None
    names = [str(place) for place in range(layout.fields)]
    chosen = [names[place] for place in layout.places]
    types = [pa.string(), pa.string(), pa.float64()]
    try:
        # Only data in memory: with a Python file, reading ahead is unsafe.
        table = pa.csv.read_csv(
            pa.BufferReader(data),
            pa.csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, column_names=names
            ),
            pa.csv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True
            ),
            pa.csv.ConvertOptions(
                check_utf8=False,
                null_values=[],
                include_columns=chosen,
                column_types=dict(zip(chosen, types, strict=True)),
            ),
        )
    except pa.ArrowException:
        return None
    line = filled_lines(block)
    values = table.column(2).to_numpy()[:-1]
    if len(values) != len(line) or np.isnan(values).any():
        return None
    query, item = (
        pa.compute.ascii_trim(table.column(place)[:-1], _SPACES)
        for place in (0, 1)
    )
    return _Columns(texts_of(query), texts_of(item), values, line)


def _by_csv(layout: _Layout, block: Block) -> tuple[_Columns, Block]:
    """Return the rows of a block, and the start of a row without its end."""
    path, delimiter, number, places, value = layout
    lines = io.StringIO(block.data.decode(_LETTERS), newline="\n").readlines()
    ends = [0, *itertools.accumulate(map(len, lines))]
    # A last line of our own ends each row but one with an open quote.
    reader = _reader([*lines, "\n"], delimiter)
    columns: list[list[bytes]] = [[] for _ in places]
    line, start = [], 0
    try:
        for fields in reader:
            end = reader.line_num
            if end > len(lines):
                break
            if ends[end] - ends[start] > LINE + 2:  # the end of the line
                raise _unclosed(path, _since(block, ends, start))
            if fields and len(fields) != number:
                expected = (
                    f"A line should have {number} fields, as the header has."
                )
                text = _bytes(delimiter.join(fields))
                raise FileError(path, expected, text, block.line + start)
            if fields:
                line.append(block.line + start)
                for place, column in zip(places, columns, strict=True):
                    column.append(_bytes(fields[place]))
            start = end
    except csv.Error:
        rest = _since(block, ends, start)
        check_ends(path, rest)
        raise _unclosed(path, rest) from None
    rest = _since(block, ends, start)
    if len(rest.data) > LINE:
        raise _unclosed(path, rest)
    query, item, values = map(joined, columns)
    numbered = np.array(line, np.int64)
    floats = numbers(path, values, numbered, value)
    return _Columns(query, item, floats, numbered), rest


def _since(block: Block, ends: Sequence[int], start: int) -> Block:
    """Return the lines of a block from a line on."""
    return Block(block.data[ends[start] :], block.line + start)


def _reader(lines: Iterable[str], delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _bytes(field: str) -> bytes:
    return field.strip(_SPACES).encode(_LETTERS)


def _unclosed(path: str, row: Block) -> FileError:
    """Return the error for a row that is too long, or that never ends."""
    return FileError(
        path,
        f"A row should have {LINE:,} bytes at most, with all its quoted lines.",
        row.data[:LINE],
        row.line,
        "Look for a quote without its end.",
    )


# JSON lines

_BLOCK = 2**19  # bytes: their objects take about 200 times as much, at most
_OBJECT = "A line should be a JSON object."
_NOT_JSON = (ValueError, RecursionError)  # the second one of "[[[[..."
_NAME = rb'"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(rb"\{\s*" + _NAME + rb"\{\s*(?:" + _NAME + rb"-?[0-9]|$)")
_ARRAY = re.compile(rb"\[\s*(?:[\[{]|$)")


def is_array(line: bytes) -> bool:
    """Return True if a first line seems to begin an array of objects."""
    return _ARRAY.match(line) is not None


def check_shape(path: str, line: bytes, number: int, value: str) -> None:
    """Raise FileError if a file seems to be JSON of another shape.

    Args:
        path: the path of the file, for errors.
        line: its first line, or the start of it.
        number: the number of that line, from 1.
        value: `"label"` or `"score"`.
    """
    if is_array(line):
        found = "a JSON array"
    elif _is_nested(line):
        found = f"nested JSON, {{query: {{item: {value}}}}}"
    elif line == b"{":
        found = "one JSON object over several lines"
    else:
        return
    example = f'{{"query": "q1", "item": "d1", "{value}": 1}}'
    remedy = f"This looks like {found}. Write a line for each item: {example}."
    expected = f"A line should be a JSON object of one item and its {value}."
    raise FileError(path, expected, line, number, remedy)


def _is_nested(line: bytes) -> bool:
    try:
        values = list(json.loads(line).values())
    except _NOT_JSON:  # the object is cut, or ends on another line
        return _NESTED.match(line) is not None
    return bool(values) and all(isinstance(x, dict | list) for x in values)


def json_parts(
    file: File, value: str, chosen: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """Yield the rows of JSON lines, block by block.

    Args:
        file: the file.
        value: `"label"` or `"score"`.
        chosen: the names of columns that the user chose, by role.
        watch: receives the number of bytes read so far.
    """
    path = name_of(file)
    names: list[str] = []
    for block in blocks_of(file, watch, _BLOCK):
        check_ends(path, block)
        line = filled_lines(block)
        if not len(line):
            continue
        number = int(line[0])
        first = _object(path, block.data.lstrip().split(b"\n", 1)[0], number)
        names = names or columns_of(path, list(first), value, chosen, number)
        found = _json_by_pyarrow(block, names, first, line)
        if found is None:
            found = _by_json(path, block, names, line, value)
        yield from parts(path, *found)


def _json_by_pyarrow(
    block: Block,
    names: Sequence[str],
    first: Mapping[str, Any],
    line: np.ndarray,
) -> _Columns | None:
    """Return the rows of a block, or None if pyarrow does not read them all."""
    try:
        import pyarrow as pa
        import pyarrow.json
    except ModuleNotFoundError:
        return None
    types = {str: pa.string(), int: pa.int64()}
    kinds = [types.get(type(first.get(name))) for name in names[:2]]
    if None in kinds or len(set(names)) < len(names):
        return None
    schema = pa.schema(zip(names, [*kinds, pa.float64()], strict=True))
    try:
        block.data.decode()  # pyarrow reads bytes that are not UTF-8
        table = pa.json.read_json(
            pa.BufferReader(block.data),
            pa.json.ReadOptions(
                use_threads=False, block_size=len(block.data) + 1
            ),
            pa.json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    query, item, values = (table.column(name) for name in names)
    if len(table) != len(line) or any(x.null_count for x in table.columns):
        return None
    floats = values.to_numpy()
    if not np.isfinite(floats).all():  # as of integers that exceed all floats
        return None
    return _Columns(texts_of(query), texts_of(item), floats, line)


def _by_json(
    path: str, block: Block, names: Sequence[str], line: np.ndarray, value: str
) -> _Columns:
    """Return the rows of a block. Raise FileError if one of them is invalid."""
    lines = block.data.split(b"\n")
    columns: list[list[bytes]] = [[], []]
    values = []
    for number in line.tolist():
        row = _object(path, lines[number - block.line], number)
        for name, column in zip(names[:2], columns, strict=True):
            id_ = row.get(name)
            if isinstance(id_, bool) or not isinstance(id_, str | int):
                expected = f"`{name}` should be a string or an integer."
                raise FileError(path, expected, json.dumps(row), number)
            # JSON can have half a pair of surrogates.
            column.append(str(id_).encode("utf-8", "surrogatepass"))
        values.append(_number(row.get(names[2])))
        if math.isnan(values[-1]):
            expected = f"The {value} `{names[2]}` should be a number."
            raise FileError(path, expected, json.dumps(row), number)
    query, item = map(joined, columns)
    return _Columns(query, item, np.array(values), line)


def _object(path: str, text: bytes, number: int) -> dict[str, Any]:
    """Return the object on a line. Raise FileError if it is something else."""
    try:
        row = json.loads(text)
    except _NOT_JSON:
        row = None
    if not isinstance(row, dict):
        raise FileError(path, _OBJECT, text, number)
    return row


def _number(value: Any) -> float:
    """Return a number of JSON, or NaN if it is none or exceeds all floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
