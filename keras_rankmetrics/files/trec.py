"""Files of TREC: fields between spaces, in an order that all tools know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.files.blocks import (
    Watch,
    blocks_of,
    check_ends,
    opened,
)
from keras_rankmetrics.files.fields import Fields, split_at_spaces
from keras_rankmetrics.files.numbers import checked, floats_of
from keras_rankmetrics.files.part import Part


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


def is_like(line: bytes, layout: Layout) -> bool:
    """Whether a line has that layout."""
    fields = line.split()
    if len(fields) != layout.fields:
        return False
    return not np.isnan(floats_of(np.array([fields[layout.value]]))[0])


def parts_of(path: str, layout: Layout, watch: Watch) -> Iterator[Part]:
    """The rows of a file, block by block."""
    source = opened(path)
    with source.packed:
        for block in blocks_of(source, watch):
            check_ends(path, block)
            fields = split_at_spaces(
                path, block, layout.fields, layout.expected, layout.more
            )
            rows = Rows(
                fields.texts(layout.query, path),
                fields.texts(layout.item, path),
                numbers(path, fields, layout.value, layout.what),
            )
            yield Part(rows, fields.line)


def numbers(path: str, fields: Fields, column: int, what: str) -> np.ndarray:
    """A column of numbers. Raises where one is none."""
    return checked(path, fields.texts(column, path), fields.line, what)
