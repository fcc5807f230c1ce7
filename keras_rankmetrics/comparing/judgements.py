"""`Judgements`: the truth by query, which systems are joined to."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from keras_rankmetrics.tables.ids import (
    as_text,
    joint,
    keys_of,
    mixed,
    numbered,
)
from keras_rankmetrics.tables.item_rows import Pairs, Rows, duplicates
from keras_rankmetrics.tables.ragged import value_indices
from keras_rankmetrics.types import UNJUDGED


@dataclasses.dataclass(frozen=True)
class Judgements:
    """Labels of items, with the items of each query contiguous.

    Attributes:
        queries: `[lists]`, the ids of queries, in the order of the truth.
        starts: `[lists + 1]`, the first item of each query.
        items: `[items]`, the ids of items.
        labels: `[items]`, `UNJUDGED` in place of labels below 0.
    """

    queries: np.ndarray
    starts: np.ndarray
    items: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, rows: Rows, queries: np.ndarray | None = None) -> Judgements:
        """Return the judgements of rows in any order.

        Args:
            rows: the judgements.
            queries: all queries, if some may have no rows.

        Raises:
            ValueError: if an item is twice in a list.
        """
        named = rows.query if queries is None else queries
        distinct, codes = numbered(
            np.concatenate([named, rows.query]) if len(rows.query) else named
        )
        _, first = np.unique(codes, return_index=True)
        by_place = np.argsort(first)
        rank = np.empty_like(by_place)
        rank[by_place] = np.arange(len(by_place))
        codes = rank[codes][len(codes) - len(rows.query) :]
        order = np.argsort(codes, kind="stable")
        lengths = np.bincount(codes, minlength=len(distinct))
        labels = rows.value[order].astype(np.float32)
        found = cls(
            distinct[by_place],
            np.concatenate([[0], np.cumsum(lengths)]),
            rows.item[order],
            np.where(labels < 0, np.float32(UNJUDGED), labels),
        )
        found._check_once()
        return found

    def __len__(self) -> int:
        return len(self.queries)

    def places_of(self, queries: np.ndarray) -> np.ndarray:
        """Return the index of each query in the truth, -1 for unknown ones."""
        order, ordered = self._ordered
        if not len(ordered):
            return np.full(len(queries), -1)
        found = np.minimum(np.searchsorted(ordered, queries), len(ordered) - 1)
        return np.where(ordered[found] == queries, order[found], -1)

    def of_lists(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the list and the index of each judged item of some lists."""
        lengths = np.diff(self.starts)[places]
        at = value_indices(self.starts[places], lengths)
        return np.repeat(places, lengths), at

    @property
    def lists(self) -> np.ndarray:
        """The list of each item."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash that does not depend on the order of the rows."""
        keys = keys_of(self.queries)[self.lists]
        keys = mixed(keys) + np.uint64(3) * mixed(keys_of(self.items))
        bits = self.labels.astype(np.float64).view(np.uint64)
        return f"{int(mixed(mixed(keys) + bits).sum()):016x}"

    @functools.cached_property
    def keys(self) -> np.ndarray:
        """A key for each item and its list."""
        return joint(self.lists, keys_of(self.items))

    def _check_once(self) -> None:
        lists, items = self.lists, self.items
        one, _ = duplicates(Pairs(lists, items, self.keys))
        if not len(one):
            return
        query = self.queries[lists[one[0]]].item()
        raise ValueError(
            "An item should occur once in the list of a query. Received: the "
            f"item {as_text(items[one[0]].item())!r} of the query "
            f"{as_text(query)!r} twice in the truth."
        )

    @functools.cached_property
    def _ordered(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.queries)
        return order, self.queries[order]
