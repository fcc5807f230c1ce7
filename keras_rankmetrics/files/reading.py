"""Runs and judgements from files of any format."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keras_rankmetrics.files import json_shapes, trec
from keras_rankmetrics.files.blocks import PARQUET, Watch, first_line
from keras_rankmetrics.files.chunks import (
    Part,
    check_once,
    sorted_by_query,
    whole_queries,
)
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.pipes import File, name_of
from keras_rankmetrics.tables.chunks import Rows, whole

_DELIMITERS = {".csv": b",", ".tsv": b"\t", ".tab": b"\t"}
_LAYOUTS = {"score": trec.RUN, "label": trec.QRELS}

# Yields the rows of a file, and reports how far it has read.
Reader = Callable[[Watch], Iterator[Part]]


def run_of(
    file: File, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """Yield a run in chunks of whole queries.

    Raise QueriesReturnError if the rows of a query are not together. Then read
    the file with `sorted_run_of`.

    Args:
        file: the file.
        columns: the names of columns that the user chose, by the roles
            `"query"`, `"item"` and `"score"`.
        watch: receives the number of bytes read so far.
    """
    return whole_queries(name_of(file), _rows(file, "score", columns, watch))


def sorted_run_of(
    file: File, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """Yield a run in one chunk, with the rows of each query together."""
    return sorted_by_query(_rows(file, "score", columns, watch))


def judgements_of(file: File, columns: Mapping[str, str], watch: Watch) -> Rows:
    """Return all judgements. Raise FileError if there are none."""
    rows = whole(_rows(file, "label", columns, watch))
    if not len(rows.query):
        raise FileError(
            name_of(file), "There should be judgements.", "an empty file"
        )
    return rows


def check_items_once(
    file: File, value: str, columns: Mapping[str, str]
) -> None:
    """Raise FileError if an item occurs twice in a query of a file.

    Args:
        file: the file.
        value: `"label"` for judgements, `"score"` for a run.
        columns: the names of columns, as for `run_of`.
    """
    reader = _reader(file, value, columns)
    check_once(name_of(file), lambda: reader(lambda done: None))


def _rows(
    file: File, value: str, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    return (part.rows for part in _reader(file, value, columns)(watch))


def _reader(file: File, value: str, columns: Mapping[str, str]) -> Reader:
    """Return the reader of a file, by its first line and its name."""
    line, number = first_line(file)
    path = name_of(file)
    _, ending = os.path.splitext(path.lower().removesuffix(".gz"))
    layout = _LAYOUTS[value]
    if line.startswith(PARQUET):
        read = _arrow(path).parquet_parts
        return functools.partial(read, file, value, columns)
    if line.startswith(b"{") or (
        json_shapes.is_array(line) and ending not in _DELIMITERS
    ):
        json_shapes.check_shape(path, line, number, value)
        read = _arrow(path).json_parts
        return functools.partial(read, file, value, columns)
    if not trec.is_like(line, layout):
        trec.check_layout(path, line, number, layout)
        delimiter = _delimiter(line, ending, layout)
        if delimiter is not None:
            read = _arrow(path).delimited_parts
            return functools.partial(read, file, delimiter, value, columns)
    return functools.partial(trec.parts_of, file, layout)


def _delimiter(line: bytes, ending: str, layout: trec.Layout) -> bytes | None:
    """Return the delimiter of a table, or None for another format."""
    if ending in _DELIMITERS:
        return _DELIMITERS[ending]
    if len(line.split()) != layout.fields:
        for delimiter in _DELIMITERS.values():
            if line.count(delimiter) >= 2:
                return delimiter
    return None


def _arrow(path: str) -> Any:
    """Return the readers that need pyarrow, which TREC files do not."""
    try:
        from keras_rankmetrics.files import arrow
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise FileError(
            path,
            "pyarrow should be installed to read this format.",
            "no such package",
            remedy='Install it: `pip install "keras_rankmetrics[files]"`. '
            "Files of TREC need no further package.",
        ) from None
    return arrow
