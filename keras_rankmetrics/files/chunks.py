"""Chunks of whole queries, whatever the blocks of a file cut apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from keras_rankmetrics.comparing.rows import Rows, whole
from keras_rankmetrics.files.errors import QueriesReturnError

_ROWS = 2**19  # of a chunk, at least


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
    held: list[Rows] = []
    number, last = 0, None
    for part in parts:
        if not len(part.query):
            continue
        starts = _starts(part.query)
        names = part.query[starts].tolist()
        new = names[1:] if names[0] == last else names
        if len(seen.union(new)) < len(seen) + len(new):
            raise QueriesReturnError(
                path, _twice(seen, new).decode("utf-8", "replace")
            )
        seen.update(new)
        last = names[-1]
        number += len(part.query)
        if number < rows or (len(names) == 1 and names != new):
            held.append(part)
            continue
        # The last query may go on in the next part.
        cut = int(starts[-1])
        if cut or held:
            yield whole([*held, Rows(*(column[:cut] for column in part))])
        held = [Rows(*(column[cut:] for column in part))]
        number = len(part.query) - cut
    if held:
        yield whole(held)


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
