"""Ids of two sides that do not match: which spellings would, as examples."""

from __future__ import annotations

import functools
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.messages import as_text

_NO_WIDTH = "[\u200b-\u200d\u2060\ufeff]"
_normal = functools.partial(unicodedata.normalize, "NFKC")
# Common differences between two spellings of an id, and how to remove them.
_DIFFERENCES: dict[str, Callable[[str], str]] = {
    "in spaces around them": str.strip,
    "in characters without width": lambda id_: re.sub(_NO_WIDTH, "", id_),
    "in Unicode normalization": _normal,
    "in case": str.casefold,
    "in leading zeros": lambda id_: re.sub(r"(?<!\d)0+(?=\d)", "", id_),
    "in the ending `.0`": lambda id_: id_.removesuffix(".0"),
    "in `-` and `_`": lambda id_: id_.replace("_", "-"),
    "in URL encoding": urllib.parse.unquote,
    "in the scheme or the slash of a URL": lambda id_: re.sub(
        r"^https?://(www\.)?|/$", "", id_
    ),
    "in the extension of a file": lambda id_: re.sub(
        r"\.(csv|docx?|html?|jpe?g|jsonl?|md|mp[34]|pdf|png|txt|xml)$", "", id_
    ),
    "in the mark of bytes": lambda id_: re.sub(r"^b(['\"])(.*)\1$", r"\2", id_),
    "in 32 of their bits": lambda id_: (
        str(int(id_) % 2**32) if re.fullmatch(r"-?\d+", id_) else id_
    ),
    "in the number of a chunk": lambda id_: re.sub(
        r"(#|::|[-_/]?(chunk|part|passage)[-_]?)\d+$", "", id_
    ),
    "in a prefix before the digits": lambda id_: re.sub(r"^\D+(?=\d)", "", id_),
}
# Of ids that others match, a prefix may be a part, as in `doc1` and `img1`, and
# so may the number of a chunk.
_SPELLINGS = [
    name
    for name in _DIFFERENCES
    if "prefix" not in name and "chunk" not in name
]
_FEW = 3  # ids that match if one is added
_QUERIES = 100_000  # in which spellings are compared, at most
WithLists = list[tuple[int, Any]]  # ids, each with the number of its list


def with_lists(lists: np.ndarray, items: np.ndarray) -> WithLists:
    """Return ids, each with the number of its list."""
    return list(zip(lists.tolist(), items.tolist(), strict=True))


def unmatched_queries(
    ones: Sequence[Any], others: Sequence[Any]
) -> tuple[str, str, str]:
    """Return queries of both sides that do not match, and a question."""
    one, other = ([(0, x) for x in side[:_QUERIES]] for side in (ones, others))
    return unmatched(one, other)[1:]


def unmatched(
    ones: WithLists, others: WithLists, some_match: bool = False
) -> tuple[int, str, str, str]:
    """Return two ids of one list that do not match, and a question about them.

    Args:
        ones: ids of the system, each with the number of its list.
        others: ids of the truth, in the same way.
        some_match: True if other ids match. Similar spellings then explain
            nothing.

    Returns:
        The number of the list, the two ids as messages show them, and the
        question.
    """
    found = None if some_match else alike(ones, others, _DIFFERENCES)
    found = found or _shifted(ones, others)
    if found:
        return found
    place, other = others[0]
    one = next(id_ for list_, id_ in ones if list_ == place)
    one, other = as_text(one), as_text(other)
    return place, repr(one), repr(other), "Do both sides use the same ids?"


def _numbers(ids: WithLists) -> Iterator[tuple[int, int]]:
    """Yield ids that are numbers, or numbers as text, with their lists."""
    for list_, id_ in ids:
        text = str(as_text(id_))
        if text.isdecimal():
            yield list_, int(text)


def _shifted(
    ones: WithLists, others: WithLists
) -> tuple[int, str, str, str] | None:
    """Return two numbers of one list that differ by 1, if most ids do."""
    known = set(_numbers(ones))
    numbers = [*_numbers(others)]
    for step in (1, -1):
        found = [
            (list_, x) for list_, x in numbers if (list_, x + step) in known
        ]
        if len(found) >= _FEW and 2 * len(found) >= len(numbers):
            place, other = found[0]
            question = (
                "Are ids numbered from 0 on one side, and from 1 on the other?"
            )
            return place, repr(other + step), repr(other), question
    return None


def alike(
    ones: WithLists,
    others: WithLists,
    differences: Iterable[str] = _SPELLINGS,
) -> tuple[int, str, str, str] | None:
    """Return two ids of one list that differ in spelling, or None.

    Args:
        ones: as in `unmatched`.
        others: as in `unmatched`.
        differences: the keys of `_DIFFERENCES` to try, by default those that
            change nothing but the spelling.
    """
    for difference in differences:
        plain = _DIFFERENCES[difference]
        by_form = {(list_, plain(str(as_text(x)))): x for list_, x in others}
        for place, one in ones:
            other = by_form.get((place, plain(str(as_text(one)))), one)
            if other != one:
                show = ascii if plain is _normal else repr  # they look alike
                question = f"Do the ids differ only {difference}?"
                one, other = as_text(one), as_text(other)
                return place, show(one), show(other), question
    return None
