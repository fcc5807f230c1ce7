"""Numbers from text, many at once, each as Python's `float` reads it.

Nearly all are digits around a point. With 15 digits at most these are an
integer over a power of ten, both exact, so that one division rounds as it
should. The others are read one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.files.errors import FileError

_ZERO, _POINT, _MINUS = 48, 46, 45
_DIGITS = 15  # all integers of as many digits are floats
_POWERS = 10.0 ** np.arange(_DIGITS + 1)


def checked(
    path: str, pieces: np.ndarray, lines: Sequence[int] | np.ndarray, what: str
) -> np.ndarray:
    """The numbers that pieces of text are. Raises where one is none.

    Args:
        path: of the file, for errors.
        pieces: of dtype "S".
        lines: the number of the line of each piece.
        what: the numbers are, for errors.
    """
    values = floats_of(pieces)
    wrong = np.isnan(values)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise FileError(
            path,
            f"The {what} should be a number.",
            pieces[place],
            int(lines[place]),
        )
    return values


def floats_of(pieces: np.ndarray) -> np.ndarray:
    """The numbers that pieces of text are, float64; NaN where it is none.

    What is written as `nan` is no number either, nor is `1_000`.

    Args:
        pieces: of dtype "S".
    """
    width = pieces.dtype.itemsize
    matrix = pieces.view(np.uint8).reshape(len(pieces), width)
    mantissa = np.zeros(len(pieces), np.int64)
    digits = np.zeros(len(pieces), np.int64)
    after = np.zeros(len(pieces), np.int64)
    points = np.zeros(len(pieces), np.int64)
    plain = np.ones(len(pieces), bool)
    negative = matrix[:, 0] == _MINUS
    for place in range(min(width, _DIGITS + 2)):
        byte = matrix[:, place]
        digit = byte - np.uint8(_ZERO)  # wraps round below the zero
        is_digit = digit < 10
        is_point = byte == _POINT
        mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
        digits += is_digit
        after += is_digit & (points > 0)
        points += is_point
        known = is_digit | is_point | (byte == 0)
        plain &= known | negative if place == 0 else known
    plain &= (digits > 0) & (digits <= _DIGITS) & (points < 2)
    if width > _DIGITS + 2:
        plain &= matrix[:, _DIGITS + 2] == 0
    after = np.where(plain, after, 0)
    value = np.where(negative, -mantissa, mantissa) / _POWERS[after]
    # What an integer cannot tell from 0.
    value[negative & (mantissa == 0)] = -0.0
    others = np.flatnonzero(~plain)
    value[others] = [_float(piece) for piece in pieces[others].tolist()]
    return value


def _float(piece: bytes) -> float:
    if b"_" in piece:  # which Python would leave out
        return float("nan")
    try:
        return float(piece)
    except ValueError:
        return float("nan")
