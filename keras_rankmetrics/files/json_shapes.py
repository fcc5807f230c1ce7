"""JSON files of a wrong shape, which get an error with a hint."""

from __future__ import annotations

import json
import re

from keras_rankmetrics.files.errors import FileError

NOT_JSON = (ValueError, RecursionError)  # the second one of "[[[[..."
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
    except NOT_JSON:  # cut, or with its end on another line
        return _NESTED.match(line) is not None
    return bool(values) and all(isinstance(x, dict | list) for x in values)
