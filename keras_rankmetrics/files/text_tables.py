"""Tables as text: CSV, TSV, JSON lines and nested JSON.

Blocks of ordinary rows are read at once: those of CSV and TSV by numpy, those
of JSON lines by pyarrow if it is installed. All others are left to `csv` and
`json`, which are slower. They read what is rare, such as a quote within a
field or an id of 80 bits, and they find the line of an error.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.files import NOTHING, FileError, blocks
from keras_rankmetrics.files.blocks import LINE, Source
from keras_rankmetrics.files.fields import (
    BOOLS,
    INEXACT,
    Texts,
    has_texts,
    parts,
)
from keras_rankmetrics.files.header import columns_by_name
from keras_rankmetrics.files.parquet import floats_of_column, texts_of
from keras_rankmetrics.tables.ids import EXACT
from keras_rankmetrics.tables.item_rows import Part
from keras_rankmetrics.tables.roles import RANKS, candidates
from keras_rankmetrics.types import UNJUDGED

_QUOTE, _NEWLINE = b'"\n'
_SPACES = " \t"
# A field in quotes, and whether text follows its last one.
_QUOTED = {
    delimiter: re.compile(
        rb'[%b\n] *"[^"]*(?:""[^"]*)*"(?:[ \t]*(?=[%b\r\n])|(?P<text>))'
        % (delimiter.encode(), delimiter.encode())
    )
    for delimiter in ",\t"
}
# Each byte becomes the letter of that number, so that none changes.
_LETTERS = "latin-1"
_Fields = tuple[list[Texts], np.ndarray, bytes, int]


# CSV and TSV


def delimited_parts(source: Source, delimiter: str) -> Iterator[Part]:
    """Yield the rows of CSV or TSV, block by block."""
    path = source.path
    following = blocks.blocks_of(source)
    first, _ = next(following, (b"", 1))
    if not first:
        raise FileError(path, "There should be a header.", "an empty file")
    header, newline, below = first.partition(b"\n")
    blocks.check_ends(path, header + newline, 1)
    words = next(_reader([header.decode(_LETTERS)], delimiter))
    # The arguments of a command have bytes that are not UTF-8 in this form.
    names = [_bytes(x).decode("utf-8", "surrogateescape") for x in words]
    columns = columns_by_name(source, names, 1)
    places = [names.index(name) for name in columns.values()]
    rest, start = b"", 2  # of a row that the next block continues
    for data, line in itertools.chain([(below, 2)], following):
        if rest:
            data, line = rest + data, start
        if not data:
            continue
        layout = delimiter, len(names), places
        found = _plain_rows(data, line, *layout)
        found = found or _by_csv(path, data, line, *layout)
        texts, lines, rest, start = found
        fields = dict(zip(columns, texts, strict=True))
        yield from parts(source, fields, lines)
    if rest:
        expected = "A quoted field should end with a quote."
        raise FileError(path, expected, rest, start)


def _plain_rows(
    data: bytes, line: int, delimiter: str, number: int, places: Sequence[int]
) -> _Fields | None:
    """Return what `_by_csv` returns, or None if only that can read the rows.

    A field may be in quotes, but not have quotes within it.

    Args:
        data: whole lines.
        line: the number of the first one.
        delimiter: the character between fields.
        number: the number of fields of a row.
        places: the indices of the fields to return.
    """
    letters = np.frombuffer(data, np.uint8)
    is_newline = letters == _NEWLINE
    quotes = np.cumsum(letters == _QUOTE) if _QUOTE in data else None
    is_end = is_newline | (letters == ord(delimiter))
    if quotes is not None:
        is_end &= quotes % 2 == 0
    ends = np.flatnonzero(is_end)
    if not is_end[-1] or len(ends) % number or blocks.lone_return(data):
        return None
    start = np.append(0, ends[:-1] + 1).reshape(-1, number)
    end = ends.reshape(-1, number)
    are_rows = is_newline[end] == (np.arange(number) == number - 1)
    if not are_rows.all() or (end[:, -1] - start[:, 0]).max() > LINE:
        return None
    lines = line + np.searchsorted(np.flatnonzero(is_newline), start[:, 0])
    if quotes is None:
        start, end = start[:, places], end[:, places]
    start, end = _trimmed(data, is_end, start, end, b" \r")
    if quotes is not None:
        count = np.diff(quotes[ends], prepend=0).reshape(end.shape)
        is_quoted = (letters[start] == _QUOTE) & (letters[end - 1] == _QUOTE)
        if (count != 2 * is_quoted).any():
            return None
        start = (start + is_quoted)[:, places]
        end = (end - is_quoted)[:, places]
    start, end = _trimmed(data, is_end, start, end, b" \t")
    columns = range(len(places))
    texts = [Texts(letters, start[:, at], end[:, at]) for at in columns]
    return texts, lines, b"", 0


def _trimmed(
    data: bytes,
    is_end: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    padding: bytes,
) -> tuple[np.ndarray, np.ndarray]:
    """Return where fields start and end without the padding around them.

    Args:
        data: the bytes.
        is_end: True for bytes between fields, which are no padding.
        start: the index of the first byte of each field.
        end: the index after its last byte.
        padding: the bytes to leave out.
    """
    if not any(byte in data for byte in padding):
        return start, end
    letters = np.frombuffer(data, np.uint8)
    solid = np.flatnonzero(~np.isin(letters, [*padding]) | is_end)
    start = np.minimum(solid[np.searchsorted(solid, start)], end)
    last = solid[np.searchsorted(solid, end) - 1]  # any byte if there is none
    return start, np.clip(last + 1, start, end)


def _check_quotes(path: str, data: bytes, line: int, delimiter: str) -> None:
    """Raise FileError if text follows a field in quotes."""
    data = b"\n" + data
    letters = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    outside = letters[quotes[::2] - 1], letters[quotes[1::2] + 1]
    around = [*delimiter.encode(), *b'\r\n"']
    if all(np.isin(each, around).all() for each in outside):
        return  # also if the block ends within a field
    for found in _QUOTED[delimiter].finditer(data):
        if found["text"] is not None:
            end = found.end()
            start = data.rfind(b"\n", 0, end) + 1
            raise FileError(
                path,
                "A field that begins with a quote should end with one.",
                data[start : data.index(b"\n", end)],
                line + data.count(b"\n", 0, end) - 1,
                "Put the whole field in quotes, and double those within it.",
            )


def _by_csv(
    path: str,
    data: bytes,
    line: int,
    delimiter: str,
    number: int,
    places: Sequence[int],
) -> _Fields:
    """Return some fields of rows, their lines, and a last row without its end.

    That row comes with the number of its line. Raise FileError if a row is
    invalid.
    """
    if _QUOTE in data:
        _check_quotes(path, data, line, delimiter)
    else:
        blocks.check_ends(path, data, line)
    lines = io.StringIO(data.decode(_LETTERS), newline="\n").readlines()
    ends = [0, *itertools.accumulate(map(len, lines))]
    # An own last line ends each row but one whose quote is still open.
    reader = _reader([*lines, "\n"], delimiter)
    columns: list[list[str]] = [[] for _ in places]
    of_rows, start = [], 0
    try:
        for fields in reader:
            end = reader.line_num
            if end > len(lines):
                break
            if ends[end] - ends[start] > LINE + 2:  # the end of the line
                raise _too_long(path, data[ends[start] :], line + start)
            if fields and len(fields) != number:
                expected = (
                    f"A line should have {number} fields, as the header has."
                )
                text = _bytes(delimiter.join(fields))
                raise FileError(path, expected, text, line + start)
            if fields:
                of_rows.append(line + start)
                for place, column in zip(places, columns, strict=True):
                    column.append(fields[place].strip(_SPACES))
            start = end
    except csv.Error:
        raise _too_long(path, data[ends[start] :], line + start) from None
    rest = data[ends[start] :]
    if len(rest) > LINE:
        raise _too_long(path, rest, line + start)
    texts = [Texts.of(column, _LETTERS) for column in columns]
    return texts, np.array(of_rows, np.int64), rest, line + start


def _reader(lines: Iterable[str], delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _bytes(field: str) -> bytes:
    return field.strip(_SPACES).encode(_LETTERS)


def _too_long(path: str, data: bytes, line: int) -> FileError:
    """Return the error for a row that is too long.

    Raises:
        FileError: if its lines do not end.
    """
    blocks.check_ends(path, data, line)
    return FileError(
        path,
        f"A row should have {LINE:,} bytes at most, with all its quoted lines.",
        data[:LINE],
        line,
        "Look for a quote without its end.",
    )


# JSON lines

_BLOCK = 2**19  # bytes: their objects take about 200 times as much, at most
_OBJECT = "A line should be a JSON object, with each name once."
_NOT_JSON = (ValueError, RecursionError)  # the second one of "[[[[..."
_LISTS = "In Python, `evaluate` takes lists of ids or hits, once loaded."
_LINES = (
    "Write a line for each item and subtopic: "
    '`{"query": "q1", "subtopic": "1", "item": "d1", "label": 1}`.'
)
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
    value = " and ".join(source.values)
    expected = f"A line should be a JSON object of one item and its {value}."
    numbers = dict.fromkeys(source.values, 1)
    example = json.dumps({"query": "q1", "item": "d1", **numbers})
    remedy = f"This looks like an array. Write a line for each item: {example}."
    raise FileError(source.path, expected, line, number, remedy)


def json_parts(source: Source) -> Iterator[Part]:
    """Yield the rows of JSON lines, block by block."""
    path = source.path
    columns: dict[str, str] = {}
    for data, start in blocks.with_ends(path, blocks.blocks_of(source, _BLOCK)):
        line = blocks.filled_lines(data, start)
        if not len(line):
            continue
        lines = data.split(b"\n")
        texts = [lines[place] for place in (line - start).tolist()]
        [first] = _objects(path, texts[:1], line[:1])
        header = [*_unnested(first, []), first | _RESULT][0]
        columns = columns or columns_by_name(source, [*header], int(line[0]))
        found = _json_by_pyarrow(source, data, columns, first, line)
        if found is None:
            own = [name for role, name in columns.items() if role != "query"]
            groups = [_unnested(x, own) for x in _objects(path, texts, line)]
            rows = [*itertools.chain(*groups)]
            line = np.repeat(line, [*map(len, groups)])
            fields = {
                role: [row.get(name) for row in rows]
                for role, name in columns.items()
            }
            row_of = rows.__getitem__
            found = _json_columns(source, columns, fields, line, row_of)
        yield from found


def _json_by_pyarrow(
    source: Source,
    data: bytes,
    columns: Mapping[str, str],
    first: Mapping[str, Any],
    line: np.ndarray,
) -> Iterator[Part] | None:
    """Return the rows of a block, or None if pyarrow does not read them all.

    It is three times as fast as `json`.
    """
    try:
        import pyarrow as pa
        import pyarrow.json
    except ModuleNotFoundError:
        return None
    types = {str: pa.string(), int: pa.int64()}
    kinds = {
        name: types.get(type(first.get(name)))
        if has_texts(role)
        else pa.float64()
        for role, name in columns.items()
    }
    is_plain = None not in kinds.values() and len(kinds) == len(columns)
    if not is_plain or b'"results"' in data:
        return None
    schema = pa.schema(kinds)
    try:
        data.decode()  # pyarrow reads bytes that are not UTF-8
        table = pyarrow.json.read_json(
            pa.BufferReader(data),
            pyarrow.json.ReadOptions(
                use_threads=False, block_size=len(data) + 1
            ),
            pyarrow.json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if len(table) != len(line) or any(x.null_count for x in table.columns):
        return None
    found: dict[str, Texts | np.ndarray] = {}
    for role, name in columns.items():
        column = table.column(name)
        if has_texts(role):
            found[role] = texts_of(column)
            continue
        found[role] = floats = floats_of_column(column)
        # Other integers may be no floats, and others exceed all floats.
        if not (np.abs(floats) < EXACT).all():
            return None
    return parts(source, found, line)


def _json_columns(
    source: Source,
    columns: Mapping[str, str],
    fields: Mapping[str, list[Any]],
    line: np.ndarray,
    row_of: Callable[[int], dict[str, Any]],
) -> Iterator[Part]:
    """Return rows of JSON. Raise FileError if one of them is invalid.

    Args:
        source: the file.
        columns: the names of the columns by role.
        fields: the ids and the values by role.
        line: the number of the line of each row.
        row_of: returns the object of a row, for errors.
    """
    wrong = []
    found: dict[str, Texts | np.ndarray] = {}
    for role, column in fields.items():
        if has_texts(role):
            expected = f"`{columns[role]}` should be a string or an integer."
            kinds = str, int
            rows = [at for at, x in enumerate(column) if type(x) not in kinds]
            wrong += [(at, expected, "") for at in rows[:1]]
            continue
        values = [*map(_number, column)]
        found[role] = np.array(values)
        if role == RANKS:
            continue
        rows = [at for at, x in enumerate(column) if values[at] != x]
        for at in rows[:1]:
            expected = f"The {role} `{columns[role]}` should be a number."
            remedy = "" if math.isnan(values[at]) else INEXACT
            remedy = BOOLS if isinstance(column[at], bool) else remedy
            wrong.append((at, expected, remedy))
    if wrong:
        at, expected, remedy = min(wrong, key=operator.itemgetter(0))
        received, number = json.dumps(row_of(at)), int(line[at])
        raise FileError(source.path, expected, received, number, remedy)
    texts = {
        role: Texts.of([*map(str, column)], "utf-8")
        for role, column in fields.items()
        if has_texts(role)
    }
    return parts(source, {**texts, **found}, line)


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
        del row["results"]
        return [row | result for result in results]
    return [row]


def _objects(
    path: str, texts: Sequence[bytes], line: np.ndarray
) -> list[dict[str, Any]]:
    """Return the object on each line. Raise FileError if one is no object."""
    rows = _value_of(b"[%b]" % b",".join(texts))  # faster than line by line
    if rows is None or len(rows) != len(texts):
        rows = [*map(_value_of, texts)]
    wrong = [at for at, row in enumerate(rows) if not isinstance(row, dict)]
    for at in wrong[:1]:
        raise FileError(path, _OBJECT, texts[at], int(line[at]))
    return list(rows)


def _value_of(text: bytes) -> Any:
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
    path, value = source.path, source.value
    if "subtopic" in source.others:
        expected = "It should have a column for the subtopic."
        raise FileError(path, expected, "nested JSON", remedy=_LINES)
    text = b"".join(blocks.pieces_of(source))
    expected = f"It should be one JSON object, {{query: {{item: {value}}}}}."
    try:
        tree = json.loads(text, object_pairs_hook=_once)
    except _NOT_JSON as error:
        raise FileError(path, expected, str(error)) from None
    tree.pop(_META, None)
    names = [name for name, x in tree.items() if isinstance(x, dict)][:_FEW]
    if all(candidates(role, names, {}) for role in ("query", "item")):
        remedy = (
            "Write the frame with `to_csv`, or with "
            '`to_json(orient="records", lines=True)`.'
        )
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
    nothing = {NOTHING: -math.inf if value == "score" else UNJUDGED}
    columns: list[list[Any]] = [[], [], []]
    for query, items in tree.items():
        if not isinstance(items, dict):
            raise FileError(
                path, expected, json.dumps({query: items}), remedy=_LISTS
            )
        items = items or nothing
        columns[0] += [query] * len(items)
        columns[1] += items
        columns[2] += items.values()

    def row_of(at: int) -> dict[str, Any]:
        query, item, x = (column[at] for column in columns)
        return {query: {item: x}}

    line = np.arange(len(columns[0])) + 1
    roles = "query", "item", value
    fields = dict(zip(roles, columns, strict=True))
    return _json_columns(
        source, dict(zip(roles, roles, strict=True)), fields, line, row_of
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raise ValueError if a name occurs twice in it."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {name!r} twice in an object")
    return found
