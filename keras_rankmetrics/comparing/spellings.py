"""Ids of two sides that do not match: which spellings would, as examples."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.messages import as_text

_normal = functools.partial(unicodedata.normalize, "NFKC")
# Common differences between two spellings of an id, and how to remove them.
_DIFFERENCES: dict[str, Callable[[str], str]] = {
    "in spaces around them": str.strip,
    "in Unicode normalization": _normal,
    "in case": str.casefold,
    "in leading zeros": lambda id_: re.sub(r"(?<!\d)0+(?=\d)", "", id_),
    "in the ending `.0`": lambda id_: id_.removesuffix(".0"),
    "in a prefix before the digits": lambda id_: re.sub(r"^\D+(?=\d)", "", id_),
}
# Of ids that others match, a prefix may be a part, as in `doc1` and `img1`.
_SPELLINGS = [name for name in _DIFFERENCES if "prefix" not in name]
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
    if found:
        return found
    place, other = others[0]
    one = next(id_ for list_, id_ in ones if list_ == place)
    one, other = as_text(one), as_text(other)
    return place, repr(one), repr(other), "Do both sides use the same ids?"


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
