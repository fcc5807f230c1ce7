"""Lists of unequal lengths as padded batches of few shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import keras
import numpy as np

from keras_rankmetrics.comparing.joining import Joined

# A batch has at most so many items, or one list. On torch, arrays of this size
# stay in the caches of a processor; the other backends take longer to begin an
# operation.
_ITEMS = 2**14 if keras.config.backend() == "torch" else 2**17


class Padded(NamedTuple):
    """A batch of lists.

    Attributes:
        places: `[lists]`, where they stand in the truth.
        labels: `[rows, width]`, with rows below the lists that are all padding.
        scores: `[rows, width]`.
    """

    places: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


def batches_of(joined: Joined) -> Iterator[Padded]:
    """The lists, those of similar lengths together.

    A backend compiles each shape anew. So widths are rounded up, and so is the
    number of rows.
    """
    starts = np.cumsum(joined.lengths) - joined.lengths
    widths = np.array([_rounded_up(length) for length in joined.lengths])
    for width in np.unique(widths):
        [alike] = np.nonzero(widths == width)
        most = max(1, _ITEMS // int(width))
        for begin in range(0, len(alike), most):
            lists = alike[begin : begin + most]
            yield _padded(joined, lists, starts[lists], int(width), most)


def _padded(
    joined: Joined, lists: np.ndarray, starts: np.ndarray, width: int, most: int
) -> Padded:
    rows = min(most, _power_of_4(len(lists)))
    lengths = joined.lengths[lists]
    filled = np.arange(width) < lengths[:, None]
    at = (starts[:, None] + np.arange(width))[filled]
    labels = np.full((rows, width), -1, joined.labels.dtype)
    scores = np.zeros((rows, width), joined.scores.dtype)
    labels[: len(lists)][filled] = joined.labels[at]
    scores[: len(lists)][filled] = joined.scores[at]
    return Padded(joined.places[lists], labels, scores)


def _power_of_4(number: int) -> int:
    """The least that is not below the number."""
    power: int = 4 ** (((number - 1).bit_length() + 1) // 2)
    return power


def _rounded_up(length: int) -> int:
    """To 2^n or 3 * 2^n, from 16 on."""
    power = max(16, 1 << (int(length) - 1).bit_length())
    less = power * 3 // 4
    return less if power > 16 and length <= less else power
