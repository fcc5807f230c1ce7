"""Runs and judgements from files of any format, in chunks of whole queries."""

from __future__ import annotations

import functools
import glob
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from keras_rankmetrics.files import (
    KIND,
    FileError,
    QueriesReturnError,
    text_tables,
    trec,
)
from keras_rankmetrics.files.blocks import PARQUET, Source, Watch, first_line
from keras_rankmetrics.files.fields import Part
from keras_rankmetrics.files.header import check_labels
from keras_rankmetrics.files.parquet import parquet_parts
from keras_rankmetrics.files.pipes import File, kept_pipes
from keras_rankmetrics.tables.ids import pair_keys, twins
from keras_rankmetrics.tables.item_rows import Rows, query_chunks, run_starts

_SAVED = f'{{"kind": "{KIND}'.encode()  # begins the files of `--save`
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
Columns = Mapping[str, str | None]
ReadAs = dict[str, str]
_ROWS = 2**19  # of a chunk, at least
_BYTES = 2**24  # of the ids of a chunk, unless a single query has more


def rows_of_file(
    path: str | os.PathLike[str],
    value: str,
    columns: Columns,
    read_as: ReadAs | None = None,
) -> Iterator[Rows]:
    """Yield the rows of a file, with str ids, in chunks of whole queries.

    The file is held in memory, since only its end shows that the rows of each
    query are together. If they are not, all rows are one chunk. A file without
    rows is one empty chunk.

    Args:
        path: the path of the file. For judgements it can also be the folder of
            a dataset, see `judgements_path`.
        value: `"label"` for judgements, `"score"` for a run.
        columns: the names of columns that the user chose, by role.
        read_as: receives what each role is read from, where a header says it,
            as in `{"query": "qid", "item": "doc_id", "score": "score"}`; for a
            run with ranks, the score is `"-rank"`.

    Yields:
        Chunks of rows. Bytes of an id that are not UTF-8 become surrogates.

    Raises:
        ValueError: if the file is invalid.
    """
    place = judgements_path(path) if value == "label" else os.fsdecode(path)
    with kept_pipes([place]) as files:
        source = _source(
            files[place], value, columns, lambda done: None, read_as
        )
        rows = Rows(*_whole(source)[:3])
    for query, item, values in query_chunks(rows, _ROWS):
        yield Rows(_text(query), _text(item), values)


def _source(
    file: File,
    value: str,
    columns: Columns,
    watch: Watch,
    read_as: ReadAs | None,
) -> Source:
    return Source(
        file, value, columns, watch, {} if read_as is None else read_as
    )


def _text(ids: np.ndarray) -> np.ndarray:
    """Return ids of bytes as str."""
    if ids.tobytes().isascii():  # the cast is much faster than decoding
        return ids.astype(np.str_)
    return np.char.decode(ids, "utf-8", "surrogateescape")


def run_of(
    file: File, columns: Columns, watch: Watch, read_as: ReadAs | None = None
) -> Iterator[Part]:
    """Yield a run in chunks of whole queries.

    Raise `QueriesReturnError` if the rows of a query are not together. Then
    only `sorted_run_of` can read the file.

    Args:
        file: the file.
        columns: the names of columns that the user chose, by role.
        watch: receives the number of bytes read so far.
        read_as: receives what each role is read from, as in `rows_of_file`.
    """
    source = _source(file, "score", columns, watch, read_as)
    return whole_queries(source.path, _parts(source))


def sorted_run_of(
    file: File, columns: Columns, watch: Watch, read_as: ReadAs | None = None
) -> Iterator[Part]:
    """Yield a run as one chunk, with the rows of a query together."""
    source = _source(file, "score", columns, watch, read_as)
    run = _whole(source)
    _, codes = np.unique(run.query, return_inverse=True)
    run = run.at(np.argsort(codes, kind="stable"))
    yield run


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


def judgements_of(
    file: File, columns: Columns, watch: Watch, read_as: ReadAs | None = None
) -> Part:
    """Return the labels of items. Raise FileError if there are none."""
    source = _source(file, "label", columns, watch, read_as)
    found = _whole(source)
    if not len(found.query):
        expected = "There should be judgements."
        raise FileError(source.path, expected, "an empty file")
    return found


def items_once(path: str, part: Part) -> Rows:
    """Return rows. Raise FileError if an item occurs twice in a query.

    Args:
        path: the name of the file, for errors.
        part: all rows of some queries.
    """
    query, item, value, line = part
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
                path,
                "An item should occur once in the list of a query.",
                f"item {item_id} of query {query_id}, as in line {before}",
                int(again),
            )
    return Rows(query, item, value)


def _whole(source: Source) -> Part:
    """Return all rows of a file."""
    found = Part.joined(_parts(source))
    check_labels(source, found)
    return found


def _parts(source: Source) -> Iterator[Part]:
    """Return the rows of a file.

    Its first line decides on the format, and then the ending of its name.
    """
    layout = trec.RUN if source.value == "score" else trec.QRELS
    is_comment = functools.partial(trec.is_comment, layout=layout)
    line, number = first_line(source.file, is_comment)
    path = source.path
    if line.startswith(_SAVED):
        last = "Saved baselines go last: `krm gate QRELS CANDIDATE BASELINE`."
        remedy = "All other arguments are judgements and runs."
        raise FileError(path, last, "one in another place", remedy=remedy)
    ending = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    delimiter = _DELIMITERS.get(ending)
    if line.startswith(PARQUET):
        return parquet_parts(source)
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
        if delimiter is None and len(line.split()) != layout.fields:
            between = (x for x in ",\t" if line.count(x.encode()) > 1)
            delimiter = next(between, None)
        if delimiter is not None:
            return text_tables.delimited_parts(source, delimiter)
    return trec.trec_parts(source, layout)


def whole_queries(
    path: str, parts: Iterable[Part], rows: int = _ROWS
) -> Iterator[Part]:
    """Yield rows in chunks, none of which ends within a query.

    Raise `QueriesReturnError` if the rows of a query are not together.

    Args:
        path: the path of the file, for errors.
        parts: the rows, in parts that may end within a query.
        rows: the number of rows of a chunk, which continues to the end of a
            query and of a part.
    """
    chunk: list[Part] = []
    for group in _groups(path, parts):
        count = sum(len(part.query) for part in chunk)
        if chunk and (count >= rows or _size([*chunk, *group]) > _BYTES):
            joined = Part.joined(chunk)
            chunk.clear()  # before others work on the rows
            yield joined
        chunk += group
    if chunk:
        joined = Part.joined(chunk)
        chunk.clear()
        yield joined


def _groups(path: str, parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield rows that end with a query, one or several parts at a time."""
    seen: set[bytes] = set()
    group: list[Part] = []
    last = None
    for part in parts:
        if not len(part.query):
            continue
        starts = run_starts(part.query)
        names = part.query[starts].tolist()
        new = names[1:] if names[0] == last else names
        if len(set(new)) < len(new) or not seen.isdisjoint(new):
            raise QueriesReturnError(path)
        seen.update(new)
        last = names[-1]
        if new and (group or len(names) > 1):
            # The last query may continue in the next part.
            cut = starts[-1]
            if cut:
                group.append(part.at(slice(cut)))
            yield group
            part = part.at(slice(cut, None))
            group = []
        group.append(part)
    if group:
        yield group


def _size(parts: list[Part]) -> int:
    """Return the bytes of the ids of all parts, as wide as the longest id."""
    rows = sum(len(part.query) for part in parts)
    width = max(part.query.itemsize for part in parts) + max(
        part.item.itemsize for part in parts
    )
    return rows * width
