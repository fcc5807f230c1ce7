"""Runs and judgements in the format of TREC: fields between spaces."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files import IN_ORDER, FileError, fields
from keras_rankmetrics.files.blocks import Block, Source, blocks_of, check_ends
from keras_rankmetrics.tables import item_rows


class Layout(NamedTuple):
    """The fields of a line, of which the first is the query.

    Attributes:
        fields: their number.
        item: the index of the item.
        value: the index of the label, of the score or of the rank.
        expected: a sentence on the line, for errors.
        more: whether a line may have more fields, which are ignored.
    """

    fields: int
    item: int
    value: int
    expected: str
    more: bool = False


RUN = Layout(
    6, 2, 4, "A line of a run should be `query Q0 item rank score tag`.", True
)
QRELS = Layout(4, 2, 3, "A line of judgements should be `query 0 item label`.")
RANKS = Layout(3, 1, 2, "A line should be `query item rank`, ranks from 1 on.")
_QUERY, _SECOND, _RANK = 0, 1, 3
_FIXED = frozenset((b"Q0", b"q0", b"0"))  # the second field, usually
_UNCLEAR = (
    "Remove it if it is a comment. A header needs no `#`, and a row has `Q0` "
    "or `0` as its second field."
)
_NO_RANKS = "Sort by query and rank. If these are scores, write a header."
_SPACED = (
    "There are tabs and spaces between the fields. If an id has a space, write "
    "a table with a header. If none has, separate all fields by tabs."
)
_TWO_ROWS = re.compile(rb"\sQ0\s.*\sQ0\s+\S+\s+\d+\s+\S+\s")
_CHECKED = 1000  # lines that show the order of the fields
_TAB, _NEWLINE, _SPACE, _COMMENT, _ZERO = b"\t\n #0"


def is_like(line: bytes, layout: Layout) -> bool:
    """Return True if a line has that layout.

    A line with more fields than the layout needs, which the header of a table
    could also be, must have the usual second field too.
    """
    words = line.split()
    if len(words) == layout.fields or (
        layout.more and len(words) > layout.fields and words[_SECOND] in _FIXED
    ):
        return _is_number(words[layout.value])
    return False


def begins_ranks(line: bytes) -> bool:
    """Return True for the first line of `query item rank`, also from 0 on.

    A table between tabs may have a column `0`.
    """
    ranks = line.split()[2:]
    is_first = ranks == [b"1"] or (ranks == [b"0"] and b"\t" not in line)
    return is_first and b"," not in line


def is_comment(line: bytes, layout: Layout) -> bool:
    """Return True if a line begins with `#` and is no row of such a query."""
    if not line.startswith(b"#"):
        return False
    query, second, *_ = [*line.split(), b""]
    is_row = query != b"#" or second in _FIXED
    return not (is_row and is_like(line, layout))


def check_layout(path: str, line: bytes, number: int, layout: Layout) -> None:
    """Raise FileError if a line has another known layout than it should have.

    Args:
        path: the path of the file, for errors.
        line: its first line, which is not like the layout.
        number: the number of that line, from 1.
        layout: the expected layout.
    """
    words = line.split()
    if len(words) < QRELS.fields or words[_SECOND] not in _FIXED:
        return
    is_swapped = len(words) == QRELS.fields and _is_number(words[QRELS.item])
    other, looks = (QRELS, "judgements") if layout is RUN else (RUN, "a run")
    if is_like(line, other):
        remedy = f"This looks like {looks}. {IN_ORDER}"
    elif layout is QRELS and is_swapped:
        remedy = (
            "The item and the label seem to be swapped in this file. Swap the "
            "third and the fourth field."
        )
    else:
        return
    raise FileError(path, layout.expected, line, number, remedy)


def _is_number(text: bytes) -> bool:
    return not math.isnan(fields.as_float(text))


def trec_parts(source: Source, layout: Layout) -> Iterator[fields.Part]:
    """Yield the rows of a file, block by block."""
    path = source.path
    is_checked = layout is RANKS
    for block in blocks_of(source):
        check_ends(path, block)
        data, start, end, line = _fields(path, block, layout)
        if not len(line):
            continue
        _check_spaces(path, block, (data, start, end), line, layout)
        if layout is RUN and block.data.count(b"Q0") > len(line):
            _check_tags(path, block)
        query, second, item, value = (
            fields.Texts(data, start[:, place], end[:, place])
            for place in (_QUERY, _SECOND, layout.item, layout.value)
        )
        if not is_checked:
            at = int(line[0])
            if layout is RUN:
                rank = fields.Texts(data, start[:, _RANK], end[:, _RANK])
                _check_ranks(path, rank, value, block, at)
            else:
                _check_items(path, second, item, block, at)
            is_checked = True
        values = fields.numbers(path, value, line, source.value)
        yield from fields.parts(path, query, item, values, line)


_READ_AS = {"query": "field 1", "item": "field 2", "score": "-rank"}


def ranks_parts(source: Source) -> Iterator[fields.Part]:
    """Yield the rows of a run of MS MARCO, with `-rank` as the score."""
    above, last = b"", 0.0
    for part in trec_parts(source, RANKS):
        source.read_as.update(_READ_AS)
        query = np.append(above, part.query)
        rank = np.append(last, part.value)
        expected = np.where(query[1:] == query[:-1], rank[:-1], 0) + 1
        [wrong] = np.nonzero(rank[1:] != expected)
        if len(wrong):
            received, line = f"{rank[wrong[0] + 1]:g}", int(part.line[wrong[0]])
            path, message = source.path, RANKS.expected
            raise FileError(path, message, received, line, _NO_RANKS)
        above, last = query[-1], rank[-1]
        yield part._replace(value=-rank[1:])


def _check_tags(path: str, block: Block) -> None:
    """Raise FileError if a line continues with another row of a run."""
    for number, text in enumerate(block.data.split(b"\n"), block.line):
        if _TWO_ROWS.search(text):
            remedy = "Two files may have been joined without a line feed."
            raise FileError(path, RUN.expected, text, number, remedy)


def _check_spaces(
    path: str,
    block: Block,
    found: tuple[np.ndarray, np.ndarray, np.ndarray],
    line: np.ndarray,
    layout: Layout,
) -> None:
    """Raise FileError if fields between tabs seem to have spaces in them.

    A space between the query and `0`, or one tab alone, separates fields.
    """
    if b"\t" not in block.data or b" " not in block.data:
        return
    data, start, end = found
    # Separators are of one byte, or have a tab at one end.
    is_tab = data[end[:, :-1]] == _TAB
    is_tab |= data[start[:, 1:] - 1] == _TAB
    is_spaced = ~is_tab[:, layout.item - 1 : layout.item + 1].all(axis=1)
    is_spaced |= ~is_tab[:, 0] & (data[end[:, _SECOND] - 1] != _ZERO)
    is_spaced &= is_tab.sum(axis=1) > 1
    if is_spaced.any():
        at = int(line[np.argmax(is_spaced)])
        text = _line(block, at)
        raise FileError(path, layout.expected, text, at, _SPACED)


def _check_ranks(
    path: str, rank: fields.Texts, score: fields.Texts, block: Block, line: int
) -> None:
    """Raise FileError if only the ranks are like scores, or the reverse.

    Ranks may have fractions, and scores none; or scores count 1, 2, 3, ... in
    each query, while ranks descend, and not by 1 each.
    """
    ranks, scores = (
        [fields.as_float(x.text(row)) for row in range(len(x.start))[:_CHECKED]]
        for x in (rank, score)
    )
    counts, steps = np.diff(scores), np.diff(ranks)
    in_query = counts == 1
    do_count = scores[:1] == [1.0] and in_query.any()
    do_count &= (in_query | (np.array(scores[1:]) == 1)).all()
    descend = (steps[in_query] < 0).all() and (steps[in_query] != -1).any()
    has_fractions = any(x % 1 > 0 for x in ranks)
    if (has_fractions and not any(x % 1 for x in scores)) or (
        do_count and descend
    ):
        raise FileError(
            path,
            RUN.expected,
            _line(block, line),
            line,
            "The rank and the score seem to be swapped in this file. Swap the "
            "fourth and the fifth field.",
        )


def _check_items(
    path: str, second: fields.Texts, item: fields.Texts, block: Block, line: int
) -> None:
    """Raise FileError if the items of judgements are in the second field."""
    rows = range(min(len(item.start), _CHECKED))
    items = {item.text(row) for row in rows}
    others = {second.text(row) for row in rows}
    if (
        len(items) == 1
        and items <= _FIXED
        and len(others) > 1
        and others.isdisjoint(_FIXED)
    ):
        raise FileError(
            path,
            QRELS.expected,
            _line(block, line),
            line,
            "The items seem to be in the second field of this file. Swap the "
            "second and the third field.",
        )


def _fields(
    path: str, block: Block, layout: Layout
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the fields of the lines that are neither empty nor comments.

    Returns:
        The bytes of the block, the indices where each field starts and ends,
        `[lines, fields]`, and the number of each line.
    """
    number = layout.fields
    data = np.frombuffer(block.data, np.uint8)
    is_space = np.empty(len(data) + 1, bool)
    is_space[0] = True
    np.less_equal(data, _SPACE, out=is_space[1:])
    edges = np.flatnonzero(is_space[1:] != is_space[:-1])
    start, end = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(data == _NEWLINE)
    line = block.line + np.arange(len(newlines))
    if len(start) == number * len(newlines):
        # If each line has the same number of fields, no search is necessary.
        starts, ends = start.reshape(-1, number), end.reshape(-1, number)
        within = (ends[:, -1] <= newlines) & (data[starts[:, 0]] != _COMMENT)
        within[1:] &= starts[1:, 0] > newlines[:-1]
        if within.all():
            return data, starts, ends, line
    first = np.searchsorted(start, np.append(0, newlines + 1))
    count = np.diff(first)
    filled = np.flatnonzero(count)
    marked = filled[data[start[first[filled]]] == _COMMENT]
    comments = _comments(path, block, marked, layout) if len(marked) else []
    filled = np.setdiff1d(filled, comments)
    first, count, line = first[filled], count[filled], line[filled]
    wrong = count < number if layout.more else count != number
    if wrong.any():
        at = int(line[np.argmax(wrong)])
        raise FileError(path, layout.expected, _line(block, at), at)
    each = first[:, None] + np.arange(number)
    return data, start[each], end[each], line


def _comments(
    path: str, block: Block, marked: np.ndarray, layout: Layout
) -> list[int]:
    """Return the lines that are comments, of those that begin with `#`.

    Raise FileError if a line could also be a row, or the header of a table.
    """
    lines = block.data.split(b"\n")
    found = []
    for at in marked.tolist():
        line = lines[at].strip()
        if is_comment(line, layout):
            found.append(at)
            names = line.decode(errors="replace").split("\t")
            items = item_rows.candidates("item", names, {})
            is_clear = names.index(items[0]) == layout.item if items else True
        else:
            is_clear = line.split(None, 2)[_SECOND] in _FIXED
        if not is_clear:
            expected = "A line with `#` should be either a comment or a row."
            raise FileError(path, expected, line, block.line + at, _UNCLEAR)
    return found


def _line(block: Block, number: int) -> bytes:
    """Return the line of that number."""
    return block.data.split(b"\n")[number - block.line].strip()
