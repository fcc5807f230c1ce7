"""Judgements of SVMlight, and files of scores alone, which go with their lines.

LETOR, MSLR, Istella and Yahoo have lines such as `2 qid:1 1:0.3 2:0.5 # doc7`.
Features are not parsed. Boosting libraries write a score for each line.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import numpy as np

from keras_rankmetrics.files import FileError, fields
from keras_rankmetrics.files.blocks import Source, blocks_of, with_ends
from keras_rankmetrics.files.fields import Texts
from keras_rankmetrics.tables.item_rows import Part, numbered

COMMENT = re.compile(rb"\s*(?:#|$)")  # a line that is no row
LINE = re.compile(rb"\s*(?P<label>[^\s#]+)\s+qid:(?P<query>[^\s#]+)(?![^\s#])")
# The first line of scores: a number, or the query, 0 and a number of RankLib.
SCORE = re.compile(
    rb"(?i)(?:[^\s,]+\t0\t(?=-?\d+\.))?"
    rb"[-+]?(?:\.?\d[\d.]*(?:e[-+]?\d+)?|nan|inf(?:inity)?)"
)
# LETOR has more than the item after `docid =`, the third group.
_WITH_ITEM = re.compile(
    LINE.pattern + rb"[^#]*#\s*(docid\s*=\s*)?(?P<item>\S+)(?(3)(?:\s.*)?|\s*)$"
)
_ROW = re.compile(rb"\s*(?P<place>(?:\S+\s+\d+\s+)?)(?P<score>\S+)\s*$")
_Layout = re.Pattern[bytes]
# What a line should be, and what to do.
_WORDS = {
    LINE: (
        "A line of SVMlight should be `label qid:query feature:value ...`.",
        "Write the query of each line, such as `2 qid:1 1:0.5`.",
    ),
    _WITH_ITEM: (
        "For a run with ids, each line should be `label qid:query ... # item`.",
        "Or pass a file of scores alone, one for each of these lines.",
    ),
    _ROW: (
        "A score, or `query index score` of RankLib, should be on each line.",
        "Score all lines of the judgements, in their order.",
    ),
}


def svmlight_parts(
    source: Source, layout: _Layout = _WITH_ITEM
) -> Iterator[Part]:
    """Yield the labels, queries and items of judgements, block by block."""
    for line, texts in _rows_of(source, layout):
        yield from fields.parts(source, texts, line)


def lines_parts(judged: Source) -> Iterator[Part]:
    """Yield all lines as one part, with the label and the scores of each."""
    found = Part.joined(svmlight_parts(judged, LINE))
    for at in np.flatnonzero(np.diff(numbered(found.query)[0]) < 0)[:1] + 1:
        raise FileError(
            judged.path,
            "The lines of a query should be together.",
            b"qid:%b again, after others" % found.query[at],
            int(found.line[at]),
            "Sort the lines by query, and the scores with them.",
        )
    scores = [_scores_of(x, found.query.tolist()) for x in judged.scores]
    yield found._replace(value=np.column_stack([found.value, *scores]))


def _scores_of(source: Source, queries: Sequence[bytes]) -> np.ndarray:
    """Return the scores of a file, `[rows]`, one for each line of a query."""
    lists = (enumerate(some) for _, some in itertools.groupby(queries))
    places = ([x, b"%d" % at] for each in lists for at, x in each)
    found, last = [np.zeros(0)], 1
    for line, texts in _rows_of(source, _ROW):
        for last, text in zip(line, texts["place"].as_array(), strict=True):
            if text.split() not in ([], next(places, None)):
                raise _error(source, _ROW, text, last)
        found += [fields.numbers_of(source.path, "score", texts["score"], line)]
    scores = np.concatenate(found)
    if len(scores) != len(queries):
        text = b"%d scores for %d lines" % (len(scores), len(queries))
        raise _error(source, _ROW, text, last)
    return scores


def _rows_of(
    source: Source, layout: _Layout
) -> Iterator[tuple[np.ndarray, dict[str, Texts]]]:
    """Yield the numbers of the lines of a block, and their texts by name.

    Raise FileError if a line has another layout.
    """
    for data, first in with_ends(source.path, blocks_of(source)):
        rows = []
        for line, text in enumerate(data.split(b"\n"), first):
            if found := layout.match(text):
                rows.append((line, *found.group(*layout.groupindex)))
            elif not COMMENT.match(text):
                raise _error(source, layout, text.strip(), line)
        if rows:
            lines, *texts = zip(*rows, strict=True)
            columns = zip(layout.groupindex, map(_column, texts), strict=True)
            yield np.array(lines), dict(columns)


def _column(texts: Sequence[bytes]) -> Texts:
    ends = np.cumsum([0, *map(len, texts)])
    letters = np.frombuffer(b"".join(texts), np.uint8)
    return Texts(letters, ends[:-1], ends[1:])


def _error(source: Source, layout: _Layout, text: bytes, at: int) -> FileError:
    expected, remedy = _WORDS[layout]
    return FileError(source.path, expected, text, at, remedy)
