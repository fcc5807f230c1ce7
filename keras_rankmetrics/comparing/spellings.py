"""Ids of two sides that do not match: which spellings would, as examples."""

from __future__ import annotations

import functools
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.checks import of_ids
from keras_rankmetrics.engine.messages import as_text

_NO_WIDTH = "[\u200b-\u200d\u2060\ufeff]"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|"
    "aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_OF_MONTH = re.compile(  # 3-Mar, or MARCH3
    rf"^(?:(\d{{1,2}})-([a-z]{{3}})|(?=([a-z]{{3}}))(?:{_MONTHS})-?0?(\d+))$",
    re.IGNORECASE,
)
_normal = functools.partial(unicodedata.normalize, "NFKC")
# Common differences between two spellings of an id, and how to remove them.
_DIFFERENCES: dict[str, Callable[[str], str]] = {
    "in spaces around them": str.strip,
    "in characters without width": lambda id_: re.sub(_NO_WIDTH, "", id_),
    "in Unicode normalization": _normal,
    "in spaces within them": lambda id_: " ".join(id_.split()),
    "in case": str.casefold,
    "in leading zeros": lambda id_: re.sub(r"(?<!\d)0+(?=\d)", "", id_),
    "in the ending `.0`": lambda id_: id_.removesuffix(".0"),
    "in `-` and `_`": lambda id_: id_.replace("_", "-"),
    "in URL encoding": urllib.parse.unquote,
    "in HTML entities": html.unescape,
    "in accents": lambda id_: re.sub(
        "[\u0300-\u036f]", "", unicodedata.normalize("NFD", id_)
    ),
    "in the scheme or the slash of a URL": lambda id_: of_ids.OF_URL.sub(
        "", id_
    ),
    "in the extension of a file": lambda id_: re.sub(
        r"\.(csv|docx?|html?|jpe?g|jsonl?|md|mp[34]|pdf|png|txt|xml)$", "", id_
    ),
    "in the mark of bytes": lambda id_: re.sub(r"^b(['\"])(.*)\1$", r"\2", id_),
    "in a container such as `np.int64()`": lambda id_: of_ids.CONTAINER.sub(
        of_ids.WITHOUT, id_
    ),
    "in 32 of their bits": lambda id_: (
        str(int(id_) % 2**32) if re.fullmatch(r"-?\d+", id_) else id_
    ),
    "in quotes or a mark at the end": lambda id_: id_.strip(
        "\"'\u201c\u201d[]<>()"
    ).rstrip("?!.;"),
    "in the number of a chunk": lambda id_: re.sub(
        r"(#|::|[-_/]?(chunk|part|passage)[-_]?|[-_/:])\d+$", "", id_
    ),
    "in digits that float32 loses": lambda id_: (
        f"{np.float32(id_):.0f}" if re.fullmatch(r"\d{8,19}", id_) else id_
    ),
    "in dashes or commas": lambda id_: re.sub("[-,]", "", id_),
    "in names that a spreadsheet takes for dates": lambda id_: _OF_MONTH.sub(
        r"\1\4-\2\3", id_
    ).casefold(),
    "in the parameters of a URL": lambda id_: re.sub(r"[?#].*$", "", id_),
    "in the path before a name": lambda id_: re.sub(r"^.*/(?=.)", "", id_),
    "in a prefix before the digits": lambda id_: re.sub(r"^\D+(?=\d)", "", id_),
    "in a prefix before a mark": lambda id_: re.sub(r"^.*[-_:|](?=.)", "", id_),
}
# These may tell items apart, as `doc1` and `img1`. Where other ids match, they
# are spellings if one side lacks the part, and many ids do.
_OF_PARTS = (
    *("chunk", "parameters", "path", "prefix", "extension", "dashes"),
    "float32",
)
PARTS = [
    name for name in _DIFFERENCES if any(part in name for part in _OF_PARTS)
]
OF_NUMBERS = [name for name in PARTS if "float32" in name]
SPELLINGS = [name for name in _DIFFERENCES if name not in PARTS]
_QUESTION = "Do the ids differ only {}?"
IN_DOUBT = "Do both sides use the same ids?"
FEW = 3  # ids that match if one is added, or without a part
_BETWEEN = ",;| "  # several ids in one text
# An id with one number, such as `d12`. One with two, such as `d12-3`, may name
# a document and its part.
_NUMBERED = re.compile(r"(\D*)(\d{1,18})(\D*)", re.ASCII)
_MANY = 0.25  # of the ids that no other matches: those that do without a part
_QUERIES = 100_000  # in which spellings are compared, at most
WithLists = list[tuple[int, Any]]  # integers or text, each with its list


def with_lists(lists: np.ndarray, items: np.ndarray) -> WithLists:
    """Return ids, each with the number of its list."""
    ids = items.tolist()
    texts = map(as_text, ids) if items.dtype.kind == "S" else ids
    return list(zip(lists.tolist(), texts, strict=True))


def unmatched_queries(
    ones: Sequence[Any], others: Sequence[Any]
) -> tuple[str, str, str]:
    """Return queries of both sides that do not match, and a question."""
    return unmatched(_of_one_list(ones), _of_one_list(others))[1:]


def alike_queries(
    ones: Sequence[Any], others: Sequence[Any]
) -> tuple[int, str, str, str] | None:
    """Return queries of both sides that differ in spelling, as `alike` does."""
    return alike(_of_one_list(ones), _of_one_list(others))


def _of_one_list(queries: Sequence[Any]) -> WithLists:
    return [(0, as_text(query)) for query in queries[:_QUERIES]]


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
    found = shifted(ones, others, is_low=True)
    if not found and not some_match:
        found = alike(ones, others, _DIFFERENCES, 1)
    if found:
        return found
    place, other = others[0]
    one = next(id_ for list_, id_ in ones if list_ == place)
    return place, repr(one), repr(other), IN_DOUBT


_Numbers = dict[tuple[int, str, str], list[int]]


def _numbers(ids: WithLists) -> _Numbers:
    """Return the numbers of ids, by list and what is before and behind."""
    found: _Numbers = {}
    for list_, id_ in ids:
        if match := _NUMBERED.fullmatch(str(id_)):
            before, number, behind = match.groups()
            found.setdefault((list_, before, behind), []).append(int(number))
    return found


def shifted(
    ones: WithLists, others: WithLists, is_low: bool = False
) -> tuple[int, str, str, str] | None:
    """Return two ids of one list that differ by a number, if many ids do.

    Args:
        ones: ids of the system.
        others: ids of the truth, in the same lists.
        is_low: True if few of these match, so that half of the ids that differ
            by 1 are enough.
    """
    sides = [_numbers(ids) for ids in (ones, others)]
    keys = [key for key in sides[1] if key in sides[0]]
    known, numbers = ([np.array(side[key]) for key in keys] for side in sides)
    step, number, are_many = of_ids.shift_of(known, numbers)
    half = sum(map(len, sides[1].values())) / 2
    if not are_many and not (
        is_low and abs(step) == 1 and number >= max(FEW, half)
    ):
        return None
    for key, of_list in zip(keys, numbers, strict=True):
        list_, before, behind = key
        for other in of_list.tolist():
            if other + step in sides[0][key]:
                one, judged = (
                    f"{before}{x}{behind}" for x in (other + step, other)
                )
                show: Callable[[str], str] = repr if before or behind else str
                return list_, show(one), show(judged), of_ids.question_of(step)
    return None


def in_one_text(
    ones: WithLists, others: WithLists, least: int = FEW
) -> tuple[int, str, str, str] | None:
    """Return an id that joins several ids of the other side, and one of these.

    The other side has no id with the mark between them: ids of pairs have it on
    both. Between blanks are words, unless each has a digit.

    Args:
        ones: ids of the system without a match.
        others: ids of the truth without a match, in the same lists.
        least: the number of ids that must join others.
    """
    for are_of_truth in (True, False):
        whole, known = (others, ones) if are_of_truth else (ones, others)
        there = {*known}
        for mark in _BETWEEN:
            if any(mark in str(id_) for _, id_ in known):
                continue
            found = [
                (place, id_, parts)
                for place, id_ in whole
                if mark in str(id_)
                for parts in [[x.strip() for x in id_.split(mark)]]
                if sum((place, x) in there for x in {*parts}) > 1
                if mark != " " or all(re.search(r"\d", x) for x in parts)
            ]
            if len(found) >= least:
                place, id_, parts = found[0]
                part = next(x for x in parts if (place, x) in there)
                one, other = (part, id_) if are_of_truth else (id_, part)
                question = f"Are several ids in one text? Split it at {mark!r}."
                return place, repr(one), repr(other), question
    return None


def alike_in_part(
    ones: WithLists, others: WithLists, parts: Sequence[str] = PARTS
) -> tuple[int, str, str, str] | None:
    """Return two ids of one list that differ in a part, or None.

    A part may tell items apart, so that many ids must match without it, and few
    of them those of the next list.
    """
    least = max(FEW, int(_MANY * len(others)))
    lists = list(dict.fromkeys(list_ for list_, _ in others))
    following = dict(zip(lists, lists[1:] + lists[:1], strict=True))
    elsewhere = [(following[list_], x) for list_, x in others]
    for part in parts:
        if found := alike(ones, others, [part], least):
            chance = alike(ones, elsewhere, [part], least // FEW)
            return None if chance or len(lists) < 2 else found
    return None


def with_remedy(question: str, one: str, other: str) -> str:
    """Return a question about items, with what ranks the documents of chunks.

    Args:
        question: what `unmatched` asks.
        one: the id of the system, as the message shows it.
        other: that of the truth.
    """
    is_asked = question == _QUESTION.format("in the number of a chunk")
    if not is_asked or not one.startswith(other[:-1]):
        return question
    mark = one[len(other) - 1 : -1].rstrip("0123456789")
    return f'{question} To rank documents, pass `parents="{mark}"`.'


def _is_plain(id_: Any, plain: Callable[[str], str]) -> bool:
    text = str(id_)
    return plain(text) == text


def alike(
    ones: WithLists,
    others: WithLists,
    differences: Iterable[str] = SPELLINGS,
    least: int = 1,
) -> tuple[int, str, str, str] | None:
    """Return two ids of one list that differ in spelling, or None.

    Args:
        ones: as in `unmatched`.
        others: as in `unmatched`.
        differences: the keys of `_DIFFERENCES` to try, by default those that
            change nothing but the spelling.
        least: the number of ids that must differ so. If it is more than one,
            one of both must lack what differs.
    """
    for difference in differences:
        plain = _DIFFERENCES[difference]
        by_form = {(list_, plain(str(x))): x for list_, x in others}
        if difference in PARTS and len(by_form) < len(others):
            continue  # the part tells them apart
        forms, ids = {form for _, form in by_form}, {x for _, x in others}
        tells_lists = "prefix" in difference and 2 * len(forms) < len(ids)
        pairs = (
            (place, one, by_form.get((place, plain(str(one))), one))
            for place, one in ones
        )
        found = [
            (place, one, other)
            for place, one, other in pairs
            if one != other
            and (
                (least == 1 and not tells_lists)
                or _is_plain(one, plain) != _is_plain(other, plain)
            )
        ]
        if len(found) >= least:
            show = ascii if plain is _normal else repr  # they look alike
            question = _QUESTION.format(difference)
            place, one, other = found[0]
            return place, show(one), show(other), question
    return None
