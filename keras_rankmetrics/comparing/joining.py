"""Runs joined with judgements, and ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.judgements import Judgements
from keras_rankmetrics.comparing.keys import (
    as_text,
    exact,
    joint,
    keys_of,
    numbered,
    twins,
)
from keras_rankmetrics.comparing.overlap import Matches, no_common_query
from keras_rankmetrics.comparing.rows import Rows
from keras_rankmetrics.types import UNJUDGED

# Scores in single precision, which stand in the same order.

_EXACT = 2**24  # whole numbers below it are exact in float32


def in_float32(scores: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """The scores, or their places where float32 merges scores.

    Some backends have no other floats, and merge scores that differ by little.
    Minus infinity stays: it says that an item is not retrieved.

    Args:
        scores: `[items]`, of one list or several.
        lists: `[items]`, the list of each.

    Returns:
        float32 `[items]`. Within a list they are in the order of the scores,
        and equal where those are, in lists of up to 2 ** 24 items.
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
    """The place of each among those of its list, from 0."""
    pairs = lists.astype(np.int64) * (int(places.max()) + 1) + places
    ranks = np.unique(pairs, return_inverse=True)[1]
    lowest = np.full(int(lists.max()) + 1, len(ranks))
    np.minimum.at(lowest, lists, ranks)
    return ranks - lowest[lists]


# What a system says of items, beside what the truth says of them.


class Joined(NamedTuple):
    """Lists of unequal lengths, the items of a list one after the other.

    Attributes:
        places: `[lists]`, where they stand in the truth.
        lengths: `[lists]`, how many items they have.
        labels: `[items]`, `UNJUDGED` for an item that the truth lacks.
        scores: `[items]`, `-inf` for an item that the system lacks.
    """

    places: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


class Joining:
    """The chunks of a system, joined to the truth one by one.

    Args:
        truth: what the items are worth.
        in_order_of_ids: whether items of equal score stand in the order of
            their ids, the last one first.
        argument: the name of the system in errors.

    Attributes:
        seen: `[lists]`, which lists of the truth the system has.
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
        """Yield the lists of each chunk, and then those the system lacks.

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
        # A list needs an item, even if nothing is judged: without one it is
        # padding.
        bare = missing[truth.starts[missing] == truth.starts[missing + 1]]
        nothing = np.full(len(bare), UNJUDGED, np.float32)
        fillers = np.zeros(len(bare), truth.items.dtype)
        number = len(lists) + len(bare)
        return self._ordered(
            np.concatenate([lists, bare]),
            np.concatenate([truth.labels[at], nothing]),
            np.full(number, -np.inf, np.float32),
            np.concatenate([truth.items[at], fillers]),
        )

    def _joined(self, chunk: Rows) -> Joined:
        truth = self._truth
        places = self._places(chunk.query)
        lists, at = truth.of_lists(np.unique(places[places < len(truth)]))
        rows, found = _matched(chunk, places, truth, lists, at)
        labels = np.full(len(places), UNJUDGED, np.float32)
        labels[rows] = truth.labels[at[found]]
        known, rest = places < len(truth), at[~found]
        places, items, labels = places[known], chunk.item[known], labels[known]
        scores = in_float32(chunk.value[known], places)
        self.matches.add(places, items, labels, scores, truth.labels[at])
        return self._ordered(
            np.concatenate([places, lists[~found]]),
            np.concatenate([labels, truth.labels[rest]]),
            np.concatenate([scores, np.full(len(rest), -np.inf, scores.dtype)]),
            np.concatenate([items, truth.items[rest]]),
        )

    def _places(self, queries: np.ndarray) -> np.ndarray:
        """The list of each row; beyond those of the truth if it has none.

        Raises where a query was in an earlier chunk.
        """
        differ = queries[1:] != queries[:-1]
        starts = np.concatenate([[0], np.flatnonzero(differ) + 1])
        distinct, codes = numbered(queries[starts])
        places = self._truth.places_of(distinct)
        is_unknown = places < 0
        unknown = distinct[is_unknown].tolist()
        again = [query for query in unknown if query in self.unknown]
        known = places[~is_unknown]
        again += self._truth.queries[known[self.seen[known]]].tolist()
        if again:
            raise ValueError(
                "All rows of a query should be in one chunk. Received: "
                f"the query {as_text(again[0])!r} in several. Sort the rows by "
                "query."
            )
        self.seen[known] = True
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


def _matched(
    chunk: Rows,
    places: np.ndarray,
    truth: Judgements,
    lists: np.ndarray,
    at: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The rows whose items are judged, and which judgements these are.

    Raises where an item comes twice in a list.
    """
    judged = truth.items[at]
    match = _match(joint(places, keys_of(chunk.item)), truth.keys[at])
    if not _is_exact(match, chunk, places, judged, lists):
        keys = exact(
            np.concatenate([places, lists]),
            np.concatenate([chunk.item, judged]),
        )
        match = _match(*np.split(keys, [len(places)]))
    first, second = match.twins
    if len(first):
        one = first[0]
        raise ValueError(
            "An item should come once in the list of a query. Received: the "
            f"item {as_text(chunk.item[one].item())!r} of the query "
            f"{as_text(chunk.query[one].item())!r} twice, with the scores "
            f"{chunk.value[one]} and {chunk.value[second[0]]}."
        )
    return match.rows, match.found


class _Match(NamedTuple):
    """Where keys are found among the keys of rows.

    Attributes:
        rows: of each key that was found.
        found: bool, which keys were found.
        twins: pairs of rows that have the same key.
    """

    rows: np.ndarray
    found: np.ndarray
    twins: tuple[np.ndarray, np.ndarray]


def _match(rows: np.ndarray, keys: np.ndarray) -> _Match:
    order = np.argsort(rows)
    ordered = rows[order]
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found = ordered[at] == keys
    return _Match(order[at[found]], found, twins(order, ordered))


def _is_exact(
    match: _Match,
    chunk: Rows,
    places: np.ndarray,
    judged: np.ndarray,
    lists: np.ndarray,
) -> bool:
    """Whether all that have the same key are the same."""
    first, second = match.twins
    return bool(
        (chunk.item[match.rows] == judged[match.found]).all()
        and (places[match.rows] == lists[match.found]).all()
        and (chunk.item[first] == chunk.item[second]).all()
        and (places[first] == places[second]).all()
    )


def _by_score_and_id(
    lists: np.ndarray, scores: np.ndarray, items: np.ndarray
) -> np.ndarray:
    """By list, the highest score first, and of those the last id."""
    order = np.argsort(lists, kind="stable")
    if _falls(lists[order], scores[order]):  # as most runs do
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


def _falls(lists: np.ndarray, scores: np.ndarray) -> bool:
    """Whether each list begins with the highest score, and none ties.

    Items that are not retrieved hold no rank, in whatever order they stand.
    """
    falls = (scores[1:] < scores[:-1]) | (scores[1:] == -np.inf)
    return bool((falls | (lists[1:] != lists[:-1])).all())
