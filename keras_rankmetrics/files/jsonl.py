"""Tables with a JSON object on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.files.blocks import Block, Watch, blocks_of, opened
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.delimited import as_bytes
from keras_rankmetrics.files.errors import FileError

_OBJECT = "A line should be a JSON object."


def rows_of(
    path: str, value: str, given: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """The rows of a file, block by block."""
    source = opened(path)
    columns: Chosen | None = None
    with source.packed:
        for block in blocks_of(source, watch):
            numbered = _objects(path, block)
            for line, row in numbered[:1]:
                columns = columns or chosen(path, list(row), value, given, line)
            if columns is not None and numbered:
                yield _rows(path, numbered, columns, value)


def _objects(path: str, block: Block) -> list[tuple[int, dict[str, Any]]]:
    """The objects, each with the number of its line."""
    lines = [
        (number, line)
        for number, line in enumerate(block.data.splitlines(), block.line)
        if line.strip()
    ]
    try:
        found = json.loads(b"[" + b",".join(line for _, line in lines) + b"]")
    except ValueError:
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
    except ValueError:
        raise FileError(path, _OBJECT, line, number) from None


def _rows(
    path: str,
    numbered: list[tuple[int, dict[str, Any]]],
    columns: Chosen,
    value: str,
) -> Rows:
    ids: tuple[list[str], list[str]] = [], []
    values = []
    for line, row in numbered:
        for name, column in zip(columns[:2], ids, strict=True):
            each = row.get(name)
            if isinstance(each, bool) or not isinstance(each, str | int):
                expected = f"`{name}` should be a string or an integer."
                raise FileError(path, expected, json.dumps(row), line)
            column.append(str(each))
        number = row.get(columns.value)
        if (
            isinstance(number, bool)
            or not isinstance(number, int | float)
            or number != number
        ):
            expected = f"The {value} `{columns.value}` should be a number."
            raise FileError(path, expected, json.dumps(row), line)
        values.append(float(number))
    return Rows(as_bytes(ids[0]), as_bytes(ids[1]), np.array(values))
