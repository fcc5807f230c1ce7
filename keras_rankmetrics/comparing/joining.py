"""Runs joined to the truth by query and item; each item once in a list."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing import spellings
from keras_rankmetrics.comparing.measured import Overlap
from keras_rankmetrics.comparing.reading import have_same_id
from keras_rankmetrics.conventions.rules import SIGNS, Rules
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.checks import of_ids
from keras_rankmetrics.engine.messages import as_text, warn
from keras_rankmetrics.tables import ids, item_rows
from keras_rankmetrics.tables.item_rows import (
    Rows,
    run_starts,
)
from keras_rankmetrics.tables.ragged import value_indices
from keras_rankmetrics.tables.single_precision import (
    by_score,
    in_float32,
    ranks_of,
    tied_places,
)
from keras_rankmetrics.types import UNJUDGED

# The size of the sample in which ids that differ in spelling are searched.
_ROWS, _LISTS = 10_000, 100
_FEW_LISTS = 20
# Of items: the numbers of their lists, labels, scores and ids, `[items]` each.
_Columns = tuple[np.ndarray, ...]
_CONVERT = {
    "query": "Convert one side; inputs in order take `query_ids`",
    "item": "Convert one side",
}
_NUMBERS = ", or pass `item_ids`, the id of each number"
KEEP_BEST = 'Remove one, or pass `duplicates="best"` to keep the best of each.'
_REMOVE = "`duplicates` is for runs: remove one."


@dataclasses.dataclass(frozen=True)
class Judgements:
    """Labels of items, with the items of each query contiguous.

    Attributes:
        numbers: the number of each query, in the order of the truth.
        lists: `[items]`, the number of the query of each item.
        labels: `[items]`, `absent` in place of labels below 0; or the scores of
            a reference ranking; or `[items, subtopics]`.
        items: `[items]`, the ids of items.
        absent: the label of an item that the truth lacks: `UNJUDGED`, or `-inf`
            if the truth is a reference ranking.
    """

    numbers: dict[Any, int]
    lists: np.ndarray
    labels: np.ndarray
    items: np.ndarray
    absent: float = UNJUDGED

    @classmethod
    def of(
        cls,
        rows: Rows,
        queries: np.ndarray | None = None,
        absent: float = UNJUDGED,
        subtopics: np.ndarray | None = None,
    ) -> Judgements:
        """Return the judgements of rows in any order.

        Args:
            rows: the judgements, or a reference ranking.
            queries: all queries, if some may have no rows.
            absent: `-inf` for a reference ranking.
            subtopics: the subtopic of each row, if labels are by subtopic.

        Raises:
            ValueError: if an item is twice in a list.
        """
        numbers: dict[Any, int] = {}
        if queries is not None:
            _numbered(queries, numbers)
        lists = _numbered(rows.query, numbers)
        if subtopics is not None:
            lists, rows = _by_subtopic(lists, rows, subtopics)
        lists, rows = item_rows.in_order_of(lists, rows)
        if absent == UNJUDGED:
            labels = rows.value.astype(np.float32)
            labels[labels < 0] = UNJUDGED
        else:
            labels = in_float32(rows.value, lists)
        found = cls(numbers, lists, labels, rows.item, absent)
        pairs = item_rows.ListItems(found.lists, found.items, found.keys)
        again, _ = item_rows.duplicates(pairs)
        check_once(rows, again, "the truth", _REMOVE)
        return found

    @classmethod
    def each(
        cls,
        rows: Rows,
        labels: Sequence[np.ndarray],
        queries: np.ndarray | None,
        subtopics: np.ndarray | None,
    ) -> list[Judgements]:
        """Return the judgements of the same items with each of some labels.

        Args:
            rows: the judgements in any order.
            labels: `[rows]` each.
            queries: as for `of`.
            subtopics: as for `of`.
        """
        own = queries, UNJUDGED, subtopics
        if len(labels) == 1 or subtopics is not None:
            return [cls.of(rows._replace(value=x), *own) for x in labels]
        all_labels = np.column_stack(labels)
        found = cls.of(rows._replace(value=all_labels), *own)
        return [found.with_labels(x) for x in found.labels.T]

    @functools.cached_property
    def queries(self) -> np.ndarray:
        """The ids of queries, in the order of the truth."""
        return np.array(list(self.numbers))

    @functools.cached_property
    def keys(self) -> np.ndarray:
        """A key for each item and its list."""
        number = len(self.numbers)
        return ids.joint(self.lists, ids.keys_of(self.items), number)

    def of_lists(self, places: np.ndarray) -> np.ndarray:
        """Return the indices of the items of some lists."""
        first, last = (
            np.searchsorted(self.lists, places, side=side)
            for side in ("left", "right")
        )
        return value_indices(first, last - first)

    def not_retrieved(self, at: np.ndarray) -> _Columns:
        """Return items that a system lacks, by their indices."""
        scores = np.full(len(at), -np.inf, np.float32)
        return self.lists[at], self.labels[at], scores, self.items[at]

    def no_labels(self, number: int) -> np.ndarray:
        """Return the labels of items that the truth lacks."""
        shape = number, *self.labels.shape[1:]
        return np.full(shape, self.absent, np.float32)

    def are_judged(self, labels: np.ndarray) -> np.ndarray:
        """Return True for labels of items that are judged, bool `[items]`.

        Those of a judged item are for all subtopics.
        """
        of_items = labels if labels.ndim == 1 else labels[:, 0]
        found: np.ndarray = of_items != self.absent
        return found

    def with_label(self, least: float) -> np.ndarray:
        """Return the numbers of the lists with a label from `least` on."""
        return np.unique(self.lists[self.labels >= least])

    def labelled(self) -> np.ndarray:
        """Return True for queries with a label of 0 or more, bool `[lists]`."""
        lists = self.lists[self.are_judged(self.labels)]
        return np.bincount(lists, minlength=len(self.numbers)) > 0

    def with_labels(self, labels: np.ndarray) -> Judgements:
        """Return the same items with other labels."""
        found = dataclasses.replace(self, labels=labels)
        # What does not depend on labels takes long.
        vars(found).update(queries=self.queries, keys=self.keys)
        return found

    @property
    def fingerprint(self) -> str:
        """A hash that does not depend on the order of the rows."""
        keys = ids.mixed(ids.keys_of(self.queries))[self.lists]
        return f"{hash_of_labels(keys, self.items, self.labels):016x}"


def hash_of_labels(
    keys: np.ndarray, items: np.ndarray, labels: np.ndarray
) -> int:
    """Return a hash of labels; that of several chunks is the sum of theirs.

    Args:
        keys: `[items]`, mixed keys of the queries.
        items: `[items]`, the ids of the items.
        labels: `[items]` or `[items, subtopics]`.
    """
    keys = keys + np.uint64(3) * ids.mixed(ids.keys_of(items))
    columns = labels.shape[1:] or (1,)
    floats = labels.astype(np.float64).reshape(-1, *columns)
    bits = floats.view(np.uint64) + np.arange(*columns, dtype=np.uint64)
    return int(ids.mixed(ids.mixed(keys)[:, None] + bits).sum())


class Joined(NamedTuple):
    """Lists of unequal lengths, with the items of each list contiguous.

    Attributes:
        places: `[lists]`, the indices of the lists in the truth.
        lengths: `[lists]`, the numbers of items.
        labels: `[items]`, `absent` for an item that the truth lacks; or
            `[items, subtopics]`.
        scores: `[items]`, `-inf` for an item that the system lacks.
    """

    places: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


class Ruled(NamedTuple):
    """The truth, and an order of tied items, by some rules.

    Attributes:
        truth: the labels of the items.
        order: the order of tied items by id: `"last_id_first"` or
            `"first_id_first"`; anything else for that of the rows.
        rules: the rules.
    """

    truth: Judgements
    order: str
    rules: Rules = Rules()


class Joining:
    """The join of a system to the truth, chunk by chunk, by several rules.

    Args:
        ruled: the truth by each set of rules. Only labels differ. What is
            counted is that of the first one.
        argument: the name of the system in errors.
        depth: the rank down to which the items of lists with labels should
            have one.
        dropped: returns True for rows that rules may drop.

    Attributes:
        facts: what labels and scores together have shown so far.
    """

    def __init__(
        self,
        ruled: Sequence[Ruled],
        argument: str,
        depth: float = 0,
        dropped: Callable[[Rows], np.ndarray] = have_same_id,
    ) -> None:
        self._ruled = ruled
        self._truth = truth = ruled[0].truth
        self._argument = argument
        self._depth = depth
        self._dropped = dropped
        self._same_id = 0
        self._numbers = dict(truth.numbers)  # of other queries: the next ones
        self._seen: set[int] = set()
        # Of retrieved items, of judged ones among them, of judgements, and of
        # relevant items that are not retrieved, though the system has them.
        self._counts = np.zeros(4, np.int64)
        self._unjudged: list[tuple[np.ndarray, np.ndarray]] = []
        self._found = np.zeros(len(truth.items), bool)
        self._queries = ids.mixed(ids.keys_of(truth.queries))
        self._ranking = 0
        self._longest, self._shortest = 0, np.inf
        self.facts = checks.Facts(run=argument, are_whole=False)

    def join(self, chunks: Iterable[Rows]) -> Iterator[list[Joined]]:
        """Yield the lists of each chunk, then the lists that the system lacks.

        They come by each set of rules.

        Raises:
            ValueError: if the system has no rows, or no query of the truth, or
                an item occurs twice in a list.
        """
        for chunk in chunks:
            if len(chunk.query):
                yield self._joined(chunk)
        missing, truth = self.missing, self._truth
        if len(missing) == len(truth.numbers):
            raise self._lacks_queries()
        if len(missing):
            at = truth.of_lists(missing)
            # A list without judgements gets one unjudged item. Without any
            # items, it would be padding.
            empty = np.setdiff1d(missing, truth.lists[at])
            scores = np.full(len(empty), -np.inf, np.float32)
            no_ids = np.zeros(len(empty), truth.items.dtype)
            found = []
            for each in self._ruled:
                labels = each.truth.no_labels(len(empty))
                fillers = empty, labels, scores, no_ids
                parts = each.truth.not_retrieved(at), fillers
                found.append(self._ordered(each.order, *parts))
            yield found

    @property
    def ranking(self) -> str:
        """A fingerprint of the items at each rank of each list so far."""
        return f"{self._ranking % 2**64:016x}"

    @property
    def overlap(self) -> Overlap:
        """The queries and items that the system and the truth share."""
        unknown = len(self._numbers) - len(self._truth.numbers)
        retrieved, judged, judgements, hidden = self._counts.tolist()
        found = Overlap(
            len(self.missing), unknown, retrieved, judged, judgements
        )
        example = self._example(found.is_low)
        return found._replace(
            example=example, hidden=hidden, same_id=self._same_id
        )

    @property
    def retrieves_one(self) -> bool:
        """True if no query retrieves more than one item."""
        return self._longest == 1

    @property
    def depth_of_all(self) -> int | None:
        """The number of items that each query retrieves, if some lack relevant.

        None if queries retrieve different numbers, or all that is judged.
        """
        _, judged, judgements, _ = self._counts.tolist()
        is_one = self._shortest == self._longest and judged < judgements
        return (
            self._longest if is_one and len(self._seen) >= _FEW_LISTS else None
        )

    @property
    def missing(self) -> np.ndarray:
        """The lists of the truth that no chunk had so far."""
        return np.setdiff1d(range(len(self._truth.numbers)), list(self._seen))

    def _joined(self, chunk: Rows) -> list[Joined]:
        truth, number = self._truth, len(self._truth.numbers)
        _check_kinds(chunk, truth, self._argument)
        places = _numbered(chunk.query, self._numbers)
        in_chunk = np.unique(places[run_starts(places)])
        for again in sorted(self._seen.intersection(in_chunk.tolist()))[:1]:
            query = as_text(list(self._numbers)[again])
            raise ValueError(
                "All rows of a query should be in one chunk. Received: the "
                f"query {query!r} in several. Sort the rows by query."
            )
        self._seen.update(in_chunk.tolist())
        at = truth.of_lists(in_chunk[in_chunk < number])
        rows, found, twins = item_rows.match(
            item_rows.ListItems.of(places, chunk.item, number),
            item_rows.ListItems(
                truth.lists[at], truth.items[at], truth.keys[at]
            ),
        )
        check_once(chunk, twins[0], self._argument, KEEP_BEST)
        self._found[at[found]] = True
        known = places < number
        lists, items = places[known], chunk.item[known]
        same = known[:0]
        if any(each.rules.drop_same_id for each in self._ruled):
            same = self._dropped(chunk)
            self._same_id += int(same.sum())
        joined: list[Joined] = []
        rules = [each.rules for each in self._ruled]
        of_rules = scores_by(rules, chunk.value, same, lists, known)
        for each, scores in zip(self._ruled, of_rules, strict=True):
            labels = each.truth.no_labels(len(places))
            labels[rows] = each.truth.labels[at[found]]
            columns = lists, labels[known], scores, items
            if not joined and self._truth.absent == UNJUDGED:
                self._look_at(places, chunk, labels)
            elif not joined:
                self.facts.add_rankings(places, chunk.value, labels)
            if not joined:
                self._count(columns, at)
                self._check_depth(columns)
            absent = each.truth.not_retrieved(at[~found])
            joined.append(self._ordered(each.order, columns, absent))
        return joined

    def _look_at(
        self, lists: np.ndarray, rows: Rows, labels: np.ndarray
    ) -> None:
        """Look at whole lists with their labels.

        Args:
            lists: the list of each row.
            rows: rows of the system.
            labels: their labels, `[rows]` or `[rows, subtopics]`.
        """
        drops = any(each.rules.drop_same_id for each in self._ruled)
        highest = highest_of(labels)
        columns = lists, rows.item, rows.value
        judged = self._truth.lists, self._truth.items
        self.facts.add_numbers(*columns, *judged)
        first = slice(of_ids.COMPARED)
        lists_of_first = len(np.unique(lists[first]))
        if of_ids.FEW_FOUND * (highest[first] > 0).sum() < lists_of_first:
            are_relevant = highest_of(self._truth.labels) > 0
            of_others: Any = *columns, *(x[are_relevant] for x in judged)
            if drops:
                kept = ~ids.are_same(rows.query, rows.item)
                of_others = *(x[kept] for x in columns), *of_others[3:]
            self.facts.see(of_others=of_ids.of_other_lists(*of_others))
        self.facts.add_whole(
            lists,
            rows.value,
            highest,
            None
            if drops
            else lambda at: ids.are_same(rows.query[at], rows.item[at]),
        )

    def _count(self, columns: _Columns, at: np.ndarray) -> None:
        """Count the items of a chunk, and add their ranks to the hash.

        Args:
            columns: the items of the chunk, in lists of the truth.
            at: the indices of the items of the truth in these lists.
        """
        truth, (lists, labels, scores, items) = self._truth, columns
        retrieved, judged = scores > -np.inf, truth.are_judged(labels)
        judgements = truth.are_judged(truth.labels[at])
        keys = self._queries[lists] + ids.keys_of(items)
        self._ranking += hash_of_ranks(
            lists[retrieved], keys[retrieved], scores[retrieved]
        )
        lengths = np.bincount(lists[retrieved])
        self._longest = max(self._longest, lengths.max(initial=0))
        for shortest in np.sort(lengths[lengths > 0])[:1].tolist():
            self._shortest = min(self._shortest, shortest)
        hidden = np.zeros(0, bool)  # a reference has no relevant items
        if truth.absent == UNJUDGED:
            hidden = ~retrieved & (highest_of(labels) > 0)
        counted = retrieved, retrieved & judged, judgements, hidden
        self._counts += [x.sum() for x in counted]
        room = _ROWS - sum(len(lists) for lists, _ in self._unjudged)
        some = np.flatnonzero(retrieved & ~judged)[:room]
        self._unjudged.append((lists[some], items[some]))
        self.facts.add_ids(items[some])

    def _check_depth(self, columns: _Columns) -> None:
        """Raise ValueError if an item lacks a label that its list should have.

        Args:
            columns: the items of a chunk.
        """
        if not self._depth:
            return
        ranked = self._truth.labelled()[columns[0]] & (columns[2] > -np.inf)
        lists, labels, scores, items = (x[ranked] for x in columns)
        order = np.lexsort((-scores, lists))
        ordered = lists[order]
        ranks = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        wrong = ~self._truth.are_judged(labels[order]) & (ranks < self._depth)
        for place in order[wrong][:1].tolist():
            query = self._truth.queries[lists[place]].item()
            raise ValueError(
                "Humans should label all items of a list down to the cutoff of "
                "the metrics, or none of them. Received: no label for the item "
                f"{as_text(items[place].item())!r} that {self._argument} "
                f"retrieves for the query {as_text(query)!r}. Label it, or "
                "leave the query out of the human labels."
            )

    def _ordered(self, order_of_ties: str, *parts: _Columns) -> Joined:
        """Return lists whose tied items have an order."""
        lists, labels, scores, items = map(
            np.concatenate, zip(*parts, strict=True)
        )
        if order_of_ties in SIGNS:
            sign = SIGNS[order_of_ties]
            order = by_score_and_id(lists, scores, items, sign)
            if labels.ndim > 1:
                scores = _without_ties(lists, scores, order)
        else:
            order = item_rows.order_of(lists)
        if labels.ndim > 1:
            # The best order takes the first of equal items: here that with the
            # last id, as in ndeval, whatever the order of the rows.
            order = np.lexsort((-ids.text_order(items), lists))
        lengths = np.bincount(lists, minlength=len(self._truth.numbers))
        [places] = np.nonzero(lengths)
        return Joined(places, lengths[places], labels[order], scores[order])

    def _example(self, is_low: bool) -> str:
        """Return an unjudged item and a judged one of its list, in words.

        Args:
            is_low: True if few items match. Otherwise only ids that differ in
                spelling are an example, and without any it is "".
        """
        truth = self._truth
        lists, items = map(np.concatenate, zip(*self._unjudged, strict=True))
        places = np.unique(lists)[: _LISTS if is_low else _FEW_LISTS]
        some = np.isin(lists, places)
        unjudged = spellings.with_lists(lists[some], items[some])
        at = truth.of_lists(places)
        at = at[truth.are_judged(truth.labels[at])]
        judged = spellings.with_lists(truth.lists[at], truth.items[at])
        if not is_low:
            both = at[self._found[at]]
            at = at[~self._found[at]]
            others = spellings.with_lists(truth.lists[at], truth.items[at])
            shared = spellings.with_lists(truth.lists[both], truth.items[both])
            found = spellings.in_one_text(unjudged, others)
            found = found or spellings.shifted(unjudged + shared, judged)
            are_numbers = truth.items.dtype.kind in "iu"
            parts = spellings.OF_NUMBERS if are_numbers else spellings.PARTS
            if not are_numbers:
                found = found or spellings.alike(unjudged, others)
            found = found or spellings.alike_in_part(unjudged, others, parts)
            # Without shared ones, these ids were all compared.
            if shared and not found and not are_numbers:
                found = spellings.alike(unjudged, judged, least=spellings.FEW)
        elif judged:
            found = spellings.in_one_text(
                unjudged, judged, 1
            ) or spellings.unmatched(unjudged, judged, bool(self._counts[1]))
        else:
            return "The truth judges no items of these queries."
        if not found:
            return self._query_alike()
        place, one, other, question = found
        if question == spellings.IN_DOUBT and self._has_judged(items):
            return "The truth judges some of its items for other queries."
        query = as_text(truth.queries[place].item())
        return (
            f"For the query {query!r} it retrieves {one}, and the truth "
            f"judges {other}. {spellings.with_remedy(question, one, other)}"
        )

    def _has_judged(self, items: np.ndarray) -> bool:
        """Return True if the truth judges some of these, whatever the query.

        Numbers may be those of other items.
        """
        truth = self._truth
        if truth.items.dtype.kind in "iu":
            return False
        known = truth.items[truth.are_judged(truth.labels)]
        return bool(np.isin(items, known).any())

    def _query_alike(self) -> str:
        """Return two queries that differ in spelling, in words, or ""."""
        unknown, truth = self._unknown, self._truth.queries
        if not unknown or truth.dtype.kind in "iu":
            return ""
        missing = truth[self.missing].tolist()
        found = spellings.alike_queries(unknown, missing)
        if found is None:
            return ""
        _, one, other, question = found
        return (
            f"It has no rows of {other}, and the truth has no query {one}. "
            f"{question}"
        )

    @property
    def _unknown(self) -> list[Any]:
        """The queries of the system that the truth lacks."""
        return list(self._numbers)[len(self._truth.numbers) :]

    def _lacks_queries(self) -> ValueError:
        """Return an error with a query of the system, and one of the truth."""
        unknown = self._unknown
        if not unknown:
            return ValueError(
                f"There should be rows in {self._argument}. Received: none. "
                "Check how they were read; an iterator can be read once."
            )
        truth = self._truth.queries.tolist()
        one, other, hint = spellings.unmatched_queries(sorted(unknown), truth)
        return ValueError(
            f"Some queries of {self._argument} should be in the truth. "
            f"Received: 0 of {len(unknown):,}. It has {one}, and the "
            f"truth has {other}. {hint}"
        )


def highest_of(labels: np.ndarray) -> np.ndarray:
    """Return the label of each item, the highest one of its subtopics.

    Args:
        labels: `[items]` or `[items, subtopics]`.
    """
    found: np.ndarray = labels if labels.ndim == 1 else labels.max(axis=1)
    return found


def without_dropped(
    rules: Rules, labels: np.ndarray, same: np.ndarray
) -> np.ndarray:
    """Return labels, `UNJUDGED` for items that rules drop from the truth.

    Args:
        rules: the rules.
        labels: `[rows]`.
        same: True for rows whose item has the id of its query; read only if
            the rules drop these.
    """
    if not rules.drops_judgements:
        return labels
    return np.where(same, UNJUDGED, labels)


def scores_by(
    rules: Sequence[Rules],
    scores: np.ndarray,
    same: np.ndarray,
    lists: np.ndarray,
    rows: slice | np.ndarray = np.s_[:],
) -> Iterator[np.ndarray]:
    """Yield the scores of some rows in float32, by each set of rules.

    Args:
        rules: the rules.
        scores: the scores of all rows.
        same: True for rows whose item has the id of its query; read only if
            some rules drop these.
        lists: the number of the list of each of some rows.
        rows: these rows.
    """
    known: dict[Any, np.ndarray] = {}
    for each in rules:
        key = each.score_dtype, each.drop_same_id
        if key not in known:
            known[key] = in_float32(each.read_scores(scores, same)[rows], lists)
        yield known[key]


def _check_kinds(rows: Rows, truth: Judgements, argument: str) -> None:
    """Raise TypeError if the truth has ids of another kind than the rows.

    Args:
        rows: rows of a system.
        truth: the truth.
        argument: the name of the system, for errors.
    """
    columns = (truth.queries, rows.query), (truth.items, rows.item)
    for name, (ours, theirs) in zip(_CONVERT, columns, strict=True):
        if not ours.size:
            continue
        signed, others = sorted((ours, theirs), key=lambda x: x.dtype.kind)
        if (signed.dtype.kind, others.dtype.kind) == ("i", "u") and (
            signed.min() < 0 and others.max() > np.iinfo(np.int64).max
        ):
            raise TypeError(
                f"The ids of the column `{name}` should be of one dtype. "
                f"Received: {ours.dtype} in the truth, {theirs.dtype} in "
                f"{argument}. Convert the negative ids: "
                '`.view("uint64")`.'
            )
        one, other = (ids.KINDS[x.dtype.kind] for x in (ours, theirs))
        if one != other:
            are_numbers = name == "item" and theirs.dtype.kind in "iu"
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {one} in the truth ({ours[0].item()!r}), "
                f"{other} in {argument} ({theirs[0].item()!r}). "
                f"{_CONVERT[name]}{_NUMBERS * are_numbers}. The truth comes "
                "first."
            )


def _numbered(queries: np.ndarray, numbers: dict[Any, int]) -> np.ndarray:
    """Return the number of each row's query, and add new ones to `numbers`."""
    codes, first = item_rows.numbered(queries)
    distinct = [
        numbers.setdefault(query, len(numbers))
        for query in queries[first].tolist()
    ]
    return np.array(distinct, np.int64)[codes]


def _by_subtopic(
    lists: np.ndarray, rows: Rows, subtopics: np.ndarray
) -> tuple[np.ndarray, Rows]:
    """Return the list of each item, and rows with labels `[rows, subtopics]`.

    Each list has subtopics of its own. An item is not relevant to those that it
    has no label for, unless it has none of 0 or more at all.

    Args:
        lists: the number of the list of each row.
        rows: the label of an item for a subtopic in each row.
        subtopics: the subtopic of each row.

    Raises:
        ValueError: if an item has two labels for a subtopic.
    """
    _, first, item = np.unique(
        ids.exact(lists, rows.item), return_index=True, return_inverse=True
    )
    pairs = item_rows.ListItems.of(item, subtopics, len(first))
    again, _ = item_rows.duplicates(pairs)
    check_once(rows, again, "one subtopic of the truth", _REMOVE)
    kinds, place = np.unique(ids.exact(lists, subtopics), return_inverse=True)
    place -= np.searchsorted(kinds, lists * len(lists))
    if len(np.unique(subtopics)) == 1:
        warn(
            "The labels should be by several subtopics. Received: only "
            f"{as_text(subtopics[0].item())!r}, as in judgements without "
            "subtopics. Check which column has them."
        )
    labels = np.full((len(first), place.max(initial=0) + 1), float(UNJUDGED))
    labels[item, place] = rows.value
    labels[(labels < 0) & (labels >= 0).any(axis=1, keepdims=True)] = 0
    return lists[first], Rows(rows.query[first], rows.item[first], labels)


def check_once(
    rows: Rows, again: np.ndarray, argument: str, remedy: str
) -> None:
    """Raise ValueError if there are indices of rows that repeat an item."""
    if len(again):
        one = again[0]
        query, item = rows.query[one].item(), rows.item[one].item()
        raise ValueError(
            "An item should occur once in the list of a query. Received: the "
            f"item {as_text(item)!r} of the query {as_text(query)!r} "
            f"twice in {argument}. {remedy} If it is padding, leave it out."
        )


def by_score_and_id(
    lists: np.ndarray, scores: np.ndarray, items: np.ndarray, sign: int
) -> np.ndarray:
    """Return the order by list, then descending score, then id.

    Items that are not retrieved have no rank, so their order does not matter.

    Args:
        lists: the list of each item.
        scores: the scores.
        items: the ids.
        sign: 1 for ascending ids, -1 for descending ones.
    """
    order = by_score(lists, scores)
    tied = tied_places(lists, scores, order)
    tied = tied[scores[order[tied]] > -np.inf]
    same = order[tied]
    keys = sign * ids.text_order(items[same]), -scores[same], lists[same]
    order[tied] = same[np.lexsort(keys)]
    return order


def _without_ties(
    lists: np.ndarray, scores: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Return scores of retrieved items that descend in the given order."""
    below = np.empty(len(order))
    below[order] = np.arange(len(order))
    return in_float32(np.where(scores > -np.inf, -below, -np.inf), lists)


def hash_of_ranks(
    lists: np.ndarray, keys: np.ndarray, scores: np.ndarray
) -> int:
    """Return a hash of items with their ranks; tied items share one.

    Args:
        lists: `[items]`, the list of each item.
        keys: a key of the query and the item.
        scores: the scores.
    """
    order = by_score(lists, scores)
    ranks = ranks_of(lists[order], scores[order]).astype(np.uint64)
    return int(ids.mixed(keys[order] + ids.mixed(ranks)).sum())
