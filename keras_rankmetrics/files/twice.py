"""An item that comes twice in a query, and the two lines where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from keras_rankmetrics.comparing.keys import keys_of, mixed, twins
from keras_rankmetrics.files.errors import FileError
from keras_rankmetrics.files.part import Part


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
            "An item should come once in the list of a query.",
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
