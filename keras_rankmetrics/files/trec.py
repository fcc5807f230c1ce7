"""Files of TREC: fields between spaces, in an order that all tools know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.blocks import (
    Block,
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.chunks import Part
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.fields import (
    Fields,
    checked,
    floats_of,
    line_of,
    split_at_spaces,
)
from keras_rankmetrics.files.pipes import File
from keras_rankmetrics.tables.item_rows import Rows


class Layout(NamedTuple):
    """Which field is what.

    Attributes:
        fields: how many a line has.
        more: whether it may have more.
        query: the place of the query.
        item: the place of the item.
        value: the place of the label or of the score.
        what: what the value is called.
        expected: what a line should be, for errors.
    """

    fields: int
    more: bool
    query: int
    item: int
    value: int
    what: str
    expected: str


RUN = Layout(
    6,
    True,
    0,
    2,
    4,
    "score",
    "A line of a run should be `query Q0 item rank score tag`.",
)
QRELS = Layout(
    4,
    False,
    0,
    2,
    3,
    "label",
    "A line of judgements should be `query 0 item label`.",
)


_FIXED = frozenset((b"Q0", b"q0", b"0"))  # the second field, usually
_SWAPPED = "The item and the label seem to be swapped in this file. "


def is_like(line: bytes, layout: Layout) -> bool:
    """Return True if a line has that layout.

    A line with more fields than the layout needs, which the header of a table
    could also be, must have the usual second field too.
    """
    fields = line.split()
    if len(fields) != layout.fields and not (
        layout.more and len(fields) > layout.fields and fields[1] in _FIXED
    ):
        return False
    return _is_number(fields[layout.value])


def check_layout(path: str, line: bytes, number: int, layout: Layout) -> None:
    """Raise FileError if a line has another known layout than it should have.

    Args:
        path: of the file, for errors.
        line: its first line, which is not like the layout.
        number: of that line, from 1.
        layout: the expected layout.
    """
    fields = line.split()
    if len(fields) < 4 or fields[1] not in _FIXED:
        return
    if layout is RUN and is_like(line, QRELS):
        remedy = "This looks like judgements. "
    elif layout is QRELS and is_like(line, RUN):
        remedy = "This looks like a run. "
    elif layout is QRELS and len(fields) == 4 and _is_number(fields[2]):
        remedy = f"{_SWAPPED}Swap the third and the fourth field."
        raise FileError(path, layout.expected, line, number, remedy)
    else:
        return
    remedy += "Pass the judgements first, then the runs."
    raise FileError(path, layout.expected, line, number, remedy)


def parts_of(file: File, layout: Layout, watch: Watch) -> Iterator[Part]:
    """Yield the rows of a file, block by block."""
    source = opened(file)
    path = source.path
    columns = layout.query, layout.item, layout.value
    checked = False
    with source.packed:
        for block in blocks_of(source, watch):
            check_ends(path, block)
            lines = split_at_spaces(
                path, block, layout.fields, layout.expected, layout.more
            )
            for fields in lines.narrow(columns):
                if layout is QRELS and not checked:
                    _check_items(path, fields, block)
                    checked = True
                rows = Rows(
                    fields.texts(layout.query, path),
                    fields.texts(layout.item, path),
                    numbers(path, fields, layout.value, layout.what),
                )
                yield Part(rows, fields.line)


def _check_items(path: str, fields: Fields, block: Block) -> None:
    """Raise FileError if the items of judgements are in the second field."""
    if not len(fields.line):
        return
    third = fields.texts(QRELS.item, path)
    if third[0] not in _FIXED or (third != third[0]).any():
        return
    second = set(fields.texts(1, path).tolist())
    if len(second) > 1 and not second & _FIXED:
        number = int(fields.line[0])
        raise FileError(
            path,
            QRELS.expected,
            line_of(block, number),
            number,
            "The items seem to be in the second field of this file. Swap the "
            "second and the third field.",
        )


def _is_number(text: bytes) -> bool:
    return not np.isnan(floats_of(np.array([text]))[0])


def numbers(path: str, fields: Fields, column: int, what: str) -> np.ndarray:
    """A column of numbers. Raises where one is none."""
    return checked(path, fields.texts(column, path), fields.line, what)
