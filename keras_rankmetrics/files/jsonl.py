"""Tables with a JSON object on each line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.files.blocks import (
    Block,
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import as_array
from keras_rankmetrics.files.part import Part

_OBJECT = "A line should be a JSON object."


def parts_of(
    path: str, value: str, given: Mapping[str, str], watch: Watch
) -> Iterator[Part]:
    """The rows of a file, block by block."""
    source = opened(path)
    columns: Chosen | None = None
    with source.packed:
        for block in blocks_of(source, watch):
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
