"""Texts of many rows at once, as ids and as numbers.

No text becomes a Python object, which would take ten times as long as reading
the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files import FileError
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.tables.ids import EXACT
from keras_rankmetrics.tables.item_rows import Part
from keras_rankmetrics.tables.roles import PART, RANKS

_ROLES_OF_IDS = ("query", "item")
_OTHER_TEXTS = ("subtopic", "group")
_OTHER_NUMBERS = (RANKS, "weight")
_LONGEST = 1024  # bytes of an id, at most
_IF_MERGED = "If cells were merged, repeat the query in each row."
_ROOM = 2**22  # bytes of the ids of a part: all take as many as the longest
_LONG_NUMBER = 32
_DIGITS = 15  # of a number that is exact in float64
_PLAIN_NUMBER = _DIGITS + len("-.")
_MINUS, _POINT, _ZERO = b"-.0"
BOOLS = "Write 1 for true, and 0 for false."
INEXACT = (
    "Integers above 2**53 may tie in float64. Subtract the smallest one from "
    "all, or write floats if such ties do not matter."
)


class Texts(NamedTuple):
    """A column of texts, as pieces of one array.

    Attributes:
        data: the bytes, uint8.
        start: `[rows]`, the index of the first byte of each text.
        end: `[rows]`, the index after its last byte.
    """

    data: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], encoding: str) -> Texts:
        """Return separate texts as a column of bytes.

        JSON can have half a pair of surrogates, which UTF-8 has not.
        """
        data = "".join(texts).encode(encoding, "surrogatepass")
        lengths = [*map(len, texts)]
        if len(data) > sum(lengths):  # some letters have several bytes
            lengths = [len(x.encode(encoding, "surrogatepass")) for x in texts]
        ends = np.cumsum([0, *lengths])
        return cls(np.frombuffer(data, np.uint8), ends[:-1], ends[1:])

    def text(self, row: int) -> bytes:
        """Return the text of a row."""
        found: bytes = self.data[self.start[row] : self.end[row]].tobytes()
        return found

    def as_array(self) -> np.ndarray:
        """Return an array of dtype "S", as wide as the longest text."""
        length = self.end - self.start
        width = int(length.max(initial=1))
        room = np.concatenate([self.data, np.zeros(width, np.uint8)])
        windows = np.ndarray(
            len(self.data) + 1, f"S{width}", room.data, strides=(1,)
        )
        found = windows[self.start]
        if (length != width).any():
            letters = found.view(np.uint8).reshape(-1, width)
            letters *= np.arange(width) < length[:, None]
        return found


def parts(
    source: Source,
    columns: Mapping[str, Texts | np.ndarray],
    line: np.ndarray,
) -> Iterator[Part]:
    """Yield rows in parts of little memory: a long id widens only its part.

    Raise FileError if a value is not a number, or an id is empty or too long.

    Args:
        source: the file.
        columns: the fields of each row by role: texts of ids, and texts or
            numbers of labels, scores and ranks.
        line: the number of the line of each row, from 1.
    """
    path = source.path
    of_ids = {
        role: x
        for role, x in columns.items()
        if has_texts(role) and isinstance(x, Texts)
    }
    numbers = {
        role: numbers_of(path, role, x, line) if isinstance(x, Texts) else x
        for role, x in columns.items()
        if role not in of_ids
    }
    of_others = {x: numbers.pop(x) for x in _OTHER_NUMBERS if x in numbers}
    values = [*numbers.values()]
    value = values[0] if len(values) == 1 else np.stack(values, axis=1)
    for role in [role for role in of_ids if role.startswith(PART)]:
        _check_one(source, role.removeprefix(PART), of_ids.pop(role), line)
    longest = 1
    for role, ids in of_ids.items():
        length = ids.end - ids.start
        longest = max(longest, int(length.max(initial=1)))
        if longest > _LONGEST:
            row = int(np.argmax(length))
            expected = f"A field should have {_LONGEST:,} bytes at most."
            raise FileError(path, expected, ids.text(row), int(line[row]))
        if not length.all():
            row = int(np.argmin(length))
            one, *rest = of_ids
            its = f" and its {' and '.join(rest)}" * bool(rest)
            remedy = _IF_MERGED * bool(role == "query" and length[0])
            expected = f"Each row should have a {one}{its}."
            raise FileError(path, expected, b"", int(line[row]), remedy)
    step = _ROOM // longest
    for first in range(0, len(line), step):
        some = slice(first, first + step)
        texts = {
            role: Texts(ids.data, ids.start[some], ids.end[some]).as_array()
            for role, ids in of_ids.items()
        }
        query = texts["query"]
        item = texts.get("item", np.zeros(len(query), "S1"))
        others = {role: x[some] for role, x in of_others.items()}
        others |= {x: texts[x] for x in _OTHER_TEXTS if x in texts}
        yield Part(query, item, value[some], line[some], others)


def has_texts(role: str) -> bool:
    """Return True for a column of ids, or by which rows belong together."""
    return role in (*_ROLES_OF_IDS, *_OTHER_TEXTS) or role.startswith(PART)


def _check_one(source: Source, name: str, x: Texts, line: np.ndarray) -> None:
    """Raise FileError if a column has several values.

    Args:
        source: the file, which holds the first value.
        name: the name of the column.
        x: the texts of some rows.
        line: the number of the line of each row.
    """
    texts = x.as_array()
    first = source.whole.setdefault(name, texts[:1])
    for row in np.flatnonzero(texts != first)[:1].tolist():
        raise FileError(
            source.path,
            "Its rows should belong together.",
            b"%b and %b in the column `%b`"
            % (first[0], texts[row], name.encode("utf-8", "surrogateescape")),
            int(line[row]),
            "Select the rows of one, or, if the column has no such meaning, "
            "remove it.",
        )


def numbers_of(
    path: str, role: str, texts: Texts, line: np.ndarray
) -> np.ndarray:
    """Return the number in each text.

    Raise FileError if one is no number, but return NaN for such a rank: a
    column of that name may have anything.

    Args:
        path: the path of the file, for errors.
        role: the role of the column.
        texts: the texts.
        line: the number of the line of each text.
    """
    values = _floats_of(texts)
    if role == RANKS:
        return values
    expected = f"The {role} should be a number."
    wrong = np.isnan(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        text = texts.text(row)
        remedy = BOOLS if text.lower() in (b"true", b"false") else ""
        if role == "label" and not text:
            remedy = "Remove the rows of items that nobody rated."
        raise FileError(path, expected, text, int(line[row]), remedy)
    for row in np.flatnonzero(np.abs(values) >= EXACT).tolist():
        text, value = texts.text(row), float(values[row])
        is_integer = text.lstrip(b"+-").isdigit()
        if is_integer and (math.isinf(value) or int(text) != value):
            raise FileError(path, expected, text, int(line[row]), INEXACT)
    return values


def _floats_of(texts: Texts) -> np.ndarray:
    """Return the number in each text, NaN where it is none."""
    data, start, end = texts
    short = Texts(data, start, np.minimum(end, start + _LONG_NUMBER))
    values = floats_of_texts(short.as_array())
    for row in np.flatnonzero(end > short.end).tolist():
        values[row] = as_float(texts.text(row))
    return values


def floats_of_texts(texts: np.ndarray) -> np.ndarray:
    """Return the float in each text, as `as_float` does.

    Args:
        texts: an array of dtype "S".
    """
    if texts.dtype.itemsize <= 2:  # as most labels, which repeat
        codes = texts.astype("S2").view(np.uint16)
        distinct = np.flatnonzero(np.bincount(codes)).astype(np.uint16)
        table = np.full(2**16, math.nan)
        table[distinct] = [as_float(x) for x in distinct.view("S2").tolist()]
        return table[codes]
    if texts.dtype.itemsize <= _PLAIN_NUMBER:
        values, are_plain = _decimals(texts)
        if not are_plain.all():
            others = texts[~are_plain]
            values[~are_plain] = [as_float(text) for text in others.tolist()]
        return values
    if b"_" not in texts.tobytes():
        try:
            return texts.astype(np.float64)
        except ValueError:
            pass
    return np.array([as_float(text) for text in texts.tolist()])


def _decimals(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers such as `-12.50`, and which texts are one.

    Up to 15 digits, and ten to their number, are exact in float64, so that one
    division rounds as `float` does. All texts are read letter by letter, in a
    quarter of the time.

    Args:
        texts: an array of dtype "S", of texts of up to 17 letters.
    """
    by_row = np.ascontiguousarray(texts).view(np.uint8)
    by_row = by_row.reshape(len(texts), texts.dtype.itemsize)
    letters = np.ascontiguousarray(by_row.T)
    digits, power = np.zeros(len(texts)), np.ones(len(texts))
    number = np.zeros(len(texts), np.int8)
    is_plain = letters[0] != 0
    is_negative = letters[0] == _MINUS
    has_point, has_ended = np.zeros((2, len(texts)), bool)
    for place, letter in enumerate(letters):
        digit = letter - _ZERO  # of other letters, 10 or more
        is_digit, is_point, is_end = digit < 10, letter == _POINT, letter == 0
        np.putmask(digits, is_digit, 10 * digits + digit)
        np.putmask(power, is_digit & has_point, 10 * power)
        number += is_digit
        is_known = is_digit | is_point & ~has_point
        if not place:
            is_known |= is_negative
        has_ended |= is_end
        is_plain &= np.where(has_ended, is_end, is_known)
        has_point |= is_point
    is_plain &= (number > 0) & (number <= _DIGITS)
    return np.where(is_negative, -digits, digits) / power, is_plain


def as_float(text: bytes) -> float:
    """Return the number that a text is, or NaN if it is none.

    Neither `nan` nor `1_000`, which Python reads, is a number here.
    """
    try:
        return math.nan if b"_" in text else float(text)
    except ValueError:
        return math.nan
