"""Lists in padded batches of few different shapes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from keras_rankmetrics.jobs.ragged import Ragged

Lists: TypeAlias = Mapping[str, Ragged]
"""What is known of the same lists, by name."""

LARGEST = 2**21
"""How many places a padded batch has at most, unless one list has more."""

FEW = 2**17
"""As many places are padded as they come: another shape would cost more."""


def chunks(lists: Lists, lists_per_update: int) -> Iterator[Lists]:
    """The lists in parts, of so many and no more than `LARGEST` places.

    Where they must be parted further, lists of similar lengths stay together.
    The order of the lists is thus lost, on which no sum depends.
    """
    number = _number(lists)
    for start in range(0, number, lists_per_update):
        rows = np.arange(start, min(start + lists_per_update, number))
        yield from _small_enough(_taken(lists, rows))


def padded(
    lists: Lists, fills: Mapping[str, float], as_long: Container[str] = ()
) -> dict[str, np.ndarray]:
    """Arrays `[lists, longest]`, both rounded up.

    A backend that compiles does so for each shape anew.

    Args:
        lists: what to pad.
        fills: what with, by name.
        as_long: the names of what has as many values for each list, so that
            the length stays as it is.
    """
    rows = _rows(_number(lists))
    return {
        name: ragged.padded(
            rows,
            ragged.longest if name in as_long else _width(ragged.longest),
            fills[name],
        )
        for name, ragged in lists.items()
    }


def _small_enough(lists: Lists) -> Iterator[Lists]:
    number = _number(lists)
    width = sum(_width(ragged.longest) for ragged in lists.values())
    if number == 1 or _rows(number) * width <= LARGEST:
        yield lists
        return
    lengths = np.sum([ragged.lengths for ragged in lists.values()], axis=0)
    order = np.argsort(lengths, kind="stable")
    for rows in _alike(lengths[order]):
        yield _taken(lists, order[rows])


def _alike(lengths: np.ndarray) -> Iterator[slice]:
    """Lists that are not much shorter than the longest of them.

    Args:
        lengths: of the lists, ascending.
    """
    stop = len(lengths)
    while stop:
        width = 2 ** max(int(lengths[stop - 1] - 1).bit_length(), 3)
        longer = int(np.searchsorted(lengths, width // 2, side="right"))
        start = max(min(longer, stop - FEW // width), 0)
        rows = max(LARGEST // width, 1)
        for first in range(start, stop, rows):
            yield slice(first, min(first + rows, stop))
        stop = start


def _taken(lists: Lists, rows: np.ndarray) -> Lists:
    return {name: ragged.take(rows) for name, ragged in lists.items()}


def _number(lists: Lists) -> int:
    return len(next(iter(lists.values())).lengths)


def _rows(number: int) -> int:
    """A power of 8 from 8 on, or above 4096 of 2."""
    exponent = max(number - 1, 1).bit_length()
    return 2 ** (exponent if exponent > 12 else -(-exponent // 3) * 3)


def _width(longest: int) -> int:
    """8, or at most a quarter more: 4 widths from a power of 2 to the next."""
    step = 2 ** max(longest.bit_length() - 3, 0)
    return max(-(-longest // step) * step, 8)
