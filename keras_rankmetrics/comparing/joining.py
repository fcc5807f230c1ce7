"""Runs joined to the truth by query and item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.judgements import Judgements
from keras_rankmetrics.comparing.overlap import Matches, no_common_query
from keras_rankmetrics.tables.ids import as_text, numbered
from keras_rankmetrics.tables.item_rows import Pairs, Rows, match, run_starts
from keras_rankmetrics.types import UNJUDGED


class Joined(NamedTuple):
    """Lists of unequal lengths, with the items of each list contiguous.

    Attributes:
        places: `[lists]`, the indices of the lists in the truth.
        lengths: `[lists]`, the numbers of items.
        labels: `[items]`, `UNJUDGED` for an item that the truth lacks.
        scores: `[items]`, `-inf` for an item that the system lacks.
    """

    places: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


class Joining:
    """The join of a system to the truth, chunk by chunk.

    Args:
        truth: the labels of the items.
        in_order_of_ids: True to order tied items by id, the last one first.
        argument: the name of the system in errors.

    Attributes:
        seen: bool `[lists]`, True for lists of the truth that the system has.
        unknown: the queries that the truth lacks.
        matches: the items that the system and the truth have in common.
    """

    def __init__(
        self, truth: Judgements, in_order_of_ids: bool, argument: str
    ) -> None:
        self._truth = truth
        self._in_order_of_ids = in_order_of_ids
        self._argument = argument
        self.seen = np.zeros(len(truth), bool)
        self.unknown: set[Any] = set()
        self.matches = Matches(truth)

    def join(self, chunks: Iterable[Rows]) -> Iterator[Joined]:
        """Yield the lists of each chunk, then the lists that the system lacks.

        Raises:
            ValueError: if the system has no rows, or no query of the truth.
        """
        for chunk in chunks:
            if len(chunk.query):
                yield self._joined(chunk)
        self._check_has_queries()
        missing = np.flatnonzero(~self.seen)
        if len(missing):
            yield self._not_retrieved(missing)

    def _check_has_queries(self) -> None:
        if self.seen.any():
            return
        if not self.unknown:
            raise ValueError(
                f"There should be rows in {self._argument}. Received: none. "
                "Check how they were read, or leave the system out."
            )
        raise ValueError(
            f"Some queries of {self._argument} should be in the truth. "
            f"Received: 0 of {len(self.unknown):,}. "
            f"{no_common_query(self.unknown, self._truth)}"
        )

    def _not_retrieved(self, missing: np.ndarray) -> Joined:
        truth = self._truth
        lists, at = truth.of_lists(missing)
        # A list without judgements gets one unjudged item. Without any items,
        # it would be padding.
        empty = missing[truth.starts[missing] == truth.starts[missing + 1]]
        unjudged = np.full(len(empty), UNJUDGED, np.float32)
        fillers = np.zeros(len(empty), truth.items.dtype)
        number = len(lists) + len(empty)
        return self._ordered(
            np.concatenate([lists, empty]),
            np.concatenate([truth.labels[at], unjudged]),
            np.full(number, -np.inf, np.float32),
            np.concatenate([truth.items[at], fillers]),
        )

    def _joined(self, chunk: Rows) -> Joined:
        truth = self._truth
        places = self._places(chunk.query)
        lists, at = truth.of_lists(np.unique(places[places < len(truth)]))
        rows, found, twins = match(
            Pairs.of(places, chunk.item),
            Pairs(lists, truth.items[at], truth.keys[at]),
        )
        _check_once(chunk, *twins)
        labels = np.full(len(places), UNJUDGED, np.float32)
        labels[rows] = truth.labels[at[found]]
        in_truth, rest = places < len(truth), at[~found]
        places, items = places[in_truth], chunk.item[in_truth]
        labels = labels[in_truth]
        scores = in_float32(chunk.value[in_truth], places)
        self.matches.add(places, items, labels, scores, truth.labels[at])
        return self._ordered(
            np.concatenate([places, lists[~found]]),
            np.concatenate([labels, truth.labels[rest]]),
            np.concatenate([scores, np.full(len(rest), -np.inf, scores.dtype)]),
            np.concatenate([items, truth.items[rest]]),
        )

    def _places(self, queries: np.ndarray) -> np.ndarray:
        """Return the list of each row, with new numbers for unknown queries.

        Raises ValueError if a query was in an earlier chunk.
        """
        starts = run_starts(queries)
        distinct, codes = numbered(queries[starts])
        places = self._truth.places_of(distinct)
        is_unknown = places < 0
        unknown = distinct[is_unknown].tolist()
        again = [query for query in unknown if query in self.unknown]
        present = places[~is_unknown]
        again += self._truth.queries[present[self.seen[present]]].tolist()
        if again:
            raise ValueError(
                "All rows of a query should be in one chunk. Received: "
                f"the query {as_text(again[0])!r} in several. Sort the rows by "
                "query."
            )
        self.seen[present] = True
        self.unknown.update(unknown)
        places[is_unknown] = len(self._truth) + np.arange(len(unknown))
        lengths = np.diff(starts, append=len(queries))
        return np.repeat(places[codes], lengths)

    def _ordered(
        self,
        lists: np.ndarray,
        labels: np.ndarray,
        scores: np.ndarray,
        items: np.ndarray,
    ) -> Joined:
        if self._in_order_of_ids:
            order = _by_score_and_id(lists, scores, items)
        else:
            order = np.argsort(lists, kind="stable")
        lengths = np.bincount(lists, minlength=len(self._truth))
        [places] = np.nonzero(lengths)
        return Joined(places, lengths[places], labels[order], scores[order])


def _check_once(chunk: Rows, first: np.ndarray, second: np.ndarray) -> None:
    if len(first):
        one = first[0]
        raise ValueError(
            "An item should occur once in the list of a query. Received: the "
            f"item {as_text(chunk.item[one].item())!r} of the query "
            f"{as_text(chunk.query[one].item())!r} twice, with the scores "
            f"{chunk.value[one]} and {chunk.value[second[0]]}."
        )


def _by_score_and_id(
    lists: np.ndarray, scores: np.ndarray, items: np.ndarray
) -> np.ndarray:
    """Return the order by list, then descending score, then descending id."""
    order = np.argsort(lists, kind="stable")
    if _descends(lists[order], scores[order]):  # true for most runs
        return order
    order = np.lexsort((-scores, lists))
    ordered = lists[order], scores[order]
    same = np.all([x[1:] == x[:-1] for x in ordered], axis=0)
    ties = np.zeros(len(order), bool)
    ties[1:] |= same
    ties[:-1] |= same
    rank = np.zeros(len(order), np.int64)
    tied = order[ties]
    rank[tied] = np.unique(items[tied], return_inverse=True)[1]
    return np.lexsort((-rank, -scores, lists))


def _descends(lists: np.ndarray, scores: np.ndarray) -> bool:
    """Return True if scores descend in each list, without ties.

    Items that are not retrieved have no rank, so their order does not matter.
    """
    descends = (scores[1:] < scores[:-1]) | (scores[1:] == -np.inf)
    return bool((descends | (lists[1:] != lists[:-1])).all())


# Scores in float32, in the same order.

_EXACT = 2**24  # integers below it are exact in float32


def in_float32(scores: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Return the scores, or integers in their order if float32 would tie some.

    Some backends have no float64, so that close scores would be tied. Minus
    infinity stays, since it means that an item is not retrieved.

    Args:
        scores: `[items]`, the scores of one list or several.
        lists: `[items]`, the list of each item.

    Returns:
        float32 `[items]`. Within a list they are in the order of the scores,
        and tied where those are, in lists of up to 2 ** 24 items.
    """
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if (single == scores).all():
        return single
    places = np.unique(scores, return_inverse=True)[1]
    if places.max() >= _EXACT:
        places = _within_lists(places, lists)
    return np.where(scores == -np.inf, -np.inf, places).astype(np.float32)


def _within_lists(places: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Return the rank of each integer in its list, from 0."""
    pairs = lists.astype(np.int64) * (int(places.max()) + 1) + places
    ranks = np.unique(pairs, return_inverse=True)[1]
    lowest = np.full(int(lists.max()) + 1, len(ranks))
    np.minimum.at(lowest, lists, ranks)
    return ranks - lowest[lists]
