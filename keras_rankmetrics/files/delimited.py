"""Tables as text: fields between commas or tabs, under a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

import numpy as np

from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.files.blocks import Block, Watch, blocks_of, opened
from keras_rankmetrics.files.columns import Chosen, chosen
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import split_at
from keras_rankmetrics.files.numbers import floats_of
from keras_rankmetrics.files.trec import numbers

_QUOTE = b'"'
_BOM = b"\xef\xbb\xbf"


def rows_of(
    path: str,
    delimiter: bytes,
    value: str,
    given: Mapping[str, str],
    watch: Watch,
) -> Iterator[Rows]:
    """The rows of a file, block by block.

    Args:
        path: of the file.
        delimiter: a comma, a tab or the like.
        value: `"label"` or `"score"`.
        given: the names of columns that the user gave, by what they are.
        watch: told how far the file has been read.
    """
    source = opened(path)
    with source.packed:
        blocks = blocks_of(source, watch)
        first = next(blocks, None)
        if first is None:
            raise FileError(path, "There should be a header.", "an empty file")
        header, _, rest = first.data.partition(b"\n")
        names = _names(header, delimiter)
        columns = chosen(path, names, value, given, 1)
        block: Block | None = Block(rest, 2)
        while block is not None:
            if _QUOTE in block.data:
                yield from _quoted(
                    path, block, blocks, delimiter, names, columns
                )
                return
            if block.data:
                yield _plain(path, block, delimiter, names, columns, value)
            block = next(blocks, None)


def _names(header: bytes, delimiter: bytes) -> list[str]:
    text = header.removeprefix(_BOM).decode("utf-8", "replace").strip("\r\n")
    [names] = csv.reader([text], delimiter=delimiter.decode())
    return [name.strip() for name in names]


def _plain(
    path: str,
    block: Block,
    delimiter: bytes,
    names: list[str],
    columns: Chosen,
    value: str,
) -> Rows:
    expected = f"A line should have {len(names)} fields, as the header has."
    fields = split_at(path, block, len(names), delimiter, expected)
    at = [names.index(name) for name in columns]
    return Rows(
        fields.texts(at[0], path),
        fields.texts(at[1], path),
        numbers(path, fields, at[2], value),
    )


def _quoted(
    path: str,
    block: Block,
    blocks: Iterator[Block],
    delimiter: bytes,
    names: list[str],
    columns: Chosen,
) -> Iterator[Rows]:
    """The rows from a block on, of fields that may be quoted."""
    lines = _lines(block, blocks)
    reader = csv.reader(lines, delimiter=delimiter.decode())
    at = [names.index(name) for name in columns]
    while True:
        rows: list[list[str]] = []
        for row in reader:
            line = block.line + reader.line_num - 1
            if not row:
                continue
            if len(row) != len(names):
                raise FileError(
                    path,
                    f"A line should have {len(names)} fields, as the header "
                    "has.",
                    delimiter.decode().join(row),
                    line,
                )
            rows.append([row[place] for place in at])
            if np.isnan(floats_of(np.array([rows[-1][2].encode() or b" "]))[0]):
                raise FileError(
                    path,
                    f"The {columns.value} should be a number.",
                    rows[-1][2],
                    line,
                )
            if len(rows) == _ROWS:
                break
        if not rows:
            return
        query, item, value = zip(*rows, strict=True)
        yield Rows(as_bytes(query), as_bytes(item), np.array(value, float))


_ROWS = 2**16


def _lines(block: Block, blocks: Iterator[Block]) -> Iterator[str]:
    here: Block | None = block
    while here is not None:
        yield from io.StringIO(here.data.decode("utf-8", "replace"), newline="")
        here = next(blocks, None)


def as_bytes(texts: tuple[str, ...] | list[str]) -> np.ndarray:
    """Strings as an array of dtype "S"."""
    return np.array([text.encode() for text in texts], dtype=bytes)
