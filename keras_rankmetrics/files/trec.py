"""Runs and judgements in the format of TREC: fields between spaces."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from keras_rankmetrics.files import FileError, fields
from keras_rankmetrics.files.blocks import Source, blocks_of, with_ends
from keras_rankmetrics.files.fields import Texts
from keras_rankmetrics.tables import roles
from keras_rankmetrics.tables.item_rows import Part

# The names of the fields of a line. A run may have more, which are ignored.
RUN = ("query", "Q0", "item", "rank", "score", "tag")
QRELS = ("query", "subtopic", "item", "label")
RANKS = ("query", "item", "rank")
_LineFields = tuple[str, ...]
_VALUE = {RUN: "score", QRELS: "label", RANKS: "rank"}
_EXPECTED = {
    RUN: "A line of a run should be `query Q0 item rank score tag`.",
    QRELS: "A line of judgements should be `query 0 item label`.",
    RANKS: "A line should be `query item rank`, ranks from 1 on.",
}
_SECOND = 1
_FIXED = frozenset((b"Q0", b"q0", b"0"))  # the second field, usually
_UNCLEAR = (
    "Remove it if it is a comment. A header needs no `#`, and a row has `Q0` "
    "or `0` as its second field."
)
_JOINED = "Two files may have been joined without a line feed."
_NO_RANKS = "Sort by query and rank. If these are scores, write a header."
_SPACED = (
    "There are tabs and spaces between the fields. If an id has a space, write "
    "a table with a header. If none has, separate all fields by tabs."
)
_NO_RANK = (
    "There are more than six fields, and the fourth is no rank or the sixth a "
    "number. If an id has a space, write a table with a header. A tag should "
    "not begin with a number."
)
_SWAPPED = "{} seem to be swapped in this file. Swap the {} field."
_TWO_ROWS = re.compile(rb"\sQ0\s.*\sQ0\s+\S+\s+\d+\s+\S+\s")
_CHECKED = 1000  # lines that show the order of the fields
_TAB, _NEWLINE, _SPACE, _COMMENT, _ZERO = b"\t\n #0"


def is_like(line: bytes, layout: _LineFields) -> bool:
    """Return True if a line has that layout.

    A line with more fields than the layout needs, which the header of a table
    could also be, must have the usual second field too.
    """
    words = line.split()
    more = len(words) - len(layout)
    if more and (layout is not RUN or more < 0 or words[_SECOND] not in _FIXED):
        return False
    return _is_number(words[layout.index(_VALUE[layout])])


def begins_ranks(line: bytes) -> bool:
    """Return True for the first line of `query item rank`, also from 0 on.

    A table between tabs may have a column `0`.
    """
    ranks = line.split()[2:]
    is_first = ranks == [b"1"] or (ranks == [b"0"] and b"\t" not in line)
    return is_first and b"," not in line


def is_comment(line: bytes, layout: _LineFields) -> bool:
    """Return True if a line begins with `#` and is no row of such a query."""
    if not line.startswith(b"#"):
        return False
    query, second, *_ = [*line.split(), b""]
    is_row = query != b"#" or second in _FIXED
    return not (is_row and is_like(line, layout))


def check_layout(
    path: str, line: bytes, number: int, layout: _LineFields
) -> None:
    """Raise FileError if a line has another known layout than it should have.

    Args:
        path: the path of the file, for errors.
        line: its first line, which is not like the layout.
        number: the number of that line, from 1.
        layout: the expected layout.
    """
    words = line.split()
    if len(words) < len(QRELS) or words[_SECOND] not in _FIXED:
        return
    remedy = ""
    other, looks = (QRELS, "judgements") if layout is RUN else (RUN, "a run")
    if is_like(line, other):
        remedy = f"This looks like {looks}. {roles.IN_ORDER}"
    elif layout is QRELS and len(words) == len(QRELS) and _is_number(words[2]):
        remedy = _SWAPPED.format(
            "The item and the label", "third and the fourth"
        )
    if remedy:
        raise FileError(path, _EXPECTED[layout], line, number, remedy)


def _is_number(text: bytes) -> bool:
    return not math.isnan(fields.as_float(text))


def trec_parts(source: Source, layout: _LineFields) -> Iterator[Part]:
    """Yield the rows of a file, block by block."""
    path = source.path
    is_first = True
    for data, line in with_ends(path, blocks_of(source)):
        start, end, rows = _fields(path, data, line, layout)
        if not len(rows):
            continue
        letters = np.frombuffer(data, np.uint8)
        texts = {
            name: Texts(letters, start[:, place], end[:, place])
            for place, name in enumerate(layout)
        }
        wrong = _first_spaced(data, start, end, layout)
        if wrong is not None:
            raise _wrong(path, layout, data, line, int(rows[wrong]), _SPACED)
        if layout is RUN and data.count(b"Q0") > len(rows):
            for number, text in enumerate(data.split(b"\n"), line):
                if _TWO_ROWS.search(text):
                    raise _wrong(path, layout, data, line, number, _JOINED)
        remedy = _remedy_of_order(texts, layout) if is_first else ""
        if remedy:
            raise _wrong(path, layout, data, line, int(rows[0]), remedy)
        is_first = False
        columns = {role: texts[role] for role in ("query", "item")}
        columns |= {
            role: texts[role] for role in source.others if role in texts
        }
        columns[source.value] = texts[_VALUE[layout]]
        if layout is RUN and source.columns.get("score") == "rank":
            columns[source.value] = texts["rank"]
            source.read_as.update(_READ_AS_RANKS)
        elif layout is RUN:
            columns[roles.RANKS] = texts["rank"]
        yield from fields.parts(source, columns, rows)


_READ_AS_RANKS = {"query": "field 1", "item": "field 3", "score": "rank"}
_READ_AS = {"query": "field 1", "item": "field 2", "score": "-rank"}


def ranks_parts(source: Source) -> Iterator[Part]:
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
            message = _EXPECTED[RANKS]
            raise FileError(source.path, message, received, line, _NO_RANKS)
        above, last = query[-1], rank[-1]
        yield part._replace(value=-rank[1:])


def _first_spaced(
    data: bytes, start: np.ndarray, end: np.ndarray, layout: _LineFields
) -> int | None:
    """Return the first row whose fields between tabs seem to have spaces.

    A space between the query and `0`, or one tab alone, separates fields.
    """
    if b"\t" not in data or b" " not in data:
        return None
    letters = np.frombuffer(data, np.uint8)
    # Separators are of one byte, or have a tab at one end.
    is_tab = letters[end[:, :-1]] == _TAB
    is_tab |= letters[start[:, 1:] - 1] == _TAB
    item = layout.index("item")
    is_spaced = ~is_tab[:, item - 1 : item + 1].all(axis=1)
    is_spaced |= ~is_tab[:, 0] & (letters[end[:, _SECOND] - 1] != _ZERO)
    is_spaced &= is_tab.sum(axis=1) > 1
    return int(np.argmax(is_spaced)) if is_spaced.any() else None


def _remedy_of_order(texts: Mapping[str, Texts], layout: _LineFields) -> str:
    """Return what to do if the first rows have fields swapped, or "".

    Either only the ranks are like scores: ranks may have fractions, and scores
    none; or scores count 1, 2, 3, ... in each query, while ranks descend, and
    not by 1 each. Or the items of judgements are in the second field.
    """
    first = range(min(len(texts["item"].start), _CHECKED))
    if layout is QRELS:
        items, others = (
            {texts[name].text(row) for row in first}
            for name in ("item", "subtopic")
        )
        is_fixed = len(items) == 1 and items <= _FIXED
        if is_fixed and len(others) > 1 and others.isdisjoint(_FIXED):
            return (
                "The items seem to be in the second field of this file. Swap "
                "the second and the third field."
            )
    if layout is RUN:
        ranks, scores = (
            [fields.as_float(texts[name].text(row)) for row in first]
            for name in ("rank", "score")
        )
        steps = np.diff(ranks)
        in_query = np.array(scores[1:]) == np.array(scores[:-1]) + 1
        do_count = scores[:1] == [1.0] and in_query.any()
        do_count &= (in_query | (np.array(scores[1:]) == 1)).all()
        descend = (steps[in_query] < 0).all() and (steps[in_query] != -1).any()
        has_fractions = any(x % 1 > 0 for x in ranks)
        if (has_fractions and not any(x % 1 for x in scores)) or (
            do_count and descend
        ):
            return _SWAPPED.format(
                "The rank and the score", "fourth and the fifth"
            )
    return ""


def _fields(
    path: str, data: bytes, line: int, layout: _LineFields
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the fields of the lines that are neither empty nor comments.

    Args:
        path: the path of the file, for errors.
        data: whole lines.
        line: the number of the first one.
        layout: the expected layout.

    Returns:
        The indices where each field starts and ends, `[lines, fields]`, and
        the number of each line.
    """
    number = len(layout)
    letters = np.frombuffer(data, np.uint8)
    is_space = np.empty(len(letters) + 1, bool)
    is_space[0] = True
    np.less_equal(letters, _SPACE, out=is_space[1:])
    edges = np.flatnonzero(is_space[1:] != is_space[:-1])
    start, end = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(letters == _NEWLINE)
    lines = line + np.arange(len(newlines))
    if len(start) == number * len(newlines):
        # If each line has the same number of fields, no search is necessary.
        starts, ends = start.reshape(-1, number), end.reshape(-1, number)
        within = (ends[:, -1] <= newlines) & (letters[starts[:, 0]] != _COMMENT)
        within[1:] &= starts[1:, 0] > newlines[:-1]
        if within.all():
            return starts, ends, lines
    first = np.searchsorted(start, np.append(0, newlines + 1))
    count = np.diff(first)
    filled = np.flatnonzero(count)
    marked = filled[letters[start[first[filled]]] == _COMMENT]
    comments = _comments(path, data, line, marked, layout)
    filled = np.setdiff1d(filled, comments)
    first, count, lines = first[filled], count[filled], lines[filled]
    wrong = count < number if layout is RUN else count != number
    if wrong.any():
        raise _wrong(path, layout, data, line, int(lines[np.argmax(wrong)]))
    each = first[:, None] + np.arange(number)
    start, end = start[each], end[each]
    if layout is RUN and (count > number).any():
        longer = np.flatnonzero(count > number)
        rank, tag = (
            Texts(letters, start[longer, place], end[longer, place]).as_array()
            for place in map(layout.index, ("rank", "tag"))
        )
        wrong = np.isnan(fields.floats_of_texts(rank))
        wrong |= ~np.isnan(fields.floats_of_texts(tag))
        for row in longer[wrong][:1].tolist():
            remedy = _SPACED if b"\t" in data else _NO_RANK
            raise _wrong(path, layout, data, line, int(lines[row]), remedy)
    return start, end, lines


def _comments(
    path: str, data: bytes, line: int, marked: np.ndarray, layout: _LineFields
) -> list[int]:
    """Return the lines that are comments, of those that begin with `#`.

    Raise FileError if a line could also be a row, or the header of a table.
    """
    lines = data.split(b"\n") if len(marked) else []
    found = []
    for at in marked.tolist():
        text = lines[at].strip()
        if is_comment(text, layout):
            found.append(at)
            names = text.decode(errors="replace").split("\t")
            items = roles.candidates("item", names, {})
            place = names.index(items[0]) if items else layout.index("item")
            is_clear = place == layout.index("item")
        else:
            is_clear = text.split(None, 2)[_SECOND] in _FIXED
        if not is_clear:
            expected = "A line with `#` should be either a comment or a row."
            raise FileError(path, expected, text, line + at, _UNCLEAR)
    return found


def _wrong(
    path: str,
    layout: _LineFields,
    data: bytes,
    line: int,
    at: int,
    remedy: str = "",
) -> FileError:
    """Return the error for line `at` of a block that starts at `line`."""
    text = data.split(b"\n")[at - line].strip()
    return FileError(path, _EXPECTED[layout], text, at, remedy)
