"""Lists of unequal lengths, and padded batches of them."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import keras
import numpy as np

from keras_rankmetrics.tables.item_rows import are_equal_in_lists, run_starts
from keras_rankmetrics.types import UNJUDGED


class Ragged(NamedTuple):
    """Lists of unequal lengths, stored one after the other.

    Attributes:
        values: the values of all lists, `[values]`, or rows of them.
        lengths: `[lists]`.
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of_single(cls, values: np.ndarray) -> Ragged:
        """Return lists of one value each."""
        return cls(values, np.ones(len(values), np.int64))

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        return int(self.lengths.max(initial=0))

    def take(self, lists: np.ndarray) -> Ragged:
        """Return the lists at these indices, in their order."""
        starts = np.cumsum(self.lengths) - self.lengths
        lengths = self.lengths[lists]
        return Ragged(
            self.values[value_indices(starts[lists], lengths)], lengths
        )

    def cut(self, stops: Sequence[int]) -> Iterator[Ragged]:
        """Yield neighbouring lists, up to each of these indices, as views."""
        ends = np.append(0, np.cumsum(self.lengths))
        for start, stop in itertools.pairwise([0, *stops]):
            yield Ragged(
                self.values[ends[start] : ends[stop]], self.lengths[start:stop]
            )

    def padded(self, rows: int, width: int, fill: float) -> np.ndarray:
        """Return an array `[rows, width]`, with `fill` for padding."""
        lists, longest, values = len(self.lengths), self.longest, self.values
        if values.dtype.kind == "u":  # has no negative value for padding
            values = values.astype(np.float64)
        are_equal = (self.lengths == longest).all()
        if are_equal:
            values = values.reshape(lists, longest, *values.shape[1:])
            if (rows, width) == (lists, longest):
                return np.require(values, requirements="W")
        shape = rows, width, *self.values.shape[1:]
        dense = np.full(shape, fill, values.dtype)
        inside = dense[:lists, :longest]
        if are_equal:
            inside[:] = values
        else:
            inside[np.arange(longest) < self.lengths[:, None]] = values
        return dense


def value_indices(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the indices of all values of lists, list by list.

    Args:
        starts: `[lists]`, the index of the first value of each list.
        lengths: `[lists]`.
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)


# Padded batches of few shapes, each of lists of similar lengths.

Lists: TypeAlias = Mapping[str, Ragged]
"""Columns of the same lists, by name."""

# jax compiles each operation for each new shape, which takes seconds.
FEW_SHAPES = keras.config.backend() == "jax"

LARGEST = 2**18 if keras.config.backend() in ("numpy", "torch") else 2**21
"""The maximum size of a padded batch, unless one list is longer.

numpy and torch start operations fast, and arrays of this size are in the cache.
"""

FEW = 2**17
"""Up to this size, padding costs less than compiling another shape."""


# For each evaluation in progress, the number of threads of torch before the
# first one: others may begin and end meanwhile, in other threads of Python.
_THREADS: list[int] = []
_LOCK = threading.Lock()


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Let operations of torch use one thread, and numpy not warn of infinities.

    No other backend of Keras warns. Arrays of this size gain nothing from
    several threads. On a busy machine an operation waits for the slowest of
    them, and the others wait busily: that takes ten times as long.
    """
    quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore")
    if keras.config.backend() != "torch":
        with quiet:
            yield
        return
    import torch

    with _LOCK:
        _THREADS.append(_THREADS[0] if _THREADS else torch.get_num_threads())
    torch.set_num_threads(1)
    try:
        with quiet:
            yield
    finally:
        with _LOCK:
            threads = _THREADS.pop()
        torch.set_num_threads(threads)


def chunks(lists: Lists, lists_per_update: int) -> Iterator[Lists]:
    """Yield the lists in chunks whose padded size is at most `LARGEST`.

    A chunk that is too large is split into lists of similar lengths. This
    changes the order of the lists, which no sum depends on.

    Args:
        lists: the columns of all lists.
        lists_per_update: the number of lists of a chunk.
    """
    number = _number(lists)
    stops = [*range(lists_per_update, number, lists_per_update), number]
    for each in _cut(lists, stops):
        yield from _small_enough(each)


def padded(
    lists: Lists, fills: Mapping[str, float], unpadded: Container[str] = ()
) -> dict[str, np.ndarray]:
    """Return arrays `[lists, longest]`, with both numbers rounded up on jax.

    Rounding keeps the number of shapes small there.

    Args:
        lists: the columns of the lists.
        fills: the value of padding, by column.
        unpadded: the columns that have the same number of values in each list,
            so that the length stays as it is.
    """
    rows = _rows(_number(lists))
    return {
        name: ragged.padded(
            rows,
            ragged.longest if name in unpadded else _width(ragged.longest),
            fills[name],
        )
        for name, ragged in lists.items()
    }


def _small_enough(lists: Lists) -> Iterator[Lists]:
    width = sum(_width(ragged.longest) for ragged in lists.values())
    if _rows(_number(lists)) <= _most_rows(width):
        yield lists
        return
    lengths = np.sum([ragged.lengths for ragged in lists.values()], axis=0)
    for _, part in _similar(lists, lengths):
        yield part


def _similar(
    lists: Lists, lengths: np.ndarray
) -> Iterator[tuple[np.ndarray, Lists]]:
    """Yield lists of similar lengths, with their indices.

    Args:
        lists: the columns of all lists.
        lengths: `[lists]`, the numbers of values in all columns.
    """
    order = np.arange(len(lengths))
    if (np.diff(lengths) < 0).any():
        order = np.argsort(lengths, kind="stable")
        lists = {name: ragged.take(order) for name, ragged in lists.items()}
    stops = [*_stops(lengths[order])][::-1]
    places = itertools.pairwise([0, *stops])
    for place, part in zip(places, _cut(lists, stops), strict=True):
        yield order[slice(*place)], part


def _stops(lengths: np.ndarray) -> Iterator[int]:
    """Yield the last stop first, between lists of similar lengths.

    Args:
        lengths: the lengths of the lists, ascending.
    """
    stop = len(lengths)
    while stop:
        yield stop
        longest = int(lengths[stop - 1])
        width = 2 ** max((longest - 1).bit_length(), 3)
        longer = int(np.searchsorted(lengths, width // 2, side="right"))
        start = max(min(longer, stop - FEW // width), 0)
        stop = max(start, stop - _most_rows(width if FEW_SHAPES else longest))


def _most_rows(width: int) -> int:
    """Return the maximum number of lists in a batch, at least 1."""
    return max(LARGEST // max(width, 1), 1)


def _cut(lists: Lists, stops: Sequence[int]) -> Iterator[Lists]:
    parts = zip(*(each.cut(stops) for each in lists.values()), strict=True)
    return (dict(zip(lists, part, strict=True)) for part in parts)


def _number(lists: Lists) -> int:
    return len(next(iter(lists.values())).lengths)


def _rows(number: int) -> int:
    """Return the number rounded up to a power of 8, of 2 above 4096."""
    if not FEW_SHAPES:
        return number
    exponent = max(number - 1, 1).bit_length()
    return 2 ** (exponent if exponent > 12 else -(-exponent // 3) * 3)


def _width(longest: int) -> int:
    """Return the length rounded up by at most a quarter, and at least 8."""
    if not FEW_SHAPES:
        return longest
    step = 2 ** max(longest.bit_length() - 3, 0)
    return max(-(-longest // step) * step, 8)


# Batches of lists whose values are needed one by one.

PADDING = 2**22
"""The number of items of padding that takes as long as compiling a shape."""


Batches = Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]
"""Padded arrays, with the indices of their lists."""


def by_length(lists: Lists, fills: Mapping[str, float]) -> Batches:
    """Yield batches of lists of similar lengths, each as wide as its longest.

    Args:
        lists: columns of the same lengths.
        fills: the value of padding, by column.
    """
    lengths = next(iter(lists.values())).lengths
    # Of an item: a label for each subtopic, if there are some, and a score.
    numbers = sum(x.values[:1].size for x in lists.values())
    for taken, part in _similar(lists, lengths * numbers):
        yield taken, padded(part, fills)


def by_width(lists: Lists, fills: Mapping[str, float], items: int) -> Batches:
    """Yield batches of lists in the widths of `few_widths`, in few shapes.

    Items and rows after the lists are padding.

    Args:
        lists: columns of the same lengths.
        fills: the value of padding, by column.
        items: the number of items of a batch, unless one list has more.
    """
    widths = few_widths(next(iter(lists.values())).lengths, PADDING)
    for width in np.unique(widths).tolist():
        [similar] = np.nonzero(widths == width)
        rows = max(1, items // width)
        for begin in range(0, len(similar), rows):
            taken = similar[begin : begin + rows]
            yield (
                taken,
                {
                    name: ragged.take(taken).padded(rows, width, fills[name])
                    for name, ragged in lists.items()
                },
            )


def few_widths(lengths: np.ndarray, padding: int) -> np.ndarray:
    """Return a width for each list, from the few that all of them get.

    The widths are 20, 40, 80 and so on, with room for some judged items after
    10, 100 or 1000 retrieved ones. A list gets the least of them, less than
    twice its length unless it is shorter than 10. They are then merged.

    Args:
        lengths: `[lists]`, the numbers of items.
        padding: the number of items that merges may add.
    """
    doublings = np.ceil(np.log2(np.maximum(lengths, 20) / 20))
    return _merged(20 * 2 ** doublings.astype(np.int64), padding)


def _merged(widths_of_lists: np.ndarray, padding: int) -> np.ndarray:
    """Return fewer widths of lists.

    A width is merged into the next one, the one that adds the fewest items
    first, as long as all merges together add at most `padding` items.

    Args:
        widths_of_lists: `[lists]`, the width of each list.
        padding: the number of items.
    """
    widths, lists = np.unique(widths_of_lists, return_counts=True)
    while len(widths) > 1:
        added = lists[:-1] * np.diff(widths)
        least = int(added.argmin())
        if added[least] > padding:
            break
        padding -= int(added[least])
        lists[least + 1] += lists[least]
        widths, lists = np.delete(widths, least), np.delete(lists, least)
    found: np.ndarray = widths[np.searchsorted(widths, widths_of_lists)]
    return found


# What is wrong with columns of lists, and what tensors can hold.


def have_one_weight(
    weights: np.ndarray,
    starts: np.ndarray,
    labels: np.ndarray,
    members: Callable[[], Sequence[Any]],
) -> bool:
    """Return True if the rows of each list have one weight.

    Rows that their label leaves out may have another.

    Args:
        weights: `[rows]`. The rows of a list follow each other.
        starts: the first row of each list.
        labels: `[rows]`, if rows have labels.
        members: returns the metrics.
    """
    if are_equal_in_lists(weights, starts):
        return True
    if labels.shape != weights.shape or any(
        member.definition.traits.reads for member in members()
    ):
        return False
    stay = (labels >= 0) | (labels == UNJUDGED)
    lengths = np.diff(starts, append=len(weights))
    lists = np.repeat(np.arange(len(starts)), lengths)[stay]
    return are_equal_in_lists(weights[stay], run_starts(lists)[: len(lists)])


def in_int32_or_floats(numbers: np.ndarray) -> np.ndarray:
    """Return integers beyond int32, the widest of some backends, as floats."""
    if numbers.dtype.kind not in "iu" or not numbers.size:
        return numbers
    limits = np.iinfo(np.int32)
    if limits.min <= numbers.min() and numbers.max() <= limits.max:
        return numbers
    return numbers.astype(np.float64)


def group_numbers(
    values: np.ndarray, column: str, groups: tuple[str, ...] | int
) -> Ragged:
    """Return the number of the group of each list.

    Args:
        values: the groups of the lists, by name or number.
        column: the name of their column.
        groups: the names of the groups, or their number.

    Raises:
        ValueError: if a value of the column is not one of the groups.
    """
    names = () if isinstance(groups, int) else groups
    count = groups if isinstance(groups, int) else len(groups)
    numbers, are_numbers = values, values.dtype.kind in "iu"
    if are_numbers and any(
        x.isdecimal() and x != str(i) for i, x in enumerate(names)
    ):
        raise ValueError(
            f"The column {column!r} should hold names of groups as text, since "
            f"{list(names)} have digits as names. Received: integers such as "
            f"{values[0]}, which may be names or positions among the groups. "
            "For names, pass `column.astype(str)`; for positions, "
            "`np.array(groups)[column]`."
        )
    if not are_numbers:
        number_of = {name: number for number, name in enumerate(names)}
        known = [number_of.get(name, -1) for name in values.tolist()]
        numbers = np.array(known, np.int32)
    wrong = (numbers < 0) | (numbers >= count)
    if wrong.any():
        or_names = f", or one of {list(names)}" if names else ""
        raise ValueError(
            f"The column {column!r} should hold the group of each list, an "
            f"integer from 0 to {count - 1}{or_names}. Received: "
            f"{values[wrong][0]!r}."
        )
    return Ragged.of_single(numbers.astype(np.int32))


def refuse_unaligned(lists: Lists, labels: str, scores: str) -> None:
    """Raise ValueError if a list has more labels than scores, or fewer."""
    one, other = lists[labels].lengths, lists[scores].lengths
    [wrong] = np.nonzero(one != other)
    if len(wrong):
        raise ValueError(
            f"A list should have as many labels in {labels!r} as scores in "
            f"{scores!r}. Received: {one[wrong[0]]} labels and "
            f"{other[wrong[0]]} scores."
        )


def refuse_unequal(lengths: np.ndarray, name: str) -> None:
    """Raise ValueError if the scores of catalogues differ in number."""
    if (lengths != lengths[0]).any():
        raise ValueError(
            f"The column {name!r} should hold the scores of all items of a "
            "catalogue, as many in each list. Received: lists of "
            f"{lengths.min()} to {lengths.max()} scores."
        )


def refuse_beyond(lists: Lists, indices: str, scores: str) -> None:
    """Raise ValueError if an index is not one of the scores."""
    values, lengths = lists[indices]
    refuse_first(
        values,
        values >= np.repeat(lists[scores].lengths, lengths),
        f"The column {indices!r} should hold indices of items, below the "
        f"number of scores in {scores!r}.",
    )


def refuse_nan(name: str, values: np.ndarray) -> None:
    """Raise ValueError if there is a NaN in a column."""
    missing = (values != values).sum()
    if missing:
        raise ValueError(
            f"The column {name!r} should hold no NaN. Received: {missing} of "
            f"them among {len(values)} values. Remove the rows, or look for "
            "what made them."
        )


def refuse_first(values: np.ndarray, wrong: np.ndarray, expected: str) -> None:
    """Raise ValueError naming the first wrong value, if there is one."""
    if wrong.any():
        raise ValueError(f"{expected} Received: {values[wrong][0]}.")
