"""Runs and judgements from files of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keras_rankmetrics.comparing.rows import Rows, whole
from keras_rankmetrics.files import delimited, jsonl, parquet, trec
from keras_rankmetrics.files.blocks import Watch, first_line
from keras_rankmetrics.files.chunks import sorted_by_query, whole_queries
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.part import Part
from keras_rankmetrics.files.twice import check_once

_DELIMITERS = {".csv": b",", ".tsv": b"\t", ".tab": b"\t"}
_LAYOUTS = {"score": trec.RUN, "label": trec.QRELS}

Reader = Callable[[Watch], Iterator[Part]]


def run_of(
    path: str, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """A run in chunks of whole queries.

    Raises `QueriesReturnError` where the lines of a query are apart: then
    `sorted_run_of` reads the file.

    Args:
        path: of the file.
        columns: the names of columns, by `"query"`, `"item"` and `"score"`,
            where they cannot be told by their aliases.
        watch: told how many bytes have been read.
    """
    return whole_queries(path, _rows(path, "score", columns, watch))


def sorted_run_of(
    path: str, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    """A run in one chunk, the lines of a query together."""
    return sorted_by_query(_rows(path, "score", columns, watch))


def judgements_of(path: str, columns: Mapping[str, str], watch: Watch) -> Rows:
    """What the items are worth. Raises where the file has no rows."""
    rows = whole(_rows(path, "label", columns, watch))
    if not len(rows.query):
        raise FileError(path, "There should be judgements.", "an empty file")
    return rows


def check_items_once(path: str, value: str, columns: Mapping[str, str]) -> None:
    """Raises where an item comes twice in a query of a file.

    Args:
        path: of the file.
        value: `"label"` for judgements, `"score"` for a run.
        columns: the names of columns, as for `run_of`.
    """
    reader = _reader(path, value, columns)
    check_once(path, lambda: reader(lambda done: None))


def _rows(
    path: str, value: str, columns: Mapping[str, str], watch: Watch
) -> Iterator[Rows]:
    return (part.rows for part in _reader(path, value, columns)(watch))


def _reader(path: str, value: str, columns: Mapping[str, str]) -> Reader:
    """What reads a file, by the ending of its name and by its first line."""
    line = first_line(path)
    name = path.lower().removesuffix(".gz")
    ending = name[name.rfind(".") :] if "." in name else ""
    layout = _LAYOUTS[value]
    if line.startswith(b"PAR1"):
        return _bound(parquet.parts_of, path, value, columns)
    if line.startswith(b"{"):
        return _bound(jsonl.parts_of, path, value, columns)
    if trec.is_like(line, layout):
        return _bound(trec.parts_of, path, layout)
    if ending in _DELIMITERS:
        delimiter = _DELIMITERS[ending]
        return _bound(delimited.parts_of, path, delimiter, value, columns)
    for delimiter in _DELIMITERS.values():
        if line.count(delimiter) >= 2 and len(line.split()) != layout.fields:
            return _bound(delimited.parts_of, path, delimiter, value, columns)
    return _bound(trec.parts_of, path, layout)


def _bound(parts_of: Callable[..., Iterator[Part]], *given: Any) -> Reader:
    return lambda watch: parts_of(*given, watch)
