"""Tables with a JSON object on each line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.files.blocks import (
    Block,
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.chunks import Part
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import as_array
from keras_rankmetrics.files.pipes import File
from keras_rankmetrics.tables.item_rows import Rows

_OBJECT = "A line should be a JSON object."
_NOT_JSON = (ValueError, RecursionError)  # the second one of "[[[[..."
_BLOCK = 2**19  # bytes: their objects take about 200 times as much, at most
_NAME = rb'"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(rb"\{\s*" + _NAME + rb"\{\s*(?:" + _NAME + rb"-?[0-9]|$)")
_ARRAY = re.compile(rb"\[\s*(?:[\[{]|$)")


def is_array(line: bytes) -> bool:
    """Return True if a first line seems to begin an array of objects."""
    return _ARRAY.match(line) is not None


def check_shape(path: str, line: bytes, number: int, value: str) -> None:
    """Raise FileError if a file seems to be JSON of another shape.

    Args:
        path: of the file, for errors.
        line: its first line, or the start of it.
        number: of that line, from 1.
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
    except _NOT_JSON:  # cut, or with its end on another line
        return _NESTED.match(line) is not None
    return bool(values) and all(isinstance(x, dict | list) for x in values)


def parts_of(
    file: File, value: str, given: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """Yield the rows of a file, block by block."""
    source = opened(file)
    path = source.path
    columns: Chosen | None = None
    with source.packed:
        for block in blocks_of(source, watch, _BLOCK):
            check_ends(path, block)
            numbered = _objects(path, block)
            for line, row in numbered[:1]:
                columns = columns or chosen(path, list(row), value, given, line)
            if columns is not None and numbered:
                yield _part(path, numbered, columns, value)


def _objects(path: str, block: Block) -> list[tuple[int, dict[str, Any]]]:
    """The objects, each with the number of its line."""
    lines = [
        (number, line)
        for number, line in enumerate(block.data.splitlines(), block.line)
        if line.strip()
    ]
    try:
        found = json.loads(b"[" + b",".join(line for _, line in lines) + b"]")
    except _NOT_JSON:
        found = []
    if len(found) != len(lines):
        found = [_parsed(path, line, number) for number, line in lines]
    objects = []
    for (number, line), row in zip(lines, found, strict=True):
        if not isinstance(row, dict):
            raise FileError(path, _OBJECT, line, number)
        objects.append((number, row))
    return objects


def _parsed(path: str, line: bytes, number: int) -> Any:
    try:
        return json.loads(line)
    except _NOT_JSON:
        raise FileError(path, _OBJECT, line, number) from None


def _part(
    path: str,
    numbered: list[tuple[int, dict[str, Any]]],
    columns: Chosen,
    value: str,
) -> Part:
    ids: tuple[list[bytes], list[bytes]] = [], []
    values = []
    for line, row in numbered:
        for name, column in zip(columns[:2], ids, strict=True):
            each = row.get(name)
            if isinstance(each, bool) or not isinstance(each, str | int):
                expected = f"`{name}` should be a string or an integer."
                raise FileError(path, expected, json.dumps(row), line)
            # JSON can have half a pair of surrogates.
            column.append(str(each).encode("utf-8", "surrogatepass"))
        number = _number(row.get(columns.value))
        if math.isnan(number):
            expected = f"The {value} `{columns.value}` should be a number."
            raise FileError(path, expected, json.dumps(row), line)
        values.append(number)
    lines = [line for line, _ in numbered]
    query, item = (as_array(path, column, lines) for column in ids)
    return Part(Rows(query, item, np.array(values)), np.array(lines))


def _number(found: Any) -> float:
    """A number of JSON; NaN where it is none, or more than floats can be."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return math.nan
    try:
        return float(found)
    except OverflowError:
        return math.nan
