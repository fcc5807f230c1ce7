"""Runs and judgements from files of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keras_rankmetrics.files import delimited, jsonl, parquet, trec
from keras_rankmetrics.files.blocks import PARQUET, Watch, first_line
from keras_rankmetrics.files.chunks import (
    Part,
    check_once,
    sorted_by_query,
    whole_queries,
)
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.pipes import File, name_of
from keras_rankmetrics.tables.item_rows import Rows, whole

_DELIMITERS = {".csv": b",", ".tsv": b"\t", ".tab": b"\t"}
_LAYOUTS = {"score": trec.RUN, "label": trec.QRELS}

Reader = Callable[[Watch], Iterator[Part]]


def run_of(
    file: File, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """A run in chunks of whole queries.

    Raises `QueriesReturnError` where the lines of a query are apart: then
    `sorted_run_of` reads the file.

    Args:
        file: the file.
        columns: the names of columns, by `"query"`, `"item"` and `"score"`,
            where they cannot be told by their aliases.
        watch: told how many bytes have been read.
    """
    return whole_queries(name_of(file), _rows(file, "score", columns, watch))


def sorted_run_of(
    file: File, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """A run in one chunk, the lines of a query together."""
    return sorted_by_query(_rows(file, "score", columns, watch))


def judgements_of(file: File, columns: Mapping[str, str], watch: Watch) -> Rows:
    """What the items are worth. Raises where the file has no rows."""
    rows = whole(_rows(file, "label", columns, watch))
    if not len(rows.query):
        raise FileError(
            name_of(file), "There should be judgements.", "an empty file"
        )
    return rows


def check_items_once(
    file: File, value: str, columns: Mapping[str, str]
) -> None:
    """Raises where an item comes twice in a query of a file.

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
    """What reads a file, by the ending of its name and by its first line."""
    line, number = first_line(file)
    path = name_of(file)
    name = path.lower().removesuffix(".gz")
    ending = name[name.rfind(".") :] if "." in name else ""
    layout = _LAYOUTS[value]
    if line.startswith(PARQUET):
        return _bound(parquet.parts_of, file, value, columns)
    if line.startswith(b"{") or (
        jsonl.is_array(line) and ending not in _DELIMITERS
    ):
        jsonl.check_shape(path, line, number, value)
        return _bound(jsonl.parts_of, file, value, columns)
    if trec.is_like(line, layout):
        return _bound(trec.parts_of, file, layout)
    trec.check_layout(path, line, number, layout)
    if ending in _DELIMITERS:
        delimiter = _DELIMITERS[ending]
        return _bound(delimited.parts_of, file, delimiter, value, columns)
    for delimiter in _DELIMITERS.values():
        if line.count(delimiter) >= 2 and len(line.split()) != layout.fields:
            return _bound(delimited.parts_of, file, delimiter, value, columns)
    return _bound(trec.parts_of, file, layout)


def _bound(parts_of: Callable[..., Iterator[Part]], *given: Any) -> Reader:
    return lambda watch: parts_of(*given, watch)
