"""The ids that a system and the truth share, and why others do not match."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.judgements import Judgements
from keras_rankmetrics.tables.ids import as_text

# Common differences between two spellings of an id, and how to remove them.
_DIFFERENCES: dict[str, Callable[[str], str]] = {
    "in spaces around them": str.strip,
    "in case": str.casefold,
    "in leading zeros": lambda id_: re.sub(r"(?<!\d)0+(?=\d)", "", id_),
    "in the ending `.0`": lambda id_: id_.removesuffix(".0"),
    "in a prefix before the digits": lambda id_: re.sub(r"^\D+(?=\d)", "", id_),
}
# The size of the sample in which ids that differ in these ways are searched.
_ROWS, _LISTS, _QUERIES = 10_000, 100, 100_000
# Fewer matches than this share of all possible ones look like a mistake.
_LOW = 0.01

_Pairs = Sequence[tuple[int, Any]]


class Overlap(NamedTuple):
    """The numbers of items that a system and the truth have in common.

    Only queries that both of them have are counted.

    Attributes:
        retrieved: the items that the system retrieves.
        judged: the retrieved items that are judged.
        judgements: all judged items, retrieved or not.
        example: where few items match, a sentence with an item of each side.
    """

    retrieved: int = 0
    judged: int = 0
    judgements: int = 0
    example: str = ""

    @property
    def share(self) -> float | None:
        """The share of judged items among the retrieved ones, if there are any.

        None for arrays, whose items have no ids.
        """
        return self.judged / self.retrieved if self.retrieved else None

    @property
    def is_low(self) -> bool:
        """True if less than 1% of the possible matches were found."""
        return self.judged < max(1, _LOW * self.possible) and self.possible > 0

    @property
    def possible(self) -> int:
        """The number of items that could match.

        A query with one judgement has one possible match, however many items
        are retrieved.
        """
        return min(self.retrieved, self.judgements)


class Matches:
    """The matches of a system and the truth, counted chunk by chunk.

    Args:
        truth: the labels of items.
    """

    def __init__(self, truth: Judgements) -> None:
        self._truth = truth
        self._retrieved = self._judged = self._judgements = 0
        self._sample: list[tuple[int, Any]] = []

    def add(
        self,
        lists: np.ndarray,
        items: np.ndarray,
        labels: np.ndarray,
        scores: np.ndarray,
        judgements: np.ndarray,
    ) -> None:
        """Count the rows of a chunk.

        Args:
            lists: `[rows]`, the place of each query in the truth.
            items: `[rows]`, the ids.
            labels: `[rows]`, below 0 for unjudged items.
            scores: `[rows]`, `-inf` for items that are not retrieved.
            judgements: the labels in the truth for the queries of the chunk.
        """
        retrieved = scores > -np.inf
        unjudged = retrieved & (labels < 0)
        self._retrieved += int(retrieved.sum())
        self._judged += int(retrieved.sum() - unjudged.sum())
        self._judgements += int((judgements >= 0).sum())
        room = _ROWS - len(self._sample)
        if room:
            [at] = np.nonzero(unjudged)
            self._sample += _pairs(lists[at[:room]], items[at[:room]])

    @property
    def overlap(self) -> Overlap:
        """The counts of all chunks."""
        found = Overlap(self._retrieved, self._judged, self._judgements)
        return (
            found._replace(example=self._example()) if found.is_low else found
        )

    def _example(self) -> str:
        places = sorted({place for place, _ in self._sample})[:_LISTS]
        lists, at = self._truth.of_lists(np.array(places))
        at_judged = self._truth.labels[at] >= 0
        judged = _pairs(lists[at_judged], self._truth.items[at[at_judged]])
        if not judged:
            return "The truth judges no items of these queries."
        # If some ids match, similar spellings of others explain nothing.
        pair = None if self._judged else _alike(self._sample, judged)
        if pair is None:
            place, other = judged[0]
            one = next(item for list_, item in self._sample if list_ == place)
            pair = place, one, other, ""
        place, one, other, difference = pair
        query = self._truth.queries[place].item()
        return (
            f"For the query {as_text(query)!r} it retrieves {as_text(one)!r}, "
            f"and the truth judges {as_text(other)!r}. {_question(difference)}"
        )


def no_common_query(unknown: Iterable[Any], truth: Judgements) -> str:
    """Return a sentence with a query of each side, if they share none."""
    mine = sorted(itertools.islice(unknown, _QUERIES))
    theirs = truth.queries[:_QUERIES].tolist()
    pair = _alike([(0, query) for query in mine], [(0, q) for q in theirs])
    _, one, other, difference = pair or (0, mine[0], theirs[0], "")
    return (
        f"It has {as_text(one)!r}, and the truth has {as_text(other)!r}. "
        f"{_question(difference)}"
    )


def _alike(ones: _Pairs, others: _Pairs) -> tuple[int, Any, Any, str] | None:
    """Return two ids of one list that differ in one way, and the difference."""
    for difference, plain in _DIFFERENCES.items():
        by_form = {(list_, plain(str(as_text(x)))): x for list_, x in others}
        for place, one in ones:
            other = by_form.get((place, plain(str(as_text(one)))), one)
            if other != one:
                return place, one, other, difference
    return None


def _pairs(lists: np.ndarray, items: np.ndarray) -> list[tuple[int, Any]]:
    return list(zip(lists.tolist(), items.tolist(), strict=True))


def _question(difference: str) -> str:
    if difference:
        return f"Do the ids differ only {difference}?"
    return "Do both sides use the same ids?"
