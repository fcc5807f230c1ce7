"""Columns of rows as padded batches of similar length."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

# `Ragged`: rows of unequal lengths, and padded arrays of them.


class Ragged(NamedTuple):
    """Rows of unequal lengths.

    Attributes:
        values: of all rows, one after the other.
        lengths: of each row.
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of_single(cls, values: np.ndarray) -> Ragged:
        """Rows of one value each."""
        return cls(values, np.ones(len(values), np.int64))

    @property
    def longest(self) -> int:
        """The length of the longest row."""
        return int(self.lengths.max(initial=0))

    def take(self, rows: np.ndarray) -> Ragged:
        """Some of the rows, in that order."""
        ends = np.cumsum(self.lengths)
        lengths = self.lengths[rows]
        before = np.cumsum(lengths) - lengths
        starts = ends[rows] - lengths
        places = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
        return Ragged(self.values[places], lengths)

    def padded(self, rows: int, width: int, fill: float) -> np.ndarray:
        """`[rows, width]`, with `fill` where there is no value."""
        lengths = np.zeros(rows, np.int64)
        lengths[: len(self.lengths)] = self.lengths
        values = self.values
        if values.dtype.kind == "u":  # of which none is below 0
            values = values.astype(np.float64)
        dense = np.full((rows, width), fill, values.dtype)
        dense[np.arange(width) < lengths[:, None]] = values
        return dense


# Lists in padded batches of few different shapes.

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


# `Columns`: which columns hold what.

Systems = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Columns:
    """The names of columns.

    Attributes:
        form: `"scores"`, `"sparse"` or `"ids"`, what the metrics take.
        y_true: of labels, or of indices or ids of relevant items.
        y_pred: of scores, or of recommended ids; by system for a `Comparison`.
        sample_weight: of the weight of each list, or None.
        groups: by which lists are sliced.
        query: of what the rows of a list have in common, one row being an
            item; None where one row is a list.
        whole_ids: whether the number of an item matters, and not only which
            ids are equal.
        exclude: of what is not to be ranked, indices or ids, or None.
        num_relevant: of how many relevant items each list has, or None.
    """

    form: str
    y_true: str
    y_pred: str | Systems
    sample_weight: str | None = None
    groups: tuple[str, ...] = ()
    query: str | None = None
    whole_ids: bool = False
    exclude: str | None = None
    num_relevant: str | None = None

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        given = self.y_pred
        return [given] if isinstance(given, str) else list(given.values())

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys(name for _, name in self.by_argument()))

    @property
    def ids(self) -> list[str]:
        """Those of ids, of which only some are equal; none in other forms."""
        if self.form != "ids":
            return []
        maybe = [] if self.exclude is None else [self.exclude]
        return [self.y_true, *self.predictions, *maybe]

    @property
    def of_lists(self) -> list[str]:
        """What has one value for each list, also where a row is an item."""
        maybe = [] if self.num_relevant is None else [self.num_relevant]
        return [*self.groups, *maybe]

    @property
    def as_long(self) -> list[str]:
        """What has as many values in each list, so that none is filled up."""
        whole = self.predictions if self.form == "sparse" else []
        return [*self.of_lists, *self.weights_of_lists, *whole]

    @property
    def weights_of_lists(self) -> list[str]:
        """The column of weights, where each list has one."""
        found = self.sample_weight
        return [] if found is None or self.query is not None else [found]

    def by_argument(self) -> Iterator[tuple[str, str]]:
        """Each argument of the user, and the column that it names."""
        yield "y_true", self.y_true
        yield from (("y_pred", name) for name in self.predictions)
        yield from (("group", name) for name in self.groups)
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            name = getattr(self, argument)
            if name is not None:
                yield argument, name
