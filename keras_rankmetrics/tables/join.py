"""Joins of two tables by list and item, and duplicates in one table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from keras_rankmetrics.tables.ids import exact, joint, keys_of, twins


class Pairs(NamedTuple):
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
    def of(cls, lists: np.ndarray, items: np.ndarray) -> Pairs:
        """Return the pairs with their keys."""
        return cls(lists, items, joint(lists, keys_of(items)))


class Match(NamedTuple):
    """The result of looking up `others` among `rows`.

    Attributes:
        rows: the indices of the rows that equal one of the others.
        found: bool, True for the others that equal a row.
        twins: the indices of pairs of equal rows.
    """

    rows: np.ndarray
    found: np.ndarray
    twins: tuple[np.ndarray, np.ndarray]


def match(rows: Pairs, others: Pairs) -> Match:
    """Look up each of the others among the rows.

    The keys are compared first. If different pairs have the same key, exact
    keys are computed, which takes longer.
    """
    found = _match(rows.keys, others.keys)
    first, second = found.twins
    if (
        _equal(rows, found.rows, others, found.found).all()
        and _equal(rows, first, rows, second).all()
    ):
        return found
    keys = exact(
        np.concatenate([rows.lists, others.lists]),
        np.concatenate([rows.items, others.items]),
    )
    return _match(*np.split(keys, [len(rows.lists)]))


def duplicates(rows: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of pairs of equal rows."""
    found = _twins(rows.keys)
    if len(found[0]):  # different pairs may have the same key
        found = _twins(exact(rows.lists, rows.items))
    return found


def _match(rows: np.ndarray, keys: np.ndarray) -> Match:
    order = np.argsort(rows)
    ordered = rows[order]
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found = ordered[at] == keys
    return Match(order[at[found]], found, twins(order, ordered))


def _twins(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(keys)
    return twins(order, keys[order])


def _equal(
    one: Pairs, at: np.ndarray, other: Pairs, other_at: np.ndarray
) -> np.ndarray:
    items = one.items[at] == other.items[other_at]
    equal: np.ndarray = items & (one.lists[at] == other.lists[other_at])
    return equal
