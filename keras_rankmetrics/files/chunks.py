"""Parts of a file, cut between whole queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.errors import FileError, QueriesReturnError
from keras_rankmetrics.tables.ids import keys_of, mixed, twins
from keras_rankmetrics.tables.item_rows import Rows, whole

# Chunks of whole queries, whatever the blocks of a file cut apart.

_ROWS = 2**19  # of a chunk, at least
_BYTES = 2**24  # of the ids of a chunk, unless a single query has more


def whole_queries(
    path: str, parts: Iterable[Rows], rows: int = _ROWS
) -> Iterator[Rows]:
    """The same rows in chunks, none of which ends within a query.

    Raises `QueriesReturnError` where a query goes on after another one.

    Args:
        path: of the file, for errors.
        parts: of a file, in its order.
        rows: so many, and those up to the next query, are a chunk.
    """
    seen: set[bytes] = set()
    complete: list[Rows] = []
    latest: list[Rows] = []  # the rows of the last query, so far
    last = None
    for part in parts:
        if not len(part.query):
            continue
        starts = _starts(part.query)
        names = part.query[starts].tolist()
        new = names[1:] if names[0] == last else names
        if len(set(new)) < len(new) or not seen.isdisjoint(new):
            raise QueriesReturnError(
                path, _twice(seen, new).decode("utf-8", "replace")
            )
        seen.update(new)
        last = names[-1]
        if not new:
            latest.append(part)
            continue
        # The last query may go on in the next part.
        cut = int(starts[-1])
        found = [*latest, *([_slice(part, None, cut)] if cut else [])]
        if _is_wide([*complete, *found]):
            yield from _joined(complete)
            complete = []
        complete += found
        latest = [_slice(part, cut, None)]
        if sum(len(each.query) for each in complete) >= rows:
            yield from _joined(complete)
            complete = []
    if _is_wide([*complete, *latest]):
        yield from _joined(complete)
        complete = []
    yield from _joined([*complete, *latest])


def _slice(part: Rows, start: int | None, stop: int | None) -> Rows:
    return Rows(*(column[start:stop] for column in part))


def _joined(parts: list[Rows]) -> Iterator[Rows]:
    """Yield all parts as one, or nothing if there are none."""
    if parts:
        yield whole(parts)


def _is_wide(parts: list[Rows]) -> bool:
    """Return True if the parts as one took much memory, for their long ids."""
    rows = sum(len(part.query) for part in parts)
    widths = (
        max((part[column].itemsize for part in parts), default=0)
        for column in range(2)
    )
    return rows * sum(widths) > _BYTES


def sorted_by_query(parts: Iterable[Rows]) -> Iterator[Rows]:
    """The same rows, those of a query together, all in memory."""
    rows = whole(parts)
    _, codes = np.unique(rows.query, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    yield Rows(*(column[order] for column in rows))


def _starts(queries: np.ndarray) -> np.ndarray:
    changes = np.flatnonzero(queries[1:] != queries[:-1]) + 1
    return np.concatenate([[0], changes])


def _twice(seen: set[bytes], names: list[bytes]) -> bytes:
    """The first name that has been seen before."""
    before = set(seen)
    for name in names:
        if name in before:
            return name
        before.add(name)
    raise AssertionError("no name comes twice")


# `Part`: rows of a file, with the lines where they stand.


class Part(NamedTuple):
    """Some rows of a file.

    Attributes:
        rows: the queries, the items, and their scores or labels.
        line: `[rows]`, the number of the line of each row, from 1.
    """

    rows: Rows
    line: np.ndarray


# An item that comes twice in a query, and the two lines where it stands.


def check_once(path: str, parts_of: Callable[[], Iterator[Part]]) -> None:
    """Raises where an item comes twice in a query. It reads a file twice.

    Args:
        path: of the file, for errors.
        parts_of: gives its parts.
    """
    keys = [_keys(part) for part in parts_of()]
    if not keys:
        return
    together = np.concatenate(keys)
    order = np.argsort(together, kind="stable")
    first, second = twins(order, together[order])
    if not len(first):
        return
    one = int(np.argmin(second))
    places = int(first[one]), int(second[one])
    (before, query, item), (line, *again) = _found(parts_of(), places)
    if again == [query, item]:  # or two ids have the same key
        raise FileError(
            path,
            "An item should occur once in the list of a query.",
            f"item {item} of query {query}, as in line {before}",
            line,
        )


def _keys(part: Part) -> np.ndarray:
    query, item, _ = part.rows
    return mixed(mixed(keys_of(query)) + keys_of(item))


def _found(
    parts: Iterator[Part], places: tuple[int, ...]
) -> list[tuple[int, str, str]]:
    """The line, the query and the item of some rows, which rise."""
    found, before = [], 0
    for part in parts:
        for place in places:
            at = place - before
            if 0 <= at < len(part.line):
                ids = [
                    ids[at].decode("utf-8", "replace") for ids in part.rows[:2]
                ]
                found.append((int(part.line[at]), ids[0], ids[1]))
        before += len(part.line)
    return found
