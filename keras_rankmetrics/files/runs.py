"""The format of a file, by its first line, and its rows by whole queries."""

from __future__ import annotations

import functools
import glob
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from keras_rankmetrics.files import (
    KIND,
    FileError,
    QueriesReturnError,
    svmlight,
    text_tables,
    trec,
)
from keras_rankmetrics.files.blocks import PARQUET, Source, first_line
from keras_rankmetrics.files.header import check_labels
from keras_rankmetrics.files.parquet import parquet_parts
from keras_rankmetrics.tables.ids import pair_keys, twins
from keras_rankmetrics.tables.item_rows import (
    Part,
    numbered,
    order_of,
    run_starts,
)

_SAVED = f'{{"kind": "{KIND}'.encode()  # begins the files of `--save`
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_IN_ORDER = "Pass both; or write a query and an item next to each score."
_ROWS = 2**19  # of a chunk, at least
_BYTES = 2**24  # of the ids of a chunk, unless a single query has more


def chunks_of_file(source: Source) -> Iterator[Part]:
    """Yield the rows of a file, a run in chunks of whole queries.

    Judgements are one chunk, and so is a run that was found to be scattered. A
    file without rows is one empty chunk.

    Raises:
        FileError: if the file is invalid.
        QueriesReturnError: if the rows of a query of a run are not together.
            The next call holds the file in memory, and sorts it by query.
    """
    if source.value != "label" and not source.is_scattered:
        yield from whole_queries(source, _parts(source))
        return
    found = Part.joined(_parts(source))
    if source.value != "label":
        found = found.at(order_of(numbered(found.query)[0]))
    check_labels(source, found)
    yield found


def in_text(part: Part) -> Part:
    """Return rows with str ids. Bytes that are not UTF-8 become surrogates."""
    others = {
        role: _text(x) if x.dtype.kind == "S" else x
        for role, x in part.others.items()
    }
    query, item = _text(part.query), _text(part.item)
    return part._replace(query=query, item=item, others=others)


def _text(ids: np.ndarray) -> np.ndarray:
    if ids.tobytes().isascii():  # each letter of numpy's str has four bytes
        letters = np.ascontiguousarray(ids).view(np.uint8).astype(np.uint32)
        return letters.view(f"U{ids.itemsize}")
    return np.char.decode(ids, "utf-8", "surrogateescape")


def judgements_path(path: str | os.PathLike[str]) -> str:
    """Return the file of judgements in a folder of a dataset, or the path.

    BEIR has a file for each split, `qrels/test.tsv`. MTEB on Hugging Face has
    `qrels/test.jsonl` or `qrels/test-00000-of-00001.parquet`, and with several
    languages a folder for each, `de-qrels`.

    Args:
        path: the path of the folder or of a file.

    Raises:
        ValueError: if several files could be meant.
    """
    folder = os.fsdecode(path)
    base = os.path.join(glob.escape(folder), "*qrels")
    found = sorted(glob.glob(f"{base}/test[.-]*") or glob.glob(f"{base}/*"))
    if len(found) > 1:
        expected = "The folder should have one file of judgements for `test`."
        listed = ", ".join(os.path.relpath(file, folder) for file in found)
        raise FileError(folder, expected, listed, remedy="Pass one of them.")
    return found[0] if found else folder


def once(source: Source, part: Part) -> Part:
    """Return rows with each item once in its query.

    Raise FileError if there are no rows, or if an item occurs twice.

    Args:
        source: the file.
        part: all rows of some queries.
    """
    query, item, line = part.query, part.item, part.line
    if not len(query):
        expected = "There should be judgements."
        if source.value == "score":
            expected = "A run should have at least one row."
        raise FileError(source.path, expected, "an empty file")
    keys = pair_keys(query, item)
    ordered = np.sort(keys)
    if (ordered[1:] == ordered[:-1]).any():
        order = np.argsort(keys, kind="stable")
        first, second = twins(order, keys[order])
        # Two ids may have the same key.
        same = query[first] == query[second]
        same &= item[first] == item[second]
        pairs = zip(line[second], second, line[first], strict=True)
        for again, row, before in sorted(itertools.compress(pairs, same))[:1]:
            query_id, item_id = (
                ids[row].decode("utf-8", "replace") for ids in (query, item)
            )
            raise FileError(
                source.path,
                "An item should occur once in the list of a query.",
                f"item {item_id} of query {query_id}, as in line {before}",
                int(again),
            )
    return part


def _check_is_table(source: Source, line: bytes, number: int) -> None:
    """Raise FileError if a file cannot have both labels and scores."""
    kind = ""
    if line.startswith(b"{") and text_tables.is_nested(line):
        kind = "nested JSON"
    for layout, name in ((trec.RUN, "a run"), (trec.QRELS, "judgements")):
        if len(line.split()) == len(layout) and trec.is_like(line, layout):
            kind = f"{name} of TREC"
    if kind:
        expected = "It should be a table with a label and a score in each row."
        remedy = "Pass the judgements and the run, or write a header."
        raise FileError(source.path, expected, kind, number, remedy)


def _parts(source: Source) -> Iterator[Part]:
    """Return the rows of a file.

    Its first line decides on the format, and then the ending of its name.
    """
    if source.scores:
        return svmlight.lines_parts(source)
    layout = trec.RUN if source.value == "score" else trec.QRELS
    is_comment = functools.partial(trec.is_comment, layout=layout)
    line, number = first_line(source, is_comment)
    path = source.path
    if source.value == "both":
        _check_is_table(source, line, number)
    if line.startswith(_SAVED):
        last = "Saved baselines go last: `krm gate QRELS CANDIDATE BASELINE`."
        remedy = "All other arguments are judgements and runs."
        raise FileError(path, last, "one in another place", remedy=remedy)
    ending = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    delimiter = _DELIMITERS.get(ending)
    if line.startswith(PARQUET):
        return parquet_parts(source)
    if source.value == "label" and svmlight.LINE.match(line):
        return svmlight.svmlight_parts(source)
    are_scores = delimiter is None and svmlight.SCORE.fullmatch(line)
    if are_scores or svmlight.LINE.match(line):
        expected = "Files of scores should come after judgements of SVMlight."
        raise FileError(path, expected, line, number, _IN_ORDER)
    if line.startswith(b"{"):
        is_nested = text_tables.is_nested(line)
        read = text_tables.nested_parts if is_nested else text_tables.json_parts
        return read(source)
    if delimiter is None:
        text_tables.check_no_array(source, line, number)
    if layout is trec.RUN and trec.begins_ranks(line):
        return trec.ranks_parts(source)
    if not trec.is_like(line, layout):
        trec.check_layout(path, line, number, layout)
        if delimiter is None and len(line.split()) != len(layout):
            between = (x for x in ",\t" if line.count(x.encode()) > 1)
            delimiter = next(between, None)
        if delimiter is not None:
            return text_tables.delimited_parts(source, delimiter)
    return trec.trec_parts(source, layout)


class Scattered(Protocol):
    """A table whose rows of a query may be apart.

    Attributes:
        path: its name, for errors.
        is_scattered: True once rows of a query were found apart.
    """

    is_scattered: bool

    @property
    def path(self) -> str:
        """The name of the table."""


def whole_queries(
    source: Scattered, parts: Iterable[Part], rows: int = _ROWS
) -> Iterator[Part]:
    """Yield rows in chunks, none of which ends within a query.

    Raise `QueriesReturnError` if the rows of a query are not together.

    Args:
        source: the file, or a lazy table.
        parts: the rows, in parts that may end within a query.
        rows: the number of rows of a chunk, which continues to the end of a
            query and of a part.
    """
    seen: set[bytes] = set()
    last = None
    chunk: list[Part] = []
    group: list[Part] = []  # the queries that follow, the last one not whole
    for part in parts:
        if not len(part.query):
            continue
        starts = run_starts(part.query)
        names = part.query[starts].tolist()
        new = names[1:] if names[0] == last else names
        if len(set(new)) < len(new) or not seen.isdisjoint(new):
            source.is_scattered = True
            raise QueriesReturnError(source.path)
        seen.update(new)
        last = names[-1]
        if new:
            # The last query may continue in the next part.
            cut = starts[-1]
            if cut:
                group.append(part.at(slice(cut)))
            if _is_full(chunk, group, rows):
                yield _emptied(chunk)
            chunk += group
            part, group = part.at(slice(cut, None)), []
        group.append(part)
    if _is_full(chunk, group, rows):
        yield _emptied(chunk)
    chunk += group
    group.clear()
    yield _emptied(chunk)


def _is_full(chunk: list[Part], group: list[Part], rows: int) -> bool:
    """Return True if a chunk has its rows, or would be too large with more."""
    if not chunk:
        return False
    both = [*chunk, *group]
    width = max(part.query.itemsize for part in both) + max(
        part.item.itemsize for part in both
    )
    count, total = (sum(len(x.query) for x in some) for some in (chunk, both))
    return count >= rows or total * width > _BYTES


def _emptied(chunk: list[Part]) -> Part:
    """Return the rows of a list, and remove them from it to free memory."""
    found = Part.joined(chunk)
    chunk.clear()
    return found
