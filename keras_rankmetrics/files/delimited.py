"""Tables as text: fields between commas or tabs, under a header."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from keras_rankmetrics.files.blocks import (
    LINE,
    Block,
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.chunks import Part
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import as_array, checked, split_at
from keras_rankmetrics.files.pipes import File
from keras_rankmetrics.files.trec import numbers
from keras_rankmetrics.tables.item_rows import Rows

_QUOTE = b'"'
# Bytes that are no UTF-8 come back as they were.
_FOREIGN = "surrogateescape"


def parts_of(
    file: File,
    delimiter: bytes,
    value: str,
    given: Mapping[str, str],
    watch: Watch,
) -> Iterator[Part]:
    """Yield the rows of a file, block by block.

    Args:
        file: the file.
        delimiter: a comma, a tab or the like.
        value: `"label"` or `"score"`.
        given: the names of columns that the user gave, by what they are.
        watch: told how far the file has been read.
    """
    source = opened(file)
    path = source.path
    with source.packed:
        blocks = blocks_of(source, watch)
        first = next(blocks, None)
        if first is None:
            raise FileError(path, "There should be a header.", "an empty file")
        header, _, rest = first.data.partition(b"\n")
        check_ends(path, Block(header + b"\n", 1))
        names = _names(path, header, delimiter)
        columns = chosen(path, names, value, given, 1)
        block: Block | None = Block(rest, 2)
        while block is not None:
            if _QUOTE in block.data:
                yield from _quoted(
                    path, block, blocks, delimiter, names, columns
                )
                return
            check_ends(path, block)
            if block.data:
                yield from _plain(path, block, delimiter, names, columns, value)
            block = next(blocks, None)


def _names(path: str, header: bytes, delimiter: bytes) -> list[str]:
    text = header.decode("utf-8", _FOREIGN).strip("\r\n")
    for _, names in _split(path, Block(b"", 1), [text], delimiter):
        return names
    return []


def _split(
    path: str, first: Block, lines: Iterable[str], delimiter: bytes
) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line, without the spaces around them.

    Args:
        path: of the file, for errors.
        first: the block where the lines begin.
        lines: the lines.
        delimiter: what stands between fields.
    """
    reader = csv.reader(
        lines, delimiter=delimiter.decode(), skipinitialspace=True
    )
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise FileError(
                path,
                "It should be a table with a quote at the start and at the "
                "end of what is quoted.",
                str(error),
                first.line + max(reader.line_num, 1) - 1,
            ) from None
        if fields is None:
            return
        line = first.line + reader.line_num - 1
        yield line, [field.strip(" \t") for field in fields]


def _plain(
    path: str,
    block: Block,
    delimiter: bytes,
    names: list[str],
    columns: Chosen,
    value: str,
) -> Iterator[Part]:
    expected = f"A line should have {len(names)} fields, as the header has."
    lines = split_at(path, block, len(names), delimiter, expected)
    at = [names.index(name) for name in columns]
    for fields in lines.narrow(at):
        rows = Rows(
            fields.texts(at[0], path),
            fields.texts(at[1], path),
            numbers(path, fields, at[2], value),
        )
        yield Part(rows, fields.line)


def _quoted(
    path: str,
    block: Block,
    blocks: Iterator[Block],
    delimiter: bytes,
    names: list[str],
    columns: Chosen,
) -> Iterator[Part]:
    """The rows from a block on, of fields that may be quoted."""
    at = [names.index(name) for name in columns]
    found = _rows_of(path, block, blocks, delimiter, names, at)
    while rows := list(itertools.islice(found, _ROWS)):
        lines = [line for line, _ in rows]
        query, item, value = (
            as_array(path, pieces, lines)
            for pieces in zip(*(row for _, row in rows), strict=True)
        )
        values = checked(path, value, lines, columns.value)
        yield Part(Rows(query, item, values), np.array(lines))


_ROWS = 2**14  # with the longest ids, a column takes 16 MiB


def _rows_of(
    path: str,
    block: Block,
    blocks: Iterator[Block],
    delimiter: bytes,
    names: list[str],
    at: list[int],
) -> Iterator[tuple[int, list[bytes]]]:
    """The line and some fields of each row that is not empty."""
    lines = _Lines(path, block, blocks)
    for line, row in _split(path, block, lines, delimiter):
        lines.row_ends()
        if row and len(row) != len(names):
            raise FileError(
                path,
                f"A line should have {len(names)} fields, as the header has.",
                delimiter.decode().join(row),
                line,
            )
        if row:
            yield line, [row[place].encode("utf-8", _FOREIGN) for place in at]


class _Lines:
    """The lines of a block and of those after it.

    A row may have many lines, so iterating raises FileError if the lines of
    one row together exceed the limit of a line.
    """

    def __init__(
        self, path: str, block: Block, blocks: Iterator[Block]
    ) -> None:
        self._path = path
        self._blocks = itertools.chain([block], blocks)
        self._length = 0
        self._row = self._line = block.line
        self._start = ""

    def row_ends(self) -> None:
        """Start to count the next row."""
        self._row, self._length = self._line, 0

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks:
            text = io.StringIO(block.data.decode("utf-8", _FOREIGN), newline="")
            for line in text:
                self._start = line if not self._length else self._start
                self._line += 1
                self._length += len(line)
                if self._length > LINE + 2:  # the end of the line
                    raise FileError(
                        self._path,
                        f"A row should have {LINE:,} letters at most, with all "
                        "its quoted lines.",
                        self._start,
                        self._row,
                        "Look for a quote without its end.",
                    )
                yield line
