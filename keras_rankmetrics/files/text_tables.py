"""Tables as text: CSV, TSV, JSON lines and nested JSON.

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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.files import FileError, blocks
from keras_rankmetrics.files.blocks import LINE, Block, Source
from keras_rankmetrics.files.fields import (
    INEXACT,
    Part,
    joined,
    numbers,
    parts,
)
from keras_rankmetrics.files.header import columns_of
from keras_rankmetrics.files.parquet import floats_of, texts_of
from keras_rankmetrics.tables.ids import EXACT
from keras_rankmetrics.tables.item_rows import candidates
from keras_rankmetrics.types import UNJUDGED

_QUOTE = b'"'
_SPACES = " \t"
# A block without any of these bytes has no spaces around its fields.
_PADDING = {",": b" \t", "\t": b' "'}
# A field in quotes, and whether text follows its last one.
_QUOTED = {
    delimiter: re.compile(
        rb'[%b\n] *"[^"]*(?:""[^"]*)*"(?:[ \t]*(?=[%b\r\n])|(?P<text>))'
        % (delimiter.encode(), delimiter.encode())
    )
    for delimiter in _PADDING
}
_SPACED_QUOTE = re.compile(rb'[,\t\n] +"')
# Each byte becomes the letter of that number, so that none changes.
_LETTERS = "latin-1"


def _pyarrow() -> Any:
    """Return pyarrow, or None if it is not installed."""
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.json
    except ModuleNotFoundError:
        return None
    return pyarrow


# CSV and TSV


def delimited_parts(source: Source, delimiter: str) -> Iterator[Part]:
    """Yield the rows of CSV or TSV, block by block."""
    path = source.path
    following = blocks.blocks_of(source)
    first = next(following, None)
    if first is None:
        raise FileError(path, "There should be a header.", "an empty file")
    header, newline, data = first.data.partition(b"\n")
    blocks.check_ends(path, Block(header + newline, 1))
    fields = next(_reader([header.decode(_LETTERS)], delimiter))
    # The arguments of a command have bytes that are not UTF-8 in this form.
    names = [_bytes(x).decode("utf-8", "surrogateescape") for x in fields]
    columns = columns_of(source, names, 1)
    places = [names.index(name) for name in columns]
    rest = Block(b"", 2)  # the start of a row that the next block continues
    for block in itertools.chain([Block(data, 2)], following):
        if rest.data:
            block = Block(rest.data + block.data, rest.line)
        if not block.data:
            continue
        if _QUOTE in block.data:
            _check_quotes(path, block, delimiter)
        else:
            blocks.check_ends(path, block)
        found = _csv_by_pyarrow(path, block, delimiter, len(names), places)
        rest = Block(b"", 0)
        if found is None:
            found, rest = _by_csv(source, block, delimiter, len(names), places)
        yield from found
    if rest.data:
        expected = "A quoted field should end with a quote."
        raise FileError(path, expected, rest.data, rest.line)


def _check_quotes(path: str, block: Block, delimiter: str) -> None:
    """Raise FileError if text follows a field in quotes."""
    data = b"\n" + block.data
    letters = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(letters == ord(_QUOTE))
    outside = letters[quotes[::2] - 1], letters[quotes[1::2] + 1]
    around = [*delimiter.encode(), *b'\r\n"']
    if all(np.isin(each, around).all() for each in outside):
        return  # five times as fast as the pattern
    for found in _QUOTED[delimiter].finditer(data):
        if found["text"] is not None:
            end = found.end()
            start = data.rfind(b"\n", 0, end) + 1
            raise FileError(
                path,
                "A field that begins with a quote should end with one.",
                data[start : data.index(b"\n", end)],
                block.line + data.count(b"\n", 0, end) - 1,
                "Put the whole field in quotes, and double those within it.",
            )


def _csv_by_pyarrow(
    path: str, block: Block, delimiter: str, fields: int, places: Sequence[int]
) -> Iterator[Part] | None:
    """Return the rows of a block, or None unless each line is a valid row."""
    pa = _pyarrow()
    if pa is None or len(set(places)) < len(places):
        return None
    # An own last row is missing if a quote is still open. pyarrow skips the
    # empty first line.
    last = delimiter.join("0" * fields).encode()
    data = b"\n%b%b\n" % (block.data, last)
    # pyarrow takes the spaces before a quote as the start of the text.
    is_spaced = b' "' in data and _SPACED_QUOTE.search(data)
    if is_spaced:
        return None
    names = [str(place) for place in range(fields)]
    chosen = [names[place] for place in places]
    types = [pa.string(), pa.string(), pa.float64()]
    try:
        # Only data in memory: with a Python file, reading ahead is unsafe.
        table = pa.csv.read_csv(
            pa.BufferReader(data),
            pa.csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, column_names=names
            ),
            pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            pa.csv.ConvertOptions(
                check_utf8=False,
                null_values=[],
                include_columns=chosen,
                column_types=dict(zip(chosen, types, strict=True)),
            ),
        )
    except pa.ArrowException:
        return None
    line = blocks.filled_lines(block)
    values = floats_of(table.column(2)[:-1])
    if len(values) != len(line) or np.isnan(values).any():
        return None
    ids = [table.column(place)[:-1] for place in (0, 1)]
    if any(byte in block.data for byte in _PADDING[delimiter]):
        from pyarrow import compute  # as slow as reading 100,000 rows

        ids = [compute.ascii_trim(column, _SPACES) for column in ids]
    query, item = map(texts_of, ids)
    return parts(path, query, item, values, line)


def _by_csv(
    source: Source,
    block: Block,
    delimiter: str,
    number: int,
    places: Sequence[int],
) -> tuple[Iterator[Part], Block]:
    """Return the rows of a block, and the start of a row without its end.

    Raise FileError if a row is invalid.
    """
    path = source.path
    lines = io.StringIO(block.data.decode(_LETTERS), newline="\n").readlines()
    ends = [0, *itertools.accumulate(map(len, lines))]
    # An own last line ends each row but one whose quote is still open.
    reader = _reader([*lines, "\n"], delimiter)
    columns: list[list[bytes]] = [[] for _ in places]
    line, start = [], 0
    try:
        for fields in reader:
            end = reader.line_num
            if end > len(lines):
                break
            if ends[end] - ends[start] > LINE + 2:  # the end of the line
                raise _too_long(path, _since(block, ends, start))
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
        blocks.check_ends(path, rest)
        raise _too_long(path, rest) from None
    rest = _since(block, ends, start)
    if len(rest.data) > LINE:
        raise _too_long(path, rest)
    query, item, values = map(joined, columns)
    numbered = np.array(line, np.int64)
    floats = numbers(path, values, numbered, source.value)
    return parts(path, query, item, floats, numbered), rest


def _since(block: Block, ends: Sequence[int], start: int) -> Block:
    """Return the lines of a block from a line on."""
    return Block(block.data[ends[start] :], block.line + start)


def _reader(lines: Iterable[str], delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _bytes(field: str) -> bytes:
    return field.strip(_SPACES).encode(_LETTERS)


def _too_long(path: str, row: Block) -> FileError:
    """Return the error for a row that is too long."""
    return FileError(
        path,
        f"A row should have {LINE:,} bytes at most, with all its quoted lines.",
        row.data[:LINE],
        row.line,
        "Look for a quote without its end.",
    )


# JSON lines

_BLOCK = 2**19  # bytes: their objects take about 200 times as much, at most
_OBJECT = "A line should be a JSON object, with each name once."
_NOT_JSON = (ValueError, RecursionError)  # the second one of "[[[[..."
_NOTHING = "(nothing)"  # an item that is neither judged nor retrieved
_LISTS = "In Python, `evaluate` takes lists of ids or hits, once loaded."
_FEW = 20  # columns of a frame, at most
_META = "mteb_model_meta"  # next to the subsets in predictions of MTEB
_RESULT = {"corpus_id": "", "score": 0}  # as in a list of `results`
_CUT = re.compile(rb'\{\s*(?:$|"(?:[^"\\]|\\.)*"\s*:\s*(?:$|[\[{]))')
_ARRAY = re.compile(rb"\[\s*(?:[\[{]|$)")


def check_no_array(source: Source, line: bytes, number: int) -> None:
    """Raise `FileError` if a file seems to be a JSON array.

    Args:
        source: the file.
        line: its first line, or the start of it.
        number: the number of that line, from 1.
    """
    if not _ARRAY.match(line):
        return
    value = source.value
    expected = f"A line should be a JSON object of one item and its {value}."
    example = f'{{"query": "q1", "item": "d1", "{value}": 1}}'
    remedy = f"This looks like an array. Write a line for each item: {example}."
    raise FileError(source.path, expected, line, number, remedy)


def json_parts(source: Source) -> Iterator[Part]:
    """Yield the rows of JSON lines, block by block."""
    path = source.path
    names: list[str] = []
    for block in blocks.blocks_of(source, _BLOCK):
        blocks.check_ends(path, block)
        line = blocks.filled_lines(block)
        if not len(line):
            continue
        number = int(line[0])
        text = block.data.lstrip().split(b"\n", 1)[0]
        [first] = _objects(path, [text], line[:1])
        header = [*_unnested(first, []), first | _RESULT][0]
        names = names or columns_of(source, list(header), number)
        found = _json_by_pyarrow(path, block, names, first, line)
        if found is None:
            found = _by_json(source, block, names, line)
        yield from found


def _json_by_pyarrow(
    path: str,
    block: Block,
    names: Sequence[str],
    first: Mapping[str, Any],
    line: np.ndarray,
) -> Iterator[Part] | None:
    """Return the rows of a block, or None if pyarrow does not read them all."""
    pa = _pyarrow()
    is_nested = b'"results"' in block.data
    if pa is None or is_nested or len(set(names)) < len(names):
        return None
    types = {str: pa.string(), int: pa.int64()}
    kinds = [types.get(type(first.get(name))) for name in names[:2]]
    if None in kinds:
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
    floats = floats_of(values)
    # Other integers may be no floats, and others exceed all floats.
    if not (np.abs(floats) < EXACT).all():
        return None
    return parts(path, texts_of(query), texts_of(item), floats, line)


def _by_json(
    source: Source, block: Block, names: Sequence[str], line: np.ndarray
) -> Iterator[Part]:
    """Return the rows of a block. Raise FileError if one of them is invalid."""
    lines = block.data.split(b"\n")
    texts = [lines[place] for place in (line - block.line).tolist()]
    objects = _objects(source.path, texts, line)
    numbered = zip(line.tolist(), objects, strict=True)
    rows = ((n, row) for n, x in numbered for row in _unnested(x, names[1:]))
    return _of_rows(source, names, rows)


def _of_rows(
    source: Source, names: Sequence[str], rows: Iterable[tuple[int, Any]]
) -> Iterator[Part]:
    """Return numbered objects. Raise FileError if one of them is invalid."""
    path, value = source.path, source.value
    columns: list[list[bytes]] = [[], []]
    line, values = [], []
    for number, row in rows:
        for name, column in zip(names[:2], columns, strict=True):
            id_ = row.get(name)
            if type(id_) not in (str, int):
                expected = f"`{name}` should be a string or an integer."
                raise FileError(path, expected, json.dumps(row), number)
            # JSON can have half a pair of surrogates.
            column.append(str(id_).encode("utf-8", "surrogatepass"))
        line.append(number)
        x = row.get(names[2])
        values.append(_number(x))
        if values[-1] != x:
            expected = f"The {value} `{names[2]}` should be a number."
            remedy = "" if math.isnan(values[-1]) else INEXACT
            raise FileError(path, expected, json.dumps(row), number, remedy)
    query, item = map(joined, columns)
    return parts(path, query, item, np.array(values), np.array(line, np.int64))


def _unnested(row: dict[str, Any], own: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each of its `results`, or the row if it has none.

    Each line of the predictions of sentence-transformers has the results of a
    query: `{"query_id": ..., "results": [{"corpus_id": ..., "score": ...}]}`.

    Args:
        row: the object of a line.
        own: the names whose values each result has for itself.
    """
    results = row.get("results")
    if isinstance(results, list) and {*map(type, results)} <= {dict}:
        row = row | dict.fromkeys(own)
        return [row | result for result in results]
    return [row]


def _objects(
    path: str, texts: Sequence[bytes], line: np.ndarray
) -> list[dict[str, Any]]:
    """Return the object on each line. Raise FileError if one is no object."""
    rows = _parsed(b"[%b]" % b",".join(texts))  # faster than line by line
    if rows is None or len(rows) != len(texts):
        rows = map(_parsed, texts)
    objects = []
    for row, text, number in zip(rows, texts, line.tolist(), strict=True):
        if not isinstance(row, dict):
            raise FileError(path, _OBJECT, text, number)
        objects.append(row)
    return objects


def _parsed(text: bytes) -> Any:
    """Return a value of JSON, or None if the text is not JSON."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except _NOT_JSON:
        return None


def _number(value: Any) -> float:
    """Return a number of JSON, or NaN if it is none or exceeds all floats."""
    if type(value) not in (int, float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


# Nested JSON


def is_nested(line: bytes) -> bool:
    """Return True if a first line begins an object of queries.

    Args:
        line: the first line of a file, or the start of it, which begins with a
            brace.
    """
    try:
        values = json.loads(line).values()
    except _NOT_JSON:  # the object is cut, or ends on another line
        return _CUT.match(line) is not None
    return all(isinstance(value, dict | list) for value in values)


def nested_parts(source: Source) -> Iterator[Part]:
    """Yield the rows of `{query: {item: value}}`. Its lines are the rows."""
    names = ["query", "item", source.value]
    return _of_rows(source, names, enumerate(_nested(source), 1))


def _nested(source: Source) -> Iterator[dict[str, Any]]:
    path, value, text = source.path, source.value, blocks.whole_text(source)
    expected = f"It should be one JSON object, {{query: {{item: {value}}}}}."
    try:
        tree = json.loads(text, object_pairs_hook=_once)
    except _NOT_JSON as error:
        raise FileError(path, expected, str(error)) from None
    tree.pop(_META, None)
    names = [name for name, x in tree.items() if isinstance(x, dict)][:_FEW]
    if all(candidates(role, names, {}) for role in ("query", "item")):
        remedy = "Write the frame with `to_csv`, or `to_json(lines=True)`."
        raise FileError(path, expected, ", ".join(tree), remedy=remedy)
    # MTEB has objects of subsets and splits around the one of queries.
    while objects := [
        x
        for of in tree.values()
        if isinstance(of, dict)
        for x in of.values()
        if isinstance(x, dict)
    ]:
        if candidates(value, list(objects[0]), source.columns):
            remedy = f"Write the {value} of an item in place of its object."
            raise FileError(
                path, expected, json.dumps(objects[0]), remedy=remedy
            )
        if len(tree) > 1:
            remedy = "Write one of these parts to a file of its own."
            raise FileError(path, expected, ", ".join(tree), remedy=remedy)
        [tree] = tree.values()
    nothing = {_NOTHING: -math.inf if value == "score" else UNJUDGED}
    for query, items in tree.items():
        if not isinstance(items, dict):
            raise FileError(
                path, expected, json.dumps({query: items}), remedy=_LISTS
            )
        for item, x in (items or nothing).items():
            yield {"query": query, "item": item, value: x}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raise ValueError if a name occurs twice in it."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {name!r} twice in an object")
    return found
