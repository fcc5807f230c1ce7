"""`Rows`: columns by role, chunks of whole queries, and matching of ids."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.tables.ids import (
    exact,
    first_equal,
    joint,
    keys_of,
    twins,
)


class Rows(NamedTuple):
    """A chunk of a table of queries, items, and labels or scores.

    Attributes:
        query: `[rows]`, the ids of queries: integers, str or bytes.
        item: `[rows]`, the ids of items: integers, str or bytes.
        value: `[rows]`, floats: the labels of the items, or their scores.

    Example:
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> queries, items = np.array(["q1", "q1"]), np.array([7, 8])
        >>> truth = krm.Rows(queries, items, np.array([0.0, 1.0]))
        >>> run = krm.Rows(queries, items, np.array([0.9, 0.8]))
        >>> compared = krm.compare(truth, {"run": run}, krm.HitRateAtK(k=1))
        >>> compared.per_list()["hit_rate@1"]
        [0.0]

    Stability: stable.
    """

    query: np.ndarray
    item: np.ndarray
    value: np.ndarray


# The columns of rows that have no others than those of `Rows`, by role.
NO_OTHERS: Mapping[str, np.ndarray] = types.MappingProxyType({})


class Part(NamedTuple):
    """Some rows of a table or of a file.

    Attributes:
        query: `[rows]`, the ids of queries; bytes in files.
        item: `[rows]`, the ids of items; empty ones without such a column.
        value: `[rows]`, the scores or the labels, floats; or `[rows, values]`,
            labels and the scores of each system.
        line: `[rows]`, the number of each row or of its line, from 1.
        others: `[rows]` each, further columns by role, such as `"weight"`.
    """

    query: np.ndarray
    item: np.ndarray
    value: np.ndarray
    line: np.ndarray
    others: Mapping[str, np.ndarray] = NO_OTHERS

    @classmethod
    def joined(cls, parts: Iterable[Part]) -> Part:
        """Return all parts as one, none of them as an empty one."""
        columns = [*zip(*parts, strict=True)]
        if not columns:
            ids, line = np.zeros(0, "S1"), np.zeros(0, np.int64)
            return cls(ids, ids, np.zeros(0), line)
        others = {
            role: np.concatenate([x[role] for x in columns[-1]])
            for role in columns[-1][0]
        }
        query, item, value, line = map(np.concatenate, columns[:-1])
        return cls(query, item, value, line, others)

    def at(self, rows: slice | np.ndarray) -> Part:
        """Return some of the rows."""
        others = {role: column[rows] for role, column in self.others.items()}
        query, item, value, line = (column[rows] for column in self[:4])
        return Part(query, item, value, line, others)


def whole(chunks: Iterable[Rows]) -> Rows:
    """Return all chunks as one."""
    columns = list(zip(*chunks, strict=True))
    if not columns:
        none = np.zeros(0, np.int64)
        return Rows(none, none, np.zeros(0))
    return Rows(*(x[0] if len(x) == 1 else np.concatenate(x) for x in columns))


def query_chunks(rows: Rows, size: int) -> Iterator[Rows]:
    """Yield chunks of whole queries.

    More rows are sorted by query first, unless those of each are contiguous.

    Args:
        rows: the rows of all queries.
        size: the number of rows of a chunk, which continues to the end of a
            query.
    """
    total = len(rows.query)
    if total <= size:
        yield rows
        return
    _, rows = in_order_of(numbered(rows.query)[0], rows)
    starts = run_starts(rows.query)
    at = np.searchsorted(starts, np.arange(size, total, size))
    cuts = np.unique(starts[at[at < len(starts)]])
    for begin, end in itertools.pairwise([0, *cuts.tolist(), total]):
        yield Rows(*(column[begin:end] for column in rows))


def run_starts(values: np.ndarray) -> np.ndarray:
    """Return the index of the first value of each run of equal values."""
    changes = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate([[0], changes + 1])


def are_equal_in_lists(values: np.ndarray, starts: np.ndarray) -> bool:
    """Return True if the rows of each list have the same value.

    Args:
        values: `[rows]`. The rows of a list follow each other.
        starts: the first row of each list.
    """
    lengths = np.diff(starts, append=len(values))
    return bool((values == np.repeat(values[starts], lengths)).all())


def numbered(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each id, in the order of their first occurrences.

    Also return the index of the first occurrence of each number.
    """
    starts = run_starts(ids)[: len(ids)]
    runs = ids[starts]
    first = first_equal(keys_of(runs))
    if (runs[first] != runs).any():  # different ids may have the same key
        codes = np.unique(runs, return_inverse=True)[1]
        first = first_equal(codes.astype(np.uint64))
    are_first = first == np.arange(len(runs))
    numbers = (np.cumsum(are_first) - 1)[first]
    lengths = np.diff(starts, append=len(ids))
    return np.repeat(numbers, lengths), starts[are_first]


def of_queries(
    query: np.ndarray, values: np.ndarray, role: str, argument: str
) -> dict[Any, Any]:
    """Return the value of each query, which all of its rows have.

    Args:
        query: `[rows]`, the queries in any order.
        values: `[rows]`.
        role: the role of the values, for errors.
        argument: the name of the table, for errors.

    Raises:
        ValueError: if a value is missing, or rows of a query have several.
    """
    numbers, first = numbered(query)
    of_firsts = values[first]
    if values.dtype == object:  # such as None, or the NA of pandas
        missing = np.array([_is_missing(x) for x in values.tolist()], bool)
    else:
        missing = values != values
    for at in np.flatnonzero(missing)[:1]:
        raise ValueError(
            f"{argument} should have a {role} in each row. Received: "
            f"{values[at]} in the query {as_text(query[at].item())!r}. Fill it "
            "in."
        )
    for at in np.flatnonzero(of_firsts[numbers] != values)[:1]:
        raise ValueError(
            f"{argument} should have one {role} in all rows of a query. "
            f"Received: {of_firsts[numbers[at]]} and {values[at]} in the query "
            f"{as_text(query[at].item())!r}. Give all of its rows the same one."
        )
    found = map(as_text, of_firsts.tolist())
    return dict(zip(query[first].tolist(), found, strict=True))


def _is_missing(x: Any) -> bool:
    """Return True for None, NaN and what is not even equal to itself."""
    is_equal = x == x
    return x is None or not isinstance(is_equal, bool) or not is_equal


def in_order_of(numbers: np.ndarray, rows: Rows) -> tuple[np.ndarray, Rows]:
    """Return small numbers of the queries of rows in order, and the rows."""
    if (numbers[1:] >= numbers[:-1]).all():
        return numbers, rows
    order = order_of(numbers)
    numbers = numbers[order]
    starts = run_starts(numbers)
    # To repeat a text takes less than to look it up for each row.
    lengths = np.diff(starts, append=len(numbers))
    query = np.repeat(rows.query[order[starts]], lengths)
    return numbers, Rows(query, rows.item[order], rows.value[order])


# The bits that numpy sorts without comparing values, in linear time.
_DIGIT = 16


def order_of(numbers: np.ndarray) -> np.ndarray:
    """Return the indices that sort integers; equal ones keep their order.

    They are sorted by the last digits first, since few are large.
    """
    if not len(numbers):
        return np.zeros(0, np.int64)
    above = numbers - numbers.min()
    above = above.view(f"u{above.itemsize}")  # of a difference that overflows
    order = np.argsort(above.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, int(above.max()).bit_length(), _DIGIT):
        digits = (above >> shift).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


# Joins by list and item.


class ListItems(NamedTuple):
    """Rows that are identified by a list and an item.

    Attributes:
        lists: `[rows]`, the number of the list.
        items: `[rows]`, the id of the item.
        keys: `[rows]`, a 64-bit key of the pair.
    """

    lists: np.ndarray
    items: np.ndarray
    keys: np.ndarray

    @classmethod
    def of(cls, lists: np.ndarray, items: np.ndarray, number: int) -> ListItems:
        """Return the rows of a number of lists with their keys."""
        return cls(lists, items, joint(lists, keys_of(items), number))

    def equal(
        self, at: np.ndarray, other: ListItems, other_at: np.ndarray
    ) -> bool:
        """Return True if all rows at some indices equal those of another."""
        same_list = self.lists[at] == other.lists[other_at]
        return bool(
            (same_list & (self.items[at] == other.items[other_at])).all()
        )


_Twins = tuple[np.ndarray, np.ndarray]


def match(
    rows: ListItems, others: ListItems
) -> tuple[np.ndarray, np.ndarray, _Twins]:
    """Look up each of the others among the rows.

    The keys are compared first. If different pairs have the same key, exact
    keys are computed, which takes longer.

    Returns:
        The indices of the rows that equal one of the others; True for the
        others that equal a row; and the indices of pairs of equal rows.
    """
    matched, found, (first, second) = _match(rows.keys, others.keys)
    if rows.equal(matched, others, found) and rows.equal(first, rows, second):
        return matched, found, (first, second)
    keys = exact(
        np.concatenate([rows.lists, others.lists]),
        np.concatenate([rows.items, others.items]),
    )
    return _match(*np.split(keys, [len(rows.lists)]))


def _match(
    rows: np.ndarray, keys: np.ndarray
) -> tuple[np.ndarray, np.ndarray, _Twins]:
    if not len(rows):
        none = np.zeros(0, np.int64)
        return none, np.zeros(len(keys), bool), (none, none)
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found = ordered[at] == keys
    return order[at[found]], found, twins(order, ordered)


def duplicates(rows: ListItems) -> _Twins:
    """Return the indices of pairs of equal rows."""
    order = np.argsort(rows.keys, kind="stable")
    found = twins(order, rows.keys[order])
    if len(found[0]):  # different pairs may have the same key
        keys = exact(rows.lists, rows.items)
        order = np.argsort(keys, kind="stable")
        found = twins(order, keys[order])
    return found
