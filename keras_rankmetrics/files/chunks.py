"""Chunks of whole queries, and items that occur twice in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.files.errors import FileError, QueriesReturnError
from keras_rankmetrics.tables.chunks import Rows, whole
from keras_rankmetrics.tables.ids import keys_of, mixed, twins

_ROWS = 2**19  # of a chunk, at least
_BYTES = 2**24  # of the ids of a chunk, unless a single query has more


class Part(NamedTuple):
    """Some rows of a file.

    Attributes:
        rows: the queries, the items, and their scores or labels.
        line: `[rows]`, the number of the line of each row, from 1.
    """

    rows: Rows
    line: np.ndarray


def whole_queries(
    path: str, parts: Iterable[Rows], rows: int = _ROWS
) -> Iterator[Rows]:
    """Yield the rows of some parts in chunks of whole queries.

    Raise QueriesReturnError if the rows of a query are not together.

    Args:
        path: of the file, for errors.
        parts: the rows of the file, in order.
        rows: the minimum number of rows in a chunk.
    """
    seen: set[bytes] = set()
    complete: list[Rows] = []
    latest: list[Rows] = []  # the rows of the last query so far
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
        # The last query may continue in the next part.
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
    """Return True if long ids would make the joined parts too large.

    Every id of an array takes the memory of the longest one.
    """
    rows = sum(len(part.query) for part in parts)
    widths = (
        max((part[column].itemsize for part in parts), default=0)
        for column in range(2)
    )
    return rows * sum(widths) > _BYTES


def sorted_by_query(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Yield all rows as one chunk, with the rows of each query together."""
    rows = whole(parts)
    _, codes = np.unique(rows.query, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    yield Rows(*(column[order] for column in rows))


def _starts(queries: np.ndarray) -> np.ndarray:
    changes = np.flatnonzero(queries[1:] != queries[:-1]) + 1
    return np.concatenate([[0], changes])


def _twice(seen: set[bytes], names: list[bytes]) -> bytes:
    """Return the first name that occurs again."""
    before = set(seen)
    for name in names:
        if name in before:
            return name
        before.add(name)
    raise AssertionError("no name occurs twice")


def check_once(path: str, parts_of: Callable[[], Iterator[Part]]) -> None:
    """Raise FileError if an item occurs twice in a query.

    The first pass over the file keeps only keys; the second one finds the ids.

    Args:
        path: of the file, for errors.
        parts_of: reads the file.
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
    if again == [query, item]:  # otherwise two ids have the same key
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
    """Return the line, query and item of the rows at increasing places."""
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
