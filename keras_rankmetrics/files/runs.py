"""Runs and judgements from files of any format, in chunks of whole queries."""

from __future__ import annotations

import functools
import glob
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
from keras_rankmetrics.tables.item_rows import Rows, run_starts, split, whole

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
        rows = whole(_rows(source))
    for query, item, values in split(rows, _ROWS):
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
) -> Iterator[Rows]:
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
    return whole_queries(source.path, _rows(source))


def sorted_run_of(
    file: File, columns: Columns, watch: Watch, read_as: ReadAs | None = None
) -> Iterator[Rows]:
    """Yield a run as one chunk, with the rows of a query together."""
    rows = whole(_rows(_source(file, "score", columns, watch, read_as)))
    _, codes = np.unique(rows.query, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    yield Rows(*(column[order] for column in rows))


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
) -> Rows:
    """Return the labels of items. Raise FileError if there are none."""
    source = _source(file, "label", columns, watch, read_as)
    rows = whole(_rows(source))
    if not len(rows.query):
        expected = "There should be judgements."
        raise FileError(source.path, expected, "an empty file")
    return rows


def check_items_once(
    file: File, value: str, columns: Mapping[str, str | None]
) -> None:
    """Raise FileError if an item occurs twice in a query.

    Args:
        file: the file, which is read twice.
        value: `"label"` for judgements, `"score"` for a run.
        columns: the names of columns that the user chose, by role.
    """
    source = Source(file, value, columns, lambda done: None, {})
    keys, lines = [], []
    for (query, item, _), line in _parts(source):
        keys.append(pair_keys(query, item))
        lines.append(line)
    if not keys:
        return
    together = np.concatenate(keys)
    order = np.argsort(together, kind="stable")
    first, second = twins(order, together[order])
    if not len(first):
        return
    earliest = np.argmin(second)
    places = first[earliest], second[earliest]
    before, again = np.concatenate(lines)[[*places]]
    ids, start = [], 0
    for (query, item, _), line in _parts(source):
        for row in places:
            if 0 <= row - start < len(line):
                ids.append((query[row - start], item[row - start]))
        start += len(line)
    if ids[0] == ids[1]:  # or two ids have the same key
        query, item = (id_.decode("utf-8", "replace") for id_ in ids[1])
        raise FileError(
            source.path,
            "An item should occur once in the list of a query.",
            f"item {item} of query {query}, as in line {before}",
            int(again),
        )


def _first_line(file: File, layout: trec.Layout) -> tuple[bytes, int]:
    """Return the first line of a file that is no comment, and its number."""
    return first_line(file, functools.partial(trec.is_comment, layout=layout))


def _rows(source: Source) -> Iterator[Rows]:
    for part in _parts(source):
        check_labels(source, part)
        yield part.rows


def _parts(source: Source) -> Iterator[Part]:
    """Return the rows of a file.

    Its first line decides on the format, and then the ending of its name.
    """
    layout = trec.RUN if source.value == "score" else trec.QRELS
    line, number = _first_line(source.file, layout)
    path = source.path
    if line.startswith(_SAVED):
        last = "Saved baselines go last: `krm gate QRELS CANDIDATE BASELINE`."
        raise FileError(path, last, "one in another place")
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
    path: str, parts: Iterable[Rows], rows: int = _ROWS
) -> Iterator[Rows]:
    """Yield rows in chunks, none of which ends within a query.

    Raise `QueriesReturnError` if the rows of a query are not together.

    Args:
        path: the path of the file, for errors.
        parts: the rows, in parts that may end within a query.
        rows: the number of rows of a chunk, which continues to the end of a
            query and of a part.
    """
    chunk: list[Rows] = []
    for group in _groups(path, parts):
        count = sum(len(part.query) for part in chunk)
        if chunk and (count >= rows or _size([*chunk, *group]) > _BYTES):
            yield whole(chunk)
            chunk = []
        chunk += group
    if chunk:
        yield whole(chunk)


def _groups(path: str, parts: Iterable[Rows]) -> Iterator[list[Rows]]:
    """Yield rows that end with a query, one or several parts at a time."""
    seen: set[bytes] = set()
    group: list[Rows] = []
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
                group.append(Rows(*(column[:cut] for column in part)))
            yield group
            part = Rows(*(column[cut:] for column in part))
            group = []
        group.append(part)
    if group:
        yield group


def _size(parts: list[Rows]) -> int:
    """Return the bytes of the ids of all parts, as wide as the longest id."""
    rows = sum(len(part.query) for part in parts)
    width = max(part.query.itemsize for part in parts) + max(
        part.item.itemsize for part in parts
    )
    return rows * width
